// The instruction loop: values and structured control.
#include <algorithm>
#include <bit>
#include <utility>

#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

constexpr int64_t kStatementsPerClockCheck = 4096;
constexpr size_t kMaxOperands = 16;
constexpr size_t kMaxResults = 8;  // a 64-bit register cut into bytes

// By lane, whether it is true.
uint32_t TrueBits(const ir::LaneVector& vector) {
  uint32_t lanes = 0;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    lanes |= static_cast<uint32_t>(vector.bits[static_cast<size_t>(lane)] & 1) << lane;
  }
  return lanes;
}

bool IsUniform(const ir::LaneVector& vector) {
  uint64_t differing = 0;
  for (const uint64_t bits : vector.bits) differing |= bits ^ vector.bits[0];
  return differing == 0;
}

// A loop begins for a whole warp whose lanes have the same bounds; false, and nothing done, where
// they have not, or where the bounds need more than this takes.
bool TripsOfAll(const ir::LaneVector& low, const ir::LaneVector& high, const ir::LaneVector& step,
                ir::LaneVector& trips, ir::LaneVector& variable) {
  const auto first = static_cast<int64_t>(low.bits[0]), by = static_cast<int64_t>(step.bits[0]);
  int64_t distance = 0;
  if (by <= 0 || __builtin_sub_overflow(static_cast<int64_t>(high.bits[0]), first, &distance) ||
      !IsUniform(low) || !IsUniform(high) || !IsUniform(step)) {
    return false;
  }
  trips.bits.fill(distance <= 0 ? 0 : static_cast<uint64_t>((distance - 1) / by + 1));
  variable.bits.fill(static_cast<uint64_t>(first));
  return true;
}

}  // namespace

// The loop over instructions is this switch.
[[gnu::always_inline]] inline void Cta::Step(Warp& warp, const Instruction& i) {
  const RoleCode& code = code_.roles[static_cast<size_t>(warp.role)];
  switch (i.code) {
    case Code::kStatement: return Statement(warp, static_cast<ir::StmtId>(i.a));
    case Code::kMove: return Move(warp, i.dst, i.a, i.b == 1);
    case Code::kUndefine: return Undefine(warp, i.dst, i.b, i.a == 1);
    case Code::kCall: return Invoke(warp, code.calls[static_cast<size_t>(i.a)]);
    case Code::kWatchTruth: return WatchTruth(warp, i);
    case Code::kWatchOrder: return WatchOrder(warp, i);
    case Code::kGetElement: return GetElement(warp, i);
    case Code::kSetElement: return SetElement(warp, i);
    case Code::kLoad:
      return AccessMemory(warp, code.accesses[static_cast<size_t>(i.a)], &Cta::Load);
    case Code::kStore:
      return AccessMemory(warp, code.accesses[static_cast<size_t>(i.a)], &Cta::Store);
    case Code::kPrefetch: Resolve(warp, code.accesses[static_cast<size_t>(i.a)]); return;
    case Code::kAtomic:
      return AccessMemory(warp, code.accesses[static_cast<size_t>(i.a)], &Cta::Atomic);
    case Code::kAnswer: return Answer(warp, i.dst);
    case Code::kCopy: return CopyBytes(warp, code.copies[static_cast<size_t>(i.a)]);
    case Code::kIf: return Branch(warp, i);
    case Code::kElse:
      warp.mask = warp.frames.back().other;
      if (warp.mask == 0) warp.pc = i.target;
      return;
    case Code::kElect: return OneLane(warp, i, false);
    case Code::kOnce: return OneLane(warp, i, true);
    case Code::kWhereTrue: return Operand(warp, i, true);
    case Code::kWhereFalse: return Operand(warp, i, false);
    case Code::kEndFrame: return PopFrame(warp);
    case Code::kFor: return EnterLoop(warp, i);
    case Code::kForNext: return NextIteration(warp, i);
    case Code::kWhile:
      warp.frames.push_back({.kind = FrameKind::kLoop, .outer = warp.mask, .iteration = 0});
      warp.order.polled = warp.order.acted = false;
      return;
    case Code::kWhileTest:
      warp.mask &= TrueLanes(warp, i.a, Use::kBranch);
      if (warp.mask != 0) return CountTrip(warp);
      warp.order.acted = true;  // a loop around this one does more than to poll
      PopFrame(warp);
      warp.pc = i.target;
      return;
    case Code::kJump:
      ++warp.frames.back().iteration;
      warp.pc = i.target;
      return NextTest(warp);
    case Code::kSync: return Synchronise(warp, code.syncs[static_cast<size_t>(i.a)]);
    case Code::kGetFragment: return GetFragment(warp, i);
    case Code::kSetFragment: return SetFragment(warp, i);
    case Code::kCoordinate: return Coordinate(warp, i);
    case Code::kProduct: return Multiply(warp, code.products[static_cast<size_t>(i.a)]);
    case Code::kMatrixCopy: return CopyMatrix(warp, code.matrix_copies[static_cast<size_t>(i.a)]);
    case Code::kTensorCopy: return CopyTensor(warp, code.tensor_copies[static_cast<size_t>(i.a)]);
    case Code::kTensorProduct:
      return MultiplyTensor(warp, code.tensor_products[static_cast<size_t>(i.a)]);
    case Code::kTensorFill: return FillTensor(warp, code.tensor_fills[static_cast<size_t>(i.a)]);
    case Code::kTest: return Test(warp, i);
    case Code::kEnd: warp.state = WarpState::kDone; return;
  }
}

void Cta::Resume(Warp& warp, int64_t budget) {
  const RoleCode& code = code_.roles[static_cast<size_t>(warp.role)];
  warp.gives_way = false;
  while (budget-- > 0 && warp.state == WarpState::kReady && !warp.gives_way && !run_.stopped) {
    Step(warp, code.code[static_cast<size_t>(warp.pc++)]);
  }
}

void Cta::Statement(Warp& warp, ir::StmtId stmt) {
  warp.stmt = stmt;
  ++warp.step;
  const int lanes = warp.mask == kAllLanes ? ir::kLanes : std::popcount(warp.mask);
  run_.result.lane_statements += lanes;
  StatementCount& count = run_.result.statements[static_cast<size_t>(stmt)];
  ++count.warp_executions;
  count.lane_executions += lanes;
  if (run_.result.lane_statements > run_.options.max_lane_statements) {
    run_.findings.StepLimit(PlaceOf(warp), run_.options.max_lane_statements);
    return run_.Stop(Outcome::kLimit);
  }
  if (run_.findings.full()) return run_.Stop(Outcome::kFault);
  if (run_.options.max_seconds <= 0 || ++since_clock_check_ < kStatementsPerClockCheck) return;
  since_clock_check_ = 0;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - run_.started;
  if (spent.count() > run_.options.max_seconds) {
    run_.findings.TimeLimit(PlaceOf(warp), run_.options.max_seconds);
    run_.Stop(Outcome::kLimit);
  }
}

int32_t Cta::ReadOrigin(Warp& warp, Register from) {
  const int32_t origin = warp.registers.origin(from);
  const bool in_flight = code_.origins[static_cast<size_t>(origin)].kind == OriginKind::kInFlight;
  return in_flight ? origin + 1 : origin;
}

void Cta::Move(Warp& warp, Register to, Register from, bool opaque) {
  ir::LaneVector& target = warp.registers[to];
  const ir::LaneVector& source = warp.registers[from];
  if ((source.undefined & warp.mask) != 0) warp.registers.origin(to) = ReadOrigin(warp, from);
  if (opaque) {
    target.undefined = (target.undefined & ~warp.mask) | (source.undefined & warp.mask);
    return;
  }
  if (warp.mask == kAllLanes) {
    target = source;
    return;
  }
  for (uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    target.bits[lane] = source.bits[lane];
  }
  target.undefined = (target.undefined & ~warp.mask) | (source.undefined & warp.mask);
}

void Cta::Undefine(Warp& warp, Register r, int32_t origin, bool opaque) {
  ir::LaneVector& target = warp.registers[r];
  // Without the check an unset register is a register with some bits, here zero.
  const bool mark = run_.options.check_definedness || origin == kOriginReported;
  target.undefined = (target.undefined & ~warp.mask) | (mark ? warp.mask : 0);
  warp.registers.origin(r) = origin;
  if (opaque) return;
  if (warp.mask == kAllLanes) return target.bits.fill(0);
  for (uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    target.bits[static_cast<size_t>(std::countr_zero(rest))] = 0;
  }
}

void Cta::Invoke(Warp& warp, const Call& call) {
  std::array<const ir::LaneVector*, kMaxOperands> in;
  std::array<ir::LaneVector*, kMaxResults> out;
  uint32_t undefined = 0;
  int32_t origin = kOriginReported;
  const size_t operands = std::min(call.in.size(), kMaxOperands);
  for (size_t i = 0; i < operands; ++i) {
    in[i] = &warp.registers[call.in[i]];
    // A collective reads lanes of the whole group, so any undefined lane may reach the result.
    const uint32_t these = in[i]->undefined & warp.mask;
    if (these != 0 && origin == kOriginReported) origin = ReadOrigin(warp, call.in[i]);
    undefined |= these;
  }
  for (size_t i = 0; i < call.out.size(); ++i) out[i] = &warp.registers[call.out[i]];
  if (call.op->scope != ir::Scope::kThread && warp.mask != kAllLanes) {
    run_.findings.CollectiveDivergence(PlaceOf(warp), call.op->name, warp.mask);
    for (Register r : call.out) Undefine(warp, r, kOriginReported);
    return;
  }
  // Whether a lane of the result is undefined is open where one of the sides is.
  if (call.open_pick && ((in[1]->undefined ^ in[2]->undefined) & warp.mask & ~in[0]->undefined)) {
    run_.result.open_pick = true;
    return run_.Stop(Outcome::kLimit);
  }
  if (call.opaque || call.open_pick) {
    for (size_t i = 0; i < call.out.size(); ++i) {
      out[i]->undefined = (out[i]->undefined & ~warp.mask) | undefined;
      if (undefined != 0) warp.registers.origin(call.out[i]) = origin;
    }
    return;
  }
  ir::MeaningArgs args{.in = {in.data(), operands},
                       .out = {out.data(), call.out.size()},
                       .operand_type = call.operand_type,
                       .result_type = call.result_type,
                       .modifiers = call.modifiers,
                       .width = call.width,
                       .mask = warp.mask,
                       .ftz = kernel_.numerics_ftz};
  const std::string_view error = call.op->meaning(args);
  if (!error.empty()) RetryByLane(warp, call);
  for (size_t i = 0; i < call.out.size(); ++i) {
    if ((out[i]->undefined & warp.mask) == 0) continue;
    warp.registers.origin(call.out[i]) = undefined == 0 ? kOriginReported : origin;
  }
}

// The step failed in some lane: finds out in which, and leaves the others with their results.
void Cta::RetryByLane(Warp& warp, const Call& call) {
  std::array<const ir::LaneVector*, kMaxOperands> in;
  std::array<ir::LaneVector*, kMaxResults> out;
  const size_t operands = std::min(call.in.size(), kMaxOperands);
  for (size_t i = 0; i < operands; ++i) in[i] = &warp.registers[call.in[i]];
  for (size_t i = 0; i < call.out.size(); ++i) out[i] = &warp.registers[call.out[i]];
  for (uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint32_t bit = uint32_t{1} << lane;
    const bool collective = call.op->scope != ir::Scope::kThread;
    ir::MeaningArgs args{.in = {in.data(), operands},
                         .out = {out.data(), call.out.size()},
                         .operand_type = call.operand_type,
                         .result_type = call.result_type,
                         .modifiers = call.modifiers,
                         .width = call.width,
                         .mask = collective ? warp.mask : bit,
                         .ftz = kernel_.numerics_ftz};
    const std::string_view error = call.op->meaning(args);
    if (error.empty()) continue;
    run_.findings.StepError(PlaceOf(warp, collective ? -1 : lane), call.expr, error);
    for (size_t i = 0; i < call.out.size(); ++i) out[i]->undefined |= args.mask;
    if (collective) return;
  }
}

// The index that all of `lanes` have; -1 where they differ.
int64_t Cta::UniformIndex(const ir::LaneVector& index, uint32_t lanes) {
  if (lanes == 0) return -1;
  const uint64_t first = index.bits[static_cast<size_t>(std::countr_zero(lanes))];
  uint64_t differing = 0;
  if (lanes == kAllLanes) {
    for (const uint64_t bits : index.bits) differing |= bits ^ first;
  } else {
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      differing |= index.bits[static_cast<size_t>(std::countr_zero(rest))] ^ first;
    }
  }
  return differing == 0 ? static_cast<int64_t>(first) : -1;
}

void Cta::GetElement(Warp& warp, const Instruction& i) {
  const Registers& list =
      code_.roles[static_cast<size_t>(warp.role)].lists[static_cast<size_t>(i.a)];
  ir::LaneVector& target = warp.registers[i.dst];
  const uint32_t defined = DefinedLanes(warp, i.b, Use::kAddress);
  const ir::LaneVector& index = warp.registers[i.b];
  const int64_t all = defined == warp.mask ? UniformIndex(index, defined) : -1;
  if (all >= 0 && all < static_cast<int64_t>(list.size())) {
    return Move(warp, i.dst, list[static_cast<size_t>(all)], OpaqueList(warp, i));
  }
  for (uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<size_t>(lane);
    const uint32_t bit = uint32_t{1} << lane;
    const auto element = static_cast<int64_t>(index.bits[at]);
    const bool exists = element >= 0 && element < static_cast<int64_t>(list.size());
    if ((defined & bit) == 0 || !exists) {
      if ((defined & bit) != 0) {
        run_.findings.RegisterIndex(PlaceOf(warp, lane), element,
                                    static_cast<int64_t>(list.size()));
      }
      target.undefined |= bit;
      warp.registers.origin(i.dst) = kOriginReported;
      continue;
    }
    const Register source = list[static_cast<size_t>(element)];
    const ir::LaneVector& from = warp.registers[source];
    target.bits[at] = from.bits[at];
    target.undefined = (target.undefined & ~bit) | (from.undefined & bit);
    if ((from.undefined & bit) != 0) warp.registers.origin(i.dst) = ReadOrigin(warp, source);
  }
}

void Cta::SetElement(Warp& warp, const Instruction& i) {
  const Registers& list =
      code_.roles[static_cast<size_t>(warp.role)].lists[static_cast<size_t>(i.a)];
  const ir::LaneVector& value = warp.registers[i.c];
  const uint32_t defined = DefinedLanes(warp, i.b, Use::kAddress);
  const ir::LaneVector& index = warp.registers[i.b];
  const int64_t all = defined == warp.mask ? UniformIndex(index, defined) : -1;
  if (all >= 0 && all < static_cast<int64_t>(list.size())) {
    return Move(warp, list[static_cast<size_t>(all)], i.c, OpaqueList(warp, i));
  }
  for (uint32_t rest = defined; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<size_t>(lane);
    const uint32_t bit = uint32_t{1} << lane;
    const auto element = static_cast<int64_t>(index.bits[at]);
    if (element < 0 || element >= static_cast<int64_t>(list.size())) {
      run_.findings.RegisterIndex(PlaceOf(warp, lane), element, static_cast<int64_t>(list.size()));
      continue;
    }
    const Register to = list[static_cast<size_t>(element)];
    ir::LaneVector& target = warp.registers[to];
    target.bits[at] = value.bits[at];
    target.undefined = (target.undefined & ~bit) | (value.undefined & bit);
    if ((value.undefined & bit) != 0) warp.registers.origin(to) = warp.registers.origin(i.c);
  }
}

uint32_t Cta::DefinedLanes(Warp& warp, Register r, Use use) {
  const uint32_t undefined = warp.registers[r].undefined & warp.mask;
  if (undefined == 0) return warp.mask;
  const auto origin = static_cast<size_t>(warp.registers.origin(r));
  run_.findings.Undefined(PlaceOf(warp, std::countr_zero(undefined)), code_.origins[origin], use,
                          {});
  return warp.mask & ~undefined;
}

uint32_t Cta::TrueLanes(Warp& warp, Register condition, Use use) {
  const uint32_t defined = DefinedLanes(warp, condition, use);
  return TrueBits(warp.registers[condition]) & defined;
}

void Cta::Branch(Warp& warp, const Instruction& i) {
  const uint32_t taken = TrueLanes(warp, i.a, Use::kBranch);
  const uint32_t defined = warp.mask & ~warp.registers[i.a].undefined;
  warp.frames.push_back({.outer = warp.mask, .other = defined & ~taken});
  warp.mask = taken;
  if (taken == 0) warp.pc = i.target;
}

void Cta::WatchTruth(Warp& warp, const Instruction& i) {
  const ir::LaneVector& value = warp.registers[i.a];
  const uint32_t lanes = warp.mask & ~value.undefined, truth = TrueBits(value) & lanes;
  uint8_t& seen = run_.result.outcomes[static_cast<size_t>(i.c)];
  if (truth != 0) seen |= kOutcomeTrue;
  if (truth != lanes) seen |= kOutcomeFalse;
}

void Cta::WatchOrder(Warp& warp, const Instruction& i) {
  uint8_t& seen = run_.result.outcomes[static_cast<size_t>(i.c)];
  if ((seen & kOutcomeBelow) != 0 && (seen & kOutcomeAbove) != 0) return;
  const ir::LaneVector &left = warp.registers[i.a], &right = warp.registers[i.b];
  const uint32_t lanes = warp.mask & ~left.undefined & ~right.undefined;
  for (size_t lane = 0; lane < ir::kLanes; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const auto a = static_cast<int64_t>(left.bits[lane]);
    const auto b = static_cast<int64_t>(right.bits[lane]);
    seen |= a < b ? kOutcomeBelow : a == b ? kOutcomeEqual : kOutcomeAbove;
  }
}

// The right side of `&&` and `||`, or the value of `else`: where the left side leaves it to decide.
void Cta::Operand(Warp& warp, const Instruction& i, bool where_true) {
  const ir::LaneVector& left = warp.registers[i.a];
  const uint32_t lanes =
      (where_true ? TrueBits(left) : ~TrueBits(left)) & warp.mask & ~left.undefined;
  warp.frames.push_back({.outer = warp.mask});
  warp.mask = lanes;
  if (lanes == 0) warp.pc = i.target;
}

// `elect` and `once`: always the warp's first lane, so that what it stored it also reads in order.
void Cta::OneLane(Warp& warp, const Instruction& i, bool first_warp_only) {
  if (warp.mask != kAllLanes) {
    run_.findings.CollectiveDivergence(PlaceOf(warp), first_warp_only ? "once" : "elect",
                                       warp.mask);
  }
  warp.frames.push_back({.outer = warp.mask});
  warp.mask = first_warp_only && warp.index != 0 ? 0 : warp.mask & (~warp.mask + 1);
  if (warp.mask == 0) warp.pc = i.target;
}

void Cta::PopFrame(Warp& warp) {
  warp.mask = warp.frames.back().outer;
  warp.frames.pop_back();
}

void Cta::EnterLoop(Warp& warp, const Instruction& i) {
  uint32_t lanes = DefinedLanes(warp, i.a, Use::kTrips);
  lanes &= DefinedLanes(warp, i.b, Use::kTrips);
  lanes &= DefinedLanes(warp, i.c + 1, Use::kTrips);
  const ir::LaneVector& low = warp.registers[i.a];
  const ir::LaneVector& high = warp.registers[i.b];
  const ir::LaneVector& step = warp.registers[i.c + 1];
  ir::LaneVector& trips = warp.registers[i.c];
  ir::LaneVector& variable = warp.registers[i.dst];
  const bool of_all = lanes == kAllLanes && TripsOfAll(low, high, step, trips, variable);
  uint32_t entering = of_all && trips.bits[0] > 0 ? kAllLanes : 0;
  size_t before = ir::kLanes;  // the lane before, which mostly has the same bounds
  bool uniform = lanes == kAllLanes;
  for (uint32_t rest = of_all ? 0 : lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<size_t>(lane);
    const bool same = before != ir::kLanes && low.bits[at] == low.bits[before] &&
                      high.bits[at] == high.bits[before] && step.bits[at] == step.bits[before];
    if (same) {
      trips.bits[at] = trips.bits[before];
      variable.bits[at] = low.bits[at];
      if (trips.bits[at] > 0) entering |= uint32_t{1} << lane;
      continue;
    }
    uniform = uniform && before == ir::kLanes;
    const auto by = static_cast<int64_t>(step.bits[at]);
    if (by <= 0) {
      run_.findings.LoopStep(PlaceOf(warp, lane), by);
      continue;
    }
    // Bounds reach to both ends of i64, their distance does not fit it.
    const __int128 distance = static_cast<__int128>(static_cast<int64_t>(high.bits[at])) -
                              static_cast<int64_t>(low.bits[at]);
    const __int128 count = distance <= 0 ? 0 : (distance + by - 1) / by;
    trips.bits[at] = static_cast<uint64_t>(count);
    variable.bits[at] = low.bits[at];
    if (count > 0) entering |= uint32_t{1} << lane;
    before = at;
  }
  variable.undefined &= ~lanes;
  if (entering != lanes) run_.result.statements[static_cast<size_t>(warp.stmt)].left_out = true;
  if (entering == 0) {
    warp.pc = i.target;
    return;
  }
  warp.frames.push_back(
      {.kind = FrameKind::kLoop, .uniform = uniform, .outer = warp.mask, .iteration = 0});
  warp.mask = entering;
  CountTrip(warp);
}

// An iteration of the loop at the present statement begins.
void Cta::CountTrip(Warp& warp) {
  StatementCount& count = run_.result.statements[static_cast<size_t>(warp.stmt)];
  count.most_trips = std::max(count.most_trips, warp.frames.back().iteration + 1);
  if (cuts_ != nullptr) cuts_->Hold(warp);
}

void Cta::NextIteration(Warp& warp, const Instruction& i) {
  const ir::LaneVector& trips = warp.registers[i.c];
  const ir::LaneVector& step = warp.registers[i.c + 1];
  ir::LaneVector& variable = warp.registers[i.dst];
  const auto iteration = static_cast<uint64_t>(++warp.frames.back().iteration);
  uint32_t going_on = 0;
  if (warp.frames.back().uniform && warp.mask == kAllLanes) {
    if (iteration >= trips.bits[0]) return PopFrame(warp);
    for (size_t lane = 0; lane < ir::kLanes; ++lane) variable.bits[lane] += step.bits[lane];
    warp.pc = i.target;
    return CountTrip(warp);
  }
  for (uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<size_t>(lane);
    if (iteration >= trips.bits[at]) continue;
    going_on |= uint32_t{1} << lane;
    variable.bits[at] += step.bits[at];
  }
  if (going_on == 0) return PopFrame(warp);
  warp.mask = going_on;
  warp.pc = i.target;
  CountTrip(warp);
}

}  // namespace compiler::machine
