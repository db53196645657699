#include "server/core/active_time.h"

#include <algorithm>

namespace server::core {

void ActiveTime::Resume(int64_t run, int64_t active_ns) {
  Row& row = rows_[run];
  row.total_ns = std::max(row.total_ns, active_ns);
}

void ActiveTime::Advance(Row& row, int64_t now_ns) {
  while (row.since_ns < now_ns) {
    int64_t until = now_ns;
    for (const auto& [session, end] : row.turns)
      until = std::min(until, std::max(end, row.since_ns));
    const size_t spans = row.open.size() + row.turns.size();
    if (spans > 0) row.total_ns += until - row.since_ns;
    if (spans == 1 && !row.open.empty()) row.open.begin()->second += until - row.since_ns;
    row.since_ns = until;
    std::erase_if(row.turns, [&](const auto& turn) { return turn.second <= until; });
  }
}

void ActiveTime::Open(int64_t run, const std::string& key, int64_t now_ns) {
  Row& row = rows_[run];
  Advance(row, now_ns);
  row.open.try_emplace(key, 0);
}

void ActiveTime::Close(int64_t run, const std::string& key, int64_t now_ns) {
  Row& row = rows_[run];
  Advance(row, now_ns);
  row.open.erase(key);
}

void ActiveTime::Cancel(int64_t run, const std::string& key, int64_t now_ns) {
  Row& row = rows_[run];
  Advance(row, now_ns);
  const auto it = row.open.find(key);
  if (it == row.open.end()) return;
  row.total_ns -= it->second;
  row.open.erase(it);
}

void ActiveTime::BeginTurn(int64_t run, const std::string& session, int64_t now_ns) {
  if (session.empty()) return;
  Row& row = rows_[run];
  Advance(row, now_ns);
  row.turns[session] = now_ns + kAgentTurnMaxNs;
}

void ActiveTime::EndTurn(const std::string& session, int64_t now_ns) {
  for (auto& [run, row] : rows_) {
    if (!row.turns.contains(session)) continue;
    Advance(row, now_ns);
    row.turns.erase(session);
  }
}

int64_t ActiveTime::TotalNs(int64_t run, int64_t now_ns) {
  Row& row = rows_[run];
  Advance(row, now_ns);
  return row.total_ns;
}

}  // namespace server::core
