#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/cli/contract.h"
#include "clients/cli/member.h"
#include "clients/cli/next.h"
#include "clients/cli/terminal.h"
#include "compiler/diag/render.h"
#include "runner/contract/bind.h"

namespace clients::cli {
namespace {

using server::pipeline::Candidate;
using server::pipeline::Member;
using server::pipeline::MemberCursor;
using server::pipeline::Verdict;

// A fix may uncover the next error; a program that needs more rounds than this is not nearly right.
constexpr int kFixRounds = 16;

server::pipeline::Options GatesOnly(const CheckOptions& check) {
  server::pipeline::Options options;
  options.emit_cuda = false;
  options.policy.strict_proxies = check.strict_proxies;
  return options;
}

int64_t Errors(const compiler::diag::Report& report) {
  return std::count_if(report.diagnostics().begin(), report.diagnostics().end(), [](const auto& d) {
    return d.severity == compiler::diag::Severity::kError;
  });
}

// Applies fixes until none is left or the program passes, then writes the file once.
absl::StatusOr<int> FixFile(const CheckOptions& options) {
  int total = 0;
  absl::StatusOr<Loaded> loaded = Load(options, GatesOnly(options));
  if (!loaded.ok()) return loaded.status();
  if (loaded->file.path == "-") {
    return absl::InvalidArgumentError("--fix needs a file to write, not standard input");
  }
  std::string source = loaded->file.source, kept = source;
  std::pair<int, int64_t> reached;  // the stage, and how few errors
  int applied = 0;
  for (int round = 0; round < kFixRounds; ++round) {
    Candidate candidate(source, loaded->candidate->options());
    auto numbers = ParseNumbers(options.params);
    auto binding = candidate.Bind(*numbers);
    const Member member =
        candidate.CheckMember(binding.ok() ? *binding : compiler::sema::Binding{});
    // Fixes that each mend the program may undo each other: what has not helped is not written.
    const std::pair<int, int64_t> now = {static_cast<int>(member.stage), -Errors(member.report)};
    if (round > 0 && now <= reached) break;
    reached = now;
    kept = source;
    total += applied;
    source = compiler::diag::ApplyMachineFixes(member.report, source, &applied);
    if (applied == 0) break;
  }
  if (total > 0) {
    if (absl::Status written = WriteWholeFile(loaded->file.path, kept); !written.ok()) {
      return written;
    }
  }
  return total;
}

struct VerdictCount {
  int64_t members = 0;
  compiler::sema::Binding witness;  // the first member that got it
  std::string code;                 // its first error
};

std::string BindingText(const compiler::sema::Binding& binding) {
  std::string out;
  for (const auto& [name, value] : binding) {
    absl::StrAppend(&out, out.empty() ? "" : " ", name, "=", value);
  }
  return out;
}

std::string FirstErrorCode(const compiler::diag::Report& report) {
  for (const auto& diagnostic : report.diagnostics()) {
    if (diagnostic.severity == compiler::diag::Severity::kError)
      return std::string(diagnostic.code);
  }
  return "";
}

void PrintFamily(const std::map<std::string, VerdictCount>& counts, int64_t members, bool sampled,
                 bool json) {
  if (json) {
    nlohmann::ordered_json out{{"members", members}, {"sampled", sampled}};
    for (const auto& [verdict, count] : counts) {
      out["verdicts"].push_back({{"verdict", verdict},
                                 {"members", count.members},
                                 {"witness", count.witness},
                                 {"code", count.code}});
    }
    std::printf("%s\n", out.dump(2).c_str());
    return;
  }
  Table table({"verdict", "members", "first", "code"});
  for (const auto& [verdict, count] : counts) {
    table.Add({verdict, absl::StrCat(count.members), BindingText(count.witness), count.code});
  }
  std::fputs(table.Text().c_str(), stdout);
  if (sampled)
    std::printf("sampled: the family has more members than %lld\n",
                static_cast<long long>(members));
}

// The first member that some gate rejected, else what a passed family is for.
std::string NextOfFamily(const CheckOptions& options,
                         const std::map<std::string, VerdictCount>& counts) {
  for (const auto& [verdict, count] : counts) {
    if (verdict == ToString(Verdict::kPassed)) continue;
    MemberOptions witness = options;
    witness.params.clear();
    for (const auto& [name, value] : count.witness)
      witness.params.push_back(absl::StrCat(name, "=", value));
    return Command("check", witness);
  }
  return Command("explain", options);
}

struct Checked {
  Verdict verdict = Verdict::kPassed;
  std::string code;  // the first error
};

// The members' verdicts; members that are one and the same program are judged once.
class FamilyCheck {
 public:
  explicit FamilyCheck(const Loaded& loaded) : candidate_(*loaded.candidate) {
    if (loaded.member.program != nullptr) Keep(loaded.member);
  }

  Checked Check(const compiler::sema::Binding& binding) {
    Member member = candidate_.Elaborate(binding);
    if (member.program == nullptr) return {member.verdict, FirstErrorCode(member.report)};
    const auto known = known_.find(member.canonical_hash);
    if (known != known_.end()) return known->second;
    return Keep(candidate_.Judge(std::move(member)));
  }

 private:
  const Checked& Keep(const Member& member) {
    return known_[member.canonical_hash] = {member.verdict, FirstErrorCode(member.report)};
  }

  const Candidate& candidate_;
  std::map<std::string, Checked> known_;  // by canonical hash
};

int CheckFamily(const CheckOptions& options) {
  absl::StatusOr<Loaded> loaded = Load(options, GatesOnly(options));
  if (!loaded.ok()) return Fail(loaded.status());
  if (!loaded->candidate->ok()) return PrintRejected(*loaded, options);
  std::map<std::string, VerdictCount> counts;
  int64_t members = 0;
  const auto fixed = ParseNumbers(options.params);
  if (!fixed.ok()) return Fail(fixed.status());
  FamilyCheck family(*loaded);
  MemberCursor cursor(*loaded->candidate, compiler::ir::Limits{}.family_members_listed, 1, *fixed);
  while (auto binding = cursor.Next()) {
    const Checked checked = family.Check(*binding);
    VerdictCount& count = counts[std::string(ToString(checked.verdict))];
    if (count.members++ == 0) {
      count.witness = *binding;
      count.code = checked.code;
    }
    ShowProgress(absl::StrCat("checked ", ++members, " members"));
  }
  ClearProgress();
  PrintFamily(counts, members, cursor.sampled(), options.json);
  if (!options.json) PrintNext(NextOfFamily(options, counts));
  return counts.count(std::string(ToString(Verdict::kPassed))) == 0 ? kCandidateAtFault : kFine;
}

// What the daemon does after the gates: the program's declarations against the contract's.
absl::Status AgainstContract(const CheckOptions& options, Loaded& loaded) {
  Member& member = loaded.member;
  auto contract = LoadWholeContract(options.workload, loaded.file.path);
  if (!contract.ok()) return contract.status();
  if (member.verdict != Verdict::kPassed) return absl::OkStatus();
  runner::contract::CheckBinding(*contract, *member.program, member.report);
  member.report.Sort();
  member.verdict = server::pipeline::VerdictOf(member.report);
  return absl::OkStatus();
}

}  // namespace

int Check(const CheckOptions& options) {
  int fixes = 0;
  if (options.fix) {
    absl::StatusOr<int> applied = FixFile(options);
    if (!applied.ok()) return Fail(applied.status());
    fixes = *applied;
    if (!options.json)
      std::printf("applied %d %s to %s\n", fixes, fixes == 1 ? "fix" : "fixes",
                  options.file.c_str());
  }
  if (options.all) return CheckFamily(options);
  absl::StatusOr<Loaded> loaded = Load(options, GatesOnly(options));
  if (!loaded.ok()) return Fail(loaded.status());
  std::string words;
  if (!options.workload.empty()) {
    words = absl::StrCat(" --workload ", ShellWord(options.workload));
    if (absl::Status bound = AgainstContract(options, *loaded); !bound.ok()) return Fail(bound);
  }
  const bool passed = loaded->member.verdict == Verdict::kPassed;
  if (options.json && options.fix) {
    auto out = nlohmann::ordered_json::parse(
        server::pipeline::ToJson(*loaded->candidate, loaded->member), nullptr, false);
    out["fixes_applied"] = fixes;
    std::printf("%s\n", out.dump().c_str());
    return passed ? kFine : kCandidateAtFault;
  }
  if (!passed) return PrintRejected(*loaded, options, words);
  if (options.json) {
    std::printf("%s\n", server::pipeline::ToJson(*loaded->candidate, loaded->member).c_str());
    return kFine;
  }
  std::fputs(server::pipeline::ToText(*loaded->candidate, loaded->member, UseColor()).c_str(),
             stdout);
  std::printf("verdict %s\n", Paint("PASSED", Style::kGood).c_str());
  const bool judged = !options.workload.empty() || LoadContract("", loaded->file.path).ok();
  PrintNext(judged ? Command("run", options) + words : Command("explain", options));
  return kFine;
}

}  // namespace clients::cli
