#include "compiler/sema/levels.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "compiler/ir/walk.h"
#include "compiler/sema/level_facts.h"

namespace compiler::sema {
namespace {

using ir::ExprId;
using ir::ExprKind;
using ir::Level;
using ir::StmtId;

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

class LevelAnalysis {
 public:
  LevelAnalysis(ir::Program& program, ir::Kernel& kernel) : program_(program), kernel_(kernel) {}

  LevelFacts Run() {
    FindWritten();
    Collect(kernel_.lets, -1, -1);
    for (size_t i = 0; i < kernel_.roles.size(); ++i) {
      Collect(kernel_.roles[i].body, -1, static_cast<int>(i));
    }
    BuildNodes();
    Propagate();
    Write();
    for (size_t i = 0; i < kernel_.locals.size(); ++i) facts_.reasons.push_back(nodes_[i].reason);
    return std::move(facts_);
  }

 private:
  // Nodes 0 .. locals-1 are the locals, then one per control.
  struct Edge {
    int to;
    ExprId through;
    StmtId at;
  };
  struct Node {
    LevelReason reason;
    std::vector<Edge> users;
  };

  int ControlNode(int control) const { return static_cast<int>(kernel_.locals.size()) + control; }

  void FindWritten() {
    const auto mark = [&](ir::TensorId id) { written_.insert(id); };
    std::vector<ir::ViewId> views;
    const auto collect = [&](const ir::Stmt& stmt) {
      ir::AppendWrittenViews(program_, stmt, views);
    };
    ForEach(kernel_.lets, collect);
    for (const ir::Role& role : kernel_.roles) ForEach(role.body, collect);
    for (const ir::ViewId view : views) mark(program_[view].tensor);
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
      PlacedStmt place{id, control, control, role};
      const bool once = stmt.kind == ir::StmtKind::kElect || stmt.kind == ir::StmtKind::kOnce;
      if (once || stmt.kind == ir::StmtKind::kIf || stmt.kind == ir::StmtKind::kFor ||
          stmt.kind == ir::StmtKind::kWhile) {
        facts_.controls.push_back({control, id, role, once});
        place.inner = static_cast<int>(facts_.controls.size()) - 1;
      }
      facts_.placed.push_back(place);
      Collect(stmt.body, place.inner, role);
      Collect(stmt.else_body, place.inner, role);
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
    if (const Level fixed = OwnLevel(expr); fixed != Level::kConst) return fixed;
    const ir::View& view = program_[expr.view];
    if (view.space == ir::Space::kShared) {
      return view.remote == ExprId::kNone ? Level::kCta : Level::kCluster;
    }
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
    LevelReason& reason = nodes_[static_cast<size_t>(node)].reason;
    if (level <= reason.level) return;
    reason = {level, cause, at, control};
    queue_.push_back(node);
  }

  void BuildNodes() {
    nodes_.resize(kernel_.locals.size() + facts_.controls.size());
    for (size_t c = 0; c < facts_.controls.size(); ++c) {
      const int node = ControlNode(static_cast<int>(c));
      const Control& control = facts_.controls[c];
      const ir::Stmt& stmt = program_[control.stmt];
      if (control.single_thread) Raise(node, Level::kLane, ExprId::kNone, control.stmt, -1);
      AddInput(node, stmt.kind == ir::StmtKind::kFor ? ExprId::kNone : stmt.value, control.stmt);
      for (ExprId bound : {stmt.low, stmt.high, stmt.step}) AddInput(node, bound, control.stmt);
      if (control.parent >= 0) {
        nodes_[static_cast<size_t>(ControlNode(control.parent))].users.push_back(
            {node, ExprId::kNone, control.stmt});
      }
    }
    for (const PlacedStmt& place : facts_.placed) Assignments(place.id, place.control);
  }

  void Assignments(StmtId id, int control) {
    const ir::Stmt& stmt = program_[id];
    for (ir::LocalId local : {stmt.local, stmt.second_local}) {
      if (local == ir::LocalId::kNone) continue;
      const int node = static_cast<int>(local);
      // Each thread holds its own part of a fragment.
      if (kernel_.locals[static_cast<size_t>(local)].type.is_fragment()) {
        Raise(node, Level::kLane, ExprId::kNone, id, -1);
      }
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
      const Level level = nodes_[static_cast<size_t>(node)].reason.level;
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
    for (size_t i = 0; i < kernel_.locals.size(); ++i)
      kernel_.locals[i].level = nodes_[i].reason.level;
    std::vector<ExprId> operands;
    std::vector<ExprId> pending;
    for (const PlacedStmt& place : facts_.placed) {
      ir::AppendOwnExprs(program_, program_[place.id], pending);
    }
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

  ir::Program& program_;
  ir::Kernel& kernel_;
  std::set<ir::TensorId> written_;
  LevelFacts facts_;
  std::vector<Node> nodes_;
  std::deque<int> queue_;
};

}  // namespace

Level OwnLevel(const ir::Expr& expr) {
  if (expr.kind == ExprKind::kRow || expr.kind == ExprKind::kColumn) return Level::kLane;
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

void InferLevels(ir::Program& program, ir::Kernel& kernel, diag::Report& report) {
  const LevelFacts facts = LevelAnalysis(program, kernel).Run();
  CheckCollectives(program, kernel, facts, report);
}

}  // namespace compiler::sema
