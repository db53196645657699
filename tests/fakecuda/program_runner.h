// Runs a launch on the reference machine: finds the program by its identity in the worker's cache
// (CAKE_FAKE_OBJECTS), elaborates it, and gives the machine the very memory that the launch's
// parameters point at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/launch/elaborate.h"

namespace fakecuda {

struct LaunchShape {
  int64_t grid[3] = {1, 1, 1};
  int64_t block = 0, shared_bytes = 0, cluster = 1;
  bool cooperative = false, pdl = false;
  bool has_progress = false;  // the same, of a build for autopsies
  bool logs_events = false;   // the last parameter says where to
};

struct LaunchResult {
  enum class Kind : uint8_t { kFinished, kFault, kHang, kBadParameters, kTooLarge };
  Kind kind = Kind::kFinished;
  std::string detail;
  int64_t lane_statements = 0;
  std::vector<std::span<std::byte>> outputs;  // in declaration order
};

// The bytes that a device address points at, `bytes` long; empty if no allocation holds them all.
using FindMemory = std::function<std::span<std::byte>(uint64_t address, int64_t bytes)>;

class ProgramRunner {
 public:
  // NotFound: the cache has no such program. FailedPrecondition: it is not the one that its name
  // says, or does not elaborate.
  static absl::StatusOr<std::unique_ptr<ProgramRunner>> Load(const std::string& program_id,
                                                             const std::string& arch);

  const std::string& source() const { return source_; }

  // Of every parameter of its kernels, in order; instrumented ones take a log more.
  std::vector<int64_t> ParameterBytes() const;
  // `parameters`: the launch's, in the order of compiler::facts::Parameters. A shape other than the
  // plan's is kBadParameters, like a launch outside the program's guard.
  // A cooperative grid that `sms` multiprocessors do not surely hold is kTooLarge.
  LaunchResult Launch(const std::string& kernel, const LaunchShape& shape, void** parameters,
                      const FindMemory& memory, int64_t sms, int64_t max_lane_statements);

 private:
  int64_t CtasPerSm(const std::string& kernel) const;
  ProgramRunner(runner::launch::Elaborated program, std::string source)
      : program_(std::move(program)), source_(std::move(source)) {}
  runner::launch::Elaborated program_;
  std::string source_;
};

}  // namespace fakecuda
