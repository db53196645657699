// What one timing request runs on: plans, layouts and filled images of every contestant, kept
// together because contestants point into them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/facts/launch.h"
#include "runner/contract/workload.h"
#include "runner/cuda/contestant.h"
#include "runner/cuda/cublaslt.h"
#include "runner/cuda/graph.h"
#include "runner/cuda/image_cache.h"
#include "runner/cuda/launcher.h"

namespace runner::cuda {

inline constexpr int kTimingImages = 2;  // that a contestant rotates over

class TimingSession {
 public:
  TimingSession(const Driver& driver, ImageCache& images) : driver_(driver), images_(images) {}

  // A program at one case: fills and uploads its images, and once more what of them a run changes;
  // or shares the first program's, which were filled alike. The status is the world's, the failure
  // the driver's. The first program is the candidate.
  absl::StatusOr<Failure> AddProgram(std::string name, const Module& module,
                                     compiler::facts::LaunchPlan plan,
                                     const ImageCache::Start& start);
  // A library's product, on the first program's images: its matrices are the contract's tensors.
  // `product` outlives the session.
  absl::StatusOr<Failure> AddProduct(std::string name, const Product& product);
  // One that another process runs, on contents of its own.
  void AddForeign(std::string name,
                  std::function<Failure(size_t image, bool cold, double& ns)> foreign);
  // From a timing of single runs to one of graphs, the last thing that is added: a sample becomes
  // one graph of as many runs as `runs` says, each on an image of its own. The images' contents are
  // the first two's in turn, their addresses all different.
  Failure MakeGraphs(CUstream stream, int runs);
  // A plain copy that moves as many bytes as every correct run of the first program's case has to.
  Failure AddCopy();

  std::vector<Contestant>& contestants() { return contestants_; }
  const std::vector<Contestant>& contestants() const { return contestants_; }
  bool has_foreign() const { return has_foreign_; }
  const launch::Layout& layout() const { return layouts_.front(); }  // of the first program
  const compiler::facts::LaunchPlan& plan() const { return plans_.front(); }
  CUdeviceptr first_image() const { return memory_.front().address(); }
  int64_t copy_bytes() const { return copy_bytes_; }  // read plus written

 private:
  Failure Spread(std::vector<Image>& images, int count);
  // Device memory with the bytes of another; where it is goes to `address`.
  Failure CloneOf(CUdeviceptr from, int64_t bytes, CUdeviceptr& address);

  const Driver& driver_;
  ImageCache& images_;
  std::vector<std::shared_ptr<const DeviceMemory>> first_contents_;
  std::deque<compiler::facts::LaunchPlan> plans_;
  std::deque<launch::Layout> layouts_;
  std::deque<DeviceMemory> memory_;
  std::deque<Graph> graphs_;
  std::vector<Contestant> contestants_;
  int64_t moved_bytes_ = 0;  // of the first program's case
  int64_t copy_bytes_ = 0;
  bool has_foreign_ = false;
};

}  // namespace runner::cuda
