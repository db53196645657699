// Accesses of shared memory that are not yet marked in its cells. Where a whole warp comes after
// all that was done near the bytes it accesses, or what it does not come after is elsewhere, there
// is no conflict to look for: the access is noted as one. Most are forgotten without ever having
// been marked, once every warp comes after them. An access that may conflict marks first what was
// noted before, so that cells always tell what they would have been told access by access.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "compiler/machine/bytecode.h"
#include "compiler/machine/clock.h"
#include "compiler/machine/shadow.h"

namespace compiler::machine {

// By bytes of a region.
struct NotedAccess {
  int32_t begin = 0, end = 0;
  Epoch epoch = 0, converged = 0;
  AgentId agent = 0, issuer = 0;
  bool write = false, asynchronous = false;
};

// What marks it. With `tile` all rows of the tile, whose distances count from `begin` on.
struct NotedLanes {
  AccessId id = kNoAccess;
  const MatrixCopy* tile = nullptr;
  uint32_t clock = 0;  // in the clocks of the notes
  uint32_t lanes = 0;
  int32_t bytes = 0;           // of each lane
  int32_t begin = 0, end = 0;  // of all of them
  std::array<int32_t, ir::kLanes> first;
};

// Of one region of one CTA's shared memory.
class DeferredAccesses {
 public:
  bool on() const { return agents_ != 0; }
  bool AllMarked() const { return marked_ == notes_.size(); }
  void Make(int64_t bytes, size_t agents);
  void Stop();  // all accesses look at the cells from here on
  // Another CTA begins, whose first agent is this one.
  void Restart(AgentId first_agent);

  // Notes an access whose bytes count from the region's byte `before` on; false where it has to
  // look at the cells.
  bool Defer(const Accessor& by, const LaneBytes& at, int64_t before, bool write);
  // The same of the rows of a tile, which are read from the region's byte `at` on.
  bool DeferTile(const Accessor& by, const MatrixCopy& copy, int64_t at);
  // An access looks at the cells; what was noted before it is marked.
  void NoteMarked(const Accessor& by, int64_t begin, int64_t end, bool write);

  // Calls mark(accessor, lanes, write) for each access that is not marked, in their order.
  template <typename Mark>
  void MarkAll(AccessRecords& records, const Mark& mark) {
    for (; marked_ < notes_.size(); ++marked_) {
      mark(AccessorOf(marked_, records), lanes_[marked_], notes_[marked_].write);
      ++late_;
    }
    clocks_.clear();
    latest_clock_.assign(latest_clock_.size(), 0);
    if (full()) Forget();
    if (late_ > kMostLate + kLatePerForgotten * forgotten_) Stop();
  }
  // `known`: by agent of the clock space, up to where every warp knows it.
  void ForgetKnown(const std::vector<Epoch>& known);
  bool full() const { return notes_.size() >= kMostNotes; }

 private:
  static constexpr int kChunkShift = 10;
  static constexpr size_t kMostNotes = 256;
  // Where accesses are mostly marked in the end, noting them is no use.
  static constexpr int64_t kMostLate = 256, kLatePerForgotten = 2;

  void Forget();  // all notes, though somebody may not know of them
  // By agent: the last epoch in which it has read or written in a chunk.
  int32_t* Last(int64_t chunk, bool write) {
    return &last_[static_cast<size_t>(chunk * 2 + (write ? 1 : 0)) * agents_];
  }
  bool AllKnown(const Accessor& by, int64_t begin, int64_t end, bool write);
  bool Apart(const Accessor& by, int64_t begin, int64_t end, bool write) const;
  void Add(const Accessor& by, int64_t begin, int64_t end, bool write);
  bool Passed(size_t i, const std::vector<Epoch>& known) const;
  uint32_t ClockOf(const Accessor& by);
  void DropClocks();
  Accessor AccessorOf(size_t i, AccessRecords& records) const;

  static constexpr size_t kSpareClocks = 64;  // beside two of each note
  size_t agents_ = 0;
  AgentId first_agent_ = 0;
  std::vector<int32_t> last_;
  std::vector<NotedAccess> notes_;
  std::vector<NotedLanes> lanes_;           // of each
  uint32_t serial_ = 0, space_serial_ = 0;  // of all of them
  size_t marked_ = 0;                       // of the notes, the first ones
  bool forgot_unknown_ = false;             // some that not every warp knows
  std::deque<Clock> clocks_;                // of warps when they accessed
  std::vector<uint32_t> latest_clock_;      // by agent: 1 + its place in clocks_
  int64_t late_ = 0, forgotten_ = 0;
};

}  // namespace compiler::machine
