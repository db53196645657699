// Philox4x32-10: random numbers as a pure function of (seed, run, decision, purpose). There is no
// stream position, so a resumed run draws what the uninterrupted one would have drawn.
// Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace server::state {

using PhiloxBlock = std::array<uint32_t, 4>;
PhiloxBlock Philox4x32(PhiloxBlock counter, std::array<uint32_t, 2> key);

// What a number is drawn for; a new use takes a new value, so that it shifts no other draw.
enum class DrawFor : uint32_t {
  kExplore = 1,
  kInputs = 2,
  kSample = 3,
  kSimulation = 4,
  kPropose = 5,  // parent, tactic and their draws
  kAudit = 6,
  kRecheck = 7,
};

class Rng {
 public:
  Rng(uint64_t seed, uint64_t run, uint64_t decision, DrawFor purpose);
  uint64_t Next();
  uint64_t Below(uint64_t limit);  // uniform in [0, limit); limit > 0
  double Unit();                   // [0, 1)
  uint64_t drawn() const { return drawn_; }

 private:
  std::array<uint32_t, 2> key_;
  uint32_t run_, decision_, purpose_;
  uint64_t drawn_ = 0;
};

}  // namespace server::state
