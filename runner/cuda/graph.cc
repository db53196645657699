#include "runner/cuda/graph.h"

#include <utility>

namespace runner::cuda {

Graph::Graph(Graph&& other) noexcept
    : driver_(other.driver_), graph_(std::exchange(other.graph_, nullptr)) {}

Graph::~Graph() {
  if (graph_ != nullptr && !driver_.abandoned()) driver_.api().graph_exec_destroy(graph_);
}

Failure Graph::Capture(CUstream stream, const std::function<Failure()>& queue) {
  const DriverApi& api = driver_.api();
  if (graph_ != nullptr) api.graph_exec_destroy(std::exchange(graph_, nullptr));
  if (const CUresult result = api.stream_begin_capture(stream, kCaptureThreadLocal);
      result != kSuccess)
    return {result, "begin a graph"};
  const Failure queued = queue();
  CUgraph captured = nullptr;
  // Also after a failure: the stream has to leave its capture.
  const CUresult ended = api.stream_end_capture(stream, &captured);
  Failure failure = queued;
  if (failure.ok()) failure = {ended, "end a graph"};
  if (failure.ok()) failure = {api.graph_instantiate(&graph_, captured, 0), "instantiate a graph"};
  if (captured != nullptr) api.graph_destroy(captured);
  return failure;
}

Failure Graph::Launch(CUstream stream) const {
  return {driver_.api().graph_launch(graph_, stream), "launch a graph"};
}

}  // namespace runner::cuda
