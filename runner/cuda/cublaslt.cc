#include "runner/cuda/cublaslt.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runner/contract/hash.h"

namespace runner::cuda {
namespace {

using compiler::ir::DType;

struct Types {
  DType factor, result;
  bool rounded;  // factors to tf32
  int factor_type, result_type, compute, scale_type;
};
constexpr Types kTypes[] = {
    {DType::kBF16, DType::kBF16, false, kLtBf16, kLtBf16, kLtComputeF32, kLtF32},
    {DType::kBF16, DType::kF32, false, kLtBf16, kLtF32, kLtComputeF32, kLtF32},
    {DType::kF16, DType::kF16, false, kLtF16, kLtF16, kLtComputeF32, kLtF32},
    {DType::kF16, DType::kF32, false, kLtF16, kLtF32, kLtComputeF32, kLtF32},
    {DType::kF32, DType::kF32, true, kLtF32, kLtF32, kLtComputeTf32, kLtF32},
    {DType::kF32, DType::kF32, false, kLtF32, kLtF32, kLtComputeF32, kLtF32},
    {DType::kI8, DType::kI32, false, kLtI8, kLtI32, kLtComputeI32, kLtI32}};

}  // namespace

absl::StatusOr<std::unique_ptr<CublasLt>> CublasLt::Open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return absl::UnavailableError(absl::StrCat("no cuBLASLt: ", dlerror()));
  auto out = std::make_unique<CublasLt>();
  std::vector<std::string> missing;
#define CAKE_CUBLASLT_LOAD(member, name, parameters)                                      \
  out->api_.member = reinterpret_cast<decltype(out->api_.member)>(dlsym(library, #name)); \
  if (out->api_.member == nullptr) missing.push_back(#name);
  CAKE_CUBLASLT_ENTRIES(CAKE_CUBLASLT_LOAD)
#undef CAKE_CUBLASLT_LOAD
  out->api_.version =
      reinterpret_cast<decltype(out->api_.version)>(dlsym(library, "cublasLtGetVersion"));
  if (out->api_.version == nullptr) missing.push_back("cublasLtGetVersion");
  if (!missing.empty())
    return absl::UnavailableError(absl::StrCat(path, " lacks ", absl::StrJoin(missing, ", ")));
  out->version_ = out->api_.version();
  if (const LtStatus status = out->api_.create(&out->handle_); status != kLtSuccess)
    return absl::UnavailableError(absl::StrCat("cublasLtCreate: status ", status));
  return out;
}

CublasLt::~CublasLt() {
  if (handle_ != nullptr) api_.destroy(handle_);
}

absl::StatusOr<ProductShape> ProductOf(const contract::Workload& workload,
                                       const contract::Case& at) {
  if (workload.reference.builtin != "gemm")
    return absl::InvalidArgumentError("only contracts of reference `gemm` are a library's product");
  const auto tensors = contract::TensorsOf(workload, at);
  if (!tensors.ok()) return tensors.status();
  const contract::CaseTensor* found[3] = {};
  for (const contract::CaseTensor& tensor : *tensors) {
    for (size_t i = 0; i < 3; ++i)
      if (tensor.tensor->name == Product::kTensors[i]) found[i] = &tensor;
  }
  for (const contract::CaseTensor* tensor : found) {
    if (tensor == nullptr || tensor->shape.size() != 2 ||
        (!tensor->strides.empty() && tensor->strides[1] != 1))
      return absl::InvalidArgumentError("a matrix is missing, or its rows are not contiguous");
  }
  const auto& [x, w, y] = found;
  const auto row = [](const contract::CaseTensor& tensor) {
    return tensor.strides.empty() ? tensor.shape[1] : tensor.strides[0];
  };
  const contract::Compare* compare = contract::FindCompare(workload, "y");
  const bool rounded = compare != nullptr && compare->operand == DType::kTF32;
  for (const Types& types : kTypes) {
    if (types.factor != x->tensor->dtype || types.factor != w->tensor->dtype ||
        types.result != y->tensor->dtype || types.rounded != rounded)
      continue;
    return ProductShape{.m = x->shape[0],
                        .n = w->shape[0],
                        .k = x->shape[1],
                        .x_row = row(*x),
                        .w_row = row(*w),
                        .y_row = row(*y),
                        .factor_type = types.factor_type,
                        .result_type = types.result_type,
                        .compute = types.compute,
                        .scale_type = types.scale_type};
  }
  return absl::InvalidArgumentError("cuBLASLt has no product of the contract's types");
}

Product::Product(const Driver& driver, const CublasLt& library, const ProductShape& shape)
    : driver_(driver), library_(library), shape_(shape) {}

Product::~Product() {
  const CublasLtApi& api = library_.api();
  for (LtMatrix matrix : {x_, w_, y_})
    if (matrix != nullptr) api.matrix_destroy(matrix);
  if (product_ != nullptr) api.product_destroy(product_);
}

Failure Product::Call(LtStatus status, const char* what) const {
  if (status == kLtSuccess) return {};
  return {kErrorNotSupported, absl::StrCat(what, ": status ", status)};
}

// The library's matrices are column-major: it computes the transpose of y, which is the product of
// w, transposed from its point of view, and the transpose of x.
Failure Product::Prepare() {
  const CublasLtApi& api = library_.api();
  const auto matrix = [&](LtMatrix& out, int type, int64_t rows, int64_t columns, int64_t row) {
    return Call(api.matrix_create(&out, type, static_cast<uint64_t>(rows),
                                  static_cast<uint64_t>(columns), row),
                "cublasLtMatrixLayoutCreate");
  };
  auto failure = Call(api.product_create(&product_, shape_.compute, shape_.scale_type),
                      "cublasLtMatmulDescCreate");
  if (failure.ok())
    failure = Call(api.product_set(product_, kLtProductTransA, &kLtTranspose, sizeof(kLtTranspose)),
                   "cublasLtMatmulDescSetAttribute");
  if (failure.ok()) failure = matrix(w_, shape_.factor_type, shape_.k, shape_.n, shape_.w_row);
  if (failure.ok()) failure = matrix(x_, shape_.factor_type, shape_.k, shape_.m, shape_.x_row);
  if (failure.ok()) failure = matrix(y_, shape_.result_type, shape_.n, shape_.m, shape_.y_row);
  LtPreference preference = nullptr;
  if (failure.ok())
    failure = Call(api.preference_create(&preference), "cublasLtMatmulPreferenceCreate");
  if (!failure.ok()) return failure;
  const auto limit = static_cast<size_t>(kWorkspaceBytes);
  failure = Call(api.preference_set(preference, kLtPreferWorkspace, &limit, sizeof(limit)),
                 "cublasLtMatmulPreferenceSetAttribute");
  std::vector<LtHeuristic> found(kAlgorithmsMax);
  int count = 0;
  if (failure.ok()) {
    failure = Call(api.heuristic(library_.handle(), product_, w_, x_, y_, y_, preference,
                                 kAlgorithmsMax, found.data(), &count),
                   "cublasLtMatmulAlgoGetHeuristic");
  }
  api.preference_destroy(preference);
  for (int i = 0; i < count && failure.ok(); ++i)
    if (found[static_cast<size_t>(i)].state == kLtSuccess)
      proposals_.push_back(found[static_cast<size_t>(i)]);
  if (failure.ok() && proposals_.empty())
    return {kErrorNotSupported, "cuBLASLt proposes no algorithm"};
  if (!failure.ok()) return failure;
  workspace_.emplace(driver_, kWorkspaceBytes);
  return workspace_->failure();
}

Failure Product::Queue(CUdeviceptr x, CUdeviceptr w, CUdeviceptr y, CUstream stream) const {
  const float one = 1, zero = 0;
  const int32_t whole_one = 1, whole_zero = 0;
  const bool whole = shape_.scale_type == kLtI32;
  const auto at = [](CUdeviceptr address) { return reinterpret_cast<void*>(address); };
  return Call(library_.api().multiply(
                  library_.handle(), product_, whole ? static_cast<const void*>(&whole_one) : &one,
                  at(w), w_, at(x), x_, whole ? static_cast<const void*>(&whole_zero) : &zero,
                  at(y), y_, at(y), y_, &proposals_[chosen_].algorithm, at(workspace_->address()),
                  static_cast<size_t>(kWorkspaceBytes), stream),
              "cublasLtMatmul");
}

Product::Algorithm Product::chosen() const {
  const LtHeuristic& proposal = proposals_[chosen_];
  const auto config = [&](int attribute) {
    int32_t value = -1;
    size_t written = 0;
    const LtStatus status =
        library_.api().config_get(&proposal.algorithm, attribute, &value, sizeof(value), &written);
    return static_cast<int64_t>(status == kLtSuccess ? value : -1);
  };
  return {.proposal = chosen_,
          .proposals = proposals_.size(),
          .id = config(kLtConfigId),
          .tile = config(kLtConfigTile),
          .split_k = config(kLtConfigSplitK),
          .stages = config(kLtConfigStages),
          .workspace_bytes = static_cast<int64_t>(proposal.workspace_bytes),
          .hash = contract::Sha256Hex(
              {reinterpret_cast<const char*>(proposal.algorithm.data), sizeof(LtAlgorithm)})};
}

}  // namespace runner::cuda
