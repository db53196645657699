#include "server/gates/pool.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "server/gates/child.h"

namespace server::gates {
namespace {

using runner::child::Process;

constexpr int64_t kPollMs = 200;
// So many requests that somebody waits for go first, then one of the others, where one waits.
constexpr int kInteractiveInARow = 3;
constexpr auto kReserved = std::chrono::seconds(2);
// A starved machine runs a child at a fraction of its speed; only far beyond that is it stuck.
constexpr int64_t kWallPerCpu = 20;

std::string WhyItDied(const runner::child::Exit& exit) {
  if (exit.cpu_limit) return "over its CPU limit";
  return exit.ToString();
}

}  // namespace

Pool::Pool(PoolOptions options, Sink sink) : options_(std::move(options)), sink_(std::move(sink)) {
  for (int i = 0; i < options_.children; ++i) threads_.emplace_back([this] { Serve(); });
}

Pool::~Pool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Pool::Start(uint64_t id, core::GateRequest request, bool interactive) {
  {
    std::lock_guard lock(mutex_);
    (interactive ? interactive_ : queue_).push_back({id, std::move(request)});
    if (interactive) last_interactive_ = std::chrono::steady_clock::now();
  }
  wake_.notify_one();
}

// Family work takes seconds: while people ask, one child is left for them, where there are two.
bool Pool::MayTakeQueued() const {
  const bool asked = std::chrono::steady_clock::now() - last_interactive_ < kReserved;
  const int most = asked ? std::max(1, options_.children - 1) : options_.children;
  return !queue_.empty() && queued_running_ < most;
}

std::optional<Pool::Item> Pool::Take() {
  std::unique_lock lock(mutex_);
  while (!stopping_ && interactive_.empty() && !MayTakeQueued()) wake_.wait_for(lock, kReserved);
  if (stopping_) return std::nullopt;
  const bool queued = MayTakeQueued() && (interactive_.empty() || in_a_row_ >= kInteractiveInARow);
  auto& from = queued ? queue_ : interactive_;
  Item item = std::move(from.front());
  from.pop_front();
  item.queued = queued;
  queued_running_ += queued ? 1 : 0;
  in_a_row_ = queued ? 0 : in_a_row_ + 1;
  return item;
}

void Pool::Ended(const Item& item) {
  if (!item.queued) return;
  {
    std::lock_guard lock(mutex_);
    --queued_running_;
  }
  wake_.notify_one();
}

void Pool::Serve() {
  std::optional<Process> child;
  int64_t served = 0;
  while (auto item = Take()) {
    const bool worn =
        child && (served >= options_.requests_per_child ||
                  child->CpuNs() / 1'000'000'000 * 2 > options_.cpu_seconds_per_child);
    if (worn) child.reset();
    if (!child) served = 0;
    ++served;
    auto reply = Ask(child, item->request);
    Ended(*item);
    sink_(item->id, std::move(reply));
  }
}

absl::StatusOr<core::GateReply> Pool::Ask(std::optional<Process>& child,
                                          const core::GateRequest& request) {
  if (!child) {
    runner::child::SpawnOptions spawn;
    spawn.argv = options_.argv;
    spawn.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"};
    spawn.limits.cpu_seconds = options_.cpu_seconds_per_child;
    spawn.limits.address_bytes = options_.memory_bytes;
    auto process = Process::Spawn(spawn);
    if (!process.ok()) return process.status();
    child.emplace(*std::move(process));
  }
  const auto died = [&](absl::string_view why) {
    const runner::child::Exit exit = child->Kill();
    child.reset();
    return absl::AbortedError(why.empty() ? WhyItDied(exit) : std::string(why));
  };
  if (!child->channel().Send(kRequestFrame, core::ToJson(request)).ok()) return died("");
  const int64_t cpu_start_ns = child->CpuNs();
  const auto begun = std::chrono::steady_clock::now();
  for (;;) {
    auto frame = child->channel().Receive(kPollMs);
    if (frame.ok()) {
      if (!frame->has_value()) return died("");
      auto reply = core::GateReplyFromJson((*frame)->payload);
      if (!reply.ok()) return died(reply.status().message());
      return reply;
    }
    if (!absl::IsDeadlineExceeded(frame.status())) return died("");
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return died("the daemon stops");
    }
    const int64_t cpu_ms = (child->CpuNs() - cpu_start_ns) / 1'000'000;
    const int64_t wall_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                                std::chrono::steady_clock::now() - begun)
                                .count();
    if (cpu_ms > request.cpu_limit_ms) return died("over its CPU limit");
    if (wall_ms > request.cpu_limit_ms * kWallPerCpu) return died("over its wall limit");
  }
}

}  // namespace server::gates
