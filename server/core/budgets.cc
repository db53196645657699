#include "server/core/budgets.h"

#include <algorithm>

namespace server::core {
namespace {

constexpr int64_t kFirstReservationNs = 1'000'000'000;  // while nothing is known of the run's jobs

bool IsTime(std::string_view kind) { return kind == "active_ns" || kind == "gpu_ns"; }

}  // namespace

std::vector<store::EventBody> ReserveFor(const state::Run& run, const state::Job& job) {
  std::vector<store::EventBody> events;
  for (const auto& [kind, budget] : run.budgets) {
    int64_t amount = 0;
    if (kind == kEvaluations) amount = 1;
    if (IsTime(kind) && budget.limit > 0) {
      const int64_t expected = budget.settled > 0 ? budget.Expected() : kFirstReservationNs;
      amount = std::min(expected, budget.Left());
    }
    if (amount <= 0) continue;
    events.push_back(
        store::BudgetReserved{.run = run.id, .kind = kind, .amount = amount, .job = job.id});
  }
  return events;
}

std::vector<store::EventBody> RefundsOf(const state::Job& job) {
  std::vector<store::EventBody> events;
  if (job.charged_reservation) {
    events.push_back(store::BudgetRefunded{
        .run = job.run, .kind = std::string(kEvaluations), .amount = 1, .job = job.id});
  }
  for (const auto& [kind, amount] : job.reserved) {
    events.push_back(
        store::BudgetRefunded{.run = job.run, .kind = kind, .amount = amount, .job = job.id});
  }
  return events;
}

std::vector<store::EventBody> SettleTime(const state::Run& run, const state::Job& job,
                                         const std::string& kind, int64_t spent) {
  const auto it = run.budgets.find(kind);
  if (it == run.budgets.end() || it->second.limit == 0) return {};
  const auto mine = job.reserved.find(kind);
  const int64_t reserved = mine == job.reserved.end() ? 0 : mine->second;
  const int64_t amount = std::clamp<int64_t>(spent, 0, it->second.Left() + reserved);
  if (amount == 0 && reserved == 0) return {};
  return {store::BudgetSettled{
      .run = run.id, .kind = kind, .reserved = reserved, .spent = amount, .job = job.id}};
}

}  // namespace server::core
