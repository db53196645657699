#include "clients/cli/member.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/cli/next.h"
#include "clients/cli/terminal.h"
#include "compiler/arch/device.h"

namespace clients::cli {
namespace {

using compiler::diag::Applicability;
using server::pipeline::Candidate;
using server::pipeline::Verdict;

// Whether some diagnostic carries a machine-applicable edit.
bool HasMachineFix(const compiler::diag::Report& report) {
  for (const auto& diagnostic : report.diagnostics()) {
    for (const auto& fix : diagnostic.fixes) {
      if (fix.applicability == Applicability::kMachine && !fix.edits.empty()) return true;
    }
  }
  return false;
}

// The fix, the choice of one program of the file, the architecture that it was written for, what
// the gates judged by, other members; else the same check after an edit.
// `words`: the contract, where there is one, which only a check takes.
std::string NextAfterRejection(const Loaded& loaded, MemberOptions options,
                               const std::string& words) {
  const bool file = loaded.file.path != "-";
  if (HasMachineFix(loaded.member.report) && file) return Command("check --fix", options);
  const auto programs = loaded.candidate->program_names();
  if (programs.size() > 1 && loaded.candidate->program_name().empty()) {
    options.file = absl::StrCat(loaded.file.path, ":", std::string(programs[0]));
    return Command("check", options) + words;
  }
  if (!options.arch.empty() && loaded.member.verdict == Verdict::kRejectedHardware) {
    options.arch.clear();
    return Command("check", options) + words;
  }
  const bool gates = loaded.member.stage == server::pipeline::Stage::kGates;
  if (gates && file) return Command("explain", options);
  if (loaded.candidate->family_size() > 1 && options.params.empty() && file) {
    return Command("check --all", options);
  }
  return Command("check", options) + words;
}

}  // namespace

absl::StatusOr<Loaded> Load(const MemberOptions& options, server::pipeline::Options pipeline) {
  absl::StatusOr<ProgramFile> file = ReadProgram(options.file);
  if (!file.ok()) return file.status();
  absl::StatusOr<std::map<std::string, int64_t>> params = ParseNumbers(options.params);
  if (!params.ok()) return params.status();

  if (!options.arch.empty()) {
    const auto device = compiler::arch::DeviceOfTarget(options.arch);
    if (!device.ok())
      return absl::InvalidArgumentError(
          absl::StrCat("--arch ", options.arch, ": ", std::string(device.status().message())));
  }
  pipeline.file_name = file->path;
  pipeline.source_bytes = file->source_bytes;
  pipeline.program = file->program;
  pipeline.arch = options.arch;
  Loaded out;
  out.file = *std::move(file);
  out.candidate = std::make_unique<Candidate>(out.file.source, pipeline);
  const auto names = out.candidate->program_names();
  if (!pipeline.program.empty() && !names.empty() &&
      std::find(names.begin(), names.end(), pipeline.program) == names.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.file, ": no such program; ", out.file.path, " has ",
                     absl::StrJoin(std::vector<std::string>(names.begin(), names.end()), ", ")));
  }
  absl::StatusOr<compiler::sema::Binding> binding = out.candidate->Bind(*params);
  if (!binding.ok() && out.candidate->ok()) return binding.status();
  out.member = out.candidate->CheckMember(binding.ok() ? *binding : compiler::sema::Binding{});
  return out;
}

int PrintRejected(const Loaded& loaded, const MemberOptions& options, const std::string& words) {
  if (options.json) {
    std::printf("%s\n", server::pipeline::ToJson(*loaded.candidate, loaded.member).c_str());
    return kCandidateAtFault;
  }
  std::fputs(server::pipeline::ToText(*loaded.candidate, loaded.member, UseColor()).c_str(),
             stdout);
  std::printf("verdict %s\n",
              Paint(std::string(ToString(loaded.member.verdict)), Style::kBad).c_str());
  PrintNext(NextAfterRejection(loaded, options, words));
  return kCandidateAtFault;
}

}  // namespace clients::cli
