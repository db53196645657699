// A fake libcublasLt.so.13 over the fake driver: products are computed on the host when they are
// queued. Its heuristics propose four algorithms of different speeds, one of which is refused when
// it is used; CAKE_FAKE_PRODUCT=wrong makes every product of it wrong.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "runner/cuda/cublaslt_api.h"
#include "runner/reference/numbers.h"
#include "tests/fakecuda/export.h"

using namespace runner::cuda;

// Of the fake driver, which this library is linked to.
extern "C" void cakeFakeQueueKernel(const char* name, int64_t duration_ns,
                                    const std::function<void()>& run);

namespace runner::cuda {
struct LtContext_st {};
struct LtProduct_st {
  int compute = 0;
  bool transposes = false;
};
struct LtMatrix_st {
  int type = 0;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
};
struct LtPreference_st {
  size_t workspace_bytes = 0;
};
}  // namespace runner::cuda

namespace {

constexpr LtStatus kInvalid = 7, kNotSupported = 15;
constexpr size_t kVersion = 130100;
constexpr int kProposals = 4, kRefused = 1;
constexpr int64_t kNs[kProposals] = {9'000, 1'000, 5'000, 7'000};

compiler::ir::DType TypeOf(int type) {
  using compiler::ir::DType;
  switch (type) {
    case kLtF16: return DType::kF16;
    case kLtBf16: return DType::kBF16;
    case kLtI8: return DType::kI8;
    case kLtI32: return DType::kI32;
    default: return DType::kF32;
  }
}

struct Operand {
  LtMatrix_st matrix;
  std::byte* memory = nullptr;
  int64_t element(uint64_t row, uint64_t column) const {
    return static_cast<int64_t>(column) * matrix.leading + static_cast<int64_t>(row);
  }
  double Get(uint64_t row, uint64_t column) const {
    const auto type = TypeOf(matrix.type);
    const int64_t bytes = runner::reference::ElementBytes(type);
    return runner::reference::LoadElement(type, memory + element(row, column) * bytes);
  }
  void Set(uint64_t row, uint64_t column, double value) const {
    const auto type = TypeOf(matrix.type);
    const int64_t bytes = runner::reference::ElementBytes(type);
    runner::reference::StoreElement(type, value, memory + element(row, column) * bytes);
  }
};

// d = a^T b.
void Multiply(const Operand& a, const Operand& b, const Operand& d) {
  const char* fault = std::getenv("CAKE_FAKE_PRODUCT");
  const double wrong = fault != nullptr && std::strcmp(fault, "wrong") == 0 ? 1 : 0;
  for (uint64_t i = 0; i < d.matrix.rows; ++i) {
    for (uint64_t j = 0; j < d.matrix.columns; ++j) {
      double sum = wrong;
      for (uint64_t k = 0; k < a.matrix.rows; ++k) sum += a.Get(k, i) * b.Get(k, j);
      d.Set(i, j, sum);
    }
  }
}

}  // namespace

#define CAKE_FAKE_DECLARE(member, name, parameters) CAKE_EXPORT LtStatus name parameters;
CAKE_CUBLASLT_ENTRIES(CAKE_FAKE_DECLARE)
#undef CAKE_FAKE_DECLARE

CAKE_EXPORT size_t cublasLtGetVersion() { return kVersion; }

LtStatus cublasLtCreate(LtHandle* handle) {
  static LtContext_st context;
  *handle = &context;
  return kLtSuccess;
}
LtStatus cublasLtDestroy(LtHandle) { return kLtSuccess; }

LtStatus cublasLtMatmulDescCreate(LtProduct* product, int compute, int) {
  *product = new LtProduct_st{compute};
  return kLtSuccess;
}
LtStatus cublasLtMatmulDescDestroy(LtProduct product) {
  delete product;
  return kLtSuccess;
}
LtStatus cublasLtMatmulDescSetAttribute(LtProduct product, int attribute, const void* value,
                                        size_t bytes) {
  if (attribute != kLtProductTransA || bytes != sizeof(int32_t)) return kInvalid;
  product->transposes = *static_cast<const int32_t*>(value) == kLtTranspose;
  return kLtSuccess;
}

LtStatus cublasLtMatrixLayoutCreate(LtMatrix* matrix, int type, uint64_t rows, uint64_t columns,
                                    int64_t leading) {
  if (leading < static_cast<int64_t>(rows)) return kInvalid;
  *matrix = new LtMatrix_st{type, rows, columns, leading};
  return kLtSuccess;
}
LtStatus cublasLtMatrixLayoutDestroy(LtMatrix matrix) {
  delete matrix;
  return kLtSuccess;
}

LtStatus cublasLtMatmulPreferenceCreate(LtPreference* preference) {
  *preference = new LtPreference_st;
  return kLtSuccess;
}
LtStatus cublasLtMatmulPreferenceDestroy(LtPreference preference) {
  delete preference;
  return kLtSuccess;
}
LtStatus cublasLtMatmulPreferenceSetAttribute(LtPreference preference, int attribute,
                                              const void* value, size_t bytes) {
  if (attribute != kLtPreferWorkspace || bytes != sizeof(size_t)) return kInvalid;
  preference->workspace_bytes = *static_cast<const size_t*>(value);
  return kLtSuccess;
}

LtStatus cublasLtMatmulAlgoGetHeuristic(LtHandle, LtProduct product, LtMatrix a, LtMatrix b,
                                        LtMatrix, LtMatrix d, LtPreference, int wanted,
                                        LtHeuristic* found, int* count) {
  if (!product->transposes || a->rows != b->rows || a->columns != d->rows ||
      b->columns != d->columns)
    return kInvalid;
  *count = std::min(wanted, kProposals);
  for (int i = 0; i < *count; ++i) {
    found[i] = {};
    found[i].algorithm.data[0] = static_cast<uint64_t>(i);
    found[i].workspace_bytes = 1024;
  }
  return kLtSuccess;
}

LtStatus cublasLtMatmulAlgoConfigGetAttribute(const LtAlgorithm* algorithm, int attribute,
                                              void* value, size_t bytes, size_t* written) {
  if (bytes != sizeof(int32_t)) return kInvalid;
  const auto config = static_cast<int32_t>(algorithm->data[0]) + attribute;
  std::memcpy(value, &config, sizeof(config));
  *written = sizeof(config);
  return kLtSuccess;
}

LtStatus cublasLtMatmul(LtHandle, LtProduct, const void*, const void* a, LtMatrix a_matrix,
                        const void* b, LtMatrix b_matrix, const void*, const void*, LtMatrix,
                        void* d, LtMatrix d_matrix, const LtAlgorithm* algorithm, void* workspace,
                        size_t workspace_bytes, CUstream) {
  const auto proposal = static_cast<int>(algorithm->data[0]);
  if (proposal == kRefused) return kNotSupported;
  if (workspace == nullptr || workspace_bytes < 1024) return kInvalid;
  const auto memory = [](const void* at) {
    return const_cast<std::byte*>(static_cast<const std::byte*>(at));
  };
  const Operand left{*a_matrix, memory(a)}, right{*b_matrix, memory(b)}, out{*d_matrix, memory(d)};
  cakeFakeQueueKernel("fake_product", kNs[proposal],
                      [left, right, out] { Multiply(left, right, out); });
  return kLtSuccess;
}
