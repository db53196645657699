#include "compiler/sema/levels.h"

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/ir/walk.h"

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
constexpr int kMaxReasons = 6;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

Level BuiltinLevel(ir::BuiltinValue value) {
  switch (value) {
    case ir::BuiltinValue::kLane:
    case ir::BuiltinValue::kThread: return Level::kLane;
    case ir::BuiltinValue::kWarp: return Level::kWarp;
    case ir::BuiltinValue::kWg: return Level::kWg;
    case ir::BuiltinValue::kCta:
    case ir::BuiltinValue::kCtaX:
    case ir::BuiltinValue::kCtaY:
    case ir::BuiltinValue::kCtaZ:
    case ir::BuiltinValue::kClusterRank: return Level::kCta;
    case ir::BuiltinValue::kClusterId: return Level::kCluster;
    case ir::BuiltinValue::kCtas:
    case ir::BuiltinValue::kClusters: return Level::kLaunch;
  }
  return Level::kLane;
}

// What an instruction makes of its operands; kConst where it only takes their minimum.
Level OwnLevel(const ir::Expr& expr) {
  if (expr.op == nullptr) return Level::kConst;
  switch (expr.op->level) {
    case ir::LevelRule::kOfOperands:
    case ir::LevelRule::kOfLoad: return Level::kConst;
    case ir::LevelRule::kLane: return Level::kLane;
    case ir::LevelRule::kWarp: return Level::kWarp;
    case ir::LevelRule::kByWidth: return expr.width == ir::kLanes ? Level::kWarp : Level::kLane;
  }
  return Level::kLane;
}

// The control around a statement: one node per if, loop, elect and once.
struct Control {
  int parent = -1;
  StmtId stmt = StmtId::kNone;
  int role = -1;
  bool single_thread = false;  // elect, once
};

class LevelAnalysis {
 public:
  LevelAnalysis(ir::Program& program, ir::Kernel& kernel, diag::Report& report)
      : program_(program), kernel_(kernel), report_(report) {}

  void Run() {
    FindWritten();
    Collect(kernel_.lets, -1, -1);
    for (size_t i = 0; i < kernel_.roles.size(); ++i) {
      Collect(kernel_.roles[i].body, -1, static_cast<int>(i));
    }
    BuildNodes();
    Propagate();
    Write();
    for (const auto& [id, control] : placed_) Check(id, control);
  }

 private:
  // Nodes 0 .. locals-1 are the locals, then one per control.
  struct Edge {
    int to;
    ExprId through;
    StmtId at;
  };
  struct Node {
    Level level = Level::kConst;
    ExprId cause = ExprId::kNone;  // the expression whose level this node took
    StmtId at = StmtId::kNone;
    int from_control = -1;  // or the control it took it from
    std::vector<Edge> users;
  };

  int ControlNode(int control) const { return static_cast<int>(kernel_.locals.size()) + control; }

  void FindWritten() {
    const auto mark = [&](ir::TensorId id) { written_.insert(id); };
    for (const ir::Role& role : kernel_.roles)
      ForEach(role.body, [&](const ir::Stmt& stmt) {
        if (stmt.destination != ir::ViewId::kNone) mark(program_[stmt.destination].tensor);
      });
    for (size_t i = 0; i < program_.tensors.size(); ++i) {
      if (program_.tensors[i].direction == ir::Direction::kInOut)
        mark(static_cast<ir::TensorId>(i));
    }
    for (const auto& [a, b] : program_.aliases) {
      if (written_.contains(a) || written_.contains(b)) {
        mark(a);
        mark(b);
      }
    }
  }

  template <typename F>
  void ForEach(const std::vector<StmtId>& body, const F& visit) {
    for (StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      visit(stmt);
      ForEach(stmt.body, visit);
      ForEach(stmt.else_body, visit);
    }
  }

  void Collect(const std::vector<StmtId>& body, int control, int role) {
    for (StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      placed_.emplace_back(id, control);
      role_of_.push_back(role);
      int inner = control;
      const bool once = stmt.kind == ir::StmtKind::kElect || stmt.kind == ir::StmtKind::kOnce;
      if (once || stmt.kind == ir::StmtKind::kIf || stmt.kind == ir::StmtKind::kFor ||
          stmt.kind == ir::StmtKind::kWhile) {
        controls_.push_back({control, id, role, once});
        inner = static_cast<int>(controls_.size()) - 1;
        control_of_.emplace_back(id, inner);
      }
      Collect(stmt.body, inner, role);
      Collect(stmt.else_body, inner, role);
    }
  }

  // Splits an expression into a level of its own and the locals whose level it takes.
  void Inputs(ExprId root, Level& own, ExprId& cause, std::vector<ExprId>& locals) const {
    std::vector<ExprId> pending{root};
    std::set<ExprId> seen;
    const auto narrow = [&](Level level, ExprId id) {
      if (level > own) {
        own = level;
        cause = id;
      }
    };
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (!seen.insert(id).second) continue;
      const ir::Expr& expr = program_[id];
      const Level fixed = OwnLevel(expr);
      switch (expr.kind) {
        case ExprKind::kSymbol: narrow(Level::kLaunch, id); break;
        case ExprKind::kBuiltin: narrow(BuiltinLevel(expr.builtin), id); break;
        case ExprKind::kLocal: locals.push_back(id); break;
        case ExprKind::kLoad: narrow(LoadLevel(expr), id); break;
        default: narrow(fixed, id); break;
      }
      if (fixed == Level::kConst) ir::AppendOperands(program_, expr, pending);
    }
  }

  // ld: at most the scope the memory is shared in; memory that changes under it is lane level.
  Level LoadLevel(const ir::Expr& expr) const {
    for (std::string_view modifier : expr.modifiers) {
      if (modifier == "volatile") return Level::kLane;
    }
    if (expr.op != nullptr && expr.op->name != "ld") return Level::kLane;
    const ir::View& view = program_[expr.view];
    if (view.space == ir::Space::kShared) return Level::kCta;
    return written_.contains(view.tensor) ? Level::kLane : Level::kConst;
  }

  void AddInput(int node, ExprId expr, StmtId at) {
    if (expr == ExprId::kNone) return;
    Level own = Level::kConst;
    ExprId cause = ExprId::kNone;
    std::vector<ExprId> locals;
    Inputs(expr, own, cause, locals);
    Raise(node, own, cause, at, -1);
    for (ExprId local : locals) {
      nodes_[static_cast<size_t>(program_[local].local)].users.push_back({node, local, at});
    }
  }

  void Raise(int node, Level level, ExprId cause, StmtId at, int control) {
    Node& n = nodes_[static_cast<size_t>(node)];
    if (level <= n.level) return;
    n.level = level;
    n.cause = cause;
    n.at = at;
    n.from_control = control;
    queue_.push_back(node);
  }

  void BuildNodes() {
    nodes_.resize(kernel_.locals.size() + controls_.size());
    for (size_t c = 0; c < controls_.size(); ++c) {
      const int node = ControlNode(static_cast<int>(c));
      const Control& control = controls_[c];
      const ir::Stmt& stmt = program_[control.stmt];
      if (control.single_thread) Raise(node, Level::kLane, ExprId::kNone, control.stmt, -1);
      AddInput(node, stmt.kind == ir::StmtKind::kFor ? ExprId::kNone : stmt.value, control.stmt);
      for (ExprId bound : {stmt.low, stmt.high, stmt.step}) AddInput(node, bound, control.stmt);
      if (control.parent >= 0) {
        nodes_[static_cast<size_t>(ControlNode(control.parent))].users.push_back(
            {node, ExprId::kNone, control.stmt});
      }
    }
    for (const auto& [id, control] : placed_) Assignments(id, control);
  }

  void Assignments(StmtId id, int control) {
    const ir::Stmt& stmt = program_[id];
    for (ir::LocalId local : {stmt.local, stmt.second_local}) {
      if (local == ir::LocalId::kNone) continue;
      const int node = static_cast<int>(local);
      if (stmt.kind == ir::StmtKind::kFor) {
        for (ExprId bound : {stmt.low, stmt.high, stmt.step}) AddInput(node, bound, id);
        continue;
      }
      AddInput(node, stmt.value, id);
      for (ExprId index : stmt.indices) AddInput(node, index, id);
      if (stmt.kind == ir::StmtKind::kAssign && control >= 0) {
        nodes_[static_cast<size_t>(ControlNode(control))].users.push_back(
            {node, ExprId::kNone, id});
      }
    }
  }

  // Each node falls at most seven times, so each edge is walked at most seven times.
  void Propagate() {
    while (!queue_.empty()) {
      const int node = queue_.front();
      queue_.pop_front();
      const Level level = nodes_[static_cast<size_t>(node)].level;
      const int control = node - static_cast<int>(kernel_.locals.size());
      const std::vector<Edge> users = nodes_[static_cast<size_t>(node)].users;
      for (const Edge& edge : users) {
        Raise(edge.to, level, edge.through, edge.at, control >= 0 ? control : -1);
      }
    }
  }

  // Operands have smaller numbers than what uses them, so one pass in order settles every
  // expression.
  void Write() {
    for (size_t i = 0; i < kernel_.locals.size(); ++i) kernel_.locals[i].level = nodes_[i].level;
    std::vector<ExprId> operands;
    std::vector<ExprId> pending;
    for (const auto& [id, control] : placed_) ir::AppendOwnExprs(program_, program_[id], pending);
    std::set<ExprId> reached;
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (reached.insert(id).second) ir::AppendOperands(program_, program_[id], pending);
    }
    for (ExprId id : reached) {
      ir::Expr& expr = program_.exprs[static_cast<size_t>(id)];
      Level level = OwnLevel(expr);
      if (expr.kind == ExprKind::kSymbol) level = Level::kLaunch;
      if (expr.kind == ExprKind::kBuiltin) level = BuiltinLevel(expr.builtin);
      if (expr.kind == ExprKind::kLocal)
        level = kernel_.locals[static_cast<size_t>(expr.local)].level;
      if (expr.kind == ExprKind::kLoad) level = LoadLevel(expr);
      if (OwnLevel(expr) == Level::kConst) {
        operands.clear();
        ir::AppendOperands(program_, expr, operands);
        for (ExprId operand : operands) level = ir::Narrower(level, program_[operand].level);
      }
      expr.level = level;
    }
  }

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
    if (stmt.word == "wg") return ir::Scope::kWg;
    if (stmt.word == "role") return ir::Scope::kRole;
    if (stmt.word == "cta") return ir::Scope::kCta;
    return stmt.op->scope;
  }

  std::string NameOf(const ir::Stmt& stmt) const {
    if (stmt.kind == ir::StmtKind::kElect) return "elect";
    if (stmt.kind == ir::StmtKind::kOnce) return "once";
    std::string name(stmt.op->name);
    if (!stmt.word.empty()) absl::StrAppend(&name, " ", Absl(stmt.word));
    return name;
  }

  int RoleOf(int control, StmtId id) const {
    if (control >= 0) return controls_[static_cast<size_t>(control)].role;
    const auto at = std::find_if(placed_.begin(), placed_.end(),
                                 [&](const auto& place) { return place.first == id; });
    return at == placed_.end() ? -1 : role_of_[static_cast<size_t>(at - placed_.begin())];
  }

  void Check(StmtId id, int control) {
    const ir::Stmt& stmt = program_[id];
    const ir::Scope scope = ScopeOf(stmt);
    if (scope != ir::Scope::kThread) {
      const bool in_build = stmt.op == nullptr || stmt.op->Available();
      CheckControl(NameOf(stmt), stmt.source.span, scope, control, id, in_build);
      if (stmt.op != nullptr && stmt.kind == ir::StmtKind::kOp)
        CheckIndices(stmt, scope, control, id);
    }
    CheckExprs(stmt, control, id);
  }

  void CheckIndices(const ir::Stmt& stmt, ir::Scope scope, int control, StmtId id) {
    const Level required = ir::RequiredLevel(scope);
    std::vector<ExprId> indices = stmt.indices;
    if (stmt.barrier_index != ExprId::kNone) indices.push_back(stmt.barrier_index);
    for (ExprId index : indices) {
      const Level level = program_[index].level;
      if (Serves(level, required, RoleOf(control, id))) continue;
      auto built = report_.Add(kDivergentIndex, program_[index].source.span, Name{NameOf(stmt)},
                               Name{std::string(ir::ToString(scope))},
                               Name{std::string(ir::ToString(level))});
      Explain(built, index, required);
      return;
    }
  }

  // Collectives inside the statement's expressions; the right side of && and || runs where the left
  // side lets it.
  void CheckExprs(const ir::Stmt& stmt, int control, StmtId id) {
    struct Item {
      ExprId id;
      ExprId condition;
    };
    std::vector<Item> pending;
    std::vector<ExprId> roots;
    ir::AppendOwnExprs(program_, stmt, roots);
    for (ExprId root : roots) pending.push_back({root, ExprId::kNone});
    int at = control;
    if (stmt.kind == ir::StmtKind::kWhile) {  // evaluated again by those who stay in the loop
      for (const auto& [loop, node] : control_of_) {
        if (loop == id) at = node;
      }
    }
    std::set<std::pair<ExprId, ExprId>> seen;
    while (!pending.empty()) {
      const Item item = pending.back();
      pending.pop_back();
      if (!seen.emplace(item.id, item.condition).second) continue;
      const ir::Expr& expr = program_[item.id];
      if (expr.op != nullptr && expr.op->scope != ir::Scope::kThread &&
          expr.op->effects.collective) {
        CheckControl(std::string(expr.op->name), expr.source.span, expr.op->scope, at, id, true);
        CheckCondition(expr, item.condition, RoleOf(at, id));
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
    Explain(built, condition, required);
  }

  static std::string LevelText(std::string_view what, Level level) {
    return absl::StrCat(Absl(what), " is ", Absl(ir::ToString(level)), " level");
  }

  void CheckControl(const std::string& name, Span span, ir::Scope scope, int control, StmtId id,
                    bool in_build) {
    const Level required = ir::RequiredLevel(scope);
    const int role = RoleOf(control, id);
    int culprit = -1;
    Level worst = Level::kConst;
    for (int c = control; c >= 0; c = controls_[static_cast<size_t>(c)].parent) {
      const Control& at = controls_[static_cast<size_t>(c)];
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
    ExplainControl(built, culprit, required);
  }

  Level OwnControlLevel(const Control& control) const {
    const ir::Stmt& stmt = program_[control.stmt];
    Level level = Level::kConst;
    for (ExprId id : {stmt.value, stmt.low, stmt.high, stmt.step}) {
      if (id != ExprId::kNone) level = ir::Narrower(level, program_[id].level);
    }
    return level;
  }

  void ExplainControl(diag::Report::Builder& built, int control, Level required) {
    const Control& at = controls_[static_cast<size_t>(control)];
    const ir::Stmt& stmt = program_[at.stmt];
    if (at.single_thread) {
      const Span span{stmt.source.span.begin,
                      stmt.source.span.begin + (stmt.kind == ir::StmtKind::kElect ? 5U : 4U)};
      built.Label(span, "one thread runs this block");
      return;
    }
    for (ExprId id : {stmt.value, stmt.low, stmt.high, stmt.step}) {
      if (id == ExprId::kNone || program_[id].level <= required) continue;
      const bool loop = stmt.kind == ir::StmtKind::kFor;
      built.Label(program_[id].source.span,
                  LevelText(loop ? "this bound" : "this condition", program_[id].level));
      Explain(built, id, required);
      return;
    }
  }

  // Follows the narrowest part of an expression to where its level comes from, a label a step.
  void Explain(diag::Report::Builder& built, ExprId id, Level required) {
    std::set<int> visited;
    for (int step = 0; step < kMaxReasons && id != ExprId::kNone; ++step) {
      const ExprId leaf = Leaf(id, required);
      const ir::Expr& expr = program_[leaf];
      if (expr.kind != ExprKind::kLocal) {
        if (leaf != id || step > 0) built.Label(expr.source.span, LevelText("this", expr.level));
        return;
      }
      const int node = static_cast<int>(expr.local);
      if (!visited.insert(node).second) return;
      const Node& n = nodes_[static_cast<size_t>(node)];
      if (n.at == StmtId::kNone) return;
      const ir::Local& local = kernel_.locals[static_cast<size_t>(node)];
      built.Label(program_[n.at].source.span,
                  absl::StrCat("`", local.name, "` is ", Absl(ir::ToString(n.level)),
                               n.from_control >= 0 ? " level: assigned under divergent control"
                                                   : " level by this"));
      if (n.from_control >= 0) {
        int control = n.from_control;
        while (controls_[static_cast<size_t>(control)].parent >= 0 &&
               OwnControlLevel(controls_[static_cast<size_t>(control)]) <= required) {
          control = controls_[static_cast<size_t>(control)].parent;
        }
        ExplainControl(built, control, required);
        return;
      }
      id = n.cause;
    }
  }

  // The first operand, in order, that is as narrow as the expression itself.
  ExprId Leaf(ExprId id, Level required) const {
    for (;;) {
      const ir::Expr& expr = program_[id];
      if (OwnLevel(expr) != Level::kConst) return id;
      std::vector<ExprId> operands;
      ir::AppendOperands(program_, expr, operands);
      const auto narrow = std::find_if(operands.begin(), operands.end(), [&](ExprId operand) {
        return program_[operand].level == expr.level && expr.level > required;
      });
      if (narrow == operands.end()) return id;
      id = *narrow;
    }
  }

  ir::Program& program_;
  ir::Kernel& kernel_;
  diag::Report& report_;
  std::set<ir::TensorId> written_;
  std::vector<Control> controls_;
  std::vector<std::pair<StmtId, int>> control_of_;
  std::vector<std::pair<StmtId, int>> placed_;  // live statements and the control around them
  std::vector<int> role_of_;                    // parallel to placed_
  std::vector<Node> nodes_;
  std::deque<int> queue_;
};

}  // namespace

void InferLevels(ir::Program& program, ir::Kernel& kernel, diag::Report& report) {
  LevelAnalysis(program, kernel, report).Run();
}

}  // namespace compiler::sema
