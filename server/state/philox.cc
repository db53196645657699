#include "server/state/philox.h"

namespace server::state {
namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

}  // namespace

PhiloxBlock Philox4x32(PhiloxBlock counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t product0 = uint64_t{kMultiplier0} * counter[0];
    const uint64_t product1 = uint64_t{kMultiplier1} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

Rng::Rng(uint64_t seed, uint64_t run, uint64_t decision, DrawFor purpose)
    : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
      run_(static_cast<uint32_t>(run)),
      decision_(static_cast<uint32_t>(decision)),
      purpose_(static_cast<uint32_t>(purpose)) {}

uint64_t Rng::Next() {
  const PhiloxBlock block =
      Philox4x32({static_cast<uint32_t>(drawn_), run_, decision_, purpose_}, key_);
  ++drawn_;
  return (uint64_t{block[1]} << 32) | block[0];
}

uint64_t Rng::Below(uint64_t limit) {
  // Rejection keeps it uniform: the last, incomplete copy of [0, limit) is drawn again.
  const uint64_t usable = UINT64_MAX - UINT64_MAX % limit;
  for (;;) {
    const uint64_t value = Next();
    if (value < usable) return value % limit;
  }
}

double Rng::Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

}  // namespace server::state
