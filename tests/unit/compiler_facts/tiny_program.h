// Elaborated programs by hand, for tests below the parser: spans index the text that each piece
// adds.
#pragma once

#include <string>

#include "compiler/ir/program.h"

namespace compiler::facts {

// The four operations of launch-level arithmetic, as the instruction table defines them.
inline std::string_view Arithmetic(const ir::MeaningArgs& args, char op) {
  const auto a = static_cast<int64_t>(args.in[0]->bits[0]);
  const auto b = static_cast<int64_t>(args.in[1]->bits[0]);
  int64_t out = 0;
  if (op == '/' && b == 0) return "division by zero";
  if (op == '+') out = a + b;
  if (op == '*') out = a * b;
  if (op == '/') out = (a + b - 1) / b;
  if (op == '%') out = a % b == 0;
  args.out[0]->bits[0] = static_cast<uint64_t>(out);
  return "";
}

inline const ir::OpDef kAdd{.name = "+",
                            .form = ir::Form::kOperator,
                            .meaning = [](const ir::MeaningArgs& a) { return Arithmetic(a, '+'); },
                            .algebra = ir::Algebra::kAdd};
inline const ir::OpDef kMul{.name = "*",
                            .form = ir::Form::kOperator,
                            .meaning = [](const ir::MeaningArgs& a) { return Arithmetic(a, '*'); },
                            .algebra = ir::Algebra::kMultiply};
inline const ir::OpDef kCeilDiv{
    .name = "ceildiv", .form = ir::Form::kFunction, .meaning = [](const ir::MeaningArgs& a) {
      return Arithmetic(a, '/');
    }};
inline const ir::OpDef kDivides{
    .name = "divides", .form = ir::Form::kFunction, .meaning = [](const ir::MeaningArgs& a) {
      return Arithmetic(a, '%');
    }};
inline const ir::OpDef kSync{.name = "sync",
                             .form = ir::Form::kSync,
                             .scope = ir::Scope::kWarp,
                             .effects = {.sync = ir::SyncEffect::kScopeSync}};

struct TinyProgram {
  ir::Program p;

  TinyProgram() {
    p.name = "tiny";
    p.target = "sm_90a";
  }
  diag::Span Text(std::string_view text) {
    const auto begin = static_cast<uint32_t>(p.source.size());
    p.source += text;
    return {begin, static_cast<uint32_t>(p.source.size())};
  }
  ir::ExprId Add(ir::Expr expr, std::string_view text) {
    expr.type.dtype = ir::DType::kI32;
    expr.level = ir::Level::kLaunch;
    expr.source.span = Text(text);
    p.exprs.push_back(std::move(expr));
    return static_cast<ir::ExprId>(p.exprs.size() - 1);
  }
  ir::ExprId Int(int64_t value) {
    return Add({.kind = ir::ExprKind::kInt, .int_value = value}, std::to_string(value));
  }
  ir::SymbolId Dim(std::string name, int64_t low, int64_t high) {
    p.symbols.push_back({.name = std::move(name), .low = low, .high = high, .has_range = true});
    return static_cast<ir::SymbolId>(p.symbols.size() - 1);
  }
  ir::ExprId Sym(ir::SymbolId id) {
    return Add({.kind = ir::ExprKind::kSymbol, .symbol = id}, p[id].name);
  }
  ir::ExprId Op(const ir::OpDef& op, ir::ExprId a, ir::ExprId b, std::string_view text) {
    return Add({.kind = ir::ExprKind::kOp, .op = &op, .args = {a, b}}, text);
  }
  void Tensor(std::string name, ir::Direction direction, ir::DType dtype,
              std::vector<ir::ExprId> shape, std::vector<ir::ExprId> strides) {
    p.tensors.push_back({.name = std::move(name),
                         .direction = direction,
                         .dtype = dtype,
                         .shape = std::move(shape),
                         .strides = std::move(strides)});
  }
  ir::StmtId Sync(std::string_view word) {
    ir::Stmt stmt;
    stmt.kind = ir::StmtKind::kOp;
    stmt.op = &kSync;
    stmt.word = word;
    p.stmts.push_back(std::move(stmt));
    return static_cast<ir::StmtId>(p.stmts.size() - 1);
  }
};

}  // namespace compiler::facts
