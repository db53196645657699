#include "compiler/machine/deferred.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <utility>

namespace compiler::machine {
namespace {

// Whether no two lanes have a byte in common; false where that is not simple to say.
bool LanesApart(const NotedLanes& lanes) {
  bool ascending = true;
  int32_t end = lanes.begin;
  for (uint32_t rest = lanes.lanes; rest != 0; rest &= rest - 1) {
    const int32_t byte = lanes.first[static_cast<size_t>(std::countr_zero(rest))];
    ascending = ascending && byte >= end;
    end = byte + lanes.bytes;
  }
  if (ascending) return true;
  // As slots of so many bytes, each for one lane.
  constexpr int32_t kMostSlots = 1024, kWord = 64;
  std::array<uint64_t, kMostSlots / kWord> taken{};
  for (uint32_t rest = lanes.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    const int32_t distance = lanes.first[lane] - lanes.begin;
    const int32_t slot = distance / lanes.bytes;
    if (slot >= kMostSlots || distance % lanes.bytes != 0) return false;
    uint64_t& word = taken[static_cast<size_t>(slot / kWord)];
    const uint64_t bit = uint64_t{1} << slot % kWord;
    if ((word & bit) != 0) return false;
    word |= bit;
  }
  return true;
}

// Where the bytes of the lanes begin, and the range of all; false for writes of lanes that may
// meet.
bool RangeOf(const LaneBytes& at, int64_t before, bool write, NotedLanes& to) {
  if (at.lanes == ~uint32_t{0}) {
    for (size_t lane = 0; lane < to.first.size(); ++lane) {
      to.first[lane] = static_cast<int32_t>(at.first[lane] + before);
    }
    int32_t down = 0, close = 0;  // their signs
    for (size_t lane = 1; lane < to.first.size(); ++lane) {
      const int32_t distance = to.first[lane] - to.first[lane - 1];
      down |= distance;
      close |= distance - to.bytes;
    }
    if (down >= 0) {
      to.begin = to.first.front();
      to.end = to.first.back() + to.bytes;
      return !write || close >= 0;
    }
  }
  to.begin = std::numeric_limits<int32_t>::max();
  to.end = 0;
  for (uint32_t rest = at.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    const int32_t byte = to.first[lane] = static_cast<int32_t>(at.first[lane] + before);
    to.begin = std::min(to.begin, byte);
    to.end = std::max(to.end, byte + to.bytes);
  }
  return !write || LanesApart(to);
}

}  // namespace

void DeferredAccesses::Make(int64_t bytes, size_t agents) {
  const auto chunks = static_cast<size_t>((bytes >> kChunkShift) + 1);
  agents_ = agents;
  last_.assign(chunks * 2 * agents, 0);
  latest_clock_.assign(agents, 0);
}

void DeferredAccesses::Restart(AgentId first_agent) {
  if (!on()) return;
  forgotten_ += static_cast<int64_t>(notes_.size() - marked_);
  first_agent_ = first_agent;
  std::fill(last_.begin(), last_.end(), 0);
  notes_.clear();
  lanes_.clear();
  clocks_.clear();
  std::fill(latest_clock_.begin(), latest_clock_.end(), 0);
  marked_ = 0;
  forgot_unknown_ = false;
}

void DeferredAccesses::Stop() {
  agents_ = 0;
  notes_.clear();
  lanes_.clear();
  marked_ = 0;
}

bool DeferredAccesses::Defer(const Accessor& by, const LaneBytes& at, int64_t before, bool write) {
  // What an engine does through its own proxy needs fences too.
  if (by.async_proxy || by.reduces || at.lanes == 0) return false;
  NotedLanes lanes{.lanes = at.lanes, .bytes = static_cast<int32_t>(at.bytes)};
  if (!RangeOf(at, before, write, lanes)) return false;
  const int32_t begin = lanes.begin, end = lanes.end;
  const bool known = AllKnown(by, begin, end, false) && (!write || AllKnown(by, begin, end, true));
  if (!known && !Apart(by, begin, end, write)) return false;
  Add(by, begin, end, write);
  lanes.id = by.Id();
  lanes.clock = ClockOf(by);
  lanes_.push_back(lanes);
  return true;
}

bool DeferredAccesses::DeferTile(const Accessor& by, const MatrixCopy& copy, int64_t at) {
  if (by.async_proxy || copy.groups.empty()) return false;
  const int64_t begin = at + copy.begin, end = at + copy.end;
  if (!AllKnown(by, begin, end, false) && !Apart(by, begin, end, false)) return false;
  Add(by, begin, end, false);
  NotedLanes& lanes = lanes_.emplace_back();
  lanes.id = by.Id();
  lanes.clock = ClockOf(by);
  lanes.tile = &copy;
  lanes.begin = static_cast<int32_t>(at);
  return true;
}

void DeferredAccesses::NoteMarked(const Accessor& by, int64_t begin, int64_t end, bool write) {
  Add(by, begin, end, write);
  lanes_.emplace_back();
  marked_ = notes_.size();
  if (full()) Forget();
}

void DeferredAccesses::Forget() {
  forgot_unknown_ = true;
  notes_.clear();
  lanes_.clear();
  marked_ = 0;
}

void DeferredAccesses::Add(const Accessor& by, int64_t begin, int64_t end, bool write) {
  // Of reductions that nothing orders no later access knows all.
  constexpr auto kNever = std::numeric_limits<int32_t>::max();
  const auto epoch = by.reduces ? kNever : static_cast<int32_t>(by.epoch);
  const auto agent = static_cast<size_t>(by.agent - first_agent_);
  for (int64_t chunk = begin >> kChunkShift; chunk <= (end - 1) >> kChunkShift; ++chunk) {
    int32_t& last = Last(chunk, write)[agent];
    last = std::max(last, epoch);
  }
  notes_.push_back({.begin = static_cast<int32_t>(begin),
                    .end = static_cast<int32_t>(end),
                    .epoch = static_cast<Epoch>(epoch),
                    .converged = by.converged,
                    .agent = by.agent,
                    .issuer = by.issuer,
                    .write = write,
                    .asynchronous = by.asynchronous});
  serial_ = by.serial;
  space_serial_ = by.space_serial;
}

// Of the writes in these chunks, and with `write` of the reads.
bool DeferredAccesses::AllKnown(const Accessor& by, int64_t begin, int64_t end, bool reads) {
  const Epoch* const known = by.clock->epochs() + first_agent_;
  int32_t beyond = 0;
  for (int64_t chunk = begin >> kChunkShift; chunk <= (end - 1) >> kChunkShift; ++chunk) {
    const int32_t* const last = Last(chunk, !reads);
    for (size_t i = 0; i < agents_; ++i) beyond |= static_cast<int32_t>(known[i]) - last[i];
  }
  return beyond >= 0;
}

bool DeferredAccesses::Apart(const Accessor& by, int64_t begin, int64_t end, bool write) const {
  if (forgot_unknown_) return false;
  return std::none_of(notes_.begin(), notes_.end(), [&](const NotedAccess& note) {
    return note.begin < end && begin < note.end && (write || note.write) &&
           note.epoch > by.clock->All(note.agent);
  });
}

uint32_t DeferredAccesses::ClockOf(const Accessor& by) {
  uint32_t& latest = latest_clock_[static_cast<size_t>(by.issuer - first_agent_)];
  if (latest == 0 || clocks_[latest - 1] != *by.clock) {
    if (clocks_.size() >= kSpareClocks + 2 * lanes_.size()) DropClocks();
    clocks_.push_back(*by.clock);
    latest = static_cast<uint32_t>(clocks_.size());
  }
  return latest - 1;
}

// Keeps the clocks of noted accesses alone, of which a warp that nobody waits for may leave one.
void DeferredAccesses::DropClocks() {
  constexpr uint32_t kNowhere = ~uint32_t{0};
  std::vector<uint32_t> place(clocks_.size(), kNowhere);
  std::deque<Clock> kept;
  for (auto& lanes : lanes_) {
    uint32_t& at = place[lanes.clock];
    if (at == kNowhere) {
      at = static_cast<uint32_t>(kept.size());
      kept.push_back(std::move(clocks_[lanes.clock]));
    }
    lanes.clock = at;
  }
  clocks_ = std::move(kept);
  std::fill(latest_clock_.begin(), latest_clock_.end(), 0);
}

Accessor DeferredAccesses::AccessorOf(size_t i, AccessRecords& records) const {
  const NotedAccess& access = notes_[i];
  Accessor by{.serial = serial_,
              .launch_serial = space_serial_,
              .space_serial = space_serial_,
              .agent = access.agent,
              .issuer = access.issuer,
              .epoch = access.epoch,
              .converged = access.converged,
              .clock = &clocks_[lanes_[i].clock],
              .asynchronous = access.asynchronous,
              .records = &records};
  by.id = lanes_[i].id;
  return by;
}

// Whether every warp also knows what the access came after, which its marks would have replaced.
bool DeferredAccesses::Passed(size_t i, const std::vector<Epoch>& known) const {
  const Epoch* const before = clocks_[lanes_[i].clock].epochs();
  return std::equal(known.begin(), known.end(), before, std::greater_equal<>());
}

void DeferredAccesses::ForgetKnown(const std::vector<Epoch>& known) {
  size_t kept = 0, marked = 0;
  for (size_t i = 0; i < notes_.size(); ++i) {
    if (notes_[i].epoch <= known[notes_[i].agent] && (i < marked_ || Passed(i, known))) {
      forgotten_ += i >= marked_ ? 1 : 0;
      continue;
    }
    marked += i < marked_ ? 1 : 0;
    if (kept != i) {
      notes_[kept] = notes_[i];
      lanes_[kept] = lanes_[i];
    }
    ++kept;
  }
  notes_.resize(kept);
  lanes_.resize(kept);
  marked_ = marked;
  if (!notes_.empty()) return;
  clocks_.clear();
  std::fill(latest_clock_.begin(), latest_clock_.end(), 0);
}

}  // namespace compiler::machine
