// What a race between the two sides of a ring comes from: a slot that was given back before its
// last access, a product that nobody had waited for when its warp said that it was through.
#include <algorithm>

#include "compiler/machine/cta.h"

namespace compiler::machine {

void Cta::NoteGivenBack(Warp& warp, const Sync& sync, int64_t use) const {
  const int64_t stage = use % kernel_.rings[static_cast<size_t>(sync.ring)].stages;
  const GivenBack now{
      .ring = sync.ring, .use = use, .stage = stage, .epoch = warp.epoch, .stmt = sync.stmt};
  for (GivenBack& known : warp.given_back) {
    if (known.ring != sync.ring || known.stage != stage) continue;
    known = now;
    return;
  }
  warp.given_back.push_back(now);
}

// The release by `first` of the slot that `warp` fills with this access, where it came before what
// `first` did at `epoch`; kNone otherwise.
ir::StmtId Cta::GivenBackBefore(const Warp& warp, const Access& access, const Warp& first,
                                Epoch epoch) const {
  if (access.space != ir::Space::kShared) return ir::StmtId::kNone;
  const ir::RingId ring = kernel_.shared[static_cast<size_t>(access.buffer)].ring;
  if (ring == ir::RingId::kNone) return ir::StmtId::kNone;
  const int64_t filled = warp.next_use[static_cast<size_t>(ring)][0] - 1;  // the last one acquired
  const int64_t use = filled - kernel_.rings[static_cast<size_t>(ring)].stages;
  for (const GivenBack& known : first.given_back) {
    const bool same = known.ring == static_cast<int32_t>(ring) && known.use == use && use >= 0;
    if (same && known.epoch < epoch) return known.stmt;
  }
  return ir::StmtId::kNone;
}

// Whether `warp` knows that `first` came past the issue of the product in `conflict`: it was told
// so, and only a wait for the product was missing.
bool Cta::ToldInFlight(const Warp& warp, const Conflict& conflict, const Warp& first) const {
  const Cta& owner = OwnerOf(first.agent);
  const std::vector<ProductIssue>& issues = owner.GroupsOf(first).issues;
  const auto issue = std::find_if(issues.begin(), issues.end(), [&](const ProductIssue& one) {
    return one.group == conflict.earlier_epoch;
  });
  return issue != issues.end() &&
         warp.clocks.Order().Covers(first.agent, issue->warp_epoch, kAllLanes);
}

}  // namespace compiler::machine
