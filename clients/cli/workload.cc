// workload lint: what is wrong or weak in a contract, before any program is judged by it.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "clients/cli/contract.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "runner/oracle/lint.h"

namespace clients::cli {
namespace {

std::string_view WhyOf(std::string_view rule) {
  for (const runner::oracle::LintRule& one : runner::oracle::LintRules()) {
    if (one.name == rule) return one.why;
  }
  return "";
}

int PrintJson(const WorkloadLintOptions& options, const runner::contract::Workload& contract,
              const std::vector<runner::oracle::LintFinding>& findings) {
  nlohmann::json out{{"file", options.file},
                     {"workload", contract.name},
                     {"contract_hash", runner::contract::Hash(contract)},
                     {"findings", nlohmann::json::array()}};
  for (const auto& finding : findings) {
    out["findings"].push_back({{"rule", std::string(finding.rule)},
                               {"message", finding.message},
                               {"why", std::string(WhyOf(finding.rule))}});
  }
  std::printf("%s\n", out.dump(2).c_str());
  return findings.empty() ? kFine : kCandidateAtFault;
}

// The program that times are held against, where it lies beside the contract; else lint again, when
// the contract is mended.
std::string NextStep(const WorkloadLintOptions& options, const runner::contract::Workload& contract,
                     bool sound) {
  const std::string file = ShellWord(options.file);
  std::error_code error;
  const auto baseline = std::filesystem::path(options.file).parent_path() / contract.baseline;
  if (!sound || !std::filesystem::is_regular_file(baseline, error)) {
    return absl::StrCat("cake workload lint ", file);
  }
  return absl::StrCat("cake run ", ShellWord(baseline.string()), " --workload ", file);
}

}  // namespace

int WorkloadLint(const WorkloadLintOptions& options) {
  const auto contract = LoadContract(options.file, "");
  if (!contract.ok()) return Fail(contract.status());
  auto findings = runner::oracle::LintContract(*contract);
  if (!findings.ok()) return Fail(findings.status());
  const std::string path = FindContract(options.file, "").value_or(options.file);
  if (std::string missing = MissingBaseline(*contract, path); !missing.empty()) {
    findings->push_back({runner::oracle::LintRules()[0].name, std::move(missing)});
  }
  if (options.json) return PrintJson(options, *contract, *findings);
  for (const auto& finding : *findings) {
    std::printf("%s: %s[%s]: %s\n  why: %s\n", ShellWord(options.file).c_str(),
                Paint("error", Style::kBad).c_str(), std::string(finding.rule).c_str(),
                Printable(finding.message).c_str(), std::string(WhyOf(finding.rule)).c_str());
  }
  std::printf("%s: contract %s, %zu findings\n", ShellWord(options.file).c_str(),
              Printable(contract->name).c_str(), findings->size());
  PrintNext(NextStep(options, *contract, findings->empty()));
  return findings->empty() ? kFine : kCandidateAtFault;
}

}  // namespace clients::cli
