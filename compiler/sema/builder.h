// Makes nodes of the elaborated tree: types are given, constants are folded through the table's own
// meaning, and the size of what inlining makes is bounded. Only compiler/sema includes this.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/op_def.h"
#include "compiler/ir/program.h"

namespace compiler::sema {

using ir::DType;
using ir::ExprId;

class Builder {
 public:
  Builder(ir::Program& program, const ir::OpTable& ops, diag::Report& report)
      : program_(program), ops_(ops), report_(report) {}

  ExprId Add(ir::Expr expr, diag::Span span);
  // A literal takes the type that its use asks for; other constants keep theirs.
  ExprId Int(int64_t value, DType type, diag::Span span, bool literal = false);
  ExprId Bool(bool value, diag::Span span) { return Int(value ? 1 : 0, DType::kBool, span); }
  ExprId Float(double raw, DType type, diag::Span span, bool literal = false);
  ExprId Unknown(diag::Span span);  // something a diagnostic has been reported for
  // Applies `op`; all-constant operands are folded, a step error of theirs is reported.
  ExprId Op(const ir::OpDef* op, std::vector<ExprId> args, ir::Type type, diag::Span span,
            std::vector<std::string_view> modifiers = {}, int width = ir::kLanes);
  // The operator `token` of the table on operands that already have one type.
  ExprId Operator(std::string_view token, std::vector<ExprId> args, ir::Type type, diag::Span span);
  ExprId Convert(ExprId value, DType to, diag::Span span);
  // Sum of two integers of one type; a zero operand disappears.
  ExprId AddIndex(ExprId a, ExprId b, diag::Span span);
  ir::ViewId AddView(ir::View view);
  ir::StmtId AddStmt(ir::Stmt stmt);

  const ir::Expr& operator[](ExprId id) const { return program_[id]; }
  const ir::Type& TypeOf(ExprId id) const { return program_[id].type; }
  bool IsUnknown(ExprId id) const { return TypeOf(id).dtype == DType::kUnknown; }
  bool IsConst(ExprId id) const;
  bool IsLiteral(ExprId id) const { return meta_[static_cast<size_t>(id)].literal; }
  double Raw(ExprId id) const { return meta_[static_cast<size_t>(id)].raw; }
  void MarkLiteral(ExprId id, double raw);
  std::optional<int64_t> ConstInt(ExprId id) const;  // integers and bools

  int32_t instance = 0;  // what the next nodes are stamped with
  int dead = 0;          // above 0: step errors of constants are not reported
  // The first live place without a value: each has its diagnostic, which Elaborate makes sure of.
  std::optional<diag::Span> first_unknown;
  bool exhausted() const { return exhausted_; }
  // Rolls the arenas back to an earlier size: what was checked but is in no program.
  struct Mark {
    size_t exprs, stmts, views;
  };
  Mark Here() const;
  void RollBack(const Mark& mark);

 private:
  struct Meta {
    int32_t depth = 1;
    int64_t size = 1;  // as a tree: shared operands count each time they are named
    bool literal = false;
    double raw = 0;
  };

  Meta Measure(const ir::Expr& expr) const;
  void MeasureView(ir::ViewId id, Meta& meta) const;
  std::optional<ExprId> Fold(const ir::Expr& expr, diag::Span span);
  void Spend(int64_t nodes, diag::Span span);
  void ReportLimit(diag::Span span, int64_t needed);

  ir::Program& program_;
  const ir::OpTable& ops_;
  diag::Report& report_;
  std::vector<Meta> meta_;
  int64_t spent_nodes_ = 0;
  bool exhausted_ = false;
};

}  // namespace compiler::sema
