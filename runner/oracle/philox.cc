#include "runner/oracle/philox.h"

namespace runner::oracle {
namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

}  // namespace

std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t left = uint64_t{kMultiplier0} * counter[0];
    const uint64_t right = uint64_t{kMultiplier1} * counter[2];
    counter = {
        static_cast<uint32_t>(right >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(right),
        static_cast<uint32_t>(left >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(left)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

uint64_t PhiloxWord(uint64_t key, uint64_t index) {
  const auto words =
      Philox({static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), 0, 0},
             {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
  return uint64_t{words[1]} << 32 | words[0];
}

uint64_t DeriveKey(uint64_t seed, const char* purpose, uint64_t index) {
  uint64_t key = seed;
  for (const char* c = purpose; *c != '\0'; ++c)
    key = PhiloxWord(key, static_cast<unsigned char>(*c));
  return PhiloxWord(key, index);
}

}  // namespace runner::oracle
