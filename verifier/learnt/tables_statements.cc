// Tables of statements, what they contain and what they do to memory.
#include <algorithm>
#include <map>
#include <optional>

#include "compiler/facts/copies.h"
#include "compiler/facts/walk.h"
#include "verifier/learnt/tables.h"

namespace verifier::learnt {
namespace {

namespace facts = compiler::facts;
namespace ir = compiler::ir;

constexpr size_t kTextBytesMax = 200;

std::string_view WordOf(ir::StmtKind kind) {
  switch (kind) {
    case ir::StmtKind::kLet: return "let";
    case ir::StmtKind::kAssign: return "assign";
    case ir::StmtKind::kPairLet: return "pairlet";
    case ir::StmtKind::kFor: return "for";
    case ir::StmtKind::kWhile: return "while";
    case ir::StmtKind::kIf: return "if";
    case ir::StmtKind::kElect: return "elect";
    case ir::StmtKind::kOnce: return "once";
    case ir::StmtKind::kOp: return "op";
  }
  return "";
}

std::string_view WordOf(ir::SyncEffect effect) {
  switch (effect) {
    case ir::SyncEffect::kNone: return "";
    case ir::SyncEffect::kWarpSync: return "warp sync";
    case ir::SyncEffect::kScopeSync: return "scope sync";
    case ir::SyncEffect::kNamedSync: return "named sync";
    case ir::SyncEffect::kNamedArrive: return "named arrive";
    case ir::SyncEffect::kAcquire: return "acquire";
    case ir::SyncEffect::kCommit: return "commit";
    case ir::SyncEffect::kWait: return "wait";
    case ir::SyncEffect::kRelease: return "release";
    case ir::SyncEffect::kArrive: return "arrive";
    case ir::SyncEffect::kArriveThread: return "thread arrive";
    case ir::SyncEffect::kExpect: return "expect";
    case ir::SyncEffect::kAsyncCommit: return "async commit";
    case ir::SyncEffect::kAsyncWait: return "async wait";
    case ir::SyncEffect::kAsyncArrive: return "async arrive";
    case ir::SyncEffect::kBulkCommit: return "bulk commit";
    case ir::SyncEffect::kBulkWait: return "bulk wait";
    case ir::SyncEffect::kFence: return "fence";
    case ir::SyncEffect::kFenceSc: return "fence sc";
    case ir::SyncEffect::kPrefetch: return "prefetch";
    case ir::SyncEffect::kGridSync: return "grid sync";
    case ir::SyncEffect::kLaunchWait: return "launch wait";
    case ir::SyncEffect::kLaunchDependents: return "launch dependents";
    case ir::SyncEffect::kProductCommit: return "product commit";
    case ir::SyncEffect::kProductWait: return "product wait";
    case ir::SyncEffect::kTensorCommit: return "tensor commit";
    case ir::SyncEffect::kTensorMemoryWait: return "tensor memory wait";
    case ir::SyncEffect::kClusterArrive: return "cluster arrive";
    case ir::SyncEffect::kClusterWait: return "cluster wait";
    case ir::SyncEffect::kClusterSync: return "cluster sync";
  }
  return "";
}

std::string_view WordOf(ir::CopyEffect effect) {
  switch (effect) {
    case ir::CopyEffect::kNone: return "";
    case ir::CopyEffect::kStore: return "store";
    case ir::CopyEffect::kAsyncCopy: return "async copy";
    case ir::CopyEffect::kTensorLoad: return "tensor load";
    case ir::CopyEffect::kTensorStore: return "tensor store";
    case ir::CopyEffect::kTensorReduce: return "tensor reduce";
    case ir::CopyEffect::kBulkLoad: return "bulk load";
    case ir::CopyEffect::kBulkStore: return "bulk store";
    case ir::CopyEffect::kBulkReduce: return "bulk reduce";
    case ir::CopyEffect::kMatrixLoad: return "matrix load";
    case ir::CopyEffect::kMatrixStore: return "matrix store";
    case ir::CopyEffect::kRemoteStore: return "remote store";
    case ir::CopyEffect::kGatherLoad: return "gather load";
    case ir::CopyEffect::kMapUpdate: return "map update";
    case ir::CopyEffect::kTensorMemoryLoad: return "tensor memory load";
    case ir::CopyEffect::kTensorMemoryStore: return "tensor memory store";
    case ir::CopyEffect::kTensorMemoryCopy: return "tensor memory copy";
    case ir::CopyEffect::kLaunchCancel: return "launch cancel";
  }
  return "";
}

std::string_view ProductWord(const ir::OpDef& op) {
  if (!op.effects.product) return "";
  switch (op.effects.engine) {
    case ir::ProductEngine::kWarp: return "warp";
    case ir::ProductEngine::kWarpgroup: return "warpgroup";
    case ir::ProductEngine::kTensorMemory: return "tensor memory";
  }
  return "";
}

Cell Word(std::string_view word) { return word.empty() ? Cell(Null{}) : Cell(word); }
Cell IdCell(auto id) {
  return static_cast<int64_t>(id) < 0 ? Cell(Null{}) : Cell(static_cast<int64_t>(id));
}
int64_t Number(ir::StmtId id) { return static_cast<int64_t>(id); }

// A statement where it stands. Those of inlined functions are one statement a call in the tree.
struct Placed {
  ir::StmtId id = ir::StmtId::kNone;
  int64_t kernel = 0, role = 0, position = 0, depth = 0;
  ir::StmtId parent = ir::StmtId::kNone, loop = ir::StmtId::kNone;
  bool in_else = false;
};

class Walk {
 public:
  explicit Walk(const ir::Program& program) : program_(program) {
    for (size_t k = 0; k < program.kernels.size(); ++k) {
      kernel_ = static_cast<int64_t>(k);
      Body(program.kernels[k].lets, -1);
      for (size_t r = 0; r < program.kernels[k].roles.size(); ++r) {
        Body(program.kernels[k].roles[r].body, static_cast<int64_t>(r));
      }
    }
  }
  const std::vector<Placed>& all() const { return all_; }

 private:
  void Body(const std::vector<ir::StmtId>& body, int64_t role) {
    role_ = role;
    position_ = 0;
    List(body, {});
  }
  void List(const std::vector<ir::StmtId>& body, const Placed& around) {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      Placed placed = around;
      placed.id = id;
      placed.kernel = kernel_;
      placed.role = role_;
      placed.position = position_++;
      all_.push_back(placed);
      Placed inner{.depth = placed.depth + 1, .parent = id, .loop = placed.loop};
      const bool loops = stmt.kind == ir::StmtKind::kFor || stmt.kind == ir::StmtKind::kWhile;
      if (loops) inner.loop = id;
      List(stmt.body, inner);
      inner.in_else = true;
      List(stmt.else_body, inner);
    }
  }

  const ir::Program& program_;
  int64_t kernel_ = 0, role_ = 0, position_ = 0;
  std::vector<Placed> all_;
};

// Instructions in the statement's own expressions, and its own.
void ForEachUse(const ir::Program& program, const ir::Stmt& stmt, auto visit) {
  for (const ir::ExprId root : facts::OwnExprs(program, stmt)) {
    facts::ForEachExpr(program, root, [&](ir::ExprId, const ir::Expr& expr) { visit(expr); });
  }
}

// The engines of the async proxy: bulk and tensor copies, answers of launch control, products and
// copies of tensor memory read shared memory by it (PTX ISA, async proxy).
bool ByAsyncProxy(const ir::OpDef& op) {
  const ir::CopyEffect copy = op.effects.copy;
  if (op.effects.product) return op.effects.engine != ir::ProductEngine::kWarp;
  return facts::IsTensorCopy(copy) || facts::IsBulkCopy(copy) || facts::IsMbarrierLoad(copy) ||
         copy == ir::CopyEffect::kTensorMemoryCopy;
}

// One read or write of a view.
class AccessRows {
 public:
  AccessRows(const ir::Program& program, Rows& rows) : program_(program), rows_(rows) {}

  void Add(const Placed& at, ir::ViewId id, std::string_view kind, const ir::OpDef* op) {
    if (id == ir::ViewId::kNone) return;
    const ir::View& view = program_[id];
    const ir::Kernel& kernel = program_.kernels[static_cast<size_t>(at.kernel)];
    const ir::DType dtype = TypeOf(view, kernel);
    const std::optional<int64_t> elements = Elements(view);
    const bool async = op != nullptr && ByAsyncProxy(*op);
    const int64_t bits = ir::Info(dtype).bits;
    const Cell bytes = elements ? Cell(*elements * bits / 8) : Cell(Null{});
    const Cell buffer = view.space == ir::Space::kTmem ? IdCell(view.tmem) : IdCell(view.shared);
    rows_.Add({Number(at.id), kind, SpaceWord(view.space), IdCell(view.tensor), buffer,
               ToString(dtype), async ? "async" : "generic",
               elements ? Cell(*elements) : Cell(Null{}), bytes, ToString(LevelOf(view)),
               int64_t{view.remote != ir::ExprId::kNone}, int64_t{view.stage != ir::ExprId::kNone},
               int64_t{view.source.span.begin}, int64_t{view.source.span.end}});
  }

 private:
  static std::string_view SpaceWord(ir::Space space) {
    if (space == ir::Space::kGlobal) return "global";
    return space == ir::Space::kShared ? "shared" : "tmem";
  }
  ir::DType TypeOf(const ir::View& view, const ir::Kernel& kernel) const {
    if (view.space == ir::Space::kGlobal) return program_[view.tensor].dtype;
    if (view.space == ir::Space::kTmem) return kernel.tmem[static_cast<size_t>(view.tmem)].dtype;
    return kernel.shared[static_cast<size_t>(view.shared)].dtype;
  }
  std::optional<int64_t> Elements(const ir::View& view) const {
    int64_t product = 1;
    for (const ir::ViewIndex& index : view.index) {
      if (!index.is_slice) continue;
      const ir::Expr& extent = program_[index.extent];
      if (extent.kind != ir::ExprKind::kInt) return std::nullopt;
      if (__builtin_mul_overflow(product, extent.int_value, &product)) return std::nullopt;
    }
    return product;
  }
  ir::Level LevelOf(const ir::View& view) const {
    ir::Level level = ir::Level::kConst;
    const auto join = [&](ir::ExprId id) {
      if (id != ir::ExprId::kNone) level = ir::Narrower(level, program_[id].level);
    };
    join(view.stage);
    for (const ir::ViewIndex& index : view.index) join(index.offset);
    return level;
  }

  const ir::Program& program_;
  Rows& rows_;
};

// Whether `second` can follow `first` in one pass of their innermost common body.
class Order {
 public:
  explicit Order(const std::vector<Placed>& all) {
    for (const Placed& one : all) by_id_[one.id] = &one;
  }

  // 0: never, 1: in text order, 2: only around a loop.
  int Of(const Placed& first, const Placed& second) const {
    const std::vector<const Placed*> a = Chain(first), b = Chain(second);
    size_t common = 0;
    while (common < a.size() && common < b.size() && a[common]->id == b[common]->id) ++common;
    const bool loops = common > 0 && Loop(first, a, common);
    // The two sides of one `if` exclude each other in one pass.
    const bool apart =
        common < a.size() && common < b.size() && a[common]->in_else != b[common]->in_else;
    if (first.position < second.position && !apart) return 1;
    return loops ? 2 : 0;
  }

 private:
  // From the outermost statement to the one itself.
  std::vector<const Placed*> Chain(const Placed& one) const {
    std::vector<const Placed*> chain{&one};
    while (chain.back()->parent != ir::StmtId::kNone) {
      chain.push_back(by_id_.at(chain.back()->parent));
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
  }
  // Whether one of the first `common` statements of the chain is a loop.
  static bool Loop(const Placed& first, const std::vector<const Placed*>& chain, size_t common) {
    if (first.loop == ir::StmtId::kNone) return false;
    for (size_t i = 0; i < common; ++i) {
      for (size_t j = i + 1; j < chain.size(); ++j) {
        if (chain[j]->loop == chain[i]->id) return true;
      }
    }
    return false;
  }

  std::map<ir::StmtId, const Placed*> by_id_;
};

}  // namespace

void FillStatements(const Source& source, Rows& rows) {
  const ir::Program& program = source.program;
  const Walk walk(program);
  for (const Placed& at : walk.all()) {
    const ir::Stmt& stmt = program[at.id];
    const ir::OpDef* op = stmt.op;
    const std::string_view text = facts::TextOf(program, stmt.source.span).substr(0, kTextBytesMax);
    rows.Add({Number(at.id),
              at.kernel,
              at.role,
              at.position,
              IdCell(at.parent),
              int64_t{at.in_else},
              at.depth,
              IdCell(at.loop),
              WordOf(stmt.kind),
              Word(op ? op->name : ""),
              Word(op ? ToString(op->scope) : ""),
              Word(op ? WordOf(op->effects.sync) : ""),
              Word(op ? WordOf(op->effects.copy) : ""),
              Word(op ? ProductWord(*op) : ""),
              IdCell(stmt.ring),
              IdCell(stmt.event),
              IdCell(stmt.on_ring),
              IdCell(stmt.on_event),
              IdCell(stmt.barrier),
              Word(stmt.word),
              stmt.unroll,
              text,
              int64_t{stmt.source.span.begin},
              int64_t{stmt.source.span.end}});
  }
}

void FillModifiers(const Source& source, Rows& rows) {
  const ir::Program& program = source.program;
  const Walk walk(program);
  for (const Placed& at : walk.all()) {
    const ir::Stmt& stmt = program[at.id];
    const auto add = [&](const ir::OpDef* op, const std::vector<std::string_view>& words) {
      if (op == nullptr) return;
      for (const std::string_view word : words) rows.Add({Number(at.id), op->name, word});
    };
    add(stmt.op, stmt.modifiers);
    ForEachUse(program, stmt, [&](const ir::Expr& expr) { add(expr.op, expr.modifiers); });
  }
}

void FillInside(const Source& source, Rows& rows) {
  const Walk walk(source.program);
  std::map<ir::StmtId, const Placed*> by_id;
  for (const Placed& at : walk.all()) {
    by_id[at.id] = &at;
    int64_t distance = 0;
    for (ir::StmtId up = at.parent; up != ir::StmtId::kNone; up = by_id.at(up)->parent) {
      rows.Add({Number(at.id), Number(up), ++distance});
    }
  }
}

void FillReaches(const Source& source, Rows& rows) {
  const Walk walk(source.program);
  const Order order(walk.all());
  std::vector<const Placed*> ops;
  for (const Placed& at : walk.all()) {
    if (source.program[at.id].kind == ir::StmtKind::kOp) ops.push_back(&at);
  }
  for (const Placed* first : ops) {
    for (const Placed* second : ops) {
      if (first->kernel != second->kernel || first->role != second->role) continue;
      const int how = order.Of(*first, *second);
      if (how != 0) rows.Add({Number(first->id), Number(second->id), int64_t{how - 1}});
    }
  }
}

void FillOperations(const Source& source, Rows& rows) {
  const ir::Program& program = source.program;
  const Walk walk(program);
  for (const Placed& at : walk.all()) {
    ForEachUse(program, program[at.id], [&](const ir::Expr& expr) {
      if (expr.op == nullptr) return;
      rows.Add({Number(at.id), expr.op->name, ToString(expr.type.dtype), ToString(expr.level),
                int64_t{expr.width}, int64_t{expr.source.span.begin},
                int64_t{expr.source.span.end}});
    });
  }
}

void FillAccesses(const Source& source, Rows& rows) {
  const ir::Program& program = source.program;
  const Walk walk(program);
  AccessRows accesses(program, rows);
  for (const Placed& at : walk.all()) {
    const ir::Stmt& stmt = program[at.id];
    ForEachUse(program, stmt, [&](const ir::Expr& expr) {
      if (expr.kind == ir::ExprKind::kLoad) accesses.Add(at, expr.view, "read", expr.op);
      if (expr.kind == ir::ExprKind::kAtomic) accesses.Add(at, expr.view, "update", expr.op);
    });
    if (stmt.op == nullptr) continue;
    const bool prefetches = stmt.op->effects.sync == ir::SyncEffect::kPrefetch;
    const bool updates = stmt.op->effects.atomic ||
                         stmt.op->effects.copy == ir::CopyEffect::kTensorReduce ||
                         stmt.op->effects.copy == ir::CopyEffect::kBulkReduce;
    if (!prefetches) {
      accesses.Add(at, stmt.destination, updates ? "update" : "write", stmt.op);
    }
    for (const ir::ViewId read :
         {stmt.source_view, stmt.left_view, stmt.right_view, stmt.left_scale, stmt.right_scale}) {
      accesses.Add(at, read, "read", stmt.op);
    }
    accesses.Add(at, stmt.accumulator_view, stmt.accumulate ? "update" : "write", stmt.op);
  }
}

}  // namespace verifier::learnt
