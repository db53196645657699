// One program of an evaluation child, from its setup on: the candidate, the incumbent or the
// baseline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/cuda/image_cache.h"
#include "runner/cuda/launcher.h"
#include "runner/launch/elaborate.h"
#include "runner/launch/frames.h"

namespace runner::cuda {

struct Loaded {
  std::string payload, cubin;  // what made it
  launch::ProgramReply reply;
  launch::Setup setup;
  std::string contract_hash;
  launch::Elaborated program;  // of IR
  std::vector<std::string> kernels;
  std::optional<Module> module;

  ImageCache::Start StartOf(const contract::Case& at) const {
    return {&setup.workload, &at, contract_hash, setup.seed};
  }
  // Whether it is written for contents that are looked at before it runs. Direct CUDA states none.
  bool assumes() const { return program.program != nullptr && !program.program->contracts.empty(); }
};

}  // namespace runner::cuda
