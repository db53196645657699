// Who writes a word first by an ordered access: the value that was there before is nobody's.
#include <bit>

#include "compiler/machine/cta.h"

namespace compiler::machine {

// Before they are made: which of them are the first to write their words.
void Cta::FirstStores(Warp& warp, const Access& access, const Addresses& addresses) {
  if (!run_.options.check_races || !run_.options.check_definedness) return;
  for (uint32_t rest = addresses.valid; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (const int64_t element : access.element_offsets) {
      const int64_t offset = addresses.offset[static_cast<size_t>(lane)] + element;
      if (WordDefined(access, offset)) continue;
      WordsOf(access).At(WordByte(access, offset), SpaceOf(access)).first = {
          .known = true, .agent = warp.agent, .epoch = warp.epoch, .lane = uint32_t{1} << lane};
    }
  }
}

uint32_t Words::BeforeFirst(const Word& word, AgentId agent, const Clock& happened,
                            const std::vector<LaneKnowledge>& acquired, uint32_t lanes) {
  const FirstWrite& first = word.first;
  if (!first.known || first.agent == agent) return 0;
  if (happened.Covers(first.agent, first.epoch, first.lane)) return 0;
  for (const LaneKnowledge& known : acquired) {
    if (known.clock.Covers(first.agent, first.epoch, first.lane)) lanes &= ~known.lanes;
  }
  return lanes;
}

}  // namespace compiler::machine
