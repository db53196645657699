// Who writes a word first by an ordered access: the value that was there before is nobody's.
#include <algorithm>
#include <bit>

#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

constexpr size_t kEarlyWritesMax = 64;  // of one word

bool BehindOne(const Word& word, const Accessor& by, int lane) {
  return std::any_of(word.early.begin(), word.early.end(), [&](const EarlyWrite& write) {
    return Ordered(by, lane, write.agent, write.epoch, write.lane);
  });
}

}  // namespace

bool Cta::Unwritten(const Access& access, int64_t offset) const {
  const auto buffer = static_cast<size_t>(access.buffer);
  if (access.space == ir::Space::kGlobal) {
    const TensorState& tensor = run_.tensors[buffer];
    return !tensor.fully_defined && (tensor.elements[static_cast<size_t>(offset)] & kDefined) == 0;
  }
  const SharedRegion& region = RegionOf(access);
  return !region.defined.empty() && !region.defined.All(WordByte(access, offset) - region.begin,
                                                        ir::Info(access.dtype).bits / 8);
}

// Before they are made: which of them nothing is before.
void Cta::FirstStores(Warp& warp, const Access& access, const Addresses& addresses) {
  if (!run_.options.check_races || !run_.options.check_definedness) return;
  const Accessor by = AccessorOf(warp, access);
  for (uint32_t rest = addresses.valid; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (const int64_t element : access.element_offsets) {
      const int64_t offset = addresses.offset[static_cast<size_t>(lane)] + element;
      Words::WroteEarly(WordsOf(access).At(WordByte(access, offset), SpaceOf(access)), by, lane,
                        Unwritten(access, offset));
    }
  }
}

void Words::WroteEarly(Word& word, const Accessor& by, int lane, bool unwritten) {
  if ((word.early.empty() && !unwritten) || word.early.size() > kEarlyWritesMax) return;
  if (BehindOne(word, by, lane)) return;
  word.early.push_back({.agent = by.agent, .epoch = by.epoch, .lane = uint32_t{1} << lane});
}

uint32_t Words::BeforeFirst(const Word& word, const Accessor& by, uint32_t lanes) {
  uint32_t early = 0;
  if (word.early.empty() || word.early.size() > kEarlyWritesMax) return early;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (!BehindOne(word, by, lane)) early |= uint32_t{1} << lane;
  }
  return early;
}

}  // namespace compiler::machine
