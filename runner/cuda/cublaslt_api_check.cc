// Compares our declarations with the toolkit's, at build time, where the toolkit is installed.
#include "runner/cuda/cublaslt_api.h"

#ifdef CAKE_HAVE_CUBLASLT_H
#include <cublasLt.h>

namespace runner::cuda {

static_assert(kLtSuccess == CUBLAS_STATUS_SUCCESS);
static_assert(kLtF32 == CUDA_R_32F && kLtF16 == CUDA_R_16F && kLtBf16 == CUDA_R_16BF);
static_assert(kLtI8 == CUDA_R_8I && kLtI32 == CUDA_R_32I);
static_assert(kLtComputeF32 == CUBLAS_COMPUTE_32F && kLtComputeI32 == CUBLAS_COMPUTE_32I);
static_assert(kLtComputeTf32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(kLtTranspose == CUBLAS_OP_T);
static_assert(kLtProductTransA == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(kLtPreferWorkspace == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(kLtConfigId == CUBLASLT_ALGO_CONFIG_ID);
static_assert(kLtConfigTile == CUBLASLT_ALGO_CONFIG_TILE_ID);
static_assert(kLtConfigSplitK == CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
static_assert(kLtConfigStages == CUBLASLT_ALGO_CONFIG_STAGES_ID);
static_assert(sizeof(LtAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(LtHeuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(LtHeuristic, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(LtHeuristic, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));

}  // namespace runner::cuda
#endif
