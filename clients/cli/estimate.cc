#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cli/contract.h"
#include "clients/cli/member.h"
#include "clients/cli/next.h"
#include "clients/cli/terminal.h"
#include "compiler/arch/hardware.h"
#include "runner/contract/bind.h"

namespace clients::cli {
namespace {

using compiler::ir::SymbolKind;
using server::pipeline::CaseValues;
using server::pipeline::Verdict;

// Members of the family that differ from this one in one param by one step of its domain.
constexpr size_t kNeighboursShown = 16;

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

// Each number that is given is of a name of the program, and a dim's within its range: said also
// where others are missing.
absl::Status CheckNumbers(const compiler::ir::Program& program, const CaseValues& values) {
  for (const auto& [name, value] : values) {
    const std::string array = name.substr(0, name.find('['));
    const auto symbol = std::find_if(program.symbols.begin(), program.symbols.end(),
                                     [&](const auto& s) { return s.name == array; });
    if (symbol == program.symbols.end()) {
      if (name == "SMS") continue;  // a number of the device, whether or not the program uses it
      return absl::InvalidArgumentError(
          absl::StrCat("--dim ", name, ": program `", program.name, "` declares no `", array, "`"));
    }
    const bool outside = symbol->has_range && (value < symbol->low || value > symbol->high);
    if (symbol->kind != SymbolKind::kDim || !outside) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--dim ", name, "=", value, ": outside ", symbol->low, "..=", symbol->high));
  }
  return absl::OkStatus();
}

// Numbers given on the command line; args that are not given do not change the cost and read as 0.
absl::StatusOr<CaseValues> ValuesOfDims(const EstimateOptions& options, const Loaded& loaded) {
  auto values = ParseNumbers(options.dims);
  if (!values.ok()) return values.status();
  if (absl::Status known = CheckNumbers(*loaded.member.program, *values); !known.ok()) return known;
  std::string missing;
  for (const auto& symbol : loaded.member.program->symbols) {
    if (values->count(symbol.name) > 0) continue;
    if (symbol.kind == SymbolKind::kSms) (*values)[symbol.name] = loaded.member.device->sm_count;
    if (symbol.kind == SymbolKind::kArg) (*values)[symbol.name] = 0;
    if (symbol.kind == SymbolKind::kDim) absl::StrAppend(&missing, " --dim ", symbol.name, "=N");
  }
  if (!missing.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the estimate needs a shape: add",
                                                   ShapeWords(loaded).value_or(missing),
                                                   ", or --workload NAME"));
  }
  return values;
}

absl::StatusOr<costmodel::Estimate> EstimateOf(const server::pipeline::Member& member,
                                               const CaseValues& values,
                                               const costmodel::Calibration* calibration) {
  auto launch = compiler::facts::BindLaunch(*member.program, values);
  if (!launch.ok()) return launch.status();
  return costmodel::EstimateLaunch(*member.program, member.facts, *launch, *member.device,
                                   calibration);
}

struct Neighbour {
  std::string param;
  int64_t value = 0;
  Verdict verdict = Verdict::kPassed;
  double predicted_ns = 0;  // 0: rejected, or the model has no answer
};

// One step up and down in every param: what such a member would take, by the same model.
std::vector<Neighbour> Neighbours(const Loaded& loaded, const CaseValues& values,
                                  const costmodel::Calibration* calibration) {
  std::vector<Neighbour> out;
  for (const auto& param : loaded.candidate->params()) {
    for (size_t i = 0; i < param.values.size() && out.size() < kNeighboursShown; ++i) {
      const int64_t current = loaded.member.binding.at(param.name);
      const bool near = (i + 1 < param.values.size() && param.values[i + 1] == current) ||
                        (i > 0 && param.values[i - 1] == current);
      if (!near) continue;
      auto binding = loaded.member.binding;
      binding[param.name] = param.values[i];
      const auto member = loaded.candidate->CheckMember(binding);
      Neighbour neighbour{param.name, param.values[i], member.verdict};
      if (member.verdict == Verdict::kPassed) {
        if (auto estimate = EstimateOf(member, values, calibration); estimate.ok())
          neighbour.predicted_ns = estimate->time_ns;
      }
      out.push_back(std::move(neighbour));
    }
  }
  return out;
}

void PrintNeighbours(const std::vector<Neighbour>& neighbours, double now_ns) {
  if (neighbours.empty()) return;
  Table table({"change", "gates", "predicted", "against now"});
  for (const Neighbour& at : neighbours) {
    const bool known = at.predicted_ns > 0;
    table.Add({absl::StrCat(at.param, " = ", at.value), std::string(ToString(at.verdict)),
               known ? Duration(at.predicted_ns) : "",
               known ? absl::StrFormat("%.3fx", at.predicted_ns / now_ns) : ""});
  }
  std::fputs(table.Text().c_str(), stdout);
}

// The estimate's own words without the member: which case, or which shape.
std::string CaseWords(const EstimateOptions& options) {
  std::string out;
  for (const std::string& word : options.dims) absl::StrAppend(&out, " --dim ", ShellWord(word));
  if (!options.workload.empty()) absl::StrAppend(&out, " --workload ", ShellWord(options.workload));
  if (!options.case_name.empty()) absl::StrAppend(&out, " --case ", ShellWord(options.case_name));
  if (!options.calibration.empty()) {
    absl::StrAppend(&out, " --calibration ", ShellWord(options.calibration));
  }
  return out;
}

// The best neighbour if one is predicted to be faster, else to run what stands.
std::string NextStep(const EstimateOptions& options, const Loaded& loaded,
                     const std::vector<Neighbour>& neighbours, double now_ns) {
  const Neighbour* best = nullptr;
  for (const Neighbour& at : neighbours) {
    const double limit = best == nullptr ? now_ns : best->predicted_ns;
    if (at.predicted_ns > 0 && at.predicted_ns < limit) best = &at;
  }
  if (best == nullptr) {
    return LoadContract(options.workload, loaded.file.path).ok()
               ? absl::StrCat(Command("run", options),
                              options.workload.empty()
                                  ? ""
                                  : absl::StrCat(" --workload ", ShellWord(options.workload)))
               : Command("emit", options);
  }
  EstimateOptions better = options;
  better.params.clear();
  for (const auto& [name, value] : loaded.member.binding) {
    const int64_t at = name == best->param ? best->value : value;
    better.params.push_back(absl::StrCat(name, "=", at));
  }
  return absl::StrCat(Command("estimate", better), CaseWords(options), " --what-if");
}

absl::StatusOr<CaseValues> ChooseValues(const EstimateOptions& options, const Loaded& loaded) {
  if (!options.dims.empty()) return ValuesOfDims(options, loaded);
  const bool contract = !options.workload.empty() || !options.case_name.empty() ||
                        LoadContract("", loaded.file.path).ok();
  return contract ? ValuesOfContract(options, loaded) : ValuesOfDims(options, loaded);
}

nlohmann::ordered_json ToJson(const std::vector<Neighbour>& neighbours) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Neighbour& at : neighbours) {
    out.push_back({{"param", at.param},
                   {"value", at.value},
                   {"verdict", ToString(at.verdict)},
                   {"predicted_ns", nullptr}});
    if (at.predicted_ns > 0) out.back()["predicted_ns"] = at.predicted_ns;
  }
  return out;
}

int PrintJson(const EstimateOptions& options, const Loaded& loaded,
              const costmodel::Estimate& estimate, const std::vector<Neighbour>& neighbours) {
  const std::string text = costmodel::ToJson(estimate, loaded.candidate->source());
  auto out = nlohmann::ordered_json::parse(text, nullptr, false);
  if (options.what_if) out["neighbours"] = ToJson(neighbours);
  const std::string_view note = compiler::arch::HardwareNote(loaded.member.device->arch);
  if (!note.empty()) out["hardware"] = note;
  std::printf("%s\n", out.dump(2).c_str());
  return kFine;
}

absl::StatusOr<costmodel::Calibration> ReadCalibration(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.good()) return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  std::stringstream text;
  text << file.rdbuf();
  auto calibration = costmodel::ParseCalibration(text.str());
  if (calibration.ok()) calibration->id = path;
  return calibration;
}

}  // namespace

int Estimate(const EstimateOptions& options) {
  server::pipeline::Options pipeline;
  pipeline.emit_cuda = false;
  absl::StatusOr<Loaded> loaded = Load(options, pipeline);
  if (!loaded.ok()) return Fail(loaded.status());
  if (loaded->member.verdict != Verdict::kPassed) return PrintRejected(*loaded, options);
  auto values = ChooseValues(options, *loaded);
  if (!values.ok()) return Fail(absl::InvalidArgumentError(values.status().message()));
  std::optional<costmodel::Calibration> calibration;
  if (!options.calibration.empty()) {
    auto read = ReadCalibration(options.calibration);
    if (!read.ok()) return Fail(read.status());
    calibration = *std::move(read);
  }
  const costmodel::Calibration* by = calibration ? &*calibration : nullptr;
  auto estimate = EstimateOf(loaded->member, *values, by);
  if (!estimate.ok()) return Fail(absl::InvalidArgumentError(estimate.status().message()));
  std::vector<Neighbour> neighbours;
  if (options.what_if) neighbours = Neighbours(*loaded, *values, by);
  if (options.json) return PrintJson(options, *loaded, *estimate, neighbours);
  std::fputs(costmodel::ToText(*estimate, loaded->candidate->source()).c_str(), stdout);
  PrintNeighbours(neighbours, estimate->time_ns);
  const std::string note(compiler::arch::HardwareNote(loaded->member.device->arch));
  if (!note.empty()) std::printf("%s: %s\n", loaded->member.device->arch.c_str(), note.c_str());
  PrintNext(options.what_if
                ? NextStep(options, *loaded, neighbours, estimate->time_ns)
                : absl::StrCat(Command("estimate", options), CaseWords(options), " --what-if"));
  return kFine;
}

}  // namespace clients::cli
