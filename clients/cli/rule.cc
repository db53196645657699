// rule try: a learnt rule against its own programs and others, before anybody is asked to keep it.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "clients/cli/input.h"
#include "clients/cli/next.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "runner/child/write_file.h"
#include "server/pipeline/rule_trial.h"

namespace clients::cli {
namespace {

using server::pipeline::RuleTrial;

constexpr size_t kSaidMax = 8;

int PrintTrials(const RuleTryOptions& options, const verifier::learnt::Rule& rule,
                const std::vector<RuleTrial>& trials, bool good) {
  if (options.json) {
    nlohmann::ordered_json out{
        {"file", options.rule}, {"rule", rule.name}, {"code", rule.code}, {"good", good}};
    out["trials"] = nlohmann::ordered_json::parse(server::pipeline::TrialsJson(trials));
    std::printf("%s\n", out.dump(2).c_str());
    return good ? kFine : kCandidateAtFault;
  }
  Table table({"program", "gates", "violations", "us", "as it must"});
  for (const RuleTrial& trial : trials) {
    table.Add({trial.program, trial.verdict, absl::StrCat(trial.hits),
               absl::StrCat(trial.cpu_ns / 1000),
               trial.fault.empty() ? "yes" : Printable(trial.fault)});
  }
  std::fputs(table.Text().c_str(), stdout);
  for (const RuleTrial& trial : trials) {
    for (size_t i = 0; i < std::min(trial.said.size(), kSaidMax); ++i) {
      std::printf("%s: %s\n", trial.program.c_str(), Printable(trial.said[i]).c_str());
    }
  }
  std::printf("rule %s, %s: %s\n", rule.name.c_str(), rule.code.c_str(),
              good ? Paint("as its programs say", Style::kGood).c_str()
                   : Paint("not as its programs say", Style::kBad).c_str());
  const std::string verb = good && DaemonIsKnown() ? "gate " : "try ";
  PrintNext(absl::StrCat("cake rule ", verb, ShellWord(options.rule)));
  return good ? kFine : kCandidateAtFault;
}

}  // namespace

int RuleTry(const RuleTryOptions& options) {
  const auto text = runner::child::ReadWholeFile(
      options.rule, static_cast<int64_t>(verifier::learnt::kRuleBytesMax) + 1);
  if (!text.ok()) return Fail(text.status());
  auto compiled = verifier::learnt::CompileRule(*text);
  if (!compiled.ok()) {
    if (!options.json) {
      std::printf("%s: %s\n", options.rule.c_str(),
                  Printable(std::string(compiled.status().message())).c_str());
      PrintNext(absl::StrCat("cake rule try ", ShellWord(options.rule)));
    } else {
      const nlohmann::ordered_json out{{"file", options.rule},
                                       {"good", false},
                                       {"error", std::string(compiled.status().message())}};
      std::printf("%s\n", out.dump(2).c_str());
    }
    return kCandidateAtFault;
  }
  const verifier::learnt::Rule rule = compiled->rule;
  const auto alone = server::pipeline::Only(*std::move(compiled));
  std::vector<RuleTrial> trials = server::pipeline::TrySpecimens(alone);
  for (const std::string& path : options.programs) {
    const auto program = ReadProgram(path);
    if (!program.ok()) return Fail(program.status());
    trials.push_back(server::pipeline::TryRule(alone, program->source, path));
  }
  const bool good = server::pipeline::AllAsTheyMust(trials);
  return PrintTrials(options, rule, trials, good);
}

}  // namespace clients::cli
