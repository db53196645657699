// Where accesses lie: indices, guards, extents, and what is set before it is used.
#include <algorithm>
#include <string>

#include "tests/mutation/programs/change.h"

namespace mutation {
namespace {

using text::Expr;
using text::Index;
using text::Item;
using text::KernelItem;
using text::Stmt;

std::vector<Index> IndicesOf(const Expr* path) {
  if (path == nullptr || path->kind != Expr::Kind::kPath) return {};
  for (const text::Postfix& postfix : path->postfixes) {
    if (postfix.kind == text::Postfix::Kind::kIndex) return postfix.indices;
  }
  return {};
}

bool IsOut(const Base& base, std::string_view tensor) {
  for (const Item* item : base.program().items) {
    if (item->kind != Item::Kind::kTensor || item->direction != "out") continue;
    for (const text::TensorDecl& t : item->tensors) {
      if (t.name.text == tensor) return true;
    }
  }
  return false;
}

// All of an output is stored to; beyond what is stored now nothing is left over in the tensor.
void OfStore(Maker& make, const Site& site) {
  const Base& base = make.base();
  const Expr* view = site.stmt->destination;
  const std::string name(view->name.text);
  const std::vector<Index> indices = IndicesOf(view);
  const bool out = IsOut(base, name);
  const auto sites = std::count_if(base.sites().begin(), base.sites().end(), [&](const Site& s) {
    return s.stmt->destination != nullptr && s.stmt->destination->name.text == name;
  });
  const Known known = out && sites == 1 ? Known::kBroken : Known::kOpen;
  for (const Index& index : indices) {
    if (index.offset == nullptr) continue;
    const std::string text = base.Text(index.offset);
    const std::string by = index.extent == nullptr ? "1" : base.Text(index.extent);
    make.Add("store shifted by one", "bounds", "BRA", known,
             {{index.offset->span, "(" + text + ") + (" + by + ")"}}, &site, {name}, site.kernel);
    if (index.extent == nullptr) continue;
    const bool vector = base.Least(index.extent).value_or(0) >= 2;
    make.Add("vector off its alignment", "alignment", "AB", vector ? Known::kBroken : Known::kOpen,
             {{index.offset->span, "(" + text + ") + 1"}}, &site, {name}, site.kernel);
  }
  if (indices.size() < 2) return;
  const Index &a = indices[indices.size() - 2], &b = indices[indices.size() - 1];
  const bool scalars =
      a.offset != nullptr && b.offset != nullptr && a.extent == nullptr && b.extent == nullptr;
  const text::TensorDecl* tensor = base.Tensor(name);
  if (!scalars || tensor == nullptr || tensor->shape.size() < 2) return;
  const size_t n = tensor->shape.size();
  const bool differ = base.Text(tensor->shape[n - 1]) != base.Text(tensor->shape[n - 2]);
  make.Add("indices swapped", "bounds", "BR", differ ? known : Known::kOpen,
           {{a.offset->span, base.Text(b.offset)}, {b.offset->span, base.Text(a.offset)}}, &site,
           {name}, site.kernel);
}

// Under a condition that may say the same.
bool Guarded(const Site& site) {
  return std::any_of(site.around.begin(), site.around.end(),
                     [](const Stmt* s) { return s->kind == Stmt::Kind::kIf; });
}

// Loads of a tensor that keep a value for what is outside.
void OfLoad(Maker& make, const Site& site, const Expr* load) {
  const Base& base = make.base();
  const Expr* view = load->operands[0];
  const std::string name(view->name.text);
  if (base.Tensor(name) == nullptr) return;
  if (load->operands.size() > 1) {
    const Span gone{view->span.end, load->operands[1]->span.end};
    make.Add("drop else", "bounds", "BA", Guarded(site) ? Known::kOpen : Known::kBroken,
             {{gone, ""}}, &site, {name}, site.kernel);
  }
  for (const Index& index : IndicesOf(view)) {
    if (index.extent == nullptr || index.offset == nullptr) continue;
    const bool vector = base.Least(index.extent).value_or(0) >= 2;
    make.Add("vector load off its alignment", "alignment", "AB",
             vector ? Known::kBroken : Known::kOpen,
             {{index.offset->span, "(" + base.Text(index.offset) + ") + 1"}}, &site, {name},
             site.kernel);
  }
}

bool IsDim(const Base& base, std::string_view name) {
  for (const Item* item : base.program().items) {
    if (item->kind != Item::Kind::kDim) continue;
    for (const text::Ident& dim : item->names) {
      if (dim.text == name) return true;
    }
  }
  return false;
}

// Tensors that the statement with its blocks reaches and whose extents name the dim.
std::set<std::string> Reached(const Base& base, const Stmt& stmt, std::string_view dim) {
  std::set<std::string> out;
  for (const std::string& name : base.TensorNames()) {
    const auto& shape = base.Tensor(name)->shape;
    const bool of_dim =
        std::any_of(shape.begin(), shape.end(), [&](const Expr* e) { return base.Text(e) == dim; });
    if (of_dim && base.Names(stmt.span, name)) out.insert(name);
  }
  return out;
}

// Whether the value may be in bounds by itself: the grid, a remainder or a choice can see to that.
bool KeepsBelow(const Base& base, const Site& site, const std::string& value) {
  if (value == "cta") return true;
  for (const Site& other : base.sites()) {
    const Stmt& s = *other.stmt;
    if (other.role != site.role || s.names.empty() || s.names[0].text != value) continue;
    const std::string text = base.HeadText(other);
    if (text.find('%') != std::string::npos || text.find("select(") != std::string::npos)
      return true;
  }
  return false;
}

// `x < N` in a condition that keeps accesses inside of [.., N, ..].
void OfCondition(Maker& make, const Site& site) {
  const Base& base = make.base();
  for (const Expr* e : Inside(site.stmt->value)) {
    const bool below = e->kind == Expr::Kind::kBinary && e->token == "<";
    if (!below || !IsDim(base, base.Text(e->operands[1]))) continue;
    const std::set<std::string> words = Reached(base, *site.stmt, base.Text(e->operands[1]));
    if (words.empty()) continue;
    // Not where a loop ends there anyway.
    const std::string left = base.Text(e->operands[0]);
    const bool loop = std::any_of(site.around.begin(), site.around.end(), [&](const Stmt* s) {
      return s->kind == Stmt::Kind::kFor && !s->names.empty() && s->names[0].text == left;
    });
    bool decides = false;  // also what is handed over, and not only which elements are touched
    for (const char* word :
         {"yield ", "acquire ", "commit ", "wait ", "release ", "sync ", "arrive "}) {
      decides |= base.Text(site.stmt->span).find(word) != std::string::npos;
    }
    // A member whose CTAs take one each ends there anyway.
    for (const Item* item : base.program().items) {
      const bool param = item->kind == Item::Kind::kParam;
      for (const Expr* value : item->values) decides |= param && base.Least(value).value_or(2) < 2;
      decides |= param && item->range.low != nullptr && base.Least(item->range.low).value_or(2) < 2;
    }
    const bool open = loop || decides || KeepsBelow(base, site, left);
    const Known known = open ? Known::kOpen : Known::kBroken;
    make.Add("guard one too wide", "guard", "BRA", known, {{e->token_span, "<="}}, &site, words,
             site.kernel);
    make.Add("drop part of a guard", "guard", "BRA", known, {{e->span, "(0 < 1)"}}, &site, words,
             site.kernel);
    // What is never true touches nothing, and no one misses it in a tensor that had values before.
    const bool missed = std::none_of(words.begin(), words.end(), [&](const std::string& word) {
      return base.IsWritten(word) && !IsOut(base, word);
    });
    make.Add("guard turned round", "guard", "BRA", missed ? known : Known::kOpen,
             {{e->token_span, ">="}}, &site, words, site.kernel);
  }
}

void OfTensor(Maker& make, const text::TensorDecl& tensor) {
  const Base& base = make.base();
  const std::string name(tensor.name.text);
  if (!IsOut(base, name) || tensor.shape.empty()) return;
  // Copies by engines stop at the edge of their tensor.
  bool by_threads = false, by_engine = false;
  for (const Site& site : base.sites()) {
    const Expr* to = site.stmt->destination;
    if (to == nullptr || to->name.text != name) continue;
    (site.op() == "st" ? by_threads : by_engine) = true;
  }
  const Known known = by_threads && !by_engine ? Known::kBroken : Known::kOpen;
  for (const Expr* extent : tensor.shape) {
    if (base.Least(extent).value_or(2) < 2) continue;
    make.Add("tensor one shorter", "bounds", "BRA", known,
             {{extent->span, base.Text(extent) + " - 1"}}, nullptr, {name}, nullptr);
  }
}

void OfShared(Maker& make, const Declared& declared) {
  const Base& base = make.base();
  const KernelItem& item = *declared.item;
  if (item.kind != KernelItem::Kind::kShared || item.has_fields || item.type.shape.empty()) return;
  if (item.form.kind == "swizzle" || item.extent != nullptr) return;
  const std::string name(item.name.text);
  // Everything of a buffer that threads fill without a condition is used.
  const Expr* extent = item.type.shape[0];
  make.Add("buffer one shorter", "bounds", "BASR", Known::kOpen,
           {{extent->span, base.Text(extent) + " - 1"}}, nullptr, {name}, declared.kernel);
}

}  // namespace

void MemoryChanges(Maker& make) {
  const Base& base = make.base();
  for (const Site& site : base.sites()) {
    if (site.op() == "st" && base.Tensor(site.stmt->destination->name.text) != nullptr) {
      OfStore(make, site);
    }
    for (const Expr* e : Expressions(*site.stmt)) {
      if (e->kind == Expr::Kind::kLoad) OfLoad(make, site, e);
    }
    const bool copy = site.op() == "cp.async" && site.stmt->else_value != nullptr;
    if (copy && base.Tensor(site.stmt->source->name.text) != nullptr) {
      const Span gone{site.stmt->source->span.end, site.stmt->else_value->span.end};
      make.Add("drop else of a copy", "bounds", "BA", Guarded(site) ? Known::kOpen : Known::kBroken,
               {{gone, ""}}, &site, {std::string(site.stmt->source->name.text)}, site.kernel);
    }
  }
  for (const Item* item : base.program().items) {
    for (const text::TensorDecl& tensor : item->tensors) OfTensor(make, tensor);
  }
  for (const Declared& declared : base.items()) OfShared(make, declared);
}

void GuardChanges(Maker& make) {
  const Base& base = make.base();
  for (const Site& site : base.sites()) {
    if (site.stmt->kind == Stmt::Kind::kIf) OfCondition(make, site);
  }
  for (const Item* item : base.program().items) {
    for (const text::WhereClause& clause : item->clauses) {
      const std::string text = base.Text(clause.span);
      const bool divides = text.find('%') != std::string::npos && clause.condition == nullptr;
      const bool contents = clause.has_range && clause.value->kind == Expr::Kind::kPath &&
                            base.Tensor(clause.value->name.text) != nullptr;
      if (divides) {
        std::set<std::string> words;
        for (const std::string& name : base.TensorNames()) {
          const auto& shape = base.Tensor(name)->shape;
          const bool sliced =
              std::any_of(base.sites().begin(), base.sites().end(), [&](const Site& site) {
                const Span head = base.Head(*site.stmt);
                return base.Names(head, name) && base.Text(head).find(":+") != std::string::npos;
              });
          if (sliced && base.Names(clause.span, base.Text(shape.back()))) words.insert(name);
        }
        // By a number: what vectors and tensor maps need.
        bool literal = false;
        for (const Expr* e : Inside(clause.value)) {
          const bool remainder = e->kind == Expr::Kind::kBinary && e->token == "%";
          literal |= remainder && base.Least(e->operands[1]).value_or(1) > 1;
        }
        make.Add("drop divisibility from the guard", "guard", "ABR",
                 literal && !words.empty() ? Known::kBroken : Known::kOpen,
                 {{clause.span, "0 < 1"}}, nullptr, words, nullptr);
      } else if (contents) {
        make.Add("drop contract of contents", "guard", "BR", Known::kOpen, {{clause.span, "0 < 1"}},
                 nullptr, {std::string(clause.value->name.text)}, nullptr);
      }
    }
  }
}

void InitChanges(Maker& make) {
  const Base& base = make.base();
  for (const Site& site : base.sites()) {
    const Stmt& s = *site.stmt;
    const bool accumulator = s.kind == Stmt::Kind::kAssign && s.token == "=" &&
                             s.target->postfixes.empty() && base.Text(s.value) == "0.0";
    if (accumulator) {
      const std::string name(s.target->name.text);
      // A fragment that has no value before.
      bool first = false;
      for (const Site& other : base.sites()) {
        const Stmt& d = *other.stmt;
        if (&d == &s) break;
        const bool same = other.role == site.role && !d.names.empty() && d.names[0].text == name;
        if (same && d.kind == Stmt::Kind::kVar) first = d.value == nullptr && !d.type.form.empty();
        const bool made = d.kind == Stmt::Kind::kOp && d.destination != nullptr &&
                          d.destination->name.text == name;
        if (made || (d.kind == Stmt::Kind::kAssign && d.target->name.text == name)) first = false;
      }
      make.Add("drop clearing of sums", "init", "I", first ? Known::kBroken : Known::kOpen,
               make.Drop(site), &site, {name}, site.kernel);
    }
    if (s.kind == Stmt::Kind::kOp && s.zero != nullptr) {
      std::set<std::string> words;
      if (s.destination != nullptr) words.insert(std::string(s.destination->name.text));
      uint32_t begin = s.zero->span.begin;
      while (begin > s.span.begin && base.Text({begin, begin + 5}) != "zero ") --begin;
      make.Add("drop zero of a product", "init", "I", Known::kBroken,
               {{{begin, s.zero->span.end}, ""}}, &site, words, site.kernel);
    }
    const bool summed = s.kind == Stmt::Kind::kVar && s.has_type && s.value != nullptr &&
                        s.names.size() == 1 && s.type.dtype.text == "f32";
    if (summed) {
      make.Add("drop first value", "init", "I", Known::kOpen,
               {{{s.type.span.end, s.value->span.end}, ""}}, &site, {std::string(s.names[0].text)},
               site.kernel);
    }
  }
  for (const Item* item : base.program().items) {
    if (item->kind != Item::Kind::kWorkspace || !item->zero || item->tensors.empty()) continue;
    const std::string name(item->tensors[0].name.text);
    uint32_t begin = item->span.end;
    while (base.Text({begin, begin + 4}) != "zero") --begin;
    make.Add("drop zero of a workspace", "init", "I", Known::kBroken, {{{begin, begin + 4}, ""}},
             nullptr, {name}, nullptr);
  }
}

}  // namespace mutation
