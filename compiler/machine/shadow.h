// Shadow memory of the happens-before observer: for every byte who wrote it last and who has read
// it since, with the epochs and lanes that decide whether the next access is ordered after them.
//
// One cell stands for one granule, the largest size that divides every element of the memory it
// shadows: as accesses always cover whole elements, cells are byte-exact.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/machine/clock.h"

namespace compiler::machine {

// An access statement of one warp, or of a queue of it, as the cells that it marks know it.
struct AccessRecord {
  uint32_t serial = 0;
  Epoch epoch = 0;
  int32_t site = -1;
  uint32_t step = 0;
  AgentId agent = 0;
  bool async_proxy = false, reduces = false;
};

// Cells hold numbers of accesses: what they say is kept once for all that one access has marked.
using AccessId = uint32_t;
constexpr AccessId kNoAccess = 0;

class AccessRecords {
 public:
  // Numbers from before stand for no access from here on.
  void StartRun() {
    first_ += static_cast<AccessId>(records_.size());
    records_.clear();
  }
  AccessId Add(const AccessRecord& record) {
    records_.push_back(record);
    return first_ + static_cast<AccessId>(records_.size()) - 1;
  }
  // Until the next one is added.
  const AccessRecord& operator[](AccessId id) const {
    return id < first_ ? none_ : records_[id - first_];
  }

 private:
  AccessId first_ = 1;
  std::vector<AccessRecord> records_;
  AccessRecord none_;
};

// What a read finds in a cell: nothing of this launch; marks of its own agent, from before its
// lanes converged or later; others.
enum class Readers : uint8_t { kNone, kConverged, kOwn, kOthers };

// Who accesses, for the duration of one statement of one warp. `serial` numbers the CTAs of a run
// in the order in which they execute; `launch_serial` is the first of the running kernel: marks of
// earlier serials are ordered by the kernel boundary, marks of other serials from then on by
// nothing.
// `site` is the access in the code; `step` counts the statements the warp has executed, which says
// which of two unordered accesses the author meant to come first.
struct Accessor {
  // `space_serial` is the first CTA of those that share the accessor's clocks: its own where CTAs
  // run one after the other, the first of the launch where they run side by side.
  // `kernel_serial` is the first CTA of the running kernel: marks from `launch_serial` up to it are
  // of kernels that may still run beside this one.
  uint32_t serial = 0, launch_serial = 0, space_serial = 0, kernel_serial = 0;
  AgentId agent = 0;
  AgentId issuer = 0;   // the warp that accesses, or asks for an asynchronous access
  Epoch epoch = 1;      // of this agent
  Epoch converged = 0;  // up to here the agent's lanes know each other
  int32_t site = -1;
  uint32_t step = 0;
  const Clock* clock = nullptr;
  const std::vector<LaneKnowledge>* acquired = nullptr;  // by single lanes; may be null
  // Asynchronous copies: accesses of a queue, which are ordered with nothing that is not complete.
  bool asynchronous = false;
  bool async_proxy = false;       // of TMA; cp.async accesses memory as threads do
  bool reduces = false;           // two reductions of one element may come in any order
  const Clock* fenced = nullptr;  // what a proxy fence on the way covers
  // Reads of agents below this one are by threads, and a proxy fence has to cover them too before
  // an engine writes there; 0: an event or a barrier is enough.
  AgentId fenced_readers = 0;
  // What its thread fenced itself before it handed over: of other CTAs that counts too.
  const Clock* fenced_by_owner = nullptr;
  const Clock* ordered = nullptr;  // what is over, though no scope makes its data visible
  // Queues of the issuer: up to where each lane knows its own copies to be complete.
  struct Own {
    AgentId agent = 0;
    const std::array<Epoch, ir::kLanes>* known = nullptr;
  };
  std::array<Own, 3> own{};
  size_t owns = 0;

  // As marks know it; made with the first mark, after which who accesses must not change.
  AccessRecords* records = nullptr;
  AccessId Id() const {
    if (id == kNoAccess) id = records->Add(Record(epoch));
    return id;
  }
  AccessRecord Record(Epoch at) const {
    return {.serial = serial,
            .epoch = at,
            .site = site,
            .step = step,
            .agent = agent,
            .async_proxy = async_proxy,
            .reduces = reduces};
  }
  mutable AccessId id = kNoAccess;
  // Neighbouring cells mostly know the same: the last write that all lanes come after, and what was
  // found of the last reader.
  mutable AccessId plain = kNoAccess, reader = kNoAccess;
  mutable Readers found = Readers::kNone;
  mutable AccessId passed = kNoAccess;  // reads of all lanes of a warp that all of it comes after
  // The last two marks of a reader that the clock does not cover.
  struct Uncovered {
    AccessId id = kNoAccess;
    uint32_t lanes = 0;
  };
  mutable std::array<Uncovered, 2> uncovered{};
};

// Whether what `lanes` of `agent` did at `epoch`, in the accessor's clock space, comes before what
// `lane` of the accessor does now.
bool Ordered(const Accessor& by, int lane, AgentId agent, Epoch epoch, uint32_t lanes);

// Of some lanes: where the bytes of each begin, and how many they are.
struct LaneBytes {
  uint32_t lanes = 0;
  std::array<int64_t, ir::kLanes> first;
  int64_t bytes = 0;

  // Whether each of them, and there are several, follows the one before.
  bool InARow() const {
    if ((lanes & (lanes - 1)) == 0) return false;
    int64_t next = first[static_cast<size_t>(std::countr_zero(lanes))];
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1, next += bytes) {
      if (first[static_cast<size_t>(std::countr_zero(rest))] != next) return false;
    }
    return true;
  }
};

// One reading agent. Marks of one agent are merged as long as its lanes have not converged in
// between.
struct ReadMark {
  AccessId id = kNoAccess;  // of the last one
  uint32_t lanes = 0;
  int32_t more = -1;  // next mark, in the pool
};

struct Cell {
  AccessId write = kNoAccess;
  ReadMark read;
  AccessId other = kNoAccess;  // by another CTA of the kernel, which has read before `read`
  uint8_t write_lane = 0;
};

enum class ConflictKind : uint8_t { kWriteRead, kReadWrite, kWriteWrite };  // earlier, later

struct Conflict {
  ConflictKind kind = ConflictKind::kWriteRead;
  int32_t earlier_site = -1;
  uint32_t earlier_step = 0;
  uint32_t earlier_serial = 0;
  AgentId earlier_agent = 0;
  Epoch earlier_epoch = 0;
  uint32_t earlier_lanes = 0;
  int lane = 0;
  int64_t byte = 0;  // in the buffer
  // Of ordered accesses: which sides are strong, and whether their scopes do not reach each other.
  bool earlier_strong = false, later_strong = false, narrow = false;
  bool unfenced = false;  // ordered, but the proxies are not
};

// Collects the conflicts of one access statement: one for each earlier access site.
class ConflictList {
 public:
  void Add(Conflict conflict);
  void AddUnfenced(Conflict conflict);
  void Clear() { conflicts_.clear(); }
  bool empty() const { return conflicts_.empty(); }
  const std::vector<Conflict>& conflicts() const { return conflicts_; }
  // Where the accesses that follow are, for the conflicts they add.
  void set_byte(int64_t byte) { byte_ = byte; }
  void set_strong(bool strong) { strong_ = strong; }

 private:
  std::vector<Conflict> conflicts_;
  int64_t byte_ = 0;
  bool strong_ = false;
};

// The rules, on cells. `pool` holds the reads beyond the first of a cell and lives as long as a
// CTA.
class RaceRules {
 public:
  // Forgets the extra readers of the previous CTA; their marks are stale by serial.
  void StartCta() {
    constexpr size_t kReadersAtFirst = 1024;
    pool_.clear();
    pool_.reserve(kReadersAtFirst);
  }
  void Read(Cell& cell, const Accessor& by, int lane, ConflictList& conflicts) {
    if (!Plain(cell, by, lane)) CheckRead(cell, by, lane, conflicts);
    ReadMark& head = cell.read;
    const uint32_t bit = uint32_t{1} << lane;
    switch (ReadersOf(head.id, by)) {
      case Readers::kNone: head = {.id = by.Id(), .lanes = bit}; return;
      // Reads from before the last convergence are covered by a further one; others are kept with
      // it.
      case Readers::kConverged: head.lanes = 0; [[fallthrough]];
      case Readers::kOwn:
        head.lanes |= bit;
        head.id = by.Id();
        return;
      case Readers::kOthers: return AddReader(cell, by, bit);
    }
  }
  // The same of several lanes, one after the other.
  void ReadTogether(Cell& cell, const Accessor& by, uint32_t lanes, ConflictList& conflicts) {
    const int lane = std::countr_zero(lanes);
    const bool one = (lanes & (lanes - 1)) == 0;
    // What the first lane marks, the others add to.
    const bool adds = by.asynchronous || by.epoch > by.converged;
    if (one || !adds || !Plain(cell, by, lane) || cell.write != by.plain) {
      for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        Read(cell, by, std::countr_zero(rest), conflicts);
      }
      return;
    }
    ReadMark& head = cell.read;
    switch (ReadersOf(head.id, by)) {
      case Readers::kNone: head = {.id = by.Id(), .lanes = lanes}; return;
      case Readers::kConverged: head.lanes = 0; [[fallthrough]];
      case Readers::kOwn:
        head.lanes |= lanes;
        head.id = by.Id();
        return;
      case Readers::kOthers: return AddReader(cell, by, lanes);
    }
  }
  void Write(Cell& cell, const Accessor& by, int lane, ConflictList& conflicts) {
    const bool over = ReadersOf(cell.read.id, by) == Readers::kNone || Passed(cell, by);
    if (by.reduces || !over || !Plain(cell, by, lane)) {
      return WriteAfter(cell, by, lane, conflicts);
    }
    Mark(cell, by.Id(), lane);
  }
  // The accesses of several lanes. `whole` gives the cells that are just the given bytes, if there
  // are such; else `parted` visits those of a lane, and is false where the access ends.
  template <typename Whole, typename Parted>
  bool ForLanes(const Accessor& by, const LaneBytes& at, bool write, ConflictList& conflicts,
                const Whole& whole, const Parted& parted) {
    if (at.InARow()) {
      const auto count = static_cast<size_t>(std::popcount(at.lanes));
      const int64_t begin = at.first[static_cast<size_t>(std::countr_zero(at.lanes))];
      const std::span<Cell> cells = whole(begin, static_cast<int64_t>(count) * at.bytes);
      // Not where some lanes have one cell together.
      if (!cells.empty() && cells.size() % count == 0) {
        InOrder(by, at, begin, write, conflicts, cells);
        return true;
      }
    }
    for (uint32_t rest = at.lanes; rest != 0;) {
      const int lane = std::countr_zero(rest);
      const int64_t first = at.first[static_cast<size_t>(lane)];
      uint32_t lanes = rest & -rest;
      rest &= rest - 1;
      while (!write && rest != 0 &&
             first == at.first[static_cast<size_t>(std::countr_zero(rest))]) {
        lanes |= rest & -rest;
        rest &= rest - 1;
      }
      const std::span<Cell> cells = whole(first, at.bytes);
      const int64_t unit = cells.size() > 1 ? at.bytes / static_cast<int64_t>(cells.size()) : 0;
      int64_t byte = first;
      for (Cell& cell : cells) {
        conflicts.set_byte(byte);
        write ? Write(cell, by, lane, conflicts) : ReadTogether(cell, by, lanes, conflicts);
        byte += unit;
      }
      for (; cells.empty() && lanes != 0; lanes &= lanes - 1) {
        if (!parted(std::countr_zero(lanes), first)) return false;
      }
    }
    return true;
  }
  // A cell of its own that knows the same, readers beyond the first included.
  Cell CopyOf(const Cell& cell);
  // Calls visit(mark) for each reader of a CTA from `first` on.
  template <typename Visit>
  void ForReaders(const Cell& cell, const AccessRecords& records, uint32_t first,
                  const Visit& visit) const {
    if (records[cell.read.id].serial < first) return;
    for (const ReadMark* mark = &cell.read;; mark = &pool_[static_cast<size_t>(mark->more)]) {
      visit(*mark);
      if (mark->more < 0 || static_cast<size_t>(mark->more) >= pool_.size()) return;
    }
  }
  // The same questions, leaving no mark.
  void CheckRead(const Cell& cell, const Accessor& by, int lane, ConflictList& conflicts) const;
  void CheckWrite(const Cell& cell, const Accessor& by, int lane, ConflictList& conflicts) const;

 private:
  // Of lanes in a row, each with as many of the cells.
  void InOrder(const Accessor& by, const LaneBytes& at, int64_t byte, bool write,
               ConflictList& conflicts, std::span<Cell> cells) {
    const size_t each = cells.size() / static_cast<size_t>(std::popcount(at.lanes));
    const int64_t unit = at.bytes / static_cast<int64_t>(each);
    auto cell = cells.begin();
    for (uint32_t rest = at.lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      for (size_t i = 0; i < each; ++i, ++cell, byte += unit) {
        conflicts.set_byte(byte);
        write ? Write(*cell, by, lane, conflicts) : Read(*cell, by, lane, conflicts);
      }
    }
  }
  // What most accesses find: memory that this launch has not written, or a write that all of the
  // accessor's warp knows, in the proxy of the access. No conflict then; else the rules say.
  static bool Plain(const Cell& cell, const Accessor& by, int lane) {
    if (cell.write == by.plain) return true;
    const AccessRecord& write = (*by.records)[cell.write];
    if (write.serial >= by.launch_serial) {
      if (write.serial < by.space_serial || !AllFenced(by, write)) return false;
      if (write.agent == by.issuer) {
        if (write.epoch > by.converged) return cell.write_lane == lane;
      } else if (by.clock->All(write.agent) < write.epoch) {
        return false;
      }
    }
    by.plain = cell.write;
    return true;
  }
  // Whether no fence is missing between what all lanes wrote and the access.
  static bool AllFenced(const Accessor& by, const AccessRecord& write) {
    if (!by.async_proxy || write.async_proxy) return true;
    const auto knows = [&](const Clock* fenced) {
      return fenced != nullptr && write.agent < fenced->agents() &&
             fenced->All(write.agent) >= write.epoch;
    };
    return knows(by.fenced) && (write.serial == by.serial || knows(by.fenced_by_owner));
  }
  static Readers ReadersOf(AccessId id, const Accessor& by) {
    if (id == by.reader) return by.found;
    const AccessRecord& read = (*by.records)[id];
    by.reader = id;
    by.found = read.serial < by.launch_serial                            ? Readers::kNone
               : read.serial < by.space_serial || read.agent != by.agent ? Readers::kOthers
               : !by.asynchronous && read.epoch <= by.converged          ? Readers::kConverged
                                                                         : Readers::kOwn;
    return by.found;
  }
  // Whether the cell was read by one agent, and all lanes of the accessor's warp come after that.
  static bool Passed(const Cell& cell, const Accessor& by) {
    if (cell.read.more >= 0 || by.async_proxy || by.launch_serial != by.space_serial) return false;
    if (cell.read.id == by.passed) return true;
    const AccessRecord& read = (*by.records)[cell.read.id];
    const Epoch known = read.agent == by.issuer ? by.converged : by.clock->All(read.agent);
    if (read.epoch > known) return false;
    by.passed = cell.read.id;
    return true;
  }
  static void Mark(Cell& cell, AccessId id, int lane) {
    cell = {.write = id, .write_lane = static_cast<uint8_t>(lane)};
  }
  void AddReader(Cell& cell, const Accessor& by, uint32_t lanes);
  void WriteAfter(Cell& cell, const Accessor& by, int lane, ConflictList& conflicts);
  std::vector<ReadMark> pool_;
};

// Pages of cells that shadows of earlier runs have left, with stale marks in them.
using ShadowPages = std::vector<std::vector<Cell>>;

// Cells of one memory, allocated by page on first use. Null when `budget_bytes` is used up: then
// the run cannot be judged and says so. Pages come from `left` and go back there.
class ShadowMemory {
 public:
  ShadowMemory(size_t cells, ShadowPages& left)
      : pages_((cells + kPageCells - 1) / kPageCells), left_(left) {}
  ShadowMemory(const ShadowMemory&) = delete;
  ShadowMemory& operator=(const ShadowMemory&) = delete;
  ~ShadowMemory();
  Cell* At(size_t index, int64_t& budget_bytes) {
    std::vector<Cell>& page = pages_[index / kPageCells];
    if (page.empty() && !Allocate(page, budget_bytes)) return nullptr;
    return &page[index % kPageCells];
  }
  // Neighbouring cells; none where they are of several pages or there is no room for them.
  std::span<Cell> Run(size_t index, size_t count, int64_t& budget_bytes) {
    const size_t first = index % kPageCells;
    std::vector<Cell>& page = pages_[index / kPageCells];
    if (first + count > kPageCells || (page.empty() && !Allocate(page, budget_bytes))) return {};
    return {&page[first], count};
  }

 private:
  static constexpr size_t kPageCells = 512;
  bool Allocate(std::vector<Cell>& page, int64_t& budget_bytes);
  ShadowPages pages_;
  ShadowPages& left_;
};

}  // namespace compiler::machine
