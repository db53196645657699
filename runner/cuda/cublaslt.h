// cuBLASLt as a baseline: the product of a contract's matrices, by the fastest of the algorithms
// that the library's heuristics propose. Opened at run time; whoever has not installed it does
// without.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runner/contract/workload.h"
#include "runner/cuda/cublaslt_api.h"
#include "runner/cuda/launcher.h"

namespace runner::cuda {

class CublasLt {
 public:
  // `path`: the library. To be called after the context is created. Unavailable says what is
  // missing.
  static absl::StatusOr<std::unique_ptr<CublasLt>> Open(const std::string& path);
  ~CublasLt();

  const CublasLtApi& api() const { return api_; }
  LtHandle handle() const { return handle_; }
  size_t version() const { return version_; }  // 130100: 13.1.0

 private:
  CublasLtApi api_;
  LtHandle handle_ = nullptr;
  size_t version_ = 0;
};

// y[m, n] = sum over k of x[m, k] * w[n, k], as a library sees it.
struct ProductShape {
  int64_t m = 0, n = 0, k = 0;
  int64_t x_row = 0, w_row = 0, y_row = 0;  // elements from one row to the next
  int factor_type = 0, result_type = 0, compute = 0, scale_type = 0;
  auto operator<=>(const ProductShape&) const = default;
};
// Of a contract whose reference is `gemm`. InvalidArgument: it is no product, or of types that the
// library does not multiply.
absl::StatusOr<ProductShape> ProductOf(const contract::Workload& workload,
                                       const contract::Case& at);

class Product {
 public:
  static constexpr std::array<std::string_view, 3> kTensors = {"x", "w", "y"};
  // As much scratch memory as the library may ask for.
  static constexpr int64_t kWorkspaceBytes = int64_t{64} << 20;
  static constexpr int kAlgorithmsMax = 32;

  Product(const Driver& driver, const CublasLt& library, const ProductShape& shape);
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  // Asks the heuristics. The failure names the call.
  Failure Prepare();
  size_t proposals() const { return proposals_.size(); }
  void Choose(size_t proposal) { chosen_ = proposal; }
  Failure Queue(CUdeviceptr x, CUdeviceptr w, CUdeviceptr y, CUstream stream) const;

  // Of the chosen algorithm: its place among the proposals, what the library says of it, and the
  // SHA-256 of its opaque description.
  struct Algorithm {
    size_t proposal = 0, proposals = 0;
    int64_t id = 0, tile = 0, split_k = 0, stages = 0, workspace_bytes = 0;
    std::string hash;
  };
  Algorithm chosen() const;

 private:
  Failure Call(LtStatus status, const char* what) const;

  const Driver& driver_;
  const CublasLt& library_;
  const ProductShape shape_;
  LtProduct product_ = nullptr;
  LtMatrix x_ = nullptr, w_ = nullptr, y_ = nullptr;
  std::optional<DeviceMemory> workspace_;
  std::vector<LtHeuristic> proposals_;
  size_t chosen_ = 0;
};

}  // namespace runner::cuda
