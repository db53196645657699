// A program as tactics read it: its text, its syntax tree, its params, and walks over the tree.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/syntax.h"

namespace server::generators {

using compiler::diag::Edit;
using compiler::diag::Span;
using compiler::sema::Binding;
using compiler::sema::ParamDomain;
namespace text = compiler::text;

struct ProgramText {
  std::unique_ptr<text::File> file;
  const text::Program* program = nullptr;  // null: the text has errors, or not just one program
  std::vector<ParamDomain> params;

  std::string_view Slice(Span span) const;
};

// Parses and reads the params; `program` is null where either has errors.
ProgramText Read(std::string_view source);

// A place of a program that a tactic could change: the edits, what the binding becomes, and in
// words what is done.
struct Site {
  std::vector<Edit> edits;
  Binding changes;
  std::string text;
};
using Sites = std::vector<Site>;

// The text with edits that do not overlap; "" if they do.
std::string Apply(std::string_view source, std::vector<Edit> edits);

// Every expression below, the outer ones first. Null pointers are skipped.
using ExprVisitor = std::function<void(const text::Expr&)>;
void VisitExpr(const text::Expr* expr, const ExprVisitor& visit);
// Every expression of a statement and its blocks.
void VisitExprs(const text::Stmt& stmt, const ExprVisitor& visit);
void VisitExprs(const text::Block& block, const ExprVisitor& visit);

// Every block of the program's kernels (roles, functions, loops, branches), the outer ones first.
using BlockVisitor = std::function<void(const text::Block&)>;
void VisitBlocks(const text::Program& program, const BlockVisitor& visit);
void VisitBlocks(const text::Block& block, const BlockVisitor& visit);

// Every item of a kernel, those within `if` and `either` too.
using ItemVisitor = std::function<void(const text::KernelItem&)>;
void VisitItems(const text::KernelItems& items, const ItemVisitor& visit);

// Whether the expression names `name` anywhere.
bool Names(const text::Expr* expr, std::string_view name);

}  // namespace server::generators
