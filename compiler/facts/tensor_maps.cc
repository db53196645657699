#include "compiler/facts/tensor_maps.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace compiler::facts {
namespace {

constexpr int64_t kStrideUnitBytes = 16;
constexpr int64_t kPackedUnitBytes = 32, kPackedUnitNumbers = 128;  // of types that loads pad
constexpr int64_t kMaxStrideBytes = int64_t{1} << 40;
constexpr int64_t kMaxExtent = int64_t{1} << 32;

// CUDA driver API, cuTensorMapEncodeTiled: what globalDim and globalStrides may be.
absl::Status CheckMap(const TensorMapPlan& map) {
  const bool packed = ir::PackedTypeOf(map.dtype) != ir::DType::kUnknown;
  const int64_t unit = packed ? kPackedUnitBytes : kStrideUnitBytes;
  if (packed && map.extents.back() % kPackedUnitNumbers != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "tensor `", map.tensor, "` has rows of ", map.extents.back(),
        " numbers; a tensor map that pads them needs a multiple of ", kPackedUnitNumbers));
  }
  for (size_t d = 0; d < map.extents.size(); ++d) {
    if (map.extents[d] < 1 || map.extents[d] > kMaxExtent) {
      return absl::FailedPreconditionError(
          absl::StrCat("tensor `", map.tensor, "` has ", map.extents[d], " elements in dimension ",
                       d, "; a tensor map needs 1..=", kMaxExtent));
    }
    if (d + 1 == map.extents.size()) continue;
    const int64_t bytes = map.strides[d] * map.element_bytes;
    if (bytes % unit != 0 || bytes >= kMaxStrideBytes) {
      return absl::FailedPreconditionError(
          absl::StrCat("tensor `", map.tensor, "` has a stride of ", bytes, " bytes in dimension ",
                       d, "; a tensor map needs a multiple of ", unit, " below 2^40"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PlanTensorMaps(const ir::Program& program, const Facts& facts, LaunchPlan& plan) {
  for (const TensorMap& map : facts.copies.maps) {
    const std::string& name = program[map.tensor].name;
    const auto tensor = std::find_if(plan.tensors.begin(), plan.tensors.end(),
                                     [&](const TensorPlan& t) { return t.name == name; });
    TensorMapPlan planned{.name = map.name,
                          .tensor = name,
                          .dtype = map.dtype,
                          .extents = tensor->shape,
                          .strides = tensor->strides,
                          .element_bytes = std::max(1, ir::Info(tensor->dtype).bits / 8),
                          .box = map.box,
                          .swizzle_bytes = map.swizzle_bytes};
    planned.extents.back() *= NumbersExpanded(tensor->dtype, map.dtype);
    planned.used = std::any_of(map.kernels.begin(), map.kernels.end(),
                               [&](size_t kernel) { return !plan.kernels[kernel].skipped; });
    if (planned.used) {
      if (absl::Status status = CheckMap(planned); !status.ok()) return status;
    }
    plan.tensor_maps.push_back(std::move(planned));
  }
  return absl::OkStatus();
}

}  // namespace compiler::facts
