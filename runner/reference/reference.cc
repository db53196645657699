#include "runner/reference/reference.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "runner/reference/numbers.h"

namespace runner::reference {
namespace {

double At(const Inputs::Tensor& tensor, int64_t element) {
  const auto dtype = tensor.at.tensor->dtype;
  const int64_t offset = OffsetOf(tensor.at, element) * ElementBytes(dtype);
  return LoadElement(dtype, tensor.memory.data() + offset);
}

int64_t OneElement(const Inputs&, std::string_view) { return 1; }

// c[i] = a[i] + b[i]. The double sum of two floats is exact or off by far less than float's
// roundoff.
void VectorAdd(const Inputs& inputs, std::string_view, Piece piece) {
  const auto& a = inputs.tensors.at("a");
  const auto& b = inputs.tensors.at("b");
  for (int64_t i = piece.begin; i < piece.end; ++i) {
    const double sum = At(a, i) + At(b, i);
    piece.want[i - piece.begin] = sum;
    piece.scale[i - piece.begin] = std::abs(sum);
  }
}

int64_t RowOfX(const Inputs& inputs, std::string_view) {
  return std::max<int64_t>(1, inputs.tensors.at("x").at.shape[1]);
}

// y[m, n] = x[m, n] / sqrt(mean(x[m, :]^2) + eps) * w[n]. Squares cannot cancel: errors are
// relative to y.
void RmsNorm(const Inputs& inputs, std::string_view, Piece piece) {
  const auto& x = inputs.tensors.at("x");
  const auto& w = inputs.tensors.at("w");
  const double eps = inputs.args.at("eps");
  const int64_t columns = x.at.shape[1];
  for (int64_t row = piece.begin; row < piece.end; row += columns) {
    double squares = 0;
    for (int64_t n = 0; n < columns; ++n) {
      const double value = At(x, row + n);
      squares += value * value;
    }
    const double factor = 1 / std::sqrt(squares / static_cast<double>(columns) + eps);
    for (int64_t n = 0; n < columns; ++n) {
      const double y = At(x, row + n) * factor * At(w, n);
      piece.want[row + n - piece.begin] = y;
      piece.scale[row + n - piece.begin] = std::abs(y);
    }
  }
}

}  // namespace

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
  static const std::vector<Builtin> kBuiltins = {
      {"rmsnorm", {"y"}, {"x", "w"}, {"eps"}, RowOfX, RmsNorm},
      {"vector_add", {"c"}, {"a", "b"}, {}, OneElement, VectorAdd},
  };
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
  for (std::string_view name : builtin.args) {
    const bool known = std::any_of(workload.args.begin(), workload.args.end(),
                                   [&](const contract::Arg& arg) { return arg.name == name; });
    if (!known) {
      return absl::InvalidArgumentError(absl::StrCat("reference `", std::string(builtin.name),
                                                     "` needs arg `", std::string(name), "`"));
    }
  }
  return absl::OkStatus();
}

}  // namespace runner::reference
