// Filled run images on the device, kept from one candidate to the next: what a run starts from
// depends on the contract, the case, the seed and the layout, and takes longer to make and to
// upload than most launches take. Inputs are kept by themselves too, since runs that differ in
// their poison or layout begin with the same. A child that serves one candidate alone has nobody's
// images.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runner/contract/workload.h"
#include "runner/cuda/launcher.h"
#include "runner/launch/image.h"
#include "runner/oracle/bounded_cache.h"

namespace runner::cuda {

class ImageCache {
 public:
  ImageCache(const Driver& driver, int64_t bytes_max)
      : driver_(driver),
        bytes_max_(bytes_max - bytes_max / kInputsPart),
        inputs_(bytes_max / kInputsPart),
        staging_(driver) {}

  // What a run begins with, whoever asks: never written after it is made.
  struct Start {
    const contract::Workload* workload = nullptr;
    const contract::Case* at = nullptr;
    std::string contract_hash;
    uint64_t seed = 0;
  };
  // The image on the device; it stays while it is held. The status is the world's, the failure the
  // driver's; with a failure there is no memory.
  struct Found {
    std::shared_ptr<const DeviceMemory> memory;
    Failure failure;
  };
  absl::StatusOr<Found> Get(const Start& start, const launch::Layout& layout,
                            const launch::RunSpec& run);
  // Whether images of this size are kept at all.
  bool Keeps(int64_t bytes) const { return bytes <= bytes_max_ / 4; }
  int64_t hits() const { return hits_; }
  int64_t drawn() const { return drawn_; }  // inputs that were made here

 private:
  static constexpr int64_t kInputsPart = 4;  // of the room, for inputs by themselves
  struct Kept {
    std::string key;
    std::shared_ptr<const DeviceMemory> memory;
  };
  // A copy on the device, done when it returns.
  Failure Copy(CUdeviceptr to, CUdeviceptr from, int64_t bytes) const;
  // The inputs that are known here, by slot.
  using Inputs = std::map<std::string, std::shared_ptr<const DeviceMemory>>;
  Inputs KnownInputs(const Start& start, const launch::Layout& layout, const launch::RunSpec& run);
  // Keeps the inputs of an image that are not known yet.
  Failure KeepInputs(const Start& start, const launch::Layout& layout, const launch::RunSpec& run,
                     const Inputs& known, CUdeviceptr image);

  const Driver& driver_;
  const int64_t bytes_max_;
  int64_t bytes_ = 0, hits_ = 0, drawn_ = 0;
  oracle::BoundedCache<DeviceMemory> inputs_;
  Staging staging_;
  std::list<Kept> kept_;  // the newest use first
};

}  // namespace runner::cuda
