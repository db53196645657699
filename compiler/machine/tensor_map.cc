// Tensor maps at run time: patched ones (PTX ISA, tensormap.replace), and copies of rows by number
// (PTX ISA, cp.async.bulk.tensor .tile::gather4).
#include <algorithm>
#include <bit>

#include "compiler/facts/copies.h"
#include "compiler/machine/cta.h"

namespace compiler::machine {

// Nothing where the lane's end is undefined, which has been reported.
std::optional<BoxEnd> Cta::EndOf(Warp& warp, const Copy& copy, int lane) {
  if (copy.end == kNoRegister) return BoxEnd{};
  if ((DefinedLanes(warp, copy.end, Use::kAddress) >> lane & 1) == 0) return std::nullopt;
  const uint64_t bits = warp.registers[copy.end].bits[static_cast<size_t>(lane)];
  return BoxEnd{.dimension = copy.end_dimension, .at = static_cast<int64_t>(bits)};
}

// By the whole warp, once the copies that use its map are over: the hardware reads a map when it
// makes a copy, not when it is asked for it.
void Cta::SetTensorMap(Warp& warp, const Copy& copy) {
  const RoleCode& code = code_.roles[static_cast<size_t>(warp.role)];
  const Access& last = code.accesses[static_cast<size_t>(copy.from)];
  if (!WholeWarp(warp, run_.program[copy.stmt].op->name)) return run_.Stop(Outcome::kFault);
  std::vector<Piece> pieces;
  if (!BoxPieces(warp, last, std::countr_zero(warp.mask), false, pieces)) {
    return run_.Stop(Outcome::kFault);
  }
  std::vector<MapUse>& uses = map_uses_[{warp.agent, last.buffer}];
  for (const MapUse& use : uses) {
    const bool over =
        use.load ? warp.clocks.happened.Covers(use.agent, use.epoch, kAllLanes)
                 : GroupsOf(warp).bulk.complete[static_cast<size_t>(use.lane)] >= use.epoch;
    if (over) continue;
    run_.findings.MapInUse(PlaceOf(warp), use.stmt);
    break;
  }
  uses.clear();
}

void Cta::NoteMapUse(const Warp& warp, const CopyRun& run) {
  if (run.copy->end == kNoRegister || !facts::IsTensorCopy(run.copy->effect)) return;
  const bool load = facts::IsMbarrierLoad(run.copy->effect);
  const Access& tensor = load ? *run.from : *run.to;
  map_uses_[{warp.agent, tensor.buffer}].push_back({.agent = run.write_agent,
                                                    .epoch = run.epoch,
                                                    .lane = run.lane,
                                                    .load = load,
                                                    .stmt = run.copy->stmt});
}

// Columns of four rows of a tensor of two dimensions; what is outside is zero.
bool Cta::GatherPieces(Warp& warp, const Copy& copy, int lane, const BoxEnd& end,
                       std::vector<Piece>& pieces) {
  const RoleCode& code = code_.roles[static_cast<size_t>(warp.role)];
  const Access& from = code.accesses[static_cast<size_t>(copy.from)];
  const facts::TensorPlan& plan = *run_.tensors[static_cast<size_t>(from.buffer)].plan;
  std::vector<int64_t> limits = plan.shape;
  limits[end.dimension] = std::min(limits[end.dimension], end.at);
  const auto at = static_cast<size_t>(lane);
  const Register first = from.dimensions[1].offset;
  if ((DefinedLanes(warp, first, Use::kAddress) >> lane & 1) == 0) return false;
  const auto column = static_cast<int64_t>(warp.registers[first].bits[at]);
  const int64_t count = from.dimensions[1].extent;
  for (const Register r : copy.rows) {
    if ((DefinedLanes(warp, r, Use::kAddress) >> lane & 1) == 0) return false;
    const auto row = static_cast<int64_t>(warp.registers[r].bits[at]);
    const bool inside = row >= 0 && row < limits[0];
    const int64_t begin = inside ? std::clamp<int64_t>(-column, 0, count) : count;
    const int64_t stop = std::clamp<int64_t>(limits[1] - column, begin, count);
    AddPiece(pieces, kOutside, begin);
    AddPiece(pieces, row * plan.strides[0] + column + begin, stop - begin);
    AddPiece(pieces, kOutside, count - stop);
  }
  return true;
}

}  // namespace compiler::machine
