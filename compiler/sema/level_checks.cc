// Collectives against levels: what a whole warp, warpgroup, role or CTA executes needs control and
// indices of that level or wider. Deliberately not checked: that the threads also agree on *which*
// collective they reach next, which the reference machine does.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/ir/walk.h"
#include "compiler/sema/level_facts.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Name;
using diag::Severity;
using diag::Span;
using ir::ExprId;
using ir::ExprKind;
using ir::Level;
using ir::StmtId;

constexpr diag::Def<Name, Name, Name> kDivergent{
    "CK1110", Severity::kError, Category::kType,
    "`{0}` needs every thread of its `{1}`; control here is `{2}` level",
    "threads that take the other way never arrive, and the ones that wait for them wait for ever"};
constexpr diag::Def<Name, Name, Name> kDivergentIndex{
    "CK1111", Severity::kError, Category::kType,
    "`{0}` is one operation of a `{1}`; this index is `{2}` level",
    "threads that execute one operation together name one place"};
constexpr diag::Def<Name> kSyncCta{
    "CK1052", Severity::kError, Category::kType,
    "`sync cta` in kernel `{0}`, which has several roles",
    "a barrier of the whole CTA would tie roles that run different code; use events or a `barrier` "
    "between them"};
constexpr int kMaxReasons = 6;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

class CollectiveCheck {
 public:
  CollectiveCheck(const ir::Program& program, const ir::Kernel& kernel, const LevelFacts& facts,
                  diag::Report& report)
      : program_(program), kernel_(kernel), facts_(facts), report_(report) {}

  void Run() {
    for (const PlacedStmt& place : facts_.placed) Check(place);
  }

 private:
  // A value uniform over a narrower group than `required` serves when the groups coincide: a role
  // of one warp, of one warpgroup, the only role of its kernel.
  bool Serves(Level level, Level required, int role) const {
    if (level <= required) return true;
    if (role < 0) return false;
    const int64_t warps = kernel_.roles[static_cast<size_t>(role)].warps;
    if (level == Level::kWarp && warps <= 1) level = Level::kWg;
    if (level == Level::kWg && warps <= 4) level = Level::kRole;
    if (level == Level::kRole && kernel_.roles.size() == 1) level = Level::kCta;
    if (level == Level::kCta && kernel_.cluster == 1) level = Level::kCluster;
    return level <= required;
  }

  // The scope of a collective, or kThread for what each thread does alone.
  ir::Scope ScopeOf(const ir::Stmt& stmt) const {
    if (stmt.kind == ir::StmtKind::kElect) return ir::Scope::kWarp;
    if (stmt.kind == ir::StmtKind::kOnce) return ir::Scope::kRole;
    if (stmt.kind != ir::StmtKind::kOp || stmt.op == nullptr) return ir::Scope::kThread;
    if (stmt.op->effects.sync == ir::SyncEffect::kScopeSync) {
      if (stmt.word == "wg") return ir::Scope::kWg;
      if (stmt.word == "role") return ir::Scope::kRole;
      if (stmt.word == "cta") return ir::Scope::kCta;
      if (stmt.word == "cluster") return ir::Scope::kCluster;
    }
    return stmt.op->scope;
  }

  std::string NameOf(const ir::Stmt& stmt) const {
    if (stmt.kind == ir::StmtKind::kElect) return "elect";
    if (stmt.kind == ir::StmtKind::kOnce) return "once";
    std::string name(stmt.op->name);
    if (!stmt.word.empty()) absl::StrAppend(&name, " ", Absl(stmt.word));
    return name;
  }

  void Check(const PlacedStmt& place) {
    const ir::Stmt& stmt = program_[place.id];
    const ir::Scope scope = ScopeOf(stmt);
    if (scope == ir::Scope::kCta && stmt.word == "cta" && kernel_.roles.size() > 1) {
      report_.Add(kSyncCta, stmt.source.span, Name{kernel_.name});
    }
    if (scope != ir::Scope::kThread) {
      const bool by_one = stmt.op != nullptr && IssuedByOne(*stmt.op);
      CheckControl(NameOf(stmt), stmt.source.span, scope, place.control, place.role, !by_one);
      const bool alone = by_one && InSingleThread(place.control);
      if (stmt.kind == ir::StmtKind::kOp && !alone) CheckIndices(stmt, scope, place.role);
    } else if (stmt.use != ExprId::kNone || stmt.on_use != ExprId::kNone) {
      // Each thread arrives, all of them at one mbarrier.
      CheckIndices(stmt, ir::Scope::kWarp, place.role);
    }
    CheckExprs(stmt, place);
  }

  // Bulk and tensor copies are issued by one thread of the warp, and so is what is not in this
  // build.
  static bool IssuedByOne(const ir::OpDef& op) {
    const bool tensor_product =
        op.effects.product && op.effects.engine == ir::ProductEngine::kTensorMemory;
    if (tensor_product || op.effects.sync == ir::SyncEffect::kTensorCommit) return true;
    switch (op.effects.copy) {
      case ir::CopyEffect::kTensorLoad:
      case ir::CopyEffect::kTensorStore:
      case ir::CopyEffect::kTensorReduce:
      case ir::CopyEffect::kBulkLoad:
      case ir::CopyEffect::kBulkStore:
      case ir::CopyEffect::kBulkReduce:
      case ir::CopyEffect::kTensorMemoryCopy:
      case ir::CopyEffect::kLaunchCancel:
      case ir::CopyEffect::kGatherLoad: return true;
      default: return !op.Available();
    }
  }

  bool InSingleThread(int control) const {
    for (int c = control; c >= 0; c = facts_.controls[static_cast<size_t>(c)].parent) {
      if (facts_.controls[static_cast<size_t>(c)].single_thread) return true;
    }
    return false;
  }

  void CheckIndices(const ir::Stmt& stmt, ir::Scope scope, int role) {
    std::vector<ExprId> indices = stmt.indices;
    for (ExprId id : {stmt.barrier_index, stmt.zero, stmt.use, stmt.bytes, stmt.remote,
                      stmt.multicast, stmt.on_use, stmt.end}) {
      if (id != ExprId::kNone) indices.push_back(id);
    }
    indices.insert(indices.end(), stmt.gather_rows.begin(), stmt.gather_rows.end());
    // Each thread stores to a place and a rank of its own.
    if (stmt.op != nullptr && stmt.op->effects.copy == ir::CopyEffect::kRemoteStore) {
      for (ExprId index : indices) {
        if (!CheckIndex(index, NameOf(stmt), scope, role)) return;
      }
      return;
    }
    for (ir::ViewId id : {stmt.destination, stmt.source_view, stmt.accumulator_view, stmt.left_view,
                          stmt.right_view, stmt.left_scale, stmt.right_scale}) {
      if (id == ir::ViewId::kNone) continue;
      if (program_[id].stage != ExprId::kNone) indices.push_back(program_[id].stage);
      for (const ir::ViewIndex& index : program_[id].index) {
        if (index.offset != ExprId::kNone) indices.push_back(index.offset);
      }
    }
    for (ExprId index : indices) {
      if (!CheckIndex(index, NameOf(stmt), scope, role)) return;
    }
  }

  bool CheckIndex(ExprId index, const std::string& name, ir::Scope scope, int role) {
    const Level required = ir::RequiredLevel(scope);
    const Level level = program_[index].level;
    if (Serves(level, required, role)) return true;
    auto built =
        report_.Add(kDivergentIndex, program_[index].source.span, Name{name},
                    Name{std::string(ir::ToString(scope))}, Name{std::string(ir::ToString(level))});
    std::set<int> visited;
    Explain(built, index, required, visited);
    return false;
  }

  // Collectives inside the statement's expressions; the right side of && and || runs where the left
  // side lets it.
  void CheckExprs(const ir::Stmt& stmt, const PlacedStmt& place) {
    struct Item {
      ExprId id;
      ExprId condition;
    };
    std::vector<Item> pending;
    std::vector<ExprId> roots;
    ir::AppendOwnExprs(program_, stmt, roots);
    for (ExprId root : roots) pending.push_back({root, ExprId::kNone});
    // The condition of a `while` is evaluated again by those who stay in the loop.
    const int at = stmt.kind == ir::StmtKind::kWhile ? place.inner : place.control;
    std::set<std::pair<ExprId, ExprId>> seen;
    while (!pending.empty()) {
      const Item item = pending.back();
      pending.pop_back();
      if (!seen.emplace(item.id, item.condition).second) continue;
      const ir::Expr& expr = program_[item.id];
      if (expr.op != nullptr && expr.op->scope != ir::Scope::kThread &&
          expr.op->effects.collective) {
        CheckControl(std::string(expr.op->name), expr.source.span, expr.op->scope, at, place.role,
                     true);
        CheckCondition(expr, item.condition, place.role);
        if (expr.use != ExprId::kNone) {
          CheckIndex(expr.use, std::string(expr.op->name), expr.op->scope, place.role);
        }
      }
      const bool logical = expr.kind == ExprKind::kAnd || expr.kind == ExprKind::kOr;
      std::vector<ExprId> operands;
      ir::AppendOperands(program_, expr, operands);
      for (size_t i = 0; i < operands.size(); ++i) {
        pending.push_back({operands[i], logical && i == 1 ? operands[0] : item.condition});
      }
    }
  }

  void CheckCondition(const ir::Expr& expr, ExprId condition, int role) {
    if (condition == ExprId::kNone) return;
    const Level required = ir::RequiredLevel(expr.op->scope);
    const Level level = program_[condition].level;
    if (Serves(level, required, role)) return;
    auto built = report_.Add(kDivergent, expr.source.span, Name{std::string(expr.op->name)},
                             Name{std::string(ir::ToString(expr.op->scope))},
                             Name{std::string(ir::ToString(level))});
    built.Label(program_[condition].source.span, LevelText("this condition", level));
    std::set<int> visited;
    Explain(built, condition, required, visited);
  }

  static std::string LevelText(std::string_view what, Level level) {
    return absl::StrCat(Absl(what), " is ", Absl(ir::ToString(level)), " level");
  }

  void CheckControl(const std::string& name, Span span, ir::Scope scope, int control, int role,
                    bool in_build) {
    const Level required = ir::RequiredLevel(scope);
    int culprit = -1;
    Level worst = Level::kConst;
    for (int c = control; c >= 0; c = facts_.controls[static_cast<size_t>(c)].parent) {
      const Control& at = facts_.controls[static_cast<size_t>(c)];
      // Issue operations of a warp are done by one thread anyway; inside `elect` by that one.
      if (at.single_thread && !in_build && scope == ir::Scope::kWarp) return;
      const Level level = at.single_thread ? Level::kLane : OwnControlLevel(at);
      if (Serves(level, required, role)) continue;
      culprit = c;
      worst = ir::Narrower(worst, level);
    }
    if (culprit < 0) return;
    auto built = report_.Add(kDivergent, span, Name{name}, Name{std::string(ir::ToString(scope))},
                             Name{std::string(ir::ToString(worst))});
    std::set<int> visited;
    ExplainControl(built, culprit, required, visited);
  }

  Level OwnControlLevel(const Control& control) const {
    const ir::Stmt& stmt = program_[control.stmt];
    Level level = Level::kConst;
    for (ExprId id : {stmt.value, stmt.low, stmt.high, stmt.step}) {
      if (id != ExprId::kNone) level = ir::Narrower(level, program_[id].level);
    }
    return level;
  }

  // Says why a control is narrow. `visited` holds the locals and controls already spoken of: a
  // loop's condition may depend on what is assigned under it.
  void ExplainControl(diag::Report::Builder& built, int control, Level required,
                      std::set<int>& visited) {
    const Control& at = facts_.controls[static_cast<size_t>(control)];
    const ir::Stmt& stmt = program_[at.stmt];
    if (!visited.insert(-1 - control).second) return;
    if (at.single_thread) {
      const uint32_t word = stmt.kind == ir::StmtKind::kElect ? 5U : 4U;
      built.Label({stmt.source.span.begin, stmt.source.span.begin + word},
                  "one thread runs this block");
      return;
    }
    for (ExprId id : {stmt.value, stmt.low, stmt.high, stmt.step}) {
      if (id == ExprId::kNone || program_[id].level <= required) continue;
      const bool loop = stmt.kind == ir::StmtKind::kFor;
      built.Label(program_[id].source.span,
                  LevelText(loop ? "this bound" : "this condition", program_[id].level));
      Explain(built, id, required, visited);
      return;
    }
  }

  // Follows the narrowest part of an expression to where its level comes from, a label a step.
  void Explain(diag::Report::Builder& built, ExprId id, Level required, std::set<int>& visited) {
    for (int step = 0; step < kMaxReasons && id != ExprId::kNone; ++step) {
      const ExprId leaf = Source(id, required, visited);
      const ir::Expr& expr = program_[leaf];
      if (expr.kind != ExprKind::kLocal) {
        if (leaf != id) built.Label(expr.source.span, LevelText("this", expr.level));
        return;
      }
      const int node = static_cast<int>(expr.local);
      const LevelReason& reason = facts_.reasons[static_cast<size_t>(node)];
      if (!visited.insert(node).second || reason.at == StmtId::kNone) return;
      const ir::Local& local = kernel_.locals[static_cast<size_t>(node)];
      const bool by_control = reason.from_control >= 0;
      built.Label(
          program_[reason.at].source.span,
          absl::StrCat("`", local.name, "` is ", Absl(ir::ToString(reason.level)),
                       by_control ? " level: assigned under divergent control" : " level by this"));
      if (by_control) {
        int control = reason.from_control;
        while (facts_.controls[static_cast<size_t>(control)].parent >= 0 &&
               OwnControlLevel(facts_.controls[static_cast<size_t>(control)]) <= required) {
          control = facts_.controls[static_cast<size_t>(control)].parent;
        }
        ExplainControl(built, control, required, visited);
        return;
      }
      id = reason.cause;
    }
  }

  // What makes the expression as narrow as it is: a built-in value, a load, an instruction, or else
  // a variable that has not been spoken of.
  ExprId Source(ExprId root, Level required, const std::set<int>& visited) const {
    std::vector<ExprId> pending{root};
    std::set<ExprId> seen;
    ExprId variable = ExprId::kNone;
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      const ir::Expr& expr = program_[id];
      if (expr.level <= required || !seen.insert(id).second) continue;
      if (expr.kind == ExprKind::kLocal) {
        if (!visited.contains(static_cast<int>(expr.local))) variable = id;
        continue;
      }
      std::vector<ExprId> operands;
      if (OwnLevel(expr) == Level::kConst) ir::AppendOperands(program_, expr, operands);
      const bool inherited = std::any_of(operands.begin(), operands.end(), [&](ExprId operand) {
        return program_[operand].level == expr.level;
      });
      if (!inherited) return id;
      pending.insert(pending.end(), operands.rbegin(), operands.rend());
    }
    return variable == ExprId::kNone ? root : variable;
  }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const LevelFacts& facts_;
  diag::Report& report_;
};

}  // namespace

void CheckCollectives(const ir::Program& program, const ir::Kernel& kernel, const LevelFacts& facts,
                      diag::Report& report) {
  CollectiveCheck(program, kernel, facts, report).Run();
}

}  // namespace compiler::sema
