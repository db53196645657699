// What is said when generations of events never complete.
//
// Nothing moves, so every warp has ended or waits. The cause is looked for in this order: a
// generation with all arrivals that lacks bytes; one with some arrivals and nobody left who could
// bring the rest; one without arrivals and nobody left; else the warps wait for each other.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/machine/cta.h"

namespace compiler::machine {

// As the author names it: "tiles@4"; of its release: "tiles@4 (released)".
std::string Cta::EventName(const Mbarrier& mbarrier, int64_t use) const {
  const auto declared = static_cast<size_t>(mbarrier.declared);
  const bool ring = mbarrier.kind != MbarrierKind::kEvent;
  return absl::StrCat(ring ? kernel_.rings[declared].name : kernel_.events[declared].name, "@", use,
                      cluster_ == nullptr ? "" : absl::StrCat(" at ", rank_),
                      mbarrier.kind == MbarrierKind::kEmpty ? " (released)" : "");
}

// What a blocked warp waits for, to stand after "waits for".
std::string Cta::WaitName(const Warp& warp) const {
  if (warp.waits_cluster) return "the barrier of the cluster";
  if (warp.waits_event < 0) {
    return absl::StrCat("`", barriers_[static_cast<size_t>(warp.waits_for)].name, "`");
  }
  const Mbarrier& mbarrier = mbarriers_[static_cast<size_t>(warp.waits_event)];
  const std::string name = EventName(mbarrier, mbarrier.UseOf(warp.waits_generation));
  switch (mbarrier.kind) {
    case MbarrierKind::kFull: return absl::StrCat("`", name, "` to fill");
    case MbarrierKind::kEmpty:
      return absl::StrCat("`", kernel_.rings[static_cast<size_t>(mbarrier.declared)].name, "@",
                          mbarrier.UseOf(warp.waits_generation), "` to be released for use ",
                          mbarrier.UseOf(warp.waits_generation + 1));
    case MbarrierKind::kEvent: break;
  }
  return absl::StrCat("`", name, "`");
}

// `warp` is of the CTA `cta`: this one, or another one of the cluster.
bool Cta::Contributes(const Cta& cta, const Warp& warp, const Mbarrier& mbarrier) const {
  const bool ring = mbarrier.kind != MbarrierKind::kEvent;
  EventArray array{.ring = ring ? mbarrier.declared : -1,
                   .event = ring ? -1 : mbarrier.declared,
                   .empty = mbarrier.kind == MbarrierKind::kEmpty};
  const std::vector<EventArray>& arrives = code_.roles[static_cast<size_t>(warp.role)].arrives;
  const auto has = [&] {
    return std::find(arrives.begin(), arrives.end(), array) != arrives.end();
  };
  if (&cta == this && has()) return true;
  array.remote = true;
  // Commits of a cluster's ring fill the slot of their own CTA.
  const bool reaches = mbarrier.kind != MbarrierKind::kFull || &cta == this;
  return reaches && has();
}

// Whether a warp that has not ended, and has not arrived in this generation, could still do so.
bool Cta::SomebodyIsLeft(const Mbarrier& mbarrier) const {
  const auto is_left = [&](const Cta& cta, const Warp& warp) {
    if (warp.state == WarpState::kDone || !Contributes(cta, warp, mbarrier)) return false;
    return std::none_of(mbarrier.arrivals.begin(), mbarrier.arrivals.end(),
                        [&](const Arrival& a) { return a.agent == warp.agent; });
  };
  for (const Cta* const cta : Members()) {
    const bool any = std::any_of(cta->warps_.begin(), cta->warps_.end(),
                                 [&](const Warp& warp) { return is_left(*cta, warp); });
    if (any) return true;
  }
  return false;
}

std::string Cta::WhyIncomplete(const Mbarrier& mbarrier) const {
  std::string text;
  const auto add = [&](const std::string& part) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", part);
  };
  if (mbarrier.completed_bytes != mbarrier.expected_bytes) {
    add(absl::StrCat(mbarrier.completed_bytes, " of ", mbarrier.expected_bytes,
                     " expected bytes are in"));
  }
  for (const Cta* const cta : Members()) WhoIsMissing(*cta, mbarrier, text);
  return text.empty() ? "nobody else arrives at it" : text;
}

// Of one CTA the warps that contribute to the mbarrier and have not arrived.
void Cta::WhoIsMissing(const Cta& cta, const Mbarrier& mbarrier, std::string& text) const {
  const auto add = [&](const std::string& part) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", part);
  };
  for (size_t role = 0; role < kernel_.roles.size(); ++role) {
    std::vector<int> ended, elsewhere;
    std::string what;
    for (const Warp& warp : cta.warps_) {
      if (warp.role != static_cast<int>(role) || !Contributes(cta, warp, mbarrier)) continue;
      const bool arrived = std::any_of(mbarrier.arrivals.begin(), mbarrier.arrivals.end(),
                                       [&](const Arrival& a) { return a.agent == warp.agent; });
      if (arrived) continue;
      if (warp.state == WarpState::kDone) {
        ended.push_back(warp.index);
      } else if (warp.state == WarpState::kBlocked) {
        elsewhere.push_back(warp.index);
        what = cta.WaitName(warp);
      }
    }
    if (!ended.empty()) add(absl::StrCat(cta.WarpNames(static_cast<int>(role), ended), " ended"));
    if (!elsewhere.empty()) {
      add(absl::StrCat(cta.WarpNames(static_cast<int>(role), elsewhere), " waits for ", what));
    }
  }
}

void Cta::EventEdges(std::vector<diag::WaitEdge>& edges) const {
  for (size_t m = 0; m < mbarriers_.size(); ++m) {
    const Mbarrier& mbarrier = mbarriers_[m];
    for (size_t role = 0; role < kernel_.roles.size(); ++role) {
      std::vector<int> waiting;
      const Warp* first = nullptr;
      for (const Warp& warp : warps_) {
        if (warp.state != WarpState::kBlocked || warp.waits_event != static_cast<int32_t>(m) ||
            warp.role != static_cast<int>(role)) {
          continue;
        }
        waiting.push_back(warp.index);
        if (first == nullptr) first = &warp;
      }
      if (first == nullptr) continue;
      edges.push_back({.waiter = WarpNames(static_cast<int>(role), waiting),
                       .event = EventName(mbarrier, mbarrier.UseOf(first->waits_generation)),
                       .missing = WhyIncomplete(mbarrier),
                       .arrived = mbarrier.arrived,
                       .needed = mbarrier.count,
                       .span = run_.findings.SpanOf(first->waits_at)});
    }
  }
}

bool Cta::EventDeadlock() {
  struct Waiting {
    Cta* cta = nullptr;
    const Warp* warp = nullptr;
    const Mbarrier* mbarrier = nullptr;
  };
  const auto find = [&](auto condition) {
    for (Cta* const cta : Members()) {
      for (const Warp& warp : cta->warps_) {
        if (warp.state != WarpState::kBlocked || warp.waits_event < 0) continue;
        const Mbarrier& mbarrier = cta->mbarriers_[static_cast<size_t>(warp.waits_event)];
        if (condition(*cta, mbarrier)) return Waiting{cta, &warp, &mbarrier};
      }
    }
    return Waiting{};
  };
  const auto at = [&](const Warp& warp) {
    Place place = PlaceOf(warp);
    place.stmt = warp.waits_at;
    return place;
  };
  const auto name = [](const Waiting& waiting) {
    const int64_t use = waiting.mbarrier->UseOf(waiting.warp->waits_generation);
    return waiting.cta->EventName(*waiting.mbarrier, use);
  };
  const Waiting bytes = find([](const Cta&, const Mbarrier& m) {
    return m.arrived == m.count && m.completed_bytes < m.expected_bytes;
  });
  if (bytes.warp != nullptr) {
    run_.findings.MissingBytes(at(*bytes.warp), *bytes.mbarrier, name(bytes), WaitEdges());
    return true;
  }
  const Waiting some = find(
      [](const Cta& cta, const Mbarrier& m) { return m.arrived > 0 && !cta.SomebodyIsLeft(m); });
  if (some.warp != nullptr) {
    run_.findings.TooFewArrivals(at(*some.warp), *some.mbarrier, name(some), WaitEdges());
    return true;
  }
  Waiting waiting = find([](const Cta& cta, const Mbarrier& m) { return !cta.SomebodyIsLeft(m); });
  if (waiting.warp == nullptr) waiting = find([](const Cta&, const Mbarrier&) { return true; });
  if (waiting.warp == nullptr) return false;
  const std::string who = waiting.cta->WarpNames(
      waiting.warp->role, std::vector<int>(static_cast<size_t>(
                              kernel_.roles[static_cast<size_t>(waiting.warp->role)].warps)));
  run_.findings.EventDeadlock(at(*waiting.warp), who, waiting.cta->WaitName(*waiting.warp),
                              *waiting.mbarrier, WaitEdges());
  return true;
}

void Cta::CheckEventsAtExit() {
  for (const Mbarrier& mbarrier : mbarriers_) {
    if (!mbarrier.holds_any() || mbarrier.arrivals.empty()) continue;
    const Arrival& last = mbarrier.arrivals.back();
    Place at = PlaceOf(WarpOf(last.agent));
    at.stmt = last.stmt;
    run_.findings.EventUnconsumed(at, mbarrier,
                                  EventName(mbarrier, mbarrier.UseOf(mbarrier.generation)));
  }
}

}  // namespace compiler::machine
