#include "server/generators/program_text.h"

#include <algorithm>

#include "compiler/ops/table.h"
#include "compiler/text/parse.h"

namespace server::generators {

std::string_view ProgramText::Slice(Span span) const {
  return std::string_view(file->source).substr(span.begin, span.end - span.begin);
}

ProgramText Read(std::string_view source) {
  ProgramText out;
  compiler::diag::Report report;
  out.file = text::Parse(source, compiler::ops::Table(), report);
  if (report.has_errors() || out.file->programs.size() != 1) return out;
  out.params = compiler::sema::Params(*out.file->programs.front(), report);
  if (!report.has_errors()) out.program = out.file->programs.front();
  return out;
}

std::string Apply(std::string_view source, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
  std::string out;
  size_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.span.begin < at || edit.span.end < edit.span.begin || edit.span.end > source.size()) {
      return "";
    }
    out += source.substr(at, edit.span.begin - at);
    out += edit.text;
    at = edit.span.end;
  }
  out += source.substr(at);
  return out;
}

void VisitExpr(const text::Expr* expr, const ExprVisitor& visit) {
  if (expr == nullptr) return;
  visit(*expr);
  for (const text::Postfix& postfix : expr->postfixes) {
    VisitExpr(postfix.use, visit);
    for (const text::Index& index : postfix.indices) {
      VisitExpr(index.offset, visit);
      VisitExpr(index.extent, visit);
    }
    for (const text::Expr* arg : postfix.args) VisitExpr(arg, visit);
  }
  VisitExpr(expr->remote, visit);
  for (const text::Expr* operand : expr->operands) VisitExpr(operand, visit);
}

void VisitExprs(const text::Stmt& s, const ExprVisitor& visit) {
  for (const text::Expr* expr :
       {s.target, s.value, s.range.low, s.range.high, s.iterable, s.step, s.unroll, s.destination,
        s.source, s.left, s.right, s.zero, s.scale_a, s.scale_b, s.on_event, s.multicast,
        s.else_value, s.operand, s.bytes}) {
    VisitExpr(expr, visit);
  }
  for (const text::Expr* expr : s.values) VisitExpr(expr, visit);
  for (const text::Expr* expr : s.type.shape) VisitExpr(expr, visit);
  if (s.function != nullptr) VisitExprs(s.function->body, visit);
  VisitExprs(s.body, visit);
  VisitExprs(s.else_body, visit);
}

void VisitExprs(const text::Block& block, const ExprVisitor& visit) {
  for (const text::Stmt* stmt : block) VisitExprs(*stmt, visit);
}

void VisitBlocks(const text::Block& block, const BlockVisitor& visit) {
  visit(block);
  for (const text::Stmt* stmt : block) {
    if (stmt->function != nullptr) VisitBlocks(stmt->function->body, visit);
    if (!stmt->body.empty()) VisitBlocks(stmt->body, visit);
    if (!stmt->else_body.empty()) VisitBlocks(stmt->else_body, visit);
  }
}

void VisitItems(const text::KernelItems& items, const ItemVisitor& visit) {
  for (const text::KernelItem* item : items) {
    visit(*item);
    VisitItems(item->items, visit);
    for (const text::KernelItems& branch : item->alternatives) VisitItems(branch, visit);
  }
}

void VisitBlocks(const text::Program& program, const BlockVisitor& visit) {
  for (const text::Item* item : program.items) {
    if (item->function != nullptr) VisitBlocks(item->function->body, visit);
    if (item->kernel == nullptr) continue;
    VisitItems(item->kernel->items, [&](const text::KernelItem& inner) {
      if (inner.function != nullptr) VisitBlocks(inner.function->body, visit);
      if (!inner.body.empty()) VisitBlocks(inner.body, visit);
    });
  }
}

bool Names(const text::Expr* expr, std::string_view name) {
  bool found = false;
  VisitExpr(expr, [&](const text::Expr& e) {
    found = found || (e.kind == text::Expr::Kind::kPath && e.name.text == name);
  });
  return found;
}

}  // namespace server::generators
