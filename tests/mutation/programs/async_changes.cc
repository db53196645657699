// Groups of copies and products that run beside the threads, and what orders the two ways that
// memory is reached.
#include <string>

#include "tests/mutation/programs/change.h"

namespace mutation {
namespace {

using text::Stmt;

// What a statement of this kernel, of one of these instructions, reads or writes.
std::set<std::string> Buffers(const Base& base, const std::set<std::string_view>& ops,
                              const text::Kernel* kernel) {
  std::set<std::string> out;
  for (const Site& site : base.sites()) {
    if ((site.kernel != nullptr && site.kernel != kernel) || !ops.contains(site.op())) continue;
    for (const text::Expr* e :
         {site.stmt->destination, site.stmt->source, site.stmt->left, site.stmt->right}) {
      if (e != nullptr && e->kind == text::Expr::Kind::kPath) out.emplace(e->name.text);
    }
  }
  return out;
}

class Groups {
 public:
  Groups(Maker& make, const text::Kernel* kernel)
      : make_(make), base_(make.base()), kernel_(kernel) {}

  void Copies() {
    words_ = Buffers(base_, {"cp.async"}, kernel_);
    if (words_.empty()) return;
    const auto waits = base_.Of("cp.async.wait", kernel_),
               commits = base_.Of("cp.async.commit", kernel_);
    for (const Site* s : waits) {
      Add("drop wait for copies", "LRI", waits.size() == 1, make_.Drop(*s), s);
      OneMore("let one more group of copies run", s, waits.size() == 1);
    }
    for (const Site* s : commits) {
      const bool all = waits.size() == 1 && base_.Text(waits[0]->stmt->operand) == "0";
      Add("drop commit of copies", "LRI", commits.size() == 1 || (waits.size() == 1 && !all),
          make_.Drop(*s), s);
      BeforeItsOperation("commit before the copies", "cp.async", s, commits.size() == 1);
    }
  }

  void Products() {
    words_ = Buffers(base_, {"wgmma"}, kernel_);
    if (words_.empty()) return;
    for (const Site* s : base_.Of("wgmma.wait", kernel_)) {
      Add("drop wait for products", "LRP", false, make_.Drop(*s), s);
      const bool last = base_.Text(s->stmt->operand) == "0" && ReadAfter(*s);
      OneMore("let one more group of products run", s, last);
    }
    for (const Site* s : base_.Of("wgmma.commit", kernel_)) {
      Add("drop commit of products of warpgroups", "LRP", true, make_.Drop(*s), s);
      BeforeItsOperation("commit before the product", "wgmma", s, true);
    }
  }

  void Stores() {
    words_ =
        Buffers(base_, {"tma.store", "bulk.store", "tma.reduce.add", "bulk.reduce.add"}, kernel_);
    if (words_.empty()) return;
    const auto waits = base_.Of("tma.wait", kernel_);
    for (const Site* s : waits) {
      Add("drop wait for stores", "LR", waits.size() == 1, make_.Drop(*s), s);
      OneMore("let one more store run", s, waits.size() == 1);
    }
    for (const Site* s : base_.Of("tma.commit", kernel_)) {
      Add("drop commit of stores", "LR", true, make_.Drop(*s), s);
    }
  }

  void TensorMemory() {
    words_ = Buffers(base_, {"tmem.ld", "tmem.st", "umma"}, kernel_);
    for (const Site* s : base_.Of("tmem.wait", kernel_)) {
      Add("drop wait for tensor memory", "LRI", s->stmt->word.text == "ld", make_.Drop(*s), s);
    }
    for (const Site* s : base_.Of("umma.commit", kernel_)) {
      words_.insert(std::string(s->stmt->operand->name.text));
      Add("drop commit of products to an event", "DLP", true, make_.Drop(*s), s);
    }
  }

 private:
  void Add(std::string_view op, std::string_view hazards, bool broken, std::vector<TextEdit> edits,
           const Site* at) {
    make_.Add(op, "async", hazards, broken ? Known::kBroken : Known::kOpen, std::move(edits), at,
              words_, kernel_);
  }
  void OneMore(std::string_view op, const Site* s, bool broken) {
    const text::Expr* n = s->stmt->operand;
    if (n == nullptr) return;
    Add(op, "LRIP", broken, {{n->span, base_.Text(n) + " + 1"}}, s);
  }
  void BeforeItsOperation(std::string_view op, std::string_view of, const Site* s, bool broken) {
    if (s->at == 0) return;
    const Stmt& before = *(*s->block)[s->at - 1];
    if (before.kind != Stmt::Kind::kOp || before.op->name != of) return;
    Add(op, "LRIP", broken, make_.MoveBefore(*s, before), s);
  }
  // Whether an accumulator is read, or a slot given back, right behind it.
  bool ReadAfter(const Site& site) const {
    if (site.at + 1 >= site.block->size()) return false;
    const Stmt& next = *(*site.block)[site.at + 1];
    if (next.kind == Stmt::Kind::kOp && next.op->name == "release") return true;
    for (const std::string& word : words_) {
      if (base_.Names(next.span, word)) return true;
    }
    return false;
  }

  Maker& make_;
  const Base& base_;
  const text::Kernel* kernel_;
  std::set<std::string> words_;
};

std::vector<const text::Kernel*> Kernels(const Base& base) {
  std::vector<const text::Kernel*> out;
  for (const text::Item* item : base.program().items) {
    if (item->kernel != nullptr) out.push_back(item->kernel);
  }
  return out;
}

// Shared memory that threads of the kernel store to and engines read.
std::set<std::string> HandedToEngines(const Base& base, const text::Kernel* kernel) {
  std::set<std::string> out;
  const auto stored = Buffers(base, {"st", "stmatrix"}, kernel);
  for (const std::string& name : Buffers(
           base, {"tma.store", "bulk.store", "tma.reduce.add", "bulk.reduce.add", "wgmma", "umma"},
           kernel)) {
    if (stored.contains(name) && base.Tensor(name) == nullptr) out.insert(name);
  }
  return out;
}

}  // namespace

void AsyncChanges(Maker& make) {
  for (const text::Kernel* kernel : Kernels(make.base())) {
    Groups groups(make, kernel);
    groups.Copies();
    groups.Products();
    groups.Stores();
    groups.TensorMemory();
  }
}

void ProxyChanges(Maker& make) {
  const Base& base = make.base();
  for (const text::Kernel* kernel : Kernels(base)) {
    const auto fences = base.Of("fence", kernel);
    const std::set<std::string> words = HandedToEngines(base, kernel);
    const bool sure = !words.empty() && fences.size() == 1;
    const Known known = sure ? Known::kBroken : Known::kOpen;
    for (const Site* s : fences) {
      if (s->stmt->word.text != "async") continue;
      const std::string text = base.Text(s->stmt->span);
      make.Add("drop fence", "proxy", "X", known, make.Drop(*s), s, words, kernel);
      // Behind a barrier only it would still be in time: a row of the proxy table.
      bool over = false;
      for (size_t i = s->at + 1; i < s->block->size(); ++i) {
        for (const char* engine : {"tma.", "bulk.", "wgmma ", "umma", "commit "}) {
          over |= base.Text((*s->block)[i]->span).find(engine) != std::string::npos;
        }
      }
      make.Add(over ? "fence behind the copy" : "fence behind the barrier", "proxy", "X",
               over ? known : Known::kOpen, make.MoveBehind(*s, *s->block->back()), s, words,
               kernel);
      make.Add("fence by one thread", "proxy", "X", known,
               {{s->stmt->span, "once { " + text + " }"}}, s, words, kernel);
      make.Add("fence in one branch only", "proxy", "X", known,
               {{s->stmt->span, "if cta > 0 { " + text + " }"}}, s, words, kernel);
    }
  }
}

}  // namespace mutation
