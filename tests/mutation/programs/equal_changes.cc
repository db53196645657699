// Changes that leave a right program right: order is only added, or the same is said otherwise.
#include <string>

#include "tests/mutation/programs/change.h"

namespace mutation {
namespace {

using text::Expr;
using text::KernelItem;
using text::Stmt;

void Add(Maker& make, std::string_view op, std::vector<TextEdit> edits, const Site* at) {
  make.Add(op, "equal", "", Known::kEqual, std::move(edits), at, {}, nullptr);
}

void OfOrder(Maker& make, const Site& site) {
  const Base& base = make.base();
  const std::string_view op = site.op();
  // LANGUAGE.md: "Waiting again for the same use is legal."
  if (op == "wait") Add(make, "wait again", make.Twice(site), &site);
  if (op == "sync") Add(make, "sync again", make.Twice(site), &site);
  if (op == "fence") Add(make, "fence again", make.Twice(site), &site);
  const bool groups = op == "cp.async.wait" || op == "wgmma.wait" || op == "tma.wait";
  if (!groups) return;
  Add(make, "wait again for groups", make.Twice(site), &site);
  if (base.Text(site.stmt->operand) != "0") {
    Add(make, "wait for all groups", {{site.stmt->operand->span, "0"}}, &site);
  }
  const std::string text = base.Text(site.stmt->span);
  if (op == "tma.wait" && text.starts_with("tma.wait.read")) {
    const uint32_t at = site.stmt->span.begin;
    Add(make, "wait for whole stores", {{{at, at + 13}, "tma.wait"}}, &site);
  }
}

void OfCondition(Maker& make, const Site& site) {
  const Base& base = make.base();
  for (const Expr* e : Inside(site.stmt->value)) {
    if (e->kind != Expr::Kind::kBinary || e->token != "<" || e->parenthesized) continue;
    const std::string a = base.Text(e->operands[0]), b = base.Text(e->operands[1]);
    if (a.find("ld ") != std::string::npos || b.find("ld ") != std::string::npos) continue;
    Add(make, "comparison turned round", {{e->span, "((" + b + ") > (" + a + "))"}}, &site);
    Add(make, "comparison denied", {{e->span, "!((" + a + ") >= (" + b + "))"}}, &site);
  }
}

bool IsInteger(const Expr* e) {
  for (const Expr* inner : Inside(e)) {
    const bool plain = inner->kind == Expr::Kind::kInt ||
                       (inner->kind == Expr::Kind::kPath && inner->postfixes.empty()) ||
                       inner->kind == Expr::Kind::kBinary;
    if (!plain) return false;
  }
  return true;
}

// Sums and products of an index, the other way round.
void OfIndex(Maker& make, const Site& site) {
  const Base& base = make.base();
  if (site.stmt->kind != Stmt::Kind::kLet) return;
  for (const Expr* e : Inside(site.stmt->value)) {
    const bool turns = e->kind == Expr::Kind::kBinary && (e->token == "+" || e->token == "*");
    if (!turns || !IsInteger(e)) continue;
    const std::string a = base.Text(e->operands[0]), b = base.Text(e->operands[1]);
    Add(make, "index said otherwise",
        {{e->span, "((" + b + ") " + std::string(e->token) + " (" + a + "))"}}, &site);
    return;
  }
}

// Another name for what a kernel declares.
void Rename(Maker& make, const Declared& declared) {
  const Base& base = make.base();
  const KernelItem& item = *declared.item;
  const bool named =
      item.kind == KernelItem::Kind::kRing || item.kind == KernelItem::Kind::kEvent ||
      item.kind == KernelItem::Kind::kShared || item.kind == KernelItem::Kind::kBarrier;
  const std::string name(item.name.text), other = name + "_renamed";
  if (!named || name.empty()) return;
  std::vector<TextEdit> edits;
  const std::string& source = base.source();
  for (size_t at = source.find(name, declared.kernel->span.begin); at < declared.kernel->span.end;
       at = source.find(name, at + 1)) {
    const auto begin = static_cast<uint32_t>(at), end = static_cast<uint32_t>(at + name.size());
    const size_t line = source.rfind('\n', at), comment = source.find("//", line + 1);
    if (base.Names({begin, end}, name) && comment > at) edits.push_back({{begin, end}, other});
  }
  // A field or a local of the same name would be taken along.
  for (const Site& site : base.sites()) {
    for (const text::Ident& ident : site.stmt->names) {
      if (ident.text == name) return;
    }
  }
  Add(make, "another name", std::move(edits), nullptr);
}

}  // namespace

void EqualChanges(Maker& make) {
  for (const Site& site : make.base().sites()) {
    OfOrder(make, site);
    if (site.stmt->kind == Stmt::Kind::kIf) OfCondition(make, site);
    OfIndex(make, site);
  }
  for (const Declared& declared : make.base().items()) Rename(make, declared);
}

}  // namespace mutation
