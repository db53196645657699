#include "compiler/sema/in_flight.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/ir/walk.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Name;
using diag::Severity;
using ir::ExprId;
using ir::LocalId;
using ir::StmtId;
using ir::StmtKind;
using ir::SyncEffect;

constexpr diag::Def<Name> kAccumulator{
    "CK1412", Severity::kError, Category::kSafety,
    "`{0}` is named while a `wgmma` may still write it",
    "the tensor cores write the accumulator beside the threads, until `wgmma.wait` returns for the "
    "group of the product"};
constexpr diag::Def<Name> kOperand{
    "CK1413", Severity::kError, Category::kSafety,
    "`{0}` is named while a `wgmma` may still read it",
    "the tensor cores read the registers of the left operand beside the threads, until "
    "`wgmma.wait` returns for the group of the product"};
constexpr diag::Def<Name> kBackEdge{
    "CK1414", Severity::kError, Category::kSafety,
    "`{0}` is in flight when the next trip of the loop begins, and the loop reads products",
    "ptxas (C7514) serialises products that cross the back edge of a loop that reads results; only "
    "loops whose accumulators are all `+=` may carry them"};
constexpr diag::Def<Name> kNeverWaited{
    "CK1415", Severity::kError, Category::kSafety,
    "the role ends while the `wgmma` into `{0}` may still run",
    "the registers and the shared memory of a CTA that has ended belong to the next one"};

constexpr int kOpen = -1;     // the group is not closed
constexpr int kMaxAge = 255;  // groups that one follows behind another

// A product that may still run.
struct Flight {
  int age = kOpen;  // groups closed since its own, at least so many
  StmtId product = StmtId::kNone;
  bool operand = false;             // the fragment is the left operand of the product
  StmtId lax_wait = StmtId::kNone;  // the last wait that did not cover it, when it was of `lax_age`
  int lax_age = 0;
  bool operator==(const Flight&) const = default;
};
using State = std::map<LocalId, Flight>;

// On either path: the younger one is the harder to wait for.
State Joined(const State& a, const State& b) {
  State joined = a;
  for (const auto& [local, flight] : b) {
    const auto [at, inserted] = joined.try_emplace(local, flight);
    if (!inserted && flight.age < at->second.age) at->second = flight;
  }
  return joined;
}

class FlightCheck {
 public:
  FlightCheck(const ir::Program& program, const ir::Kernel& kernel, diag::Report& report)
      : program_(program), kernel_(kernel), report_(report) {}

  void Run() {
    for (const ir::Role& role : kernel_.roles) {
      if (!HasGroups(role.body)) continue;
      const State end = Block(role.body, {});
      for (const auto& [local, flight] : end) {
        if (!reported_.insert(flight.product).second) continue;
        const diag::Span span = program_[flight.product].source.span;
        const std::string wait =
            flight.age == kOpen ? "wgmma.commit; wgmma.wait 0" : "wgmma.wait 0";
        report_.Add(kNeverWaited, span, Name{NameOf(local)})
            .Fix(absl::StrCat("end the role with `", wait, "`"), {}, Applicability::kManual);
      }
    }
  }

 private:
  static bool IsProduct(const ir::Stmt& stmt) {
    return stmt.op != nullptr && stmt.op->effects.product &&
           stmt.op->effects.engine == ir::ProductEngine::kWarpgroup;
  }
  static SyncEffect GroupEffect(const ir::Stmt& stmt) {
    if (stmt.op == nullptr) return SyncEffect::kNone;
    const SyncEffect sync = stmt.op->effects.sync;
    const bool group = sync == SyncEffect::kProductCommit || sync == SyncEffect::kProductWait;
    return group ? sync : SyncEffect::kNone;
  }
  const std::string& NameOf(LocalId local) const {
    return kernel_.locals[static_cast<size_t>(local)].name;
  }

  // Products, or statements about their groups, anywhere inside.
  bool HasGroups(const std::vector<StmtId>& body) const {
    return FirstGroup(body) != StmtId::kNone;
  }

  // The first of them in the order of the text.
  StmtId FirstGroup(const std::vector<StmtId>& body) const {
    for (const StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      if (IsProduct(stmt) || GroupEffect(stmt) != SyncEffect::kNone) return id;
      for (const auto* inner : {&stmt.body, &stmt.else_body}) {
        if (const StmtId found = FirstGroup(*inner); found != StmtId::kNone) return found;
      }
    }
    return StmtId::kNone;
  }

  State Block(const std::vector<StmtId>& body, State state) {
    for (const StmtId id : body) {
      if (!program_[id].dead) state = Statement(id, std::move(state));
    }
    return state;
  }

  State Statement(StmtId id, State state) {
    const ir::Stmt& stmt = program_[id];
    switch (stmt.kind) {
      case StmtKind::kFor:
      case StmtKind::kWhile: return Loop(id, stmt, std::move(state));
      case StmtKind::kIf: {
        Names(id, stmt, state);
        State other = Block(stmt.else_body, state);
        return Joined(Block(stmt.body, std::move(state)), other);
      }
      case StmtKind::kElect:
      case StmtKind::kOnce: return Block(stmt.body, std::move(state));
      default: break;
    }
    if (IsProduct(stmt)) return Product(id, stmt, std::move(state));
    switch (GroupEffect(stmt)) {
      case SyncEffect::kProductCommit:
        for (auto& [local, flight] : state) flight.age = std::min(flight.age + 1, kMaxAge);
        return state;
      case SyncEffect::kProductWait: return Wait(id, stmt, std::move(state));
      default: Names(id, stmt, state); return state;
    }
  }

  State Wait(StmtId id, const ir::Stmt& stmt, State state) const {
    const int64_t pending = program_[stmt.amount].int_value;
    std::erase_if(state, [&](const auto& entry) {
      return entry.second.age != kOpen && entry.second.age >= pending;
    });
    for (auto& [local, flight] : state) {
      flight.lax_wait = id;
      flight.lax_age = flight.age;
    }
    return state;
  }

  State Product(StmtId id, const ir::Stmt& stmt, State state) {
    const LocalId d = stmt.fragment.local;
    const auto at = state.find(d);
    const bool chain = at != state.end() && !at->second.operand && stmt.accumulate;
    if (at != state.end() && !chain) Report(id, d, state);
    const LocalId left = stmt.left.local;
    if (left != LocalId::kNone) {
      const auto a = state.find(left);
      if (a != state.end() && !a->second.operand) Report(id, left, state);
      state[left] = {.product = id, .operand = true};
    }
    state[d] = {.product = id};
    return state;
  }

  // The state at the head of a loop is that before it or after a trip.
  State Loop(StmtId id, const ir::Stmt& stmt, State state) {
    Names(id, stmt, state);
    if (!HasGroups(stmt.body)) {
      Block(stmt.body, state);
      return state;
    }
    ++silent_;
    for (int trip = 0; trip <= kMaxAge; ++trip) {
      const State next = Joined(state, Block(stmt.body, state));
      if (next == state) break;
      state = next;
    }
    --silent_;
    const State end = Block(stmt.body, state);
    if (silent_ == 0) CheckBackEdge(stmt, end);
    return Joined(state, end);
  }

  void CheckBackEdge(const ir::Stmt& loop, const State& end) {
    if (end.empty()) return;
    const StmtId first = FirstGroup(loop.body);
    const ir::Stmt& head = program_[first];
    if (GroupEffect(head) == SyncEffect::kProductWait && program_[head.amount].int_value == 0) {
      return;
    }
    std::set<LocalId> results;
    Results(loop.body, results);
    const StmtId reader = Reader(loop.body, results);
    if (reader == StmtId::kNone) return;
    for (const auto& [local, flight] : end) {
      if (!reported_.insert(flight.product).second) continue;
      report_.Add(kBackEdge, program_[flight.product].source.span, Name{NameOf(local)})
          .Label(program_[reader].source.span, "a product is read here")
          .Fix("end the body with `wgmma.wait 0`, or begin it with that", {},
               Applicability::kManual);
    }
  }

  void Results(const std::vector<StmtId>& body, std::set<LocalId>& results) const {
    for (const StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      if (IsProduct(stmt)) results.insert(stmt.fragment.local);
      Results(stmt.body, results);
      Results(stmt.else_body, results);
    }
  }

  // The first statement that names one of them and is no product.
  StmtId Reader(const std::vector<StmtId>& body, const std::set<LocalId>& results) const {
    for (const StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead || IsProduct(stmt)) continue;
      for (const LocalId local : ReadBy(stmt)) {
        if (results.contains(local)) return id;
      }
      for (const auto* inner : {&stmt.body, &stmt.else_body}) {
        if (const StmtId found = Reader(*inner, results); found != StmtId::kNone) return found;
      }
    }
    return StmtId::kNone;
  }

  // Fragments whose elements a statement reads; where a thread's elements lie is no read.
  std::set<LocalId> ReadBy(const ir::Stmt& stmt) const {
    std::set<LocalId> named;
    if (stmt.fragment.local != LocalId::kNone) named.insert(stmt.fragment.local);
    std::vector<ExprId> pending;
    ir::AppendOwnExprs(program_, stmt, pending);
    std::set<ExprId> seen;
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (!seen.insert(id).second) continue;
      const ir::Expr& expr = program_[id];
      if (expr.kind == ir::ExprKind::kLocal && expr.type.is_fragment()) named.insert(expr.local);
      ir::AppendOperands(program_, expr, pending);
    }
    return named;
  }

  void Names(StmtId id, const ir::Stmt& stmt, State& state) {
    if (state.empty()) return;
    std::set<LocalId> named = ReadBy(stmt);
    if (stmt.kind == StmtKind::kAssign || stmt.kind == StmtKind::kLet) named.insert(stmt.local);
    for (const LocalId local : named) {
      if (state.contains(local)) Report(id, local, state);
    }
  }

  // From here on as if the wait were there: one missing wait is one finding.
  void Report(StmtId id, LocalId local, State& state) {
    const Flight flight = state.at(local);
    state.erase(local);
    if (silent_ > 0 || !reported_.insert(flight.product).second) return;
    const diag::Span at = program_[id].source.span;
    auto built = report_.Add(flight.operand ? kOperand : kAccumulator, at, Name{NameOf(local)});
    built.Label(program_[flight.product].source.span, "this product");
    const bool lax = flight.lax_wait != StmtId::kNone && flight.lax_age != kOpen;
    if (lax) {
      const ir::Stmt& wait = program_[flight.lax_wait];
      built.Label(wait.source.span, absl::StrCat("may leave ", program_[wait.amount].int_value,
                                                 " groups pending; that of the product is number ",
                                                 flight.lax_age + 1, " from the newest"));
      const std::string text = absl::StrCat("wgmma.wait ", flight.lax_age);
      built.Fix(absl::StrCat("wait for it: `", text, "`"), {{wait.source.span, text}},
                Applicability::kMachine);
      return;
    }
    const std::string text =
        flight.age == kOpen ? "wgmma.commit; wgmma.wait 0; " : "wgmma.wait 0; ";
    built.Fix(absl::StrCat("wait before it: `", text.substr(0, text.size() - 2), "`"),
              {{{at.begin, at.begin}, text}}, Applicability::kMachine);
  }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  diag::Report& report_;
  int silent_ = 0;  // loops whose head is not known yet
  std::set<StmtId> reported_;
};

}  // namespace

void CheckInFlight(const ir::Program& program, const ir::Kernel& kernel, diag::Report& report) {
  FlightCheck(program, kernel, report).Run();
}

}  // namespace compiler::sema
