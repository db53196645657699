// The part of cuBLASLt that the worker opens at run time, declared by us so that it builds without
// a toolkit. Values and layouts are those of cublasLt.h of CUDA 12 and 13; cublaslt_api_check.cc
// compares them with the header where it is installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runner/cuda/driver_api.h"

namespace runner::cuda {

using LtStatus = int;
using LtHandle = struct LtContext_st*;
using LtProduct = struct LtProduct_st*;        // cublasLtMatmulDesc_t
using LtMatrix = struct LtMatrix_st*;          // cublasLtMatrixLayout_t
using LtPreference = struct LtPreference_st*;  // cublasLtMatmulPreference_t

struct LtAlgorithm {
  uint64_t data[8];
};
struct LtHeuristic {
  LtAlgorithm algorithm;
  size_t workspace_bytes;
  LtStatus state;  // of this proposal: the rest is only valid after kLtSuccess
  float waves;
  int reserved[4];
};

inline constexpr LtStatus kLtSuccess = 0;
// cudaDataType
inline constexpr int kLtF32 = 0, kLtF16 = 2, kLtI8 = 3, kLtI32 = 10, kLtBf16 = 14;
// cublasComputeType_t
inline constexpr int kLtComputeF32 = 68, kLtComputeI32 = 72, kLtComputeTf32 = 77;
inline constexpr int kLtTranspose = 1;        // CUBLAS_OP_T
inline constexpr int kLtProductTransA = 3;    // CUBLASLT_MATMUL_DESC_TRANSA
inline constexpr int kLtPreferWorkspace = 1;  // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
// cublasLtMatmulAlgoConfigAttributes_t
inline constexpr int kLtConfigId = 0, kLtConfigTile = 1, kLtConfigSplitK = 2, kLtConfigStages = 6;

// X(member of CublasLtApi, exported name, parameters): every entry point returns cublasStatus_t.
#define CAKE_CUBLASLT_ENTRIES(X)                                                               \
  X(create, cublasLtCreate, (LtHandle * handle))                                               \
  X(destroy, cublasLtDestroy, (LtHandle handle))                                               \
  X(product_create, cublasLtMatmulDescCreate, (LtProduct * product, int compute, int scale))   \
  X(product_destroy, cublasLtMatmulDescDestroy, (LtProduct product))                           \
  X(product_set, cublasLtMatmulDescSetAttribute,                                               \
    (LtProduct product, int attribute, const void* value, size_t bytes))                       \
  X(matrix_create, cublasLtMatrixLayoutCreate,                                                 \
    (LtMatrix * matrix, int type, uint64_t rows, uint64_t columns, int64_t leading))           \
  X(matrix_destroy, cublasLtMatrixLayoutDestroy, (LtMatrix matrix))                            \
  X(preference_create, cublasLtMatmulPreferenceCreate, (LtPreference * preference))            \
  X(preference_destroy, cublasLtMatmulPreferenceDestroy, (LtPreference preference))            \
  X(preference_set, cublasLtMatmulPreferenceSetAttribute,                                      \
    (LtPreference preference, int attribute, const void* value, size_t bytes))                 \
  X(heuristic, cublasLtMatmulAlgoGetHeuristic,                                                 \
    (LtHandle handle, LtProduct product, LtMatrix a, LtMatrix b, LtMatrix c, LtMatrix d,       \
     LtPreference preference, int wanted, LtHeuristic* found, int* count))                     \
  X(config_get, cublasLtMatmulAlgoConfigGetAttribute,                                          \
    (const LtAlgorithm* algorithm, int attribute, void* value, size_t bytes, size_t* written)) \
  X(multiply, cublasLtMatmul,                                                                  \
    (LtHandle handle, LtProduct product, const void* alpha, const void* a, LtMatrix a_matrix,  \
     const void* b, LtMatrix b_matrix, const void* beta, const void* c, LtMatrix c_matrix,     \
     void* d, LtMatrix d_matrix, const LtAlgorithm* algorithm, void* workspace,                \
     size_t workspace_bytes, CUstream stream))

struct CublasLtApi {
#define CAKE_CUBLASLT_MEMBER(member, name, parameters) LtStatus(*member) parameters = nullptr;
  CAKE_CUBLASLT_ENTRIES(CAKE_CUBLASLT_MEMBER)
#undef CAKE_CUBLASLT_MEMBER
  size_t (*version)() = nullptr;  // cublasLtGetVersion
};

}  // namespace runner::cuda
