// What one warp's access to memory costs: sectors of global memory, wavefronts of shared memory.
#pragma once

#include <array>
#include <cstdint>

namespace costmodel {

// First byte of each lane's access; only lanes in `mask` count.
struct WarpAccess {
  std::array<int64_t, 32> address{};
  uint32_t mask = 0;
  int64_t bytes = 0;   // a lane
  bool known = false;  // the addresses are
};

// Bytes of the distinct 32-byte sectors touched. Unknown addresses: every lane in sectors of its
// own.
int64_t SectorBytes(const WarpAccess& access);

// Wavefronts of 128 bytes. An access of 8 (16) bytes a lane is served half (a quarter) warp by half
// warp; each takes as many wavefronts as the fullest of 32 four-byte banks has distinct words.
// Unknown addresses count as free of conflicts.
int64_t SharedWavefronts(const WarpAccess& access);
// The same without bank conflicts.
int64_t IdealWavefronts(const WarpAccess& access);

}  // namespace costmodel
