#include "compiler/machine/deferred.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <utility>

namespace compiler::machine {
namespace {

// Whether no two lanes have a byte in common; false where that is not simple to say.
bool LanesApart(const std::array<int32_t, ir::kLanes>& first, uint32_t lanes, int32_t bytes,
                int32_t begin) {
  bool ascending = true;
  int32_t end = begin;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int32_t byte = first[static_cast<size_t>(std::countr_zero(rest))];
    ascending = ascending && byte >= end;
    end = byte + bytes;
  }
  if (ascending) return true;
  // As slots of so many bytes, each for one lane.
  constexpr int32_t kMostSlots = 1024, kWord = 64;
  std::array<uint64_t, kMostSlots / kWord> taken{};
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int32_t distance = first[static_cast<size_t>(std::countr_zero(rest))] - begin;
    const int32_t slot = distance / bytes;
    if (slot >= kMostSlots || distance % bytes != 0) return false;
    uint64_t& word = taken[static_cast<size_t>(slot / kWord)];
    const uint64_t bit = uint64_t{1} << slot % kWord;
    if ((word & bit) != 0) return false;
    word |= bit;
  }
  return true;
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
  clocks_.clear();
  std::fill(latest_clock_.begin(), latest_clock_.end(), 0);
  marked_ = 0;
  forgot_unknown_ = false;
}

void DeferredAccesses::Stop() {
  agents_ = 0;
  notes_.clear();
  marked_ = 0;
}

bool DeferredAccesses::Defer(const Accessor& by, const LaneBytes& at, int64_t before, bool write) {
  // What an engine does through its own proxy needs fences too.
  if (by.async_proxy || by.reduces || at.lanes == 0) return false;
  std::array<int32_t, ir::kLanes> first;
  int32_t begin = std::numeric_limits<int32_t>::max(), end = 0;
  if (at.lanes == ~uint32_t{0}) {
    for (size_t lane = 0; lane < first.size(); ++lane) {
      first[lane] = static_cast<int32_t>(at.first[lane] + before);
    }
    for (const int32_t byte : first) begin = std::min(begin, byte), end = std::max(end, byte);
  } else {
    for (uint32_t rest = at.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      const int32_t byte = first[lane] = static_cast<int32_t>(at.first[lane] + before);
      begin = std::min(begin, byte);
      end = std::max(end, byte);
    }
  }
  end += static_cast<int32_t>(at.bytes);
  if (write && !LanesApart(first, at.lanes, static_cast<int32_t>(at.bytes), begin)) return false;
  const bool known = AllKnown(by, begin, end, false) && (!write || AllKnown(by, begin, end, true));
  if (!known && !Apart(by, begin, end, write)) return false;
  Add(by, begin, end, write);
  NotedAccess& note = notes_.back();
  note.id = by.Id();
  note.clock = ClockOf(by);
  note.lanes = at.lanes;
  note.bytes = static_cast<int32_t>(at.bytes);
  note.first = first;
  return true;
}

void DeferredAccesses::NoteMarked(const Accessor& by, int64_t begin, int64_t end, bool write) {
  Add(by, begin, end, write);
  marked_ = notes_.size();
  if (full()) Forget();
}

void DeferredAccesses::Forget() {
  forgot_unknown_ = true;
  notes_.clear();
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
  notes_.emplace_back();
  NotedAccess& note = notes_.back();
  note.begin = static_cast<int32_t>(begin);
  note.end = static_cast<int32_t>(end);
  note.epoch = static_cast<Epoch>(epoch);
  note.agent = by.agent;
  note.issuer = by.issuer;
  note.write = write;
  note.asynchronous = by.asynchronous;
  note.serial = by.serial;
  note.space_serial = by.space_serial;
  note.converged = by.converged;
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
    clocks_.push_back(*by.clock);
    latest = static_cast<uint32_t>(clocks_.size());
  }
  return latest - 1;
}

Accessor DeferredAccesses::AccessorOf(const NotedAccess& access, AccessRecords& records) const {
  Accessor by{.serial = access.serial,
              .launch_serial = access.space_serial,
              .space_serial = access.space_serial,
              .agent = access.agent,
              .issuer = access.issuer,
              .epoch = access.epoch,
              .converged = access.converged,
              .clock = &clocks_[access.clock],
              .asynchronous = access.asynchronous,
              .records = &records};
  by.id = access.id;
  return by;
}

// Whether every warp also knows what the access came after, which its marks would have replaced.
bool DeferredAccesses::Passed(const NotedAccess& access, const std::vector<Epoch>& known) const {
  const Epoch* const before = clocks_[access.clock].epochs();
  return std::equal(known.begin(), known.end(), before, std::greater_equal<>());
}

void DeferredAccesses::ForgetKnown(const std::vector<Epoch>& known) {
  size_t kept = 0, marked = 0;
  for (size_t i = 0; i < notes_.size(); ++i) {
    if (notes_[i].epoch <= known[notes_[i].agent] && (i < marked_ || Passed(notes_[i], known))) {
      forgotten_ += i >= marked_ ? 1 : 0;
      continue;
    }
    marked += i < marked_ ? 1 : 0;
    if (kept != i) notes_[kept] = notes_[i];
    ++kept;
  }
  notes_.resize(kept);
  marked_ = marked;
  if (!notes_.empty()) return;
  clocks_.clear();
  std::fill(latest_clock_.begin(), latest_clock_.end(), 0);
}

}  // namespace compiler::machine
