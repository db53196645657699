#include "costmodel/access.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace costmodel {
namespace {

constexpr int64_t kSectorBytes = 32;
constexpr int64_t kBankBytes = 4;
constexpr int64_t kBanks = 32;
constexpr int kLanes = 32;

int LanesPerPhase(int64_t bytes) {
  if (bytes <= kBankBytes) return kLanes;
  return std::max<int>(1, static_cast<int>(kLanes * kBankBytes / bytes));
}

int64_t PhaseWavefronts(const WarpAccess& access, int first, int lanes) {
  std::vector<int64_t> words;
  for (int i = first; i < first + lanes; ++i) {
    if (((access.mask >> i) & 1) == 0) continue;
    const int64_t begin = access.address[static_cast<size_t>(i)];
    for (int64_t w = begin / kBankBytes; w <= (begin + access.bytes - 1) / kBankBytes; ++w) {
      words.push_back(w);
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::array<int64_t, kBanks> load{};
  for (const int64_t word : words) ++load[static_cast<size_t>(((word % kBanks) + kBanks) % kBanks)];
  return *std::max_element(load.begin(), load.end());
}

}  // namespace

int64_t SectorBytes(const WarpAccess& access) {
  if (access.mask == 0 || access.bytes == 0) return 0;
  if (!access.known) {
    return std::popcount(access.mask) * std::max(access.bytes, kSectorBytes);
  }
  std::vector<int64_t> sectors;
  for (int i = 0; i < kLanes; ++i) {
    if (((access.mask >> i) & 1) == 0) continue;
    const int64_t begin = access.address[static_cast<size_t>(i)];
    for (int64_t s = begin / kSectorBytes; s <= (begin + access.bytes - 1) / kSectorBytes; ++s) {
      sectors.push_back(s);
    }
  }
  std::sort(sectors.begin(), sectors.end());
  return std::distance(sectors.begin(), std::unique(sectors.begin(), sectors.end())) * kSectorBytes;
}

int64_t IdealWavefronts(const WarpAccess& access) {
  if (access.mask == 0 || access.bytes == 0) return 0;
  return kLanes / LanesPerPhase(access.bytes);
}

int64_t SharedWavefronts(const WarpAccess& access) {
  if (access.mask == 0 || access.bytes == 0) return 0;
  if (!access.known) return IdealWavefronts(access);
  const int lanes = LanesPerPhase(access.bytes);
  int64_t wavefronts = 0;
  for (int first = 0; first < kLanes; first += lanes) {
    wavefronts += PhaseWavefronts(access, first, lanes);
  }
  return wavefronts;
}

}  // namespace costmodel
