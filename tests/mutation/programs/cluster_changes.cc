// CTAs beside each other: clusters, scopes, kernels that follow each other, who works on what.
#include <algorithm>
#include <string>

#include "tests/mutation/programs/change.h"

namespace mutation {
namespace {

using text::Expr;
using text::Item;
using text::KernelItem;
using text::Stmt;

// Whether every member has clusters of at least two.
bool SeveralCtas(const Base& base, const text::Kernel* kernel) {
  for (const Declared& d : base.items()) {
    const bool cluster = d.item->kind == KernelItem::Kind::kCluster && d.kernel == kernel;
    if (cluster) return !d.optional && base.Least(d.item->value).value_or(1) >= 2;
  }
  return false;
}

// Whether threads store to the memory of CTAs beside their own.
bool StoresToOthers(const Base& base, const text::Kernel* kernel) {
  return std::any_of(base.sites().begin(), base.sites().end(), [&](const Site& site) {
    const Expr* to = site.stmt->destination;
    return (site.kernel == nullptr || site.kernel == kernel) && to != nullptr &&
           to->remote != nullptr;
  });
}

// Whether the statement arrives, stores or loads for CTAs beside its own.
void OfRemote(Maker& make, const Site& site) {
  const Base& base = make.base();
  const Stmt& s = *site.stmt;
  if (s.multicast != nullptr) {
    std::set<std::string> words;
    if (s.destination != nullptr) words.insert(std::string(s.destination->name.text));
    if (s.on_event != nullptr) words.insert(std::string(s.on_event->name.text));
    make.Add("multicast to one CTA", "cluster", "DTPRIW",
             SeveralCtas(base, site.kernel) ? Known::kBroken : Known::kOpen,
             {{s.multicast->span, "1"}}, &site, words, site.kernel);
    make.Add("multicast to CTAs that are none", "cluster", "W", Known::kBroken,
             {{s.multicast->span, base.Text(s.multicast) + " | 65536"}}, &site, words, site.kernel);
  }
  for (const Expr* e : Expressions(s)) {
    if (e->remote == nullptr) continue;
    const std::set<std::string> words{std::string(e->name.text)};
    make.Add("rank beyond the cluster", "cluster", "W", Known::kBroken,
             {{e->remote->span, "(" + base.Text(e->remote) + ") + 16"}}, &site, words, site.kernel);
    make.Add("always the first CTA of the cluster", "cluster", "DPRIW", Known::kOpen,
             {{e->remote->span, "0"}}, &site, words, site.kernel);
  }
  const bool waits =
      site.op() == "wait" && !s.modifiers.empty() && s.modifiers[0].text == "cluster";
  if (waits) {
    const Span gone{s.op_name.span.begin, s.operand->span.begin};
    // What it learns of an arrival is enough to write over what others have read.
    make.Add("wait for one CTA's order only", "scope", "WR",
             StoresToOthers(base, site.kernel) ? Known::kBroken : Known::kOpen, {{gone, "wait "}},
             &site, {}, site.kernel);
  }
  if (site.op() == "cluster.sync") {
    make.Add("drop sync of the cluster", "cluster", "LRWD", Known::kOpen, make.Drop(site), &site,
             {}, site.kernel);
  }
}

// What CTAs tell each other through words of global memory.
void OfAtomic(Maker& make, const Site& site) {
  const Base& base = make.base();
  const Span head = base.Head(*site.stmt);
  const std::string text = base.Text(head);
  // One step that several CTAs take; of loads and stores other words may keep the order.
  const bool steps = text.find("atomic.") != std::string::npos || text.starts_with("red.");
  for (const auto& [from, to, op, known] :
       {std::tuple{".gpu", ".cta", "scope of one CTA", steps ? Known::kBroken : Known::kOpen},
        std::tuple{".acq_rel", ".relaxed", "atomic without order", Known::kOpen},
        std::tuple{".release.gpu", ".relaxed.gpu", "store without order", Known::kOpen},
        std::tuple{".acquire.gpu", ".relaxed.gpu", "load without order", Known::kOpen}}) {
    const std::string_view word(from);
    const size_t at = text.find(word);
    if (at == std::string::npos) continue;
    const auto begin = static_cast<uint32_t>(head.begin + at);
    std::set<std::string> words;
    for (const std::string& name : base.TensorNames()) {
      if (base.Names(head, name)) words.insert(name);
    }
    if (words.empty()) continue;
    make.Add(op, "scope", "WR", known, {{{begin, begin + static_cast<uint32_t>(word.size())}, to}},
             &site, words, nullptr);
  }
  const bool adds = site.stmt->kind == Stmt::Kind::kOp && site.op().starts_with("red.add");
  if (adds && text.find('(') != std::string::npos) {
    const size_t open = text.find('('), comma = text.rfind(", ");
    const std::string view = text.substr(open + 1, comma - open - 1);
    const std::string value = text.substr(comma + 2, text.rfind(')') - comma - 2);
    make.Add("add without an atomic", "scope", "RWI", Known::kBroken,
             {{head, "st " + view + " <- (ld " + view + ") + " + value}}, &site,
             {text.substr(open + 1, text.find('[') - open - 1)}, site.kernel);
  }
}

// Whether what names the word decides where the kernel stores.
bool DecidesWhere(const Base& base, const text::Kernel& kernel, std::string_view word) {
  std::set<std::string> names{std::string(word)};
  const auto tells = [&](Span span) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return base.Names(span, name); });
  };
  for (size_t before = 0; before != names.size();) {
    before = names.size();
    for (const Site& site : base.sites()) {
      if ((site.kernel != nullptr && site.kernel != &kernel) || site.stmt->names.empty()) continue;
      if (!tells(base.Head(*site.stmt))) continue;
      for (const text::Ident& name : site.stmt->names) {
        // One of several of that name may be another value.
        const bool one = std::none_of(base.sites().begin(), base.sites().end(), [&](const Site& s) {
          const bool same = &s != &site && !s.stmt->names.empty() &&
                            s.stmt->names[0].text == name.text && s.kernel == site.kernel;
          return same && !tells(base.Head(*s.stmt));
        });
        if (one) names.emplace(name.text);
      }
    }
  }
  for (const Site& site : base.sites()) {
    const bool plain = site.op() == "st" || site.op() == "tma.store" || site.op() == "bulk.store";
    const bool here = plain && site.kernel == &kernel && site.stmt->modifiers.empty();
    if (here && base.IsWritten(site.stmt->destination->name.text) &&
        tells(site.stmt->destination->span)) {
      return true;
    }
  }
  return false;
}

bool NamesDim(const Base& base, const Expr* e) {
  for (const Item* item : base.program().items) {
    if (item->kind != Item::Kind::kDim) continue;
    for (const text::Ident& dim : item->names) {
      if (base.Names(e->span, dim.text)) return true;
    }
  }
  return base.Names(e->span, "SMS");
}

// Whether the grid has more than one CTA along the axis at some shape of every member.
bool SeveralAlong(const Base& base, const text::Kernel& kernel, std::string_view word) {
  for (const Declared& d : base.items()) {
    if (d.kernel != &kernel || d.item->kind != KernelItem::Kind::kGrid) continue;
    const size_t axis = word.ends_with(".y") ? 1 : word.ends_with(".z") ? 2 : 0;
    if (axis >= d.item->values.size()) return false;
    const Expr* ctas = d.item->values[axis];
    // Clusters are several where a shape can have any number of CTAs.
    if (word == "cluster.id") return NamesDim(base, ctas);
    return base.Least(ctas).value_or(2) > 1;
  }
  return false;
}

// Every CTA does the work of the first.
void OfWork(Maker& make, const text::Kernel& kernel) {
  const Base& base = make.base();
  const std::string& source = base.source();
  for (const std::string_view word : {"cta.x", "cta.y", "cta.z", "cta", "cluster.id"}) {
    std::vector<TextEdit> edits;
    for (size_t at = source.find(word, kernel.span.begin); at < kernel.span.end;
         at = source.find(word, at + 1)) {
      const auto begin = static_cast<uint32_t>(at), end = static_cast<uint32_t>(at + word.size());
      const bool whole =
          base.Names({begin, end}, word) && (end >= source.size() || source[end] != '.');
      const size_t line = source.rfind('\n', at), comment = source.find("//", line + 1);
      const std::string before = source.substr(at - 5, 5);
      if (whole && comment > at && before != "sync ") edits.push_back({{begin, end}, "0"});
    }
    std::set<std::string> written;
    for (const std::string& name : base.TensorNames()) {
      if (base.IsWritten(name)) written.insert(name);
    }
    // Plain stores of several CTAs to one place; atomics would only count too much.
    const bool sure = DecidesWhere(base, kernel, word) && SeveralAlong(base, kernel, word);
    make.Add("every CTA does the first one's work", "ctas", "RB",
             sure ? Known::kBroken : Known::kOpen, edits, nullptr, written, &kernel);
  }
}

}  // namespace

void ClusterChanges(Maker& make) {
  const Base& base = make.base();
  for (const Site& site : base.sites()) {
    OfRemote(make, site);
    if (site.stmt->kind != Stmt::Kind::kFunction) OfAtomic(make, site);
  }
  for (const Item* item : base.program().items) {
    if (item->kernel != nullptr) OfWork(make, *item->kernel);
  }
  for (const Declared& declared : base.items()) {
    const KernelItem& item = *declared.item;
    if (item.kind != KernelItem::Kind::kRing || !item.cluster_scope) continue;
    const std::string text = base.Text(item.span);
    const auto begin = static_cast<uint32_t>(item.span.begin + text.rfind("cluster"));
    make.Add("ring of one CTA only", "cluster", "DPRTW",
             SeveralCtas(base, declared.kernel) ? Known::kBroken : Known::kOpen,
             {{{begin, begin + 7}, ""}}, nullptr, {std::string(item.name.text)}, declared.kernel);
  }
}

void LaunchChanges(Maker& make) {
  const Base& base = make.base();
  std::vector<const text::Kernel*> kernels;
  for (const Item* item : base.program().items) {
    if (item->kernel != nullptr) kernels.push_back(item->kernel);
  }
  std::set<std::string> written;
  for (const std::string& name : base.TensorNames()) {
    if (base.IsWritten(name)) written.insert(name);
  }
  for (const Site* s : base.Of("pdl.wait", nullptr)) {
    make.Add("drop wait for the kernel before", "launch", "R", Known::kBroken, make.Drop(*s), s,
             written, s->kernel);
    if (s->at + 1 < s->block->size()) {
      make.Add("wait for the kernel before at the end", "launch", "R", Known::kBroken,
               make.MoveBehind(*s, *s->block->back()), s, written, s->kernel);
    }
  }
  if (kernels.size() == 2) {
    const Span a = kernels[0]->span, b = kernels[1]->span;
    // Where the second reads what the first leaves in a workspace, and nothing else is there.
    bool follows = false;
    for (const Item* item : base.program().items) {
      const bool cleared = item->kind != Item::Kind::kWorkspace || item->zero;
      if (cleared || item->tensors.empty()) continue;
      const std::string_view name = item->tensors[0].name.text;
      follows |= base.Names(a, name) && base.Names(b, name);
    }
    make.Add("kernels swapped", "launch", "IRB", follows ? Known::kBroken : Known::kOpen,
             {{a, base.Text(b)}, {b, base.Text(a)}}, nullptr, written, nullptr);
  }
}

}  // namespace mutation
