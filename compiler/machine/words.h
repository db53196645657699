// Words that threads access with a memory order: who has accessed them so, and what a thread that
// acquires their value learns. Weak accesses are in the shadow cells (shadow.h); here are the
// others.
//
// The model is PTX's (PTX ISA, memory consistency model): a release publishes the releasing
// thread's past with the value it writes; atomics carry it on, whatever their own order; who reads
// the value by an acquire of a scope that reaches the releaser learns it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/ir/order.h"
#include "compiler/machine/clock.h"
#include "compiler/machine/shadow.h"

namespace compiler::machine {

struct StrongMark {
  uint32_t serial = 0;
  AgentId agent = 0;
  Epoch epoch = 0;
  uint32_t lanes = 0;
  int32_t site = -1;
  uint32_t step = 0;
  bool write = false;
  bool wide = false;  // scope gpu or sys
};

// What releases have published with the word's present value: those of one CTA with a scope that
// does not leave it, and all others in one.
struct Publication {
  uint32_t serial = 0;  // the releaser's CTA; 0: of several
  bool wide = false;    // scope gpu or sys
  int32_t site = -1;    // of the latest
  Clock clock;
};

// An ordered write of a word that nothing had been written to, or one that is not behind any such
// write: who comes behind one of them reads what somebody wrote, all others might have come before.
struct EarlyWrite {
  AgentId agent = 0;
  Epoch epoch = 0;
  uint32_t lane = 0;  // its bit
};

struct Word {
  uint32_t space_serial = 0;  // of the clocks in `published` and in `early`
  std::vector<Publication> published;
  std::vector<EarlyWrite> early;
  std::vector<StrongMark> marks;
};

// A thread's side of an ordered access.
struct StrongAccess {
  const Accessor* by = nullptr;
  int lane = 0;
  bool write = false, wide = false;
};

// The ordered accesses of one memory, by byte offset of the word.
class Words {
 public:
  bool empty() const { return words_.empty(); }
  void Clear() { words_.clear(); }

  // Null where no thread has accessed the word so.
  Word* Find(int64_t byte);
  Word& At(int64_t byte, uint32_t space_serial);
  static void Publish(Word& word, Publication publication);
  // Notes an ordered write, before it is made. Of a word with too many of them nothing is said.
  static void WroteEarly(Word& word, const Accessor& by, int lane, bool unwritten);
  // Of lanes that read the word by an order: those that nothing puts behind one of its early
  // writes. In another order of the threads they find it unwritten.
  static uint32_t BeforeFirst(const Word& word, const Accessor& by, uint32_t lanes);

  // Conflicts of an ordered access with ordered ones whose scope does not reach it; then marks it.
  static void Access(Word& word, const StrongAccess& access, ConflictList& conflicts);
  // Conflicts of a weak access with ordered ones that nothing orders; a write that has none starts
  // the word anew.
  static void WeakAccess(Word& word, const Accessor& by, int lane, bool write,
                         ConflictList& conflicts);

 private:
  std::unordered_map<int64_t, Word> words_;
};

}  // namespace compiler::machine
