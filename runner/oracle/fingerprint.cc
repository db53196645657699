#include "runner/oracle/fingerprint.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runner/reference/parallel.h"

namespace runner::oracle {

uint64_t Fingerprint(uint64_t key, std::span<const std::byte> bytes, int threads) {
  constexpr size_t kWord = sizeof(uint64_t);
  std::atomic<uint64_t> sum = 0;
  const auto words = static_cast<int64_t>((bytes.size() + kWord - 1) / kWord);
  reference::ParallelFor(words, 1, threads, [&](int64_t begin, int64_t end) {
    uint64_t mine = 0;
    for (int64_t i = begin; i < end; ++i) {
      const size_t at = static_cast<size_t>(i) * kWord;
      uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, std::min(kWord, bytes.size() - at));
      mine += FingerprintTerm(key, static_cast<uint64_t>(i), word);
    }
    sum += mine;
  });
  return sum;
}

}  // namespace runner::oracle
