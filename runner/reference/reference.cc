#include "runner/reference/reference.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runner/reference/families.h"

namespace runner::reference {
namespace {

std::vector<Builtin> Join() {
  std::vector<Builtin> all;
  for (const auto& family :
       {AttentionReferences(), DeltaReferences(), ElementReferences(), LloydReferences(),
        MatrixReferences(), NearestReferences(), RowReferences(), ScatterReferences(),
        SelectReferences(), StateReferences()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  std::sort(all.begin(), all.end(),
            [](const Builtin& a, const Builtin& b) { return a.name < b.name; });
  return all;
}

int64_t AnyPlace(const Inputs&, std::string_view) { return 1; }

void HandOut(const Inputs& inputs, std::string_view output, Piece piece) {
  const Inputs::Given& given = inputs.given.at(std::string(output));
  std::copy(given.want.begin() + piece.begin, given.want.begin() + piece.end, piece.want);
  std::copy(given.scale.begin() + piece.begin, given.scale.begin() + piece.end, piece.scale);
}

}  // namespace

const Builtin& GivenReference() {
  static const Builtin kGiven{"", {}, {}, {}, AnyPlace, HandOut};
  return kGiven;
}

void EvaluateUnlessGiven(void (*evaluate)(const Inputs&, std::string_view, Piece),
                         const Inputs& inputs, std::string_view output, Piece piece) {
  const bool given = inputs.given.contains(std::string(output));
  (given ? HandOut : evaluate)(inputs, output, piece);
}

int64_t OffsetOf(const contract::CaseTensor& tensor, int64_t element) {
  if (tensor.tensor->strides.empty()) return element;
  int64_t offset = 0;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    offset += element % tensor.shape[i] * tensor.strides[i];
    element /= tensor.shape[i];
  }
  return offset;
}

const std::vector<Builtin>& Builtins() {
  static const std::vector<Builtin> kBuiltins = Join();
  return kBuiltins;
}

absl::StatusOr<const Builtin*> FindBuiltin(std::string_view name) {
  std::string known;
  for (const Builtin& builtin : Builtins()) {
    if (builtin.name == name) return &builtin;
    absl::StrAppend(&known, known.empty() ? "" : ", ", std::string(builtin.name));
  }
  return absl::NotFoundError(
      absl::StrCat("no built-in reference `", std::string(name), "`; known: ", known));
}

absl::Status CheckBuiltin(const Builtin& builtin, const contract::Workload& workload) {
  const auto check = [&](const auto& names, bool output) {
    for (std::string_view name : names) {
      const contract::Tensor* tensor = contract::FindTensor(workload, name);
      const auto refused = output ? contract::Role::kIn : contract::Role::kOut;
      if (tensor == nullptr || tensor->role == refused) {
        return absl::InvalidArgumentError(absl::StrCat("reference `", std::string(builtin.name),
                                                       "` needs ", output ? "output `" : "input `",
                                                       std::string(name), "`"));
      }
    }
    return absl::OkStatus();
  };
  if (auto status = check(builtin.outputs, true); !status.ok()) return status;
  if (auto status = check(builtin.inputs, false); !status.ok()) return status;
  for (const contract::Compare& compare : workload.compare) {
    if (compare.metric != contract::Metric::kRegret || builtin.regret != nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat("reference `", std::string(builtin.name),
                                                   "` scores no index of `", compare.output,
                                                   "`; it is not compared by regret"));
  }
  for (std::string_view name : builtin.args) {
    const bool known = std::any_of(
        workload.args.begin(), workload.args.end(),
        [&](const contract::Arg& arg) { return arg.name == name && arg.values.empty(); });
    if (!known) {
      return absl::InvalidArgumentError(absl::StrCat("reference `", std::string(builtin.name),
                                                     "` needs arg `", std::string(name),
                                                     "` with one value"));
    }
  }
  return absl::OkStatus();
}

}  // namespace runner::reference
