#include "runner/contract/workload.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace runner::contract {
namespace {

template <size_t kCount, typename Enum>
std::string_view Word(const std::array<std::string_view, kCount>& words, Enum value) {
  return words[static_cast<size_t>(value)];
}

// Elements between the first and one past the last that the strides reach; 0 for an empty tensor.
absl::StatusOr<int64_t> ExtentElements(const CaseTensor& at) {
  if (at.elements == 0) return 0;
  int64_t last = 0;
  for (size_t i = 0; i < at.shape.size(); ++i) {
    int64_t step = 0;
    if (__builtin_mul_overflow(at.shape[i] - 1, at.strides[i], &step) ||
        __builtin_add_overflow(last, step, &last)) {
      return absl::InvalidArgumentError("tensor extent overflows");
    }
  }
  return last + 1;
}

absl::StatusOr<int64_t> TouchedElements(const CaseTensor& at, const Case& from) {
  const std::string& text = at.tensor->touched;
  if (text.empty()) return at.elements;
  const auto touched = EvaluateSize(text, from.dims);
  if (!touched.ok()) return touched.status();
  if (*touched < 0 || *touched > at.elements) {
    return absl::InvalidArgumentError(absl::StrCat("tensor ", at.tensor->name, ": touched ", text,
                                                   " = ", *touched, " of ", at.elements,
                                                   " elements"));
  }
  return *touched;
}

absl::StatusOr<CaseTensor> TensorAt(const Tensor& tensor, const Case& at) {
  CaseTensor out{.tensor = &tensor, .elements = 1};
  for (const std::string& text : tensor.shape) {
    auto extent = EvaluateSize(text, at.dims);
    if (!extent.ok()) return extent.status();
    if (*extent < 0 || __builtin_mul_overflow(out.elements, *extent, &out.elements)) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", tensor.name, ": extent ", text, " = ", *extent));
    }
    out.shape.push_back(*extent);
  }
  out.strides.resize(out.shape.size(), 1);
  for (size_t i = out.shape.size(); i-- > 1;) out.strides[i - 1] = out.strides[i] * out.shape[i];
  for (size_t i = 0; i < tensor.strides.size(); ++i) {
    auto stride = EvaluateSize(tensor.strides[i], at.dims);
    if (!stride.ok()) return stride.status();
    if (*stride < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", tensor.name, ": stride ", tensor.strides[i], " = ", *stride));
    out.strides[i] = *stride;
  }
  const auto extent = ExtentElements(out);
  if (!extent.ok()) return extent.status();
  const int64_t element_bytes = compiler::ir::Info(tensor.dtype).bits / 8;
  if (*extent < 0 || *extent > kTensorBytesMax / element_bytes) {
    return absl::InvalidArgumentError(absl::StrCat("tensor ", tensor.name, " of case ", at.name,
                                                   " has more than ", kTensorBytesMax, " bytes"));
  }
  out.bytes = *extent * element_bytes;
  const auto touched = TouchedElements(out, at);
  if (!touched.ok()) return touched.status();
  out.touched = *touched;
  return out;
}

}  // namespace

std::string_view ToString(Role role) {
  return Word(std::array<std::string_view, 3>{"in", "out", "inout"}, role);
}
std::string_view ToString(Content content) {
  return Word(std::array<std::string_view, 2>{"finite", "any"}, content);
}
std::string_view ToString(Tier tier) {
  return Word(std::array<std::string_view, 2>{"machine", "device"}, tier);
}
std::string_view ToString(Set set) {
  return Word(std::array<std::string_view, 3>{"search", "held_out", "boundary"}, set);
}
std::string_view ToString(SeedPolicy policy) {
  return Word(std::array<std::string_view, 2>{"fresh", "fixed"}, policy);
}
std::string_view ToString(Metric metric) {
  return Word(std::array<std::string_view, kMetrics>{"scaled", "exact", "regret"}, metric);
}
std::string_view ToString(Visibility visibility) {
  return Word(std::array<std::string_view, 2>{"open", "implementation_hidden"}, visibility);
}
std::string_view ToString(Determinism determinism) {
  return Word(std::array<std::string_view, 2>{"bitwise", "none"}, determinism);
}
std::string_view ToString(Dist dist) {
  return Word(
      std::array<std::string_view, kDists>{"normal", "uniform", "constant", "denormal", "specials",
                                           "ties", "below", "distinct", "offsets"},
      dist);
}

const Tensor* FindTensor(const Workload& workload, std::string_view name) {
  for (const Tensor& tensor : workload.tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}
const Case* FindCase(const Workload& workload, std::string_view name) {
  for (const Case& at : workload.cases)
    if (at.name == name) return &at;
  return nullptr;
}
const Compare* FindCompare(const Workload& workload, std::string_view output) {
  for (const Compare& compare : workload.compare)
    if (compare.output == output) return &compare;
  return nullptr;
}
const Generator* FindGenerator(const Workload& workload, std::string_view tensor,
                               std::string_view variant) {
  const Generator* plain = nullptr;
  for (const Generator& generator : workload.generators) {
    if (generator.tensor != tensor) continue;
    if (generator.variant == variant) return &generator;
    if (generator.variant.empty()) plain = &generator;
  }
  return plain;
}

absl::StatusOr<std::vector<CaseTensor>> TensorsOf(const Workload& workload, const Case& at) {
  std::vector<CaseTensor> out;
  for (const Tensor& tensor : workload.tensors) {
    auto one = TensorAt(tensor, at);
    if (!one.ok()) return one.status();
    out.push_back(*std::move(one));
  }
  return out;
}

absl::StatusOr<Traffic> TrafficOf(const Workload& workload, const Case& at) {
  const auto tensors = TensorsOf(workload, at);
  if (!tensors.ok()) return tensors.status();
  Traffic out;
  for (const CaseTensor& one : *tensors) {
    const Tensor& tensor = *one.tensor;
    const int64_t element_bytes = compiler::ir::Info(tensor.dtype).bits / 8;
    // With a stride of 0 many elements are the same bytes.
    const int64_t bytes =
        one.touched > one.bytes / element_bytes ? one.bytes : one.touched * element_bytes;
    if (tensor.role == Role::kIn || (tensor.role == Role::kInOut && !tensor.overwritten)) {
      out.read += bytes;
    }
    if (tensor.role != Role::kIn) out.written += bytes;
  }
  return out;
}

std::vector<std::string> NamesOf(const Arg& arg) {
  if (arg.values.empty()) return {arg.name};
  std::vector<std::string> names;
  for (size_t k = 0; k < arg.values.size(); ++k) {
    names.push_back(absl::StrCat(arg.name, "[", k, "]"));
  }
  return names;
}

std::map<std::string, double> ArgsOf(const Workload& workload, const Case& at) {
  std::map<std::string, double> out;
  for (const Arg& arg : workload.args) {
    const std::vector<std::string> names = NamesOf(arg);
    for (size_t k = 0; k < names.size(); ++k) {
      auto over = at.args.find(names[k]);
      if (over == at.args.end()) over = at.args.find(arg.name);
      const double declared = arg.values.empty() ? arg.value : arg.values[k];
      const double value = over == at.args.end() ? declared : over->second;
      out[names[k]] = arg.dtype == compiler::ir::DType::kF32 ? static_cast<float>(value) : value;
    }
  }
  return out;
}

}  // namespace runner::contract
