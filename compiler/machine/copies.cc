// Asynchronous copies: their bytes move when they are issued; what orders them is guaranteed
// completion alone. Each is an access of a queue (agents.h), not of the warp that asks for it.
#include "compiler/facts/copies.h"

#include <algorithm>
#include <bit>

#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

int64_t ElementBytes(const Access& access) { return ir::Info(access.dtype).bits / 8; }

}  // namespace

void Cta::AddPiece(std::vector<Piece>& pieces, int64_t first, int64_t count) {
  if (count <= 0) return;
  if (!pieces.empty()) {
    Piece& last = pieces.back();
    const bool outside = last.first == kOutside;
    if (outside ? first == kOutside : first == last.first + last.count) {
      last.count += count;
      return;
    }
  }
  pieces.push_back({first, count});
}

int64_t Cta::ElementsOf(const std::vector<Piece>& pieces) {
  int64_t elements = 0;
  for (const Piece& piece : pieces) elements += piece.count;
  return elements;
}

void Cta::CopyBytes(Warp& warp, const Copy& copy) {
  if (copy.effect == ir::CopyEffect::kAsyncCopy) return LaneCopies(warp, copy);
  if (copy.effect == ir::CopyEffect::kRemoteStore) return StoreAsync(warp, copy);
  if (copy.effect == ir::CopyEffect::kMapUpdate) return SetTensorMap(warp, copy);
  // Issued by one thread: the elected one, or the only one there is.
  const int lane = std::countr_zero(warp.mask);
  const uint32_t alone = uint32_t{1} << lane;
  if (warp.mask != kAllLanes && warp.mask != alone) {
    run_.findings.CollectiveDivergence(PlaceOf(warp), run_.program[copy.stmt].op->name, warp.mask);
    return run_.Stop(Outcome::kFault);
  }
  if (copy.effect == ir::CopyEffect::kLaunchCancel) return CancelLaunch(warp, copy, lane);
  const RoleCode& code = code_.roles[static_cast<size_t>(warp.role)];
  const Access& to = code.accesses[static_cast<size_t>(copy.to)];
  const Access& from = code.accesses[static_cast<size_t>(copy.from)];
  const bool clipped = facts::IsTensorCopy(copy.effect);
  CopyRun run{.copy = &copy, .lane = lane, .to = &to, .from = &from};
  const std::optional<BoxEnd> end = EndOf(warp, copy, lane);
  if (!end || !BoxPieces(warp, to, lane, clipped, run.to_pieces, *end)) return;
  const bool gather = copy.effect == ir::CopyEffect::kGatherLoad;
  if (gather && !GatherPieces(warp, copy, lane, *end, run.from_pieces)) return;
  if (!gather && !BoxPieces(warp, from, lane, clipped, run.from_pieces, *end)) return;
  if (!CopyAligned(warp, run)) return;
  run.numbers = facts::NumbersExpanded(from.dtype, to.dtype);
  for (Piece& piece : run.from_pieces) {
    if (piece.first != kOutside) piece.first *= run.numbers;
    piece.count *= run.numbers;
  }
  const auto bytes = ElementsOf(run.to_pieces) / run.numbers * ElementBytes(from);
  if (facts::IsMbarrierLoad(copy.effect)) return LoadCopy(warp, run, bytes);
  LaneGroups& groups = GroupsOf(warp).bulk;
  groups.Issue(lane, copy.stmt);
  run.read_agent = agents_.BulkReads(warp.agent);
  run.write_agent = agents_.BulkWrites(warp.agent);
  run.epoch = groups.open[static_cast<size_t>(lane)];
  run.async_proxy = true;
  NoteMapUse(warp, run);
  Transfer(warp, run);
}

// A load completes bytes on an mbarrier, those of the whole box.
void Cta::LoadCopy(Warp& warp, CopyRun& run, int64_t bytes) {
  const std::optional<EventUse> at = CopyEvent(warp, *run.copy, run.lane);
  if (!at) return;
  LogLoad(warp, *run.copy, *at);
  run.async_proxy = true;
  for (Cta* const target : Receivers(warp, *run.copy, run.lane)) {
    const std::optional<LoadStamp> stamp = target->IssueLoad(warp, *at, bytes);
    if (!stamp) return;
    run.read_agent = run.write_agent = stamp->agent;
    run.epoch = stamp->epoch;
    target->issuers_[stamp->agent] = {warp.agent, stamp->epoch, run.copy->stmt};
    NoteMapUse(warp, run);
    memory_ = target;
    Transfer(warp, run);
    memory_ = this;
    if (run_.stopped) return;
    target->CompleteBytes(warp, *at, bytes);
  }
}

std::optional<EventUse> Cta::CopyEvent(Warp& warp, const Copy& copy, int lane) {
  const ir::LaneVector& use = warp.registers[copy.use];
  if ((DefinedLanes(warp, copy.use, Use::kAddress) >> lane & 1) == 0) {
    run_.Stop(Outcome::kFault);
    return std::nullopt;
  }
  const int64_t value =
      static_cast<int32_t>(static_cast<uint32_t>(use.bits[static_cast<size_t>(lane)]));
  if (value < 0) {
    run_.findings.NegativeArrival(PlaceOf(warp), run_.program[copy.stmt].op->name, value);
    run_.Stop(Outcome::kFault);
    return std::nullopt;
  }
  return FullUse(copy.ring, copy.event, value);
}

// cp.async: a copy of each lane, in the lane's open group.
void Cta::LaneCopies(Warp& warp, const Copy& copy) {
  const RoleCode& code = code_.roles[static_cast<size_t>(warp.role)];
  const Access& to = code.accesses[static_cast<size_t>(copy.to)];
  const Access& from = code.accesses[static_cast<size_t>(copy.from)];
  const Addresses targets = Resolve(warp, to);
  const Addresses sources = Resolve(warp, from);
  LaneGroups& groups = GroupsOf(warp).copies;
  CopyRun run{.copy = &copy, .to = &to, .from = &from};
  run.read_agent = run.write_agent = agents_.AsyncCopies(warp.agent);
  LaneBytes filled{.bytes = static_cast<int64_t>(to.element_offsets.size()) * ElementBytes(to)};
  // Of a tensor that is defined and that nobody writes, only the bytes that are filled count.
  const bool plain = to.contiguous && copy.opaque && !run_.options.count && !ShadowOf(from) &&
                     run_.tensors[static_cast<size_t>(from.buffer)].fully_defined;
  for (uint32_t rest = targets.valid; rest != 0 && !run_.stopped; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<size_t>(lane);
    const bool inside = (sources.valid >> lane & 1) != 0;
    if (!inside && from.outside == kNoRegister) continue;  // reported
    groups.Issue(lane, copy.stmt);
    if (plain) {
      const int64_t first = targets.offset[at] + to.element_offsets[0];
      filled.lanes |= uint32_t{1} << lane;
      filled.first[at] = first * ElementBytes(to);
      if (run_.options.check_definedness) {
        MarkShared(to, first, static_cast<int64_t>(to.element_offsets.size()), 0);
      }
      continue;
    }
    run.lane = lane;
    run.to_pieces.clear();
    run.from_pieces.clear();
    for (const int64_t element : to.element_offsets) {
      AddPiece(run.to_pieces, targets.offset[at] + element, 1);
    }
    for (const int64_t element : from.element_offsets) {
      AddPiece(run.from_pieces, inside ? sources.offset[at] + element : kOutside, 1);
    }
    run.epoch = groups.open[at];
    Transfer(warp, run);
  }
  if (run_.options.check_races) CheckFilled(warp, run, filled);
}

// What the copies of these lanes fill, lanes of the same group together.
void Cta::CheckFilled(Warp& warp, CopyRun& run, const LaneBytes& filled) {
  const LaneGroups& groups = GroupsOf(warp).copies;
  const std::optional<Shadow> shadow = ShadowOf(*run.to);
  for (uint32_t left = filled.lanes; left != 0 && shadow;) {
    LaneBytes at = filled;
    run.epoch = groups.open[static_cast<size_t>(std::countr_zero(left))];
    at.lanes = 0;
    for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const bool same = groups.open[static_cast<size_t>(lane)] == run.epoch;
      at.lanes |= static_cast<uint32_t>(same) << lane;
    }
    left &= ~at.lanes;
    conflicts_.Clear();
    CheckLanes(warp, *shadow, CopyAccessor(warp, run, *run.to, true), at, true);
    if (!conflicts_.empty()) ReportRaces(warp, *run.to);
  }
}

// The elements of the box in the buffer, in order; outside where a clipped box leaves its tensor.
// False: out of bounds, which has been reported.
bool Cta::BoxPieces(Warp& warp, const Access& access, int lane, bool clipped,
                    std::vector<Piece>& pieces, const BoxEnd& ends) {
  const auto buffer = static_cast<size_t>(access.buffer);
  const bool shared = access.space == ir::Space::kShared;
  std::vector<int64_t> limits =
      shared ? kernel_.shared[buffer].shape : run_.tensors[buffer].plan->shape;
  if (!shared) limits[ends.dimension] = std::min(limits[ends.dimension], ends.at);
  const std::vector<int64_t>& strides =
      shared ? facts_.shared[buffer].strides : run_.tensors[buffer].plan->strides;
  int64_t base = 0, count = 1;
  const size_t rank = access.dimensions.size();
  std::vector<int64_t> first(rank), at(rank, 0);
  if (access.stage != kNoRegister) {
    Addresses stage;
    stage.offset.fill(0);
    stage.valid = DefinedLanes(warp, access.stage, Use::kAddress) & (uint32_t{1} << lane);
    if (stage.valid != 0) ResolveStage(warp, access, stage);
    if (stage.valid == 0 || stage.outside != 0) return false;
    base = stage.offset[static_cast<size_t>(lane)];
  }
  for (size_t d = 0; d < rank; ++d) {
    const AccessDimension& dimension = access.dimensions[d];
    if ((DefinedLanes(warp, dimension.offset, Use::kAddress) >> lane & 1) == 0) return false;
    first[d] =
        static_cast<int64_t>(warp.registers[dimension.offset].bits[static_cast<size_t>(lane)]);
    count *= dimension.extent;
    if (clipped && !shared) continue;
    if (first[d] >= 0 && first[d] + dimension.extent <= limits[d]) continue;
    run_.findings.OutOfBounds(PlaceOf(warp, lane), access, d, first[d], limits[d]);
    return false;
  }
  const size_t last = rank - 1;  // a row of the box is along it
  const int64_t length = access.dimensions[last].extent;
  for (int64_t i = 0; i < count; i += length) {
    int64_t offset = base + first[last] * strides[last];
    bool inside = true;
    for (size_t d = 0; d < last; ++d) {
      const int64_t index = first[d] + at[d];
      inside = inside && index >= 0 && index < limits[d];
      offset += index * strides[d];
    }
    const int64_t begin = inside ? std::clamp<int64_t>(-first[last], 0, length) : length;
    const int64_t end = std::clamp<int64_t>(limits[last] - first[last], begin, length);
    AddPiece(pieces, kOutside, begin);
    const bool dense = strides[last] == 1;
    if (dense && end > begin) AddPiece(pieces, offset + begin, end - begin);
    for (int64_t e = begin; e < end && !dense; ++e) {
      AddPiece(pieces, offset + e * strides[last], 1);
    }
    AddPiece(pieces, kOutside, length - end);
    for (size_t d = last; d-- > 0;) {
      if (++at[d] < access.dimensions[d].extent) break;
      at[d] = 0;
    }
  }
  return true;
}

// PTX ISA, cp.async.bulk and cp.async.bulk.tensor: where a copy may begin.
bool Cta::CopyAligned(Warp& warp, const CopyRun& run) {
  const bool tensor = facts::IsTensorCopy(run.copy->effect);
  for (const Access* access : {run.to, run.from}) {
    const bool shared = access->space == ir::Space::kShared;
    if (!shared && tensor) continue;
    const auto buffer = static_cast<size_t>(access->buffer);
    const std::vector<Piece>& pieces = access == run.to ? run.to_pieces : run.from_pieces;
    int64_t unit = facts::kBulkCopyAlignmentBytes;
    int64_t at = pieces.empty() ? 0 : pieces[0].first * ElementBytes(*access);
    if (shared) {
      const ir::SharedBuffer& declared = kernel_.shared[buffer];
      // Of a swizzled buffer the verifier has shown whole patterns; panels are not addresses here.
      if (declared.form == ir::SharedForm::kSwizzle) continue;
      if (tensor) unit = facts::kTensorCopyAlignmentBytes;
      at += facts_.shared[buffer].offset_bytes;
    }
    if (at % unit == 0) continue;
    run_.findings.Misaligned(PlaceOf(warp, run.lane), *access, at, unit);
    return false;
  }
  return true;
}

// Groups and the proxy fence: statements of each thread, that order and wait for nobody else.
bool Cta::GroupOperation(Warp& warp, const Sync& sync) {
  const ir::Stmt& stmt = run_.program[sync.stmt];
  const bool fence = sync.effect == ir::SyncEffect::kFence && stmt.word == "async";
  const bool copies =
      sync.effect == ir::SyncEffect::kAsyncCommit || sync.effect == ir::SyncEffect::kAsyncWait;
  const bool bulk =
      sync.effect == ir::SyncEffect::kBulkCommit || sync.effect == ir::SyncEffect::kBulkWait;
  if (fence) return ProxyFence(warp), true;
  if (sync.effect == ir::SyncEffect::kProductCommit ||
      sync.effect == ir::SyncEffect::kProductWait) {
    return ProductGroup(warp, sync), true;
  }
  if (!copies && !bulk) return false;
  LaneGroups& groups = copies ? GroupsOf(warp).copies : GroupsOf(warp).bulk;
  const bool wait = stmt.amount != ir::ExprId::kNone;
  const int64_t pending = wait ? run_.program[stmt.amount].int_value : 0;
  const bool only_read = wait && !stmt.modifiers.empty();
  for (uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<size_t>(lane);
    if (!wait) {
      groups.Close(lane);
      continue;
    }
    const Epoch up_to = groups.UpTo(lane, pending);
    groups.read[at] = std::max(groups.read[at], up_to);
    if (!only_read) groups.complete[at] = std::max(groups.complete[at], up_to);
  }
  return true;
}

// PTX ISA, cp.async.mbarrier.arrive.noinc: one arrival of each thread, when its copies until here
// are complete. What the thread itself has done is not published with it.
void Cta::ArriveWithCopies(Warp& warp, const EventUse& at) {
  Clocks& published = published_;
  published = warp.clocks;
  LaneGroups& groups = GroupsOf(warp).copies;
  for (uint32_t rest = warp.mask; rest != 0 && agents_.has_async_copies(); rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    published.LearnLanes(agents_.AsyncCopies(warp.agent), uint32_t{1} << lane,
                         groups.open[static_cast<size_t>(lane)]);
    groups.Advance(lane);
  }
  ++warp.epoch;
  ArriveAs(warp, at, published, std::popcount(warp.mask), 0);
}

// PTX ISA, fence.proxy.async: what the thread knows of generic writes comes before what the async
// proxy does from here on.
void Cta::ProxyFence(Warp& warp) {
  Clock& fenced = warp.clocks.fenced;
  fenced.Join(warp.clocks.happened);
  for (const LaneKnowledge& known : warp.order.acquired) {
    if ((warp.mask & ~known.lanes) == 0) fenced.Join(known.clock);
  }
  fenced.LearnLanes(warp.agent, warp.mask, warp.epoch);
  PublishGroups(warp, warp.mask, fenced);
  if (warp.clocks.fenced_by_owner.agents() == 0) {
    warp.clocks.fenced_by_owner = Clock(space_.agents);
  }
  warp.clocks.fenced_by_owner.LearnLanes(warp.agent, warp.mask, warp.epoch);
  ++warp.epoch;
}

// What these lanes know of their own copies goes where they publish what they have done.
void Cta::PublishGroups(const Warp& warp, uint32_t lanes, Clock& to) const {
  // A warp that arrives in another CTA has its groups in its own.
  if (warp.cta != cta_) return OwnerOf(warp.agent).PublishGroups(warp, lanes, to);
  const auto publish = [&](AgentId agent, const std::array<Epoch, ir::kLanes>& known) {
    const auto first = static_cast<size_t>(std::countr_zero(lanes));
    bool same = true;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      same = same && known[static_cast<size_t>(std::countr_zero(rest))] == known[first];
    }
    if (same && known[first] == 0) return;
    if (same) return to.LearnLanes(agent, lanes, known[first]);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const Epoch epoch = known[static_cast<size_t>(lane)];
      if (epoch != 0) to.LearnLanes(agent, uint32_t{1} << lane, epoch);
    }
  };
  if (lanes == 0) return;
  const WarpGroups& groups = GroupsOf(warp);
  if (agents_.has_async_copies()) {
    publish(agents_.AsyncCopies(warp.agent), groups.copies.complete);
  }
  if (!agents_.has_bulk_stores()) return;
  publish(agents_.BulkReads(warp.agent), groups.bulk.read);
  publish(agents_.BulkWrites(warp.agent), groups.bulk.complete);
}

void Cta::PublishGroups(const Warp& warp, uint32_t lanes, Clocks& to) const {
  PublishGroups(warp, lanes, to.happened);
  if (to.ordered.agents() != 0) PublishGroups(warp, lanes, to.ordered);
}

void Cta::RestartGroups() {
  issuers_.clear();
  groups_.resize(warps_.size());
  for (WarpGroups& groups : groups_) {
    if (agents_.has_async_copies()) groups.copies.Restart();
    if (agents_.has_bulk_stores()) groups.bulk.Restart();
    if (agents_.has_products()) groups.products.Restart();
    groups.issues.clear();
  }
  products_.assign(agents_.has_products() ? warps_.size() : 0, {});
}

// A CTA that ends gives its shared memory to another one: nothing may still read or fill it.
void Cta::CheckCopiesAtExit() {
  CheckProductsAtExit();
  for (Warp& warp : warps_) {
    if (!agents_.has_bulk_stores()) break;
    const LaneGroups& groups = GroupsOf(warp).bulk;
    for (int lane = 0; lane < ir::kLanes; ++lane) {
      const auto at = static_cast<size_t>(lane);
      if (groups.issued[at] <= groups.read[at]) continue;
      Place place = PlaceOf(warp, lane);
      place.stmt = groups.last[at];
      const bool closed = groups.issued[at] < groups.open[at];
      run_.findings.UnfinishedStore(place, closed);
      break;
    }
  }
  for (const auto& issuer : issuers_) {
    const auto agent = issuer.first;
    const auto& issued = issuer.second;
    const bool waited = std::any_of(warps_.begin(), warps_.end(), [&](const Warp& warp) {
      return warp.clocks.happened.Covers(agent, issued.epoch, kAllLanes);
    });
    if (waited) continue;
    Place place = PlaceOf(WarpOf(issued.warp));
    place.stmt = issued.stmt;
    run_.findings.UnfinishedLoad(place);
  }
}

}  // namespace compiler::machine
