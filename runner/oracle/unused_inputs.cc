// Does every input and arg of a contract matter? A contract where one does not lets wrong programs
// pass.
#include <algorithm>

#include "runner/oracle/compare.h"
#include "runner/oracle/judge.h"

namespace runner::oracle {
namespace {

using contract::Role;

constexpr uint64_t kLintSeed = 20, kOtherSeed = 21;

// All outputs of one case, as doubles.
std::vector<double> Evaluate(const reference::Builtin& builtin, const reference::Inputs& inputs,
                             const std::vector<contract::CaseTensor>& tensors) {
  std::vector<double> out;
  for (const contract::CaseTensor& tensor : tensors) {
    if (tensor.tensor->role == Role::kIn || tensor.elements == 0) continue;
    std::vector<double> want(static_cast<size_t>(tensor.elements)), scale(want.size());
    builtin.evaluate(inputs, tensor.tensor->name, {0, tensor.elements, want.data(), scale.data()});
    out.insert(out.end(), want.begin(), want.end());
  }
  return out;
}

struct Probe {
  const contract::Workload& workload;
  const reference::Builtin& builtin;

  // Whether exchanging one input's contents (or an arg's value) changes any output of the case.
  absl::StatusOr<bool> Matters(const contract::Case& at, const std::string& name) const {
    auto tensors = contract::TensorsOf(workload, at);
    if (!tensors.ok()) return tensors.status();
    auto plain = DrawInputs(workload, at, *tensors, kLintSeed, 0, 1);
    auto other = DrawInputs(workload, at, *tensors, kOtherSeed, 0, 1);
    if (!plain.ok()) return plain.status();
    if (!other.ok()) return other.status();
    const auto before = Evaluate(builtin, plain->inputs, *tensors);
    if (const auto arg = plain->inputs.args.find(name); arg != plain->inputs.args.end()) {
      arg->second = arg->second * 2 + 1;
    } else {
      plain->inputs.tensors[name].memory = other->memory.at(name);
    }
    return Evaluate(builtin, plain->inputs, *tensors) != before;
  }
};

}  // namespace

absl::StatusOr<std::vector<std::string>> UnusedInputs(const contract::Workload& workload) {
  auto builtin = reference::FindBuiltin(workload.reference.builtin);
  if (!builtin.ok()) return builtin.status();
  if (auto status = reference::CheckBuiltin(**builtin, workload); !status.ok()) return status;
  std::vector<std::string> names;
  for (const contract::Tensor& tensor : workload.tensors) {
    if (tensor.role != Role::kOut) names.push_back(tensor.name);
  }
  for (const contract::Arg& arg : workload.args) {
    for (std::string& name : contract::NamesOf(arg)) names.push_back(std::move(name));
  }
  const Probe probe{workload, **builtin};
  std::vector<std::string> unused;
  for (const std::string& name : names) {
    bool matters = false;
    for (const contract::Case& at : workload.cases) {
      if (matters || at.tier != contract::Tier::kMachine) continue;
      const auto one = probe.Matters(at, name);
      if (!one.ok()) return one.status();
      matters = *one;
    }
    if (!matters) unused.push_back(name);
  }
  return unused;
}

}  // namespace runner::oracle
