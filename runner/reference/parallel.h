// Splits a range over the CPUs of this process.
#pragma once

#include <cstdint>
#include <functional>

namespace runner::reference {

// Calls work(begin, end) for pieces of [0, count), each a multiple of `granule` long (the last may
// be shorter), on up to `threads` threads (0: those of the machine). Returns when all are done. A
// range of less than two pieces of kPieceMin elements runs on the caller's thread.
inline constexpr int64_t kPieceMin = 1 << 16;
void ParallelFor(int64_t count, int64_t granule, int threads,
                 const std::function<void(int64_t begin, int64_t end)>& work);

// The same in pieces of exactly `piece` elements (the last may be shorter), whose elements may take
// any time.
void ParallelPieces(int64_t count, int64_t piece, int threads,
                    const std::function<void(int64_t begin, int64_t end)>& work);
// How many threads `threads` means.
int64_t ThreadsOf(int threads);

}  // namespace runner::reference
