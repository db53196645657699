#include "runner/reference/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace runner::reference {

int64_t ThreadsOf(int threads) {
  return threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}

void ParallelFor(int64_t count, int64_t granule, int threads,
                 const std::function<void(int64_t begin, int64_t end)>& work) {
  granule = std::max<int64_t>(granule, 1);
  ParallelPieces(count, (std::max(kPieceMin, granule) + granule - 1) / granule * granule, threads,
                 work);
}

void ParallelPieces(int64_t count, int64_t piece, int threads,
                    const std::function<void(int64_t begin, int64_t end)>& work) {
  const int64_t pieces = (count + piece - 1) / piece;
  const int64_t used = std::min(ThreadsOf(threads), pieces);
  if (used <= 1) {
    if (count > 0) work(0, count);
    return;
  }
  std::atomic<int64_t> next = 0;
  const auto loop = [&] {
    for (int64_t i = next++; i < pieces; i = next++) {
      work(i * piece, std::min(count, (i + 1) * piece));
    }
  };
  std::vector<std::jthread> pool;
  for (int64_t i = 1; i < used; ++i) pool.emplace_back(loop);
  loop();
}

}  // namespace runner::reference
