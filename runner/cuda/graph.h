// A CUDA graph of queued work: captured from a stream, launched as one operation.
#pragma once

#include <functional>

#include "runner/cuda/launcher.h"

namespace runner::cuda {

class Graph {
 public:
  explicit Graph(const Driver& driver) : driver_(driver) {}
  Graph(Graph&& other) noexcept;
  ~Graph();

  // `queue` queues on the stream; nothing of it runs. A graph from before is let go.
  Failure Capture(CUstream stream, const std::function<Failure()>& queue);
  Failure Launch(CUstream stream) const;

 private:
  const Driver& driver_;
  CUgraphExec graph_ = nullptr;
};

}  // namespace runner::cuda
