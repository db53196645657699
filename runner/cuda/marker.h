// The judge's code on the device: marks of runs (runner/launch/marks.h), and the bounds of outputs
// that it compares them with, kept from one program to the next. A program that shares the device
// could damage either: what was read is part of every mark, so that the asker sees it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/cuda/launcher.h"
#include "runner/launch/frames.h"
#include "runner/launch/marks.h"
#include "runner/oracle/bounded_cache.h"

namespace runner::cuda {

class Marker {
 public:
  Marker(const Driver& driver, CUstream stream, int64_t bytes_max)
      : driver_(driver), stream_(stream), kept_(bytes_max) {}

  Failure Load(const std::string& cubin);
  // `bytes`: the bounds of every output, one after the other.
  Failure Keep(const launch::KeepRequest& request, std::span<const std::byte> bytes);
  std::vector<std::string> kept() const { return kept_.keys(); }

  // The next runs are these. False: the code is not here, or bounds are not kept.
  bool Begin(const launch::MarksOrder& order, const contract::Workload& workload,
             const launch::Layout& layout);
  // Queues what is to be said of run `r`, whose image lies at `image` as `layout` says.
  Failure Before(size_t r, const launch::Layout& layout, const launch::RunSpec& run,
                 CUdeviceptr image);
  Failure After(size_t r, const launch::Layout& layout, const launch::RunSpec& run,
                CUdeviceptr image);
  // Waits for all that was queued.
  Failure Read(int64_t limit_ms, std::vector<launch::RunMarks>& marks) const;

 private:
  struct Bounds {
    explicit Bounds(DeviceMemory&& on_device) : memory(std::move(on_device)) {}
    DeviceMemory memory;
    struct Output {
      int64_t offset = 0, bytes = 0;
    };
    std::map<std::string, Output> outputs;
  };
  // Words of one run: parts before, parts after, starts, marks of each output.
  int64_t WordsOfRun() const;
  CUdeviceptr WordAt(size_t run, int64_t word) const;
  Failure Parts(const launch::Layout& layout, CUdeviceptr image, CUdeviceptr sums);
  Failure Starts(const launch::Layout& layout, const launch::RunSpec& run, CUdeviceptr image,
                 CUdeviceptr sums);
  Failure Queue(const char* kernel, int64_t blocks, int64_t rows, std::vector<void*> parameters);

  const Driver& driver_;
  const CUstream stream_;
  std::optional<Module> module_;
  oracle::BoundedCache<Bounds> kept_;
  // Of the runs since Begin.
  const contract::Workload* workload_ = nullptr;
  uint64_t key_ = 0;
  std::vector<std::shared_ptr<const Bounds>> bounds_;  // of each run
  size_t parts_ = 0, starts_ = 0, outputs_ = 0;
  std::optional<DeviceMemory> words_;
};

}  // namespace runner::cuda
