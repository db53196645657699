#include "server/core/check_line.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace server::core {
namespace {

constexpr int64_t kFirstCostNs = 20'000'000;  // of a caller that nothing is known of

}  // namespace

int64_t CheckLine::Row::ExpectedNs() const {
  return ended == 0 ? kFirstCostNs : std::max<int64_t>(1, served_ns / ended);
}

void CheckLine::Push(int64_t caller, int64_t weight, uint64_t check) {
  Row& mine = rows_[caller];
  if (mine.waiting.empty() && mine.running == 0) {
    double least = std::numeric_limits<double>::infinity();  // of those who wait or run
    for (const auto& [id, row] : rows_) {
      if (id != caller && (!row.waiting.empty() || row.running > 0)) {
        least = std::min(least, row.turn);
      }
    }
    // Where nobody does, whoever was served last is level too: time that nobody else wanted is no
    // arrears.
    mine.turn = std::max(mine.turn, std::isfinite(least) ? least : latest_);
  }
  mine.weight = std::max<int64_t>(1, weight);
  mine.waiting.push_back(check);
  ++waiting_;
}

std::optional<uint64_t> CheckLine::Pop() {
  Row* next = nullptr;
  const auto after = [](const Row& row) {
    return row.turn +
           static_cast<double>(row.running * row.ExpectedNs()) / static_cast<double>(row.weight);
  };
  for (auto& [id, row] : rows_) {
    if (!row.waiting.empty() && (next == nullptr || after(row) < after(*next))) next = &row;
  }
  if (next == nullptr) return std::nullopt;
  const uint64_t check = next->waiting.front();
  next->waiting.pop_front();
  ++next->running;
  --waiting_;
  return check;
}

void CheckLine::Ended(int64_t caller, int64_t cpu_ns) {
  Row& row = rows_.at(caller);
  --row.running;
  ++row.ended;
  row.served_ns += cpu_ns;
  row.turn += static_cast<double>(cpu_ns) / static_cast<double>(row.weight);
  latest_ = std::max(latest_, row.turn);
}

int64_t CheckLine::served_ns(int64_t caller) const {
  const auto it = rows_.find(caller);
  return it == rows_.end() ? 0 : it->second.served_ns;
}

}  // namespace server::core
