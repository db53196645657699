// Named barriers, barriers of a CTA and of a warp.
#include <string>

#include "tests/mutation/programs/change.h"

namespace mutation {
namespace {

using text::KernelItem;
using text::Stmt;

// What a statement, with its blocks, stores to shared memory by threads, or reads of it.
struct Shared {
  std::string name, index;  // of the access, as written
  bool by_one = false;      // lane or thread
};

void AddAccesses(const Base& base, const Stmt& stmt, bool stores, bool by_one,
                 std::vector<Shared>& out) {
  const bool one = by_one || stmt.kind == Stmt::Kind::kElect || stmt.kind == Stmt::Kind::kOnce;
  const auto add = [&](const text::Expr* path) {
    if (path == nullptr || path->kind != text::Expr::Kind::kPath || path->postfixes.empty()) return;
    out.push_back({std::string(path->name.text), base.Text(path), one});
  };
  if (stores && stmt.kind == Stmt::Kind::kOp) {
    if (stmt.op->name == "st" || stmt.op->name == "stmatrix") add(stmt.destination);
  }
  if (!stores) {
    for (const text::Expr* e : Expressions(stmt)) {
      if (e->kind == text::Expr::Kind::kLoad) add(e->operands[0]);
    }
    if (stmt.kind == Stmt::Kind::kOp && stmt.op->name == "ldmatrix") add(stmt.source);
  }
  for (const text::Block* block : {&stmt.body, &stmt.else_body}) {
    for (const Stmt* inner : *block) AddAccesses(base, *inner, stores, one, out);
  }
}

// What is stored or read right beside the site.
std::set<std::string> Near(const Base& base, const Site& site) {
  std::set<std::string> near;
  for (const size_t i : {site.at - 1, site.at + 1}) {
    if (i >= site.block->size()) continue;
    std::vector<Shared> accesses;
    AddAccesses(base, *(*site.block)[i], true, false, accesses);
    AddAccesses(base, *(*site.block)[i], false, false, accesses);
    for (const Shared& a : accesses) near.insert(a.name);
  }
  return near;
}

void OfNamed(Maker& make, const Declared& declared) {
  const Base& base = make.base();
  const std::string name(declared.item->name.text);
  const auto syncs = base.On("bar.sync", name, declared.kernel);
  const auto arrives = base.On("bar.arrive", name, declared.kernel);
  std::set<std::string> words{name};  // and what it keeps in order
  for (const Site* s : syncs) words.merge(Near(base, *s));
  const auto add = [&](std::string_view op, std::string_view hazards, bool broken,
                       std::vector<TextEdit> edits, const Site* at) {
    const bool sure = broken && !declared.optional;
    make.Add(op, "named", hazards, sure ? Known::kBroken : Known::kOpen, std::move(edits), at,
             words, declared.kernel);
  };
  for (const Site* s : arrives) {
    add("drop arrival of warps", "DP", !syncs.empty(), make.Drop(*s), s);
    add("arrive twice at a named barrier", "PD", !syncs.empty() && base.Loops(*s), make.Twice(*s),
        s);
    // The two sides of a turn use each other's barrier.
    const std::string text = base.Text(s->stmt->span);
    const size_t other = text.find("[1-wg]");
    if (other != std::string::npos) {
      const auto at = static_cast<uint32_t>(s->stmt->span.begin + other);
      add("arrive at one's own barrier", "DP", true, {{{at, at + 6}, "[wg]"}}, s);
    }
    const Span op = s->stmt->op_name.span;
    add("wait where others only arrive", "DP", false, {{op, "bar.sync"}}, s);
  }
  for (const Site* s : syncs) {
    add("drop wait of warps", "PDR", syncs.size() + arrives.size() > 1, make.Drop(*s), s);
    add("arrive where others wait", "PRD", false, {{s->stmt->op_name.span, "bar.arrive"}}, s);
  }
  const text::Expr* threads = declared.item->value;
  if (threads == nullptr || syncs.empty()) return;
  const std::string text = "(" + base.Text(threads) + ")";
  add("32 threads more", "DPSR", true, {{threads->span, text + " + 32"}}, nullptr);
  add("32 threads less", "PDSR", true, {{threads->span, text + " - 32"}}, nullptr);
  if (declared.item->extent != nullptr) {
    words.insert(std::string(declared.kernel->name.text));
    add("more barriers than there are", "S", true, {{declared.item->extent->span, "16"}}, nullptr);
  }
}

// Whether what stands right before it stores to shared memory what right behind it others read:
// one thread of each warp, or of all, stored, and every thread reads elements that all name alike.
bool HandsOver(const Base& base, const Site& site, std::string& buffer) {
  if (site.at == 0 || site.at + 1 >= site.block->size()) return false;
  std::vector<Shared> stored, read;
  AddAccesses(base, *(*site.block)[site.at - 1], true, false, stored);
  AddAccesses(base, *(*site.block)[site.at + 1], false, false, read);
  for (const Shared& w : stored) {
    for (const Shared& r : read) {
      const bool others =
          r.index.find("thread") == std::string::npos && r.index.find("warp") == std::string::npos;
      const bool is_shared = base.Tensor(w.name) == nullptr;
      if (w.name == r.name && is_shared && w.by_one && !r.by_one && others) {
        buffer = w.name;
        return true;
      }
    }
  }
  return false;
}

void OfSync(Maker& make, const Site& site) {
  const Base& base = make.base();
  const std::string word(site.stmt->word.text);
  std::string buffer;
  const bool sure = word != "warp" && HandsOver(base, site, buffer);
  const std::set<std::string> near = Near(base, site);
  make.Add("drop sync " + word, "sync", "RLX", sure ? Known::kBroken : Known::kOpen,
           make.Drop(site), &site, sure ? std::set<std::string>{buffer} : near, site.kernel);
  if (word == "cta" || word == "role") {
    // Some warps of several: the barrier counts all.
    const bool several = site.role != nullptr && base.Least(site.role->warps).value_or(1) > 1;
    make.Add("narrow sync " + word, "sync", "RLX", sure && several ? Known::kBroken : Known::kOpen,
             {{site.stmt->word.span, "warp"}}, &site, sure ? std::set<std::string>{buffer} : near,
             site.kernel);
    const std::string text = base.Text(site.stmt->span);
    make.Add("sync by one warp of several", "sync", "CDP", several ? Known::kBroken : Known::kOpen,
             {{site.stmt->span, "if warp == 0 { " + text + " }"}}, &site, {}, site.kernel);
    make.Add("sync by half of the lanes", "sync", "CDP", Known::kBroken,
             {{site.stmt->span, "if lane < 16 { " + text + " }"}}, &site, {}, site.kernel);
  }
}

}  // namespace

void BarrierChanges(Maker& make) {
  for (const Declared& declared : make.base().items()) {
    if (declared.item->kind == KernelItem::Kind::kBarrier) OfNamed(make, declared);
  }
  for (const Site* site : make.base().Of("sync", nullptr)) OfSync(make, *site);
}

}  // namespace mutation
