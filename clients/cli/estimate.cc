#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cli/contract.h"
#include "clients/cli/member.h"
#include "clients/cli/terminal.h"
#include "runner/contract/bind.h"

namespace clients::cli {
namespace {

using compiler::ir::SymbolKind;
using server::pipeline::CaseValues;
using server::pipeline::Verdict;

// Members of the family that differ from this one in one param by one step of its domain.
constexpr int kNeighboursShown = 16;

const runner::contract::Case* ChooseCase(const runner::contract::Workload& contract,
                                         const std::string& name) {
  if (!name.empty()) return FindCase(contract, name);
  for (const auto& at : contract.cases) {
    if (at.tier == runner::contract::Tier::kDevice) return &at;
  }
  return contract.cases.empty() ? nullptr : &contract.cases[0];
}

absl::StatusOr<CaseValues> ValuesOfContract(const EstimateOptions& options, const Loaded& loaded) {
  auto contract = LoadContract(options.workload, loaded.file.path);
  if (!contract.ok()) return contract.status();
  const auto* at = ChooseCase(*contract, options.case_name);
  if (at == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("--case ", options.case_name, ": the contract has no such case"));
  }
  return runner::contract::CaseValues(*contract, *at, *loaded.member.program,
                                      loaded.member.device->sm_count);
}

// Numbers given on the command line; args that are not given do not change the cost and read as 0.
absl::StatusOr<CaseValues> ValuesOfDims(const EstimateOptions& options, const Loaded& loaded) {
  auto values = ParseNumbers(options.dims);
  if (!values.ok()) return values.status();
  std::string missing;
  for (const auto& symbol : loaded.member.program->symbols) {
    if (values->count(symbol.name) > 0) continue;
    if (symbol.kind == SymbolKind::kSms) (*values)[symbol.name] = loaded.member.device->sm_count;
    if (symbol.kind == SymbolKind::kArg) (*values)[symbol.name] = 0;
    if (symbol.kind == SymbolKind::kDim) absl::StrAppend(&missing, " --dim ", symbol.name, "=N");
  }
  if (!missing.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the estimate needs a shape: add", missing, ", or --workload NAME"));
  }
  return values;
}

absl::StatusOr<costmodel::Estimate> EstimateOf(const server::pipeline::Member& member,
                                               const CaseValues& values) {
  auto launch = compiler::facts::BindLaunch(*member.program, values);
  if (!launch.ok()) return launch.status();
  return costmodel::EstimateLaunch(*member.program, member.facts, *launch, *member.device);
}

// One step up and down in every param: what a neighbour would take, by the same model.
void PrintWhatIf(const Loaded& loaded, const CaseValues& values, double now_ns) {
  Table table({"change", "predicted", "against now"});
  int shown = 0;
  for (const auto& param : loaded.candidate->params()) {
    for (size_t i = 0; i < param.values.size() && shown < kNeighboursShown; ++i) {
      const int64_t current = loaded.member.binding.at(param.name);
      const bool neighbour = (i + 1 < param.values.size() && param.values[i + 1] == current) ||
                             (i > 0 && param.values[i - 1] == current);
      if (!neighbour) continue;
      auto binding = loaded.member.binding;
      binding[param.name] = param.values[i];
      const auto member = loaded.candidate->CheckMember(binding);
      const std::string change = absl::StrCat(param.name, " = ", param.values[i]);
      ++shown;
      if (member.verdict != Verdict::kPassed) {
        table.Add({change, std::string(ToString(member.verdict)), ""});
      } else if (auto estimate = EstimateOf(member, values); estimate.ok()) {
        table.Add({change, Duration(estimate->time_ns),
                   absl::StrFormat("%.3fx", estimate->time_ns / now_ns)});
      }
    }
  }
  if (shown > 0) std::fputs(table.Text().c_str(), stdout);
}

}  // namespace

int Estimate(const EstimateOptions& options) {
  server::pipeline::Options pipeline;
  pipeline.emit_cuda = false;
  absl::StatusOr<Loaded> loaded = Load(options, pipeline);
  if (!loaded.ok()) return Fail(loaded.status());
  if (loaded->member.verdict != Verdict::kPassed) return PrintRejected(*loaded, options);
  auto values =
      options.dims.empty() ? ValuesOfContract(options, *loaded) : ValuesOfDims(options, *loaded);
  if (!values.ok()) return Fail(absl::InvalidArgumentError(values.status().message()));
  auto estimate = EstimateOf(loaded->member, *values);
  if (!estimate.ok()) return Fail(absl::InvalidArgumentError(estimate.status().message()));
  if (options.json) {
    std::printf("%s\n", costmodel::ToJson(*estimate, loaded->candidate->source()).c_str());
    return kFine;
  }
  std::fputs(costmodel::ToText(*estimate, loaded->candidate->source()).c_str(), stdout);
  if (options.what_if) PrintWhatIf(*loaded, *values, estimate->time_ns);
  PrintNext(options.what_if
                ? absl::StrCat("cake run ", ShellWord(options.file), ParamWords(options))
                : absl::StrCat("cake estimate ", ShellWord(options.file), ParamWords(options),
                               " --what-if"));
  return kFine;
}

}  // namespace clients::cli
