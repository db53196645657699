// Rings and events: mbarriers, their addresses, and the parity that stands for a use index.
//
// Use k of S stages is generation k / S of mbarrier k % S, and hardware keeps the generation's
// parity. A constant S that is a power of two gives both by masks; a plain counter has companions
// that count stages and generations along with it (companions.cc); anything else is divided.
#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"

namespace compiler::emit {
namespace {

bool Has(const std::vector<std::string_view>& modifiers, std::string_view word) {
  return std::find(modifiers.begin(), modifiers.end(), word) != modifiers.end();
}

// PTX ISA, mbarrier.try_wait: from sm_90 on.
bool HasTryWait(std::string_view target) {
  int capability = 0;
  for (const char c : target) {
    if (c >= '0' && c <= '9') capability = capability * 10 + (c - '0');
  }
  return capability >= 90;
}

std::string Parenthesised(const Text& text, int at_least) {
  return text.precedence < at_least ? absl::StrCat("(", text.code, ")") : text.code;
}

}  // namespace

// Mbarriers are declared where the kernel has any: the first synchronisation of the CTA stands
// between their initialisation and every use (PTX ISA, mbarrier.init).
void KernelEmitter::DeclareMbarriers(Writer& out) {
  if (facts_.mbarriers == 0) return;
  struct Array {
    std::string name;
    int64_t offset, stages, count;
  };
  std::vector<Array> arrays;
  for (size_t i = 0; i < kernel_.rings.size(); ++i) {
    const ir::Ring& ring = kernel_.rings[i];
    const facts::RingPlacement& place = facts_.rings[i];
    arrays.push_back({rings_full_[i], place.full_offset_bytes, ring.stages, place.full_count});
    arrays.push_back({rings_empty_[i], place.empty_offset_bytes, ring.stages, place.empty_count});
  }
  for (size_t i = 0; i < kernel_.events.size(); ++i) {
    const ir::Event& event = kernel_.events[i];
    arrays.push_back({events_[i], facts_.events[i].offset_bytes, event.stages, event.count});
  }
  for (const Array& array : arrays) {
    out.Line(absl::StrCat("const unsigned int ", array.name, " = cake::shared_address(cake_smem",
                          array.offset == 0 ? "" : absl::StrCat(" + ", array.offset), ");"));
  }
  out.Open("if (threadIdx.x == 0) {");
  for (const Array& array : arrays) {
    if (array.stages == 1) {
      out.Line(absl::StrCat("cake::mbarrier_init(", array.name, ", ", array.count, ");"));
      continue;
    }
    out.Line(absl::StrCat("for (int i = 0; i < ", array.stages, "; ++i) cake::mbarrier_init(",
                          array.name, " + 8 * i, ", array.count, ");"));
  }
  out.Line("cake::mbarrier_init_fence();");
  out.Close();
  if (facts_.tmem_columns > 0) out.Line("cake::tmem_fence_before();");
}

void KernelEmitter::NameMbarriers() {
  for (const ir::Ring& ring : kernel_.rings) {
    rings_full_.push_back(names_.Declare(ring.name + "_full"));
    rings_empty_.push_back(names_.Declare(ring.name + "_empty"));
  }
  for (const ir::Event& event : kernel_.events) events_.push_back(names_.Declare(event.name));
}

Text KernelEmitter::StageOf(ir::ExprId use, int64_t stages) {
  if (stages == 1) return {"0"};
  const ir::Expr& expr = program_[use];
  if (expr.kind == ir::ExprKind::kInt) {
    return {absl::StrCat((expr.int_value % stages + stages) % stages)};
  }
  if (std::has_single_bit(static_cast<uint64_t>(stages))) {
    return {absl::StrCat(Operand(use, kPrefix), " & ", stages - 1), kBitAnd};
  }
  if (const Companion* companion = CompanionOf(use, stages)) return {companion->stage};
  return {absl::StrCat(Operand(use, kMultiplicative), " % ", stages), kMultiplicative};
}

Text KernelEmitter::ParityOf(ir::ExprId use, int64_t stages) {
  const ir::Expr& expr = program_[use];
  if (expr.kind == ir::ExprKind::kInt) {
    return {absl::StrCat(expr.int_value / stages & 1)};
  }
  if (stages == 1) return {absl::StrCat(Operand(use, kPrefix), " & 1"), kBitAnd};
  if (std::has_single_bit(static_cast<uint64_t>(stages))) {
    return {absl::StrCat(Operand(use, kPrefix), " >> ",
                         std::countr_zero(static_cast<uint64_t>(stages)), " & 1"),
            kBitAnd};
  }
  if (const Companion* companion = CompanionOf(use, stages)) return {companion->phase};
  return {absl::StrCat(Operand(use, kMultiplicative), " / ", stages, " & 1"), kBitAnd};
}

std::string KernelEmitter::MbarrierAddress(const std::string& array, ir::ExprId use,
                                           int64_t stages) {
  const Text stage = StageOf(use, stages);
  if (stage.code == "0") return array;
  return absl::StrCat(array, " + 8 * ", Parenthesised(stage, kPrimary));
}

std::string KernelEmitter::FullMbarrier(ir::RingId ring, ir::EventId event, ir::ExprId use) {
  if (ring != ir::RingId::kNone) {
    const auto i = static_cast<size_t>(ring);
    return MbarrierAddress(rings_full_[i], use, kernel_.rings[i].stages);
  }
  const auto i = static_cast<size_t>(event);
  return MbarrierAddress(events_[i], use, kernel_.events[i].stages);
}

int64_t KernelEmitter::StagesOf(ir::RingId ring, ir::EventId event) const {
  return ring != ir::RingId::kNone ? kernel_.rings[static_cast<size_t>(ring)].stages
                                   : kernel_.events[static_cast<size_t>(event)].stages;
}

// A wait before use 0 passes; where the use cannot be negative nothing asks.
bool KernelEmitter::MayBeNegative(ir::ExprId use) const {
  const auto range = Range(use);
  if (range) return range->low < 0;
  const ir::Expr& expr = program_[use];
  return expr.kind != ir::ExprKind::kLocal || !counts_up_.contains(expr.local);
}

void KernelEmitter::EventStatement(const ir::Stmt& stmt) {
  switch (stmt.op->effects.sync) {
    case ir::SyncEffect::kAcquire: return Acquire(stmt);
    case ir::SyncEffect::kWait: return Wait(stmt);
    case ir::SyncEffect::kRelease: {
      const auto i = static_cast<size_t>(stmt.ring);
      const std::string address =
          MbarrierAddress(rings_empty_[i], stmt.use, kernel_.rings[i].stages);
      if (kernel_.rings[i].cluster && kernel_.cluster > 1) return ReleaseToCluster(stmt, address);
      return ArriveElected(EventVerb::kRelease, stmt, address);
    }
    case ir::SyncEffect::kArriveThread: {
      const std::string address = FullMbarrier(stmt.ring, stmt.event, stmt.use);
      LogUse(EventVerb::kArriveThread, LoggedBy::kThreads, stmt, stmt.use, address);
      out_.Line(Arrival(stmt, address, ""));
      return;
    }
    case ir::SyncEffect::kCommit:
    case ir::SyncEffect::kArrive:
    case ir::SyncEffect::kExpect: return ArriveFull(stmt);
    default: Unreachable("statement of a ring or event");
  }
}

void KernelEmitter::Acquire(const ir::Stmt& stmt) {
  const auto i = static_cast<size_t>(stmt.ring);
  const int64_t stages = kernel_.rings[i].stages;
  const ir::Expr& use = program_[stmt.use];
  const std::string address = MbarrierAddress(rings_empty_[i], stmt.use, stages);
  // The slot is free when the generation before has been released; the parity before the first
  // one counts as complete on a fresh mbarrier (PTX ISA, mbarrier.test_wait).
  const Text parity = ParityOf(stmt.use, stages);
  const std::string before = use.kind == ir::ExprKind::kInt
                                 ? std::string(parity.code == "0" ? "1" : "0")
                                 : absl::StrCat(Parenthesised(parity, kPrimary), " ^ 1");
  LogUse(EventVerb::kAcquire, LoggedBy::kWarp, stmt, stmt.use, address, before);
  if (use.kind == ir::ExprKind::kInt && use.int_value < stages) {
    out_.Line(
        absl::StrCat("// ", kernel_.rings[i].name, "@", use.int_value, " is free from the start."));
    LogPassed();
    return;
  }
  out_.Line(absl::StrCat("cake::mbarrier_wait(", address, ", ", before, ");"));
  LogPassed();
}

void KernelEmitter::Wait(const ir::Stmt& stmt) {
  const ir::Expr& use = program_[stmt.use];
  const bool constant = use.kind == ir::ExprKind::kInt;
  if (constant && use.int_value < 0) {
    out_.Line("// A wait before use 0 passes.");
    return;
  }
  const std::string guard = constant || !MayBeNegative(stmt.use)
                                ? ""
                                : absl::StrCat("if (", Operand(stmt.use, kRelational), " >= 0) ");
  // Older devices have no clusters and know one kind of wait, which acquires.
  const bool kinds = HasTryWait(program_.target);
  const bool cluster = kinds && Has(stmt.modifiers, "cluster");
  const bool relaxed = kinds && Has(stmt.modifiers, "relaxed");
  const std::string address = FullMbarrier(stmt.ring, stmt.event, stmt.use);
  const std::string parity = ParityOf(stmt.use, StagesOf(stmt.ring, stmt.event)).code;
  LogUse(EventVerb::kWait, LoggedBy::kWarp, stmt, stmt.use, address, parity, guard);
  out_.Line(absl::StrCat(guard, "cake::mbarrier_wait", cluster ? "_cluster" : "",
                         relaxed ? "_relaxed" : "", "(", address, ", ", parity, ");"));
  LogPassed(guard);
}

Text KernelEmitter::Test(const ir::Expr& expr) {
  const std::string address = FullMbarrier(expr.ring, expr.event, expr.use);
  const std::string parity = ParityOf(expr.use, StagesOf(expr.ring, expr.event)).code;
  // All lanes agree, and each has acquired.
  const Text test = LoggedTest(expr,
                               {absl::StrCat("__all_sync(0xffffffffu, cake::mbarrier_test(",
                                             address, ", ", parity, ")) != 0"),
                                kEquality},
                               address, parity);
  const ir::Expr& use = program_[expr.use];
  if (use.kind == ir::ExprKind::kInt && use.int_value < 0) return {"true"};
  if (use.kind == ir::ExprKind::kInt || !MayBeNegative(expr.use)) return test;
  return {absl::StrCat(Operand(expr.use, kRelational), " < 0 || ", test.code), kLogicalOr};
}

// The lanes' accesses come before the arrival of one of them only after they have converged.
void KernelEmitter::ArriveElected(EventVerb verb, const ir::Stmt& stmt, const std::string& address,
                                  const std::string& bytes) {
  LogUse(verb, LoggedBy::kWarp, stmt, stmt.use, address);
  out_.Line("__syncwarp();");
  out_.Line(absl::StrCat("if (", Builtin(ir::BuiltinValue::kLane).code, " == 0) ",
                         Arrival(stmt, address, bytes)));
}

void KernelEmitter::ArriveFull(const ir::Stmt& stmt) {
  const std::string address = FullMbarrier(stmt.ring, stmt.event, stmt.use);
  const std::string counter = LoadCounter(stmt.ring, stmt.event);
  const bool expects = stmt.op->effects.sync == ir::SyncEffect::kExpect;
  const EventVerb verb = expects                                            ? EventVerb::kExpect
                         : stmt.op->effects.sync == ir::SyncEffect::kArrive ? EventVerb::kArrive
                                                                            : EventVerb::kCommit;
  std::string bytes;
  if (stmt.bytes != ir::ExprId::kNone) {
    bytes = Code(stmt.bytes);
  } else if (stmt.op->effects.sync != ir::SyncEffect::kArrive) {
    bytes = counter;
  }
  if (bytes.empty() && expects) bytes = "0";
  ArriveElected(verb, stmt, address, bytes);
  if (!counter.empty() && bytes == counter) out_.Line(absl::StrCat(counter, " = 0;"));
}

std::string KernelEmitter::LoadCounter(ir::RingId ring, ir::EventId event) const {
  const auto found = load_counters_.find({ring, event});
  return found == load_counters_.end() ? "" : found->second;
}

// Arrivals that say no bytes count those of the loads before them: the sum is a constant wherever
// the compiler sees it whole.
void KernelEmitter::DeclareLoadCounters(const std::vector<ir::StmtId>& body) {
  for (const ir::StmtId id : body) {
    const ir::Stmt& stmt = program_[id];
    if (stmt.dead) continue;
    DeclareLoadCounters(stmt.body);
    DeclareLoadCounters(stmt.else_body);
    if (stmt.op == nullptr) continue;
    if (!facts::IsMbarrierLoad(stmt.op->effects.copy)) continue;
    const auto [ring, event] = LoadTarget(stmt);
    if (ring == ir::RingId::kNone && event == ir::EventId::kNone) continue;
    std::string& counter = load_counters_[{ring, event}];
    if (!counter.empty()) continue;
    const std::string name = ring != ir::RingId::kNone
                                 ? kernel_.rings[static_cast<size_t>(ring)].name
                                 : kernel_.events[static_cast<size_t>(event)].name;
    counter = names_.Declare(name + "_bytes");
    out_.Line(absl::StrCat("unsigned int ", counter, " = 0;"));
  }
}

std::pair<ir::RingId, ir::EventId> KernelEmitter::LoadTarget(const ir::Stmt& stmt) const {
  if (stmt.on_ring != ir::RingId::kNone || stmt.on_event != ir::EventId::kNone) {
    return {stmt.on_ring, stmt.on_event};
  }
  const ir::View& to = program_[stmt.destination];
  if (to.shared == ir::SharedId::kNone) return {ir::RingId::kNone, ir::EventId::kNone};
  return {kernel_.shared[static_cast<size_t>(to.shared)].ring, ir::EventId::kNone};
}

}  // namespace compiler::emit
