// One timing request of the evaluation child: the contestants on their images, the loop, and the
// raw samples with their conditions as JSON. What is asked for, as JSON:
//   {"case": "..", "protocol": "cold-abba-v1", "rounds": 40, "repeats": 1,
//    "programs": ["candidate", "incumbent", "baseline"],  // loaded before; the candidate first
//    "library": "cublaslt",      // or absent: the baseline is that library's product
//    "foreign": true,            // or absent: the baseline is timed by another process
//    "check_baseline": true}     // also the memory that one run of the library leaves
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runner/child/channel.h"
#include "runner/cuda/cublaslt.h"
#include "runner/cuda/timing_loop.h"
#include "runner/cuda/timing_session.h"

namespace runner::cuda {

// What a child times with, kept from one request to the next.
struct TimingMeans {
  const Driver& driver;
  CUstream stream = nullptr;
  Cupti* cupti = nullptr;
  CublasLt* library = nullptr;
  std::string library_path, library_missing;  // why there is none
  const Nvml* nvml = nullptr;
  const DeviceFacts* facts = nullptr;
  int64_t launch_ms = 0;
  child::Spans& spans;
  // Asks for one sample of the process that runs a foreign baseline.
  std::function<Failure(size_t image, bool cold, double& ns)> foreign;
};

// The proposal that was the fastest of a product, by its shape: asked once a child.
using ChosenProposals = std::map<ProductShape, size_t>;

// One sample by the process that runs a foreign baseline; the parent at the other end knows it.
Failure AskForeign(child::Channel& channel, size_t image, bool cold, double& ns);

class CaseTimer {
 public:
  CaseTimer(const TimingMeans& means, ImageCache& images, ChosenProposals& chosen,
            const nlohmann::json& request);

  // The programs of the request, in its order.
  std::vector<std::string> programs() const;
  TimingSession& session() { return session_; }

  // After the programs are in the session: adds the rest and times all. The status is the world's
  // (no such library, no product), the failure the driver's.
  absl::StatusOr<Failure> Run(const contract::Workload& workload, const contract::Case& at,
                              uint64_t seed);
  // Everything but the memory of the candidate's last run.
  nlohmann::json Reply() const;
  // The memory that one run of the library left; empty where it was not asked for.
  std::span<const std::byte> baseline_memory() const { return baseline_memory_; }

 private:
  absl::StatusOr<Failure> AddLibrary(const contract::Workload& workload, const contract::Case& at);
  Failure ChooseProposal(const ProductShape& shape);
  Failure KeepBaselineMemory();
  Failure TimeOnce(uint64_t seed);
  bool graphs() const;
  int GraphRuns() const;
  LoopOptions Options(nlohmann::json* vitals, uint64_t seed) const;
  nlohmann::json VitalsJson() const;
  Cupti* clock() const { return session_.has_foreign() ? nullptr : means_.cupti; }

  const TimingMeans& means_;
  ChosenProposals& chosen_;
  const nlohmann::json& request_;
  std::optional<Product> product_;
  TimingSession session_;
  nlohmann::json runs_ = nlohmann::json::array(), library_;
  std::vector<std::byte> baseline_memory_;
  bool graphs_whole_ = true;
};

}  // namespace runner::cuda
