#include "tests/mutation/programs/base.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "compiler/ops/table.h"
#include "compiler/text/parse.h"

namespace mutation {
namespace {

using text::Expr;
using text::KernelItem;
using text::Stmt;

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

void AddInside(const Expr* e, std::vector<const Expr*>& out) {
  if (e == nullptr) return;
  out.push_back(e);
  for (const Expr* operand : e->operands) AddInside(operand, out);
  for (const text::Postfix& postfix : e->postfixes) {
    AddInside(postfix.use, out);
    for (const text::Index& index : postfix.indices) {
      AddInside(index.offset, out);
      AddInside(index.extent, out);
    }
    for (const Expr* arg : postfix.args) AddInside(arg, out);
  }
  AddInside(e->remote, out);
}

}  // namespace

std::string_view Site::op() const {
  return stmt->kind == Stmt::Kind::kOp ? stmt->op->name : std::string_view();
}

std::unique_ptr<Base> Base::Read(std::string_view source, std::string_view program) {
  auto base = std::make_unique<Base>();
  compiler::diag::Report report;
  base->file_ = text::Parse(source, compiler::ops::Table(), report);
  for (const auto& d : report.diagnostics()) {
    if (d.severity == compiler::diag::Severity::kError) return nullptr;
  }
  for (const text::Program* p : base->file_->programs) {
    const bool only = program.empty() && base->file_->programs.size() == 1;
    if (only || p->name.text == program) base->program_ = p;
  }
  if (base->program_ == nullptr) return nullptr;
  for (const text::Item* item : base->program_->items) {
    if (item->kind == text::Item::Kind::kFunction) base->WalkFunction(*item->function, {});
    if (item->kind == text::Item::Kind::kKernel)
      base->WalkItems(item->kernel->items, *item->kernel, false);
  }
  return base;
}

void Base::Walk(const text::Block& block, Site around) {
  for (size_t i = 0; i < block.size(); ++i) {
    const Stmt& stmt = *block[i];
    Site site = around;
    site.stmt = &stmt;
    site.block = &block;
    site.at = i;
    sites_.push_back(site);
    if (stmt.kind == Stmt::Kind::kFunction) {
      WalkFunction(*stmt.function, around);
      continue;
    }
    Site inner = around;
    inner.around.push_back(&stmt);
    Walk(stmt.body, inner);
    Walk(stmt.else_body, inner);
  }
}

void Base::WalkFunction(const text::Function& function, Site around) {
  around.function = &function;
  around.around.clear();
  Walk(function.body, std::move(around));
}

void Base::WalkItems(const text::KernelItems& items, const text::Kernel& kernel, bool optional) {
  for (const KernelItem* item : items) {
    items_.push_back({&kernel, item, optional});
    Site around;
    around.kernel = &kernel;
    if (item->function != nullptr) WalkFunction(*item->function, around);
    if (item->kind == KernelItem::Kind::kRole) {
      around.role = item;
      Walk(item->body, around);
    }
    WalkItems(item->items, kernel, true);
    for (const text::KernelItems& alternative : item->alternatives)
      WalkItems(alternative, kernel, optional);
  }
}

Span Base::Head(const Stmt& stmt) const {
  const size_t brace = source().find('{', stmt.span.begin);
  const bool compound = !stmt.body.empty() || stmt.kind == Stmt::Kind::kFunction ||
                        stmt.kind == Stmt::Kind::kIf || stmt.kind == Stmt::Kind::kFor;
  if (!compound || brace == std::string::npos || brace >= stmt.span.end) return stmt.span;
  return {stmt.span.begin, static_cast<uint32_t>(brace)};
}

bool Base::Names(Span span, std::string_view word) const {
  const std::string& all = source();
  for (size_t at = all.find(word, span.begin); at < span.end; at = all.find(word, at + 1)) {
    const size_t end = at + word.size();
    if (end > span.end) return false;
    const bool begins = at == 0 || (!IsWordCharacter(all[at - 1]) && all[at - 1] != '.');
    if (begins && (end == all.size() || !IsWordCharacter(all[end]))) return true;
  }
  return false;
}

std::optional<int64_t> Base::Bound(const Expr* e, bool least) const {
  if (e == nullptr) return std::nullopt;
  if (e->kind == Expr::Kind::kInt) return static_cast<int64_t>(e->int_value);
  if (e->kind != Expr::Kind::kPath || !e->postfixes.empty()) return std::nullopt;
  for (const text::Item* item : program_->items) {
    if (item->names.empty() || item->names[0].text != e->name.text) continue;
    if (item->kind == text::Item::Kind::kConst) return Bound(item->value, least);
    if (item->kind != text::Item::Kind::kParam) continue;
    if (!item->has_values) {
      const auto end = Bound(least ? item->range.low : item->range.high, least);
      return end && !least && !item->range.inclusive ? *end - 1 : end;
    }
    std::optional<int64_t> best;
    for (const Expr* value : item->values) {
      const auto v = Bound(value, least);
      if (!v) return std::nullopt;
      if (!best || (least ? *v < *best : *v > *best)) best = v;
    }
    return best;
  }
  for (const Declared& d : items_) {
    const bool constant = d.item->kind == KernelItem::Kind::kConst;
    if (constant && d.item->name.text == e->name.text) return Bound(d.item->value, least);
  }
  return std::nullopt;
}

std::optional<int64_t> Base::Least(const Expr* e) const { return Bound(e, true); }
std::optional<int64_t> Base::Greatest(const Expr* e) const { return Bound(e, false); }

bool Base::Loops(const Site& site) const { return Loops(site, 0); }

bool Base::Loops(const Site& site, int depth) const {
  for (const Stmt* s : site.around) {
    if (s->kind != Stmt::Kind::kFor) continue;
    if (s->iterable != nullptr || !Bound(s->range.high, true)) return true;
  }
  if (site.function == nullptr || depth > 4) return false;
  return std::any_of(sites_.begin(), sites_.end(), [&](const Site& caller) {
    const bool calls = caller.stmt->kind == Stmt::Kind::kCall &&
                       caller.stmt->value->name.text == site.function->name.text;
    return calls && Loops(caller, depth + 1);
  });
}

// Of params, constants and `const` parameters only.
bool Base::IsConstant(const Expr* e, const text::Function* function) const {
  for (const Expr* inner : Inside(e)) {
    if (inner->kind == Expr::Kind::kLoad || !inner->postfixes.empty()) return false;
    if (inner->kind != Expr::Kind::kPath || Bound(inner, true)) continue;
    bool parameter = false;
    for (const text::Parameter& p :
         function == nullptr ? std::vector<text::Parameter>{} : function->parameters) {
      parameter |= p.name.text == inner->name.text && p.passing == "const";
    }
    if (!parameter) return false;
  }
  return true;
}

bool Base::Optional(const Site& site) const { return Optional(site, 0); }

bool Base::Optional(const Site& site, int depth) const {
  for (const Stmt* s : site.around) {
    if (s->kind == Stmt::Kind::kIf && IsConstant(s->value, site.function)) return true;
  }
  if (site.function == nullptr || depth > 4) return false;
  return std::any_of(sites_.begin(), sites_.end(), [&](const Site& caller) {
    const bool calls = caller.stmt->kind == Stmt::Kind::kCall &&
                       caller.stmt->value->name.text == site.function->name.text;
    return calls && Optional(caller, depth + 1);
  });
}

std::vector<Span> Base::Naming(const std::set<std::string>& words,
                               const text::Kernel* kernel) const {
  std::vector<Span> spans;
  const auto add = [&](Span span) {
    for (const std::string& word : words) {
      if (!Names(span, word)) continue;
      spans.push_back(span);
      return;
    }
  };
  for (const Site& site : sites_) {
    const bool here = kernel == nullptr || site.kernel == nullptr || site.kernel == kernel;
    if (here && site.stmt->kind != Stmt::Kind::kFunction) add(Head(*site.stmt));
  }
  for (const Declared& d : items_) {
    const bool role = d.item->kind == KernelItem::Kind::kRole || d.item->function != nullptr ||
                      d.item->kind == KernelItem::Kind::kEither;
    if (!role && (kernel == nullptr || d.kernel == kernel)) add(d.item->span);
  }
  for (const text::Item* item : program_->items) {
    if (item->kernel != nullptr) {
      add({item->kernel->span.begin, item->kernel->name.span.end});
    } else if (item->function == nullptr) {
      add(item->span);
    }
  }
  return spans;
}

std::vector<const Site*> Base::On(std::string_view op, std::string_view name,
                                  const text::Kernel* kernel) const {
  std::vector<const Site*> out = Of(op, kernel);
  std::erase_if(out, [&](const Site* site) {
    const Expr* operand = site->stmt->operand;
    return operand == nullptr || operand->name.text != name;
  });
  return out;
}

std::vector<const Site*> Base::Of(std::string_view op, const text::Kernel* kernel) const {
  std::vector<const Site*> out;
  for (const Site& site : sites_) {
    const bool here = kernel == nullptr || site.kernel == nullptr || site.kernel == kernel;
    if (here && site.op() == op) out.push_back(&site);
  }
  return out;
}

const text::TensorDecl* Base::Tensor(std::string_view name) const {
  for (const text::Item* item : program_->items) {
    for (const text::TensorDecl& tensor : item->tensors) {
      if (tensor.name.text == name) return &tensor;
    }
  }
  return nullptr;
}

bool Base::IsLater() const {
  const std::string digits = Target().substr(std::string_view("sm_").size());
  return std::strtol(digits.c_str(), nullptr, 10) >= 100;
}

bool Base::IsWritten(std::string_view tensor) const {
  for (const text::Item* item : program_->items) {
    const bool read_only = item->kind == text::Item::Kind::kTensor && item->direction == "in";
    for (const text::TensorDecl& t : item->tensors) {
      if (t.name.text == tensor) return !read_only;
    }
  }
  return false;
}

std::vector<std::string> Base::TensorNames() const {
  std::vector<std::string> names;
  for (const text::Item* item : program_->items) {
    for (const text::TensorDecl& t : item->tensors) names.emplace_back(t.name.text);
  }
  return names;
}

std::vector<const Expr*> Inside(const Expr* e) {
  std::vector<const Expr*> out;
  AddInside(e, out);
  return out;
}

std::vector<const Expr*> Expressions(const Stmt& stmt) {
  std::vector<const Expr*> out;
  for (const Expr* e :
       {stmt.target, stmt.value, stmt.range.low, stmt.range.high, stmt.iterable, stmt.step,
        stmt.destination, stmt.source, stmt.left, stmt.right, stmt.zero, stmt.scale_a, stmt.scale_b,
        stmt.on_event, stmt.multicast, stmt.else_value, stmt.operand, stmt.bytes}) {
    AddInside(e, out);
  }
  for (const Expr* e : stmt.values) AddInside(e, out);
  return out;
}

const Expr* UseOf(const Expr* path) {
  if (path == nullptr) return nullptr;
  const Expr* use = nullptr;
  for (const text::Postfix& postfix : path->postfixes) {
    if (postfix.kind == text::Postfix::Kind::kUse) use = postfix.use;
  }
  return use;
}

}  // namespace mutation
