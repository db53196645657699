#include "compiler/machine/words.h"

#include <algorithm>

namespace compiler::machine {
namespace {

Conflict FromMark(const StrongMark& mark, bool write, int lane) {
  const ConflictKind kind = !mark.write ? ConflictKind::kReadWrite
                            : write     ? ConflictKind::kWriteWrite
                                        : ConflictKind::kWriteRead;
  return {.kind = kind,
          .earlier_site = mark.site,
          .earlier_step = mark.step,
          .earlier_serial = mark.serial,
          .earlier_agent = mark.agent,
          .earlier_epoch = mark.epoch,
          .earlier_lanes = mark.lanes,
          .lane = lane,
          .earlier_strong = true};
}

bool OrderedAfter(const StrongMark& mark, const Accessor& by, int lane) {
  return mark.serial >= by.space_serial && Ordered(by, lane, mark.agent, mark.epoch, mark.lanes);
}

void Forget(std::vector<StrongMark>& marks, uint32_t launch_serial) {
  std::erase_if(marks, [&](const StrongMark& mark) { return mark.serial < launch_serial; });
}

}  // namespace

Word* Words::Find(int64_t byte) {
  const auto found = words_.find(byte);
  return found == words_.end() ? nullptr : &found->second;
}

Word& Words::At(int64_t byte, uint32_t space_serial) {
  Word& word = words_[byte];
  if (word.space_serial != space_serial) {
    word.published.clear();
    word.early.clear();
  }
  word.space_serial = space_serial;
  return word;
}

void Words::Publish(Word& word, Publication publication) {
  for (Publication& known : word.published) {
    if (known.wide != publication.wide) continue;
    if (!known.wide && known.serial != publication.serial) continue;
    if (known.serial != publication.serial) known.serial = 0;
    known.site = publication.site;
    known.clock.Join(publication.clock);
    return;
  }
  word.published.push_back(std::move(publication));
}

void Words::Access(Word& word, const StrongAccess& access, ConflictList& conflicts) {
  const Accessor& by = *access.by;
  Forget(word.marks, by.launch_serial);
  StrongMark* mine = nullptr;
  for (StrongMark& mark : word.marks) {
    if (mark.serial == by.serial && mark.agent == by.agent && mark.write == access.write &&
        mark.wide == access.wide) {
      mine = &mark;
    }
    if (!mark.write && !access.write) continue;
    const bool reaches = mark.serial == by.serial || (mark.wide && access.wide);
    if ((reaches && mark.serial >= by.kernel_serial) || OrderedAfter(mark, by, access.lane))
      continue;
    Conflict conflict = FromMark(mark, access.write, access.lane);
    conflict.later_strong = conflict.narrow = true;
    conflicts.Add(conflict);
  }
  if (mine == nullptr) {
    mine = &word.marks.emplace_back(StrongMark{
        .serial = by.serial, .agent = by.agent, .write = access.write, .wide = access.wide});
  }
  if (mine->epoch <= by.converged) mine->lanes = 0;
  mine->lanes |= uint32_t{1} << access.lane;
  mine->epoch = by.epoch;
  mine->site = by.site;
  mine->step = by.step;
}

void Words::WeakAccess(Word& word, const Accessor& by, int lane, bool write,
                       ConflictList& conflicts) {
  Forget(word.marks, by.launch_serial);
  bool clean = true;
  for (const StrongMark& mark : word.marks) {
    if ((!mark.write && !write) || OrderedAfter(mark, by, lane)) continue;
    conflicts.Add(FromMark(mark, write, lane));
    clean = false;
  }
  if (!write || !clean) return;
  word.marks.clear();
  word.published.clear();
  word.early.clear();  // who reads it by an order has to come behind this write
}

}  // namespace compiler::machine
