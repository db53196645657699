// A right program, read: what stands where, and what it names. Knows the parser and nothing that
// judges programs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/text/syntax.h"

namespace mutation {

namespace text = compiler::text;
using compiler::diag::Span;

struct Site {
  const text::Stmt* stmt = nullptr;
  const text::Block* block = nullptr;
  size_t at = 0;  // in the block
  const text::Kernel* kernel = nullptr;
  const text::KernelItem* role = nullptr;    // null in a fn outside of roles
  const text::Function* function = nullptr;  // the innermost
  std::vector<const text::Stmt*> around;     // within its role or function, outermost first

  std::string_view op() const;  // of an instruction, "" else
};

// An item of a kernel, with those inside of `if` and `either`.
struct Declared {
  const text::Kernel* kernel = nullptr;
  const text::KernelItem* item = nullptr;
  bool optional = false;  // under an `if`
};

class Base {
 public:
  // Null unless the text parses and has a program of this name (or just one).
  static std::unique_ptr<Base> Read(std::string_view source, std::string_view program);

  const std::string& source() const { return file_->source; }
  const text::Program& program() const { return *program_; }
  const std::vector<Site>& sites() const { return sites_; }  // in the order of the text
  const std::vector<Declared>& items() const { return items_; }

  std::string Text(Span span) const { return source().substr(span.begin, span.end - span.begin); }
  std::string Text(const text::Expr* e) const { return e == nullptr ? "" : Text(e->span); }
  // A statement without its blocks.
  Span Head(const text::Stmt& stmt) const;
  std::string HeadText(const Site& site) const { return Text(Head(*site.stmt)); }
  // Whether the word stands there by itself.
  bool Names(Span span, std::string_view word) const;

  // The least value that a literal, a param or a constant can have; nothing of other expressions.
  std::optional<int64_t> Least(const text::Expr* e) const;
  std::optional<int64_t> Greatest(const text::Expr* e) const;
  // Whether it is repeated as often as the shape says.
  bool Loops(const Site& site) const;
  // Whether a member may be without it: it stands under a condition on params.
  bool Optional(const Site& site) const;
  // Heads of statements, and declarations, that name one of these in the kernel (null: anywhere).
  std::vector<Span> Naming(const std::set<std::string>& words, const text::Kernel* kernel) const;
  // Sites of an instruction on this ring, event or barrier.
  std::vector<const Site*> On(std::string_view op, std::string_view name,
                              const text::Kernel* kernel) const;
  std::vector<const Site*> Of(std::string_view op, const text::Kernel* kernel) const;
  // Tensors of the program and memory between kernels.
  const text::TensorDecl* Tensor(std::string_view name) const;
  bool IsWritten(std::string_view tensor) const;  // out, inout or workspace
  std::vector<std::string> TensorNames() const;
  std::string Target() const { return std::string(program_->target.text); }
  bool IsLater() const;  // for a later architecture than there is a device of: sm_100 on

 private:
  void Walk(const text::Block& block, Site around);
  void WalkFunction(const text::Function& function, Site around);
  void WalkItems(const text::KernelItems& items, const text::Kernel& kernel, bool optional);
  bool Optional(const Site& site, int depth) const;
  bool IsConstant(const text::Expr* e, const text::Function* function) const;
  bool Loops(const Site& site, int depth) const;
  std::optional<int64_t> Bound(const text::Expr* e, bool least) const;

  std::unique_ptr<text::File> file_;
  const text::Program* program_ = nullptr;
  std::vector<Site> sites_;
  std::vector<Declared> items_;
};

// What an expression holds, itself included, outermost first.
std::vector<const text::Expr*> Inside(const text::Expr* e);
// The expressions of a statement, without those of its blocks.
std::vector<const text::Expr*> Expressions(const text::Stmt& stmt);
// The last `@use` of a path, or null.
const text::Expr* UseOf(const text::Expr* path);

}  // namespace mutation
