// Elaborated programs by hand: for what the language's own checks keep from ever reaching the
// machine, and for the machine alone. Each statement is a line of the program's text, so spans name
// lines.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/ops/table.h"

namespace compiler::machine {

using Ids = std::vector<ir::StmtId>;

class Hand {
 public:
  Hand() {
    p.name = "hand";
    p.target = "sm_90a";
    p.kernels.emplace_back();
    k().name = "k";
  }
  ir::Program p;
  ir::Kernel& k() { return p.kernels.back(); }

  // Declarations.
  ir::ExprId Dim(const std::string& name) {
    p.symbols.push_back({.name = name, .low = 0, .high = 1 << 30, .has_range = true});
    return Add({.kind = ir::ExprKind::kSymbol,
                .level = ir::Level::kLaunch,
                .symbol = static_cast<ir::SymbolId>(p.symbols.size() - 1)},
               ir::DType::kI32);
  }
  ir::TensorId Tensor(std::string name, ir::Direction direction, ir::ExprId extent,
                      ir::DType dtype = ir::DType::kF32) {
    p.tensors.push_back({.name = std::move(name),
                         .direction = direction,
                         .dtype = dtype,
                         .shape = {extent},
                         .strides = {Int(1)}});
    return static_cast<ir::TensorId>(p.tensors.size() - 1);
  }
  ir::SharedId Shared(std::string name, int64_t extent, ir::DType dtype = ir::DType::kF32) {
    k().shared.push_back({.name = std::move(name), .dtype = dtype, .shape = {extent}});
    return static_cast<ir::SharedId>(k().shared.size() - 1);
  }
  ir::BarrierId Barrier(std::string name, int64_t threads, int64_t count = 1) {
    k().barriers.push_back({.name = std::move(name), .count = count, .threads = threads});
    return static_cast<ir::BarrierId>(k().barriers.size() - 1);
  }
  void Role(std::string name, int64_t warps, Ids body) {
    k().roles.push_back({.name = std::move(name), .warps = warps, .body = std::move(body)});
  }
  ir::LocalId Local(std::string name, ir::DType dtype = ir::DType::kI32, int64_t elements = 0) {
    ir::Local local{.name = std::move(name)};
    local.type.dtype = dtype;
    if (elements != 0) local.type.shape = {elements};
    k().locals.push_back(std::move(local));
    return static_cast<ir::LocalId>(k().locals.size() - 1);
  }

  // Expressions.
  ir::ExprId Int(int64_t value, ir::DType dtype = ir::DType::kI32) {
    return Add({.kind = ir::ExprKind::kInt, .int_value = value}, dtype);
  }
  ir::ExprId F32(double value) {
    return Add({.kind = ir::ExprKind::kFloat, .float_value = value}, ir::DType::kF32);
  }
  ir::ExprId Builtin(ir::BuiltinValue value, ir::Level level = ir::Level::kLane) {
    return Add({.kind = ir::ExprKind::kBuiltin, .level = level, .builtin = value}, ir::DType::kI32);
  }
  ir::ExprId Lane() { return Builtin(ir::BuiltinValue::kLane); }
  ir::ExprId Warp() { return Builtin(ir::BuiltinValue::kWarp, ir::Level::kWarp); }
  ir::ExprId Thread() { return Builtin(ir::BuiltinValue::kThread); }
  ir::ExprId Cta() { return Builtin(ir::BuiltinValue::kCta, ir::Level::kCta); }
  ir::ExprId Var(ir::LocalId local) {
    const ir::Type& type = k().locals[static_cast<size_t>(local)].type;
    ir::ExprId id =
        Add({.kind = ir::ExprKind::kLocal, .level = ir::Level::kLane, .local = local}, type.dtype);
    p.exprs.back().type = type;
    return id;
  }
  ir::ExprId Op(std::string_view name, std::vector<ir::ExprId> args, int width = ir::kLanes) {
    const ir::OpDef* op = ops::Table().FindOperator(name, static_cast<int>(args.size()));
    if (op == nullptr) op = ops::Table().Find(name);
    const bool boolean = op->result == ir::ResultRule::kBool;
    const ir::DType dtype =
        boolean ? ir::DType::kBool : p[args[args.size() == 3 ? 1 : 0]].type.dtype;
    ir::Level level = ir::Level::kConst;
    for (ir::ExprId arg : args) level = ir::Narrower(level, p[arg].level);
    return Add({.kind = ir::ExprKind::kOp,
                .level = level,
                .op = op,
                .width = width,
                .args = std::move(args)},
               dtype);
  }
  ir::ExprId And(ir::ExprId l, ir::ExprId r) {
    return Add({.kind = ir::ExprKind::kAnd, .level = ir::Level::kLane, .args = {l, r}},
               ir::DType::kBool);
  }
  ir::ExprId Or(ir::ExprId l, ir::ExprId r) {
    return Add({.kind = ir::ExprKind::kOr, .level = ir::Level::kLane, .args = {l, r}},
               ir::DType::kBool);
  }
  ir::ExprId Element(ir::LocalId array, ir::ExprId index) {
    const ir::ExprId whole = Var(array);
    return Add({.kind = ir::ExprKind::kElement, .level = ir::Level::kLane, .args = {whole, index}},
               p[whole].type.dtype);
  }
  ir::ExprId Array(std::vector<ir::ExprId> elements) {
    const auto count = static_cast<int64_t>(elements.size());
    const ir::DType dtype = p[elements[0]].type.dtype;
    const ir::ExprId id =
        Add({.kind = ir::ExprKind::kArray, .level = ir::Level::kLane, .args = std::move(elements)},
            dtype);
    p.exprs.back().type.shape = {count};
    return id;
  }
  ir::ViewId View(ir::TensorId tensor, ir::ExprId index, int64_t extent = 0) {
    return AddView({.space = ir::Space::kGlobal, .tensor = tensor}, index, extent);
  }
  ir::ViewId View(ir::SharedId shared, ir::ExprId index, int64_t extent = 0) {
    return AddView({.space = ir::Space::kShared, .shared = shared}, index, extent);
  }
  ir::ExprId Load(ir::ViewId view, ir::ExprId otherwise = ir::ExprId::kNone) {
    const ir::View& v = p[view];
    const ir::DType dtype = v.space == ir::Space::kShared
                                ? k().shared[static_cast<size_t>(v.shared)].dtype
                                : p[v.tensor].dtype;
    const ir::ViewIndex& index = v.index[0];
    const int64_t extent = index.is_slice ? p[index.extent].int_value : 0;
    ir::Expr load{.kind = ir::ExprKind::kLoad,
                  .level = ir::Level::kLane,
                  .view = view,
                  .op = ops::Table().Find("ld")};
    if (otherwise != ir::ExprId::kNone) load.args = {otherwise};
    const ir::ExprId id = Add(std::move(load), dtype);
    if (extent != 0) p.exprs.back().type.shape = {extent};
    return id;
  }

  // Statements.
  ir::StmtId Let(ir::LocalId local, ir::ExprId value = ir::ExprId::kNone) {
    return Add({.kind = ir::StmtKind::kLet, .local = local, .value = value}, "let");
  }
  ir::StmtId Set(ir::LocalId local, ir::ExprId value) {
    return Add({.kind = ir::StmtKind::kAssign, .local = local, .value = value}, "set");
  }
  ir::StmtId SetElement(ir::LocalId local, ir::ExprId index, ir::ExprId value) {
    return Add({.kind = ir::StmtKind::kAssign, .local = local, .indices = {index}, .value = value},
               "set element");
  }
  ir::StmtId For(ir::LocalId local, ir::ExprId low, ir::ExprId high, Ids body,
                 ir::ExprId step = ir::ExprId::kNone) {
    if (step == ir::ExprId::kNone) step = Int(1);
    return Add({.kind = ir::StmtKind::kFor,
                .local = local,
                .low = low,
                .high = high,
                .step = step,
                .body = std::move(body)},
               "for");
  }
  ir::StmtId While(ir::ExprId condition, Ids body) {
    return Add({.kind = ir::StmtKind::kWhile, .value = condition, .body = std::move(body)},
               "while");
  }
  ir::StmtId If(ir::ExprId condition, Ids body, Ids other = {}) {
    return Add({.kind = ir::StmtKind::kIf,
                .value = condition,
                .body = std::move(body),
                .else_body = std::move(other)},
               "if");
  }
  ir::StmtId Once(Ids body) {
    return Add({.kind = ir::StmtKind::kOnce, .body = std::move(body)}, "once");
  }
  ir::StmtId Elect(Ids body) {
    return Add({.kind = ir::StmtKind::kElect, .body = std::move(body)}, "elect");
  }
  ir::StmtId Store(ir::ViewId view, ir::ExprId value) {
    return Add({.kind = ir::StmtKind::kOp,
                .value = value,
                .op = ops::Table().Find("st"),
                .destination = view},
               "st");
  }
  ir::StmtId Sync(std::string_view word) {
    return Add({.kind = ir::StmtKind::kOp, .op = ops::Table().Find("sync"), .word = word}, "sync");
  }
  ir::StmtId Bar(std::string_view op, ir::BarrierId barrier, ir::ExprId index = ir::ExprId::kNone) {
    return Add({.kind = ir::StmtKind::kOp,
                .op = ops::Table().Find(op),
                .barrier = barrier,
                .barrier_index = index},
               op);
  }
  diag::Span SpanOf(ir::StmtId id) const { return p[id].source.span; }

 private:
  ir::ExprId Add(ir::Expr expr, ir::DType dtype) {
    expr.type.dtype = dtype;
    p.exprs.push_back(std::move(expr));
    return static_cast<ir::ExprId>(p.exprs.size() - 1);
  }
  ir::ViewId AddView(ir::View view, ir::ExprId index, int64_t extent) {
    ir::ViewIndex i{.offset = index};
    if (extent != 0) {
      i.extent = Int(extent);
      i.is_slice = true;
    }
    view.index = {i};
    p.views.push_back(std::move(view));
    return static_cast<ir::ViewId>(p.views.size() - 1);
  }
  ir::StmtId Add(ir::Stmt stmt, std::string_view text) {
    const auto begin = static_cast<uint32_t>(p.source.size());
    p.source += text;
    stmt.source.span = {begin, static_cast<uint32_t>(p.source.size())};
    p.source += '\n';
    p.stmts.push_back(std::move(stmt));
    return static_cast<ir::StmtId>(p.stmts.size() - 1);
  }
};

}  // namespace compiler::machine
