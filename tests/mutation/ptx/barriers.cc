// Mbarriers and the barriers of a CTA (PTX ISA, mbarrier; bar, barrier).
#include <algorithm>

#include "tests/mutation/ptx/world.h"

namespace ptx {

Mbarrier& World::At(int cta, uint32_t address, std::string_view what) {
  auto& all = ctas_[static_cast<size_t>(cta)].mbarriers;
  const auto found = all.find(address);
  if (found == all.end()) throw Fault(std::string(what) + " of a mbarrier that is none");
  return found->second;
}

void World::Advance(Mbarrier& m) {
  if (m.pending < 0) throw Fault("more arrivals than a mbarrier counts");
  if (m.pending > 0 || m.tx != 0) return;
  ++m.phase;
  m.pending = m.count;
}

void World::Complete(int cta, uint32_t address, int64_t bytes) {
  Mbarrier& m = At(cta, address, "completion");
  m.tx -= bytes;
  Advance(m);
}

void World::OnMbarrier(Thread& thread, const Instruction& i) {
  const std::string& what = i.words[1];
  const size_t first = what == "init" || what == "inval" || what == "expect_tx" ? 0 : 1;
  const Operand& place = i.args[first];
  uint64_t address = Address(thread, place);
  if (address >= kSharedGeneric) address -= kSharedGeneric;
  const auto at = static_cast<uint32_t>(address);
  if (i.Has("shared::cluster") || i.Has("remote")) throw Unknown(i.text);
  if (what == "init") {
    Mbarrier& m = ctas_[static_cast<size_t>(thread.cta)].mbarriers[at];
    m = {};
    m.count = m.pending = static_cast<int64_t>(Value(thread, i.args[1]) & 0xffffffff);
    return;
  }
  Mbarrier& m = At(thread.cta, at, what);
  if (what == "arrive" || what == "expect_tx") {
    if (i.Has("expect_tx")) m.tx += static_cast<int64_t>(Value(thread, i.args[first + 1]));
    const bool counted = what == "arrive" && !i.Has("expect_tx") && i.args.size() > first + 1;
    if (what == "arrive")
      m.pending -= counted ? static_cast<int64_t>(Value(thread, i.args[first + 1])) : 1;
    Advance(m);
    return;
  }
  if (what == "test_wait" || what == "try_wait") {
    const auto parity = static_cast<uint32_t>(Value(thread, i.args[first + 1]) & 1);
    const bool complete = (m.phase & 1) != parity;
    if (!complete && what == "try_wait") {  // it is asked again until it is
      thread.state = State::kWaitsPhase;
      thread.mbarrier = at;
      thread.parity = parity;
      --thread.pc;
      return;
    }
    if (!complete) Demote(warps_[static_cast<size_t>(thread.warp)]);
    Set(thread, i.args[0], complete ? 1 : 0);
    return;
  }
  throw Unknown(i.text);
}

void World::Release(Cta& cta, NamedBarrier& barrier) {
  const int64_t expected = barrier.expected == 0 ? cta.running : barrier.expected;
  if (barrier.arrived < expected) return;
  if (barrier.arrived > expected) throw Fault("more threads at a barrier than it counts");
  for (const int t : barrier.waiting) threads_[static_cast<size_t>(t)].state = State::kRuns;
  barrier = {};
}

void World::OnBarrier(Thread& thread, const Instruction& i) {
  Cta& cta = ctas_[static_cast<size_t>(thread.cta)];
  const uint64_t id = i.args.empty() ? 0 : Value(thread, i.args[0]);
  if (id >= 16) throw Fault("barrier " + std::to_string(id));
  NamedBarrier& barrier = cta.barriers[id];
  const int64_t expected = i.args.size() > 1 ? static_cast<int64_t>(Value(thread, i.args[1])) : 0;
  if (barrier.arrived > 0 && barrier.expected != expected) {
    throw Fault("a barrier is used with two counts at once");
  }
  barrier.expected = expected;
  ++barrier.arrived;
  if (!i.Has("arrive")) {
    thread.state = State::kWaitsBarrier;
    barrier.waiting.push_back(static_cast<int>(&thread - threads_.data()));
  }
  Release(cta, barrier);
}

}  // namespace ptx
