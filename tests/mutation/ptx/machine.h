// Executes launches of a PTX module under one adversary. Independent of the verifier in input (the
// PTX), in method (no clocks, no order: a schedule, and engines that act when it hurts) and in
// code.
//
// Values are computed; what a tensor core makes is a number drawn from a hash of all that it read,
// so that wrong operands never give the right result by luck. Shared memory has two views: a
// thread's store reaches the view of asynchronous engines only by a fence of that thread. Copies
// and products act in pieces at times the adversary picks, up to the wait that guarantees them.
// Unwritten shared memory holds other bytes in every run. Parity waits are the hardware's.
//
// Left out, and said by Unknown: clusters, tensor memory, operands of products that do not run
// along K, functions that are called, local memory. Memory itself is sequentially consistent.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/mutation/ptx/module.h"
#include "tests/mutation/ptx/plan.h"

namespace ptx {

enum class Engines : uint8_t { kEager, kLazy, kRandom };

struct Adversary {
  uint64_t seed = 0;  // also of what unwritten memory holds
  Engines engines = Engines::kRandom;
  int depth = 0;                    // of priorities that change (PCT); 0: warps in turn
  bool lanes_apart = false;         // a lane goes on until it has to wait
  int64_t steps_max = 20'000'000;   // of threads
  int64_t steps_expected = 10'000;  // where priorities may change
};

enum class Fate : uint8_t { kDone, kHang, kFault, kSteps };
std::string_view ToString(Fate fate);

struct Result {
  Fate fate = Fate::kDone;
  std::string why;       // where it stands, or what went wrong
  uint64_t outputs = 0;  // a hash of all that is written for the caller
  int64_t steps = 0;
};

// Throws Unknown.
Result Run(const std::map<std::string, Kernel>& module, const Plan& plan,
           const Adversary& adversary);

}  // namespace ptx
