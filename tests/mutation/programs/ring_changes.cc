// Rings: what acquires, fills, commits, waits, reads and releases a slot.
#include <algorithm>
#include <set>
#include <string>

#include "tests/mutation/programs/change.h"

namespace mutation {
namespace {

using text::Expr;
using text::KernelItem;

bool IsCopyOfEngine(std::string_view op) {
  return op == "tma.load" || op == "bulk.load" || op == "tma.gather4";
}

// One ring of a kernel and all that its roles do to it.
class Ring {
 public:
  Ring(Maker& make, const Declared& declared)
      : make_(make),
        base_(make.base()),
        kernel_(declared.kernel),
        item_(*declared.item),
        name_(declared.item->name.text),
        optional_(declared.optional),
        acquires_(On("acquire")),
        commits_(On("commit")),
        waits_(On("wait")),
        releases_(On("release")) {
    several_slots_ = base_.Least(item_.extent).value_or(1) >= 2;
    for (const Site& site : base_.sites()) {
      if (site.kernel != nullptr && site.kernel != kernel_) continue;
      if (site.op() == "test" || base_.HeadText(site).find("test(" + name_) != std::string::npos) {
        asks_ = true;
      }
      const Expr* destination = site.stmt->destination;
      if (destination != nullptr && destination->name.text == name_) fills_.push_back(&site);
    }
    by_engine_ = !fills_.empty() && std::all_of(fills_.begin(), fills_.end(), [](const Site* s) {
      return IsCopyOfEngine(s->op());
    });
    again_ = !acquires_.empty() && std::all_of(acquires_.begin(), acquires_.end(),
                                               [&](const Site* s) { return base_.Loops(*s); });
  }

  void Make() {
    Waits();
    Acquires();
    Commits();
    Releases();
    Reads();
    Fills();
    Counts();
    Trips();
  }

 private:
  std::vector<const Site*> On(std::string_view op) { return base_.On(op, name_, kernel_); }
  void Add(std::string_view op, std::string_view family, std::string_view hazards, bool broken,
           std::vector<TextEdit> edits, const Site* at) {
    const Known known = broken && !optional_ ? Known::kBroken : Known::kOpen;
    make_.Add(op, family, hazards, known, std::move(edits), at, {name_}, kernel_);
  }
  // Whether the sites are of one role and no two of one use: none stands in for another.
  bool Distinct(const std::vector<const Site*>& sites) const {
    for (size_t i = 0; i < sites.size(); ++i) {
      if (sites[i]->role != sites[0]->role) return false;
      for (size_t j = 0; j < i; ++j) {
        if (Use(sites[i]) == Use(sites[j])) return false;
      }
    }
    return !asks_;
  }
  std::string Use(const Site* site) const { return make_.UseText(site->stmt->operand); }
  // Whether the role of the site acquires no other ring, and waits for no event: what frees those
  // could tell of this one.
  bool AcquiresNoOther(const Site* site) const {
    for (const Declared& declared : base_.items()) {
      if (declared.item->kind != KernelItem::Kind::kEvent || declared.kernel != kernel_) continue;
      for (const Site* wait : base_.On("wait", declared.item->name.text, kernel_)) {
        if (wait->role == site->role) return false;
      }
    }
    for (const Site* other : base_.Of("acquire", kernel_)) {
      if (other->role == site->role && other->stmt->operand->name.text != name_) return false;
    }
    return true;
  }
  bool Waited() const { return !waits_.empty(); }

  void Waits() {
    for (const Site* s : waits_) {
      Add("drop wait", "ring", "RIP", by_engine_ && Distinct(waits_), make_.Drop(*s), s);
      // The last use waits for one that nobody fills.
      Add("wait for the next use", "ring", "DP", waits_.size() == 1 && !asks_,
          make_.ShiftUse(s->stmt->operand, 1), s);
    }
  }

  void Acquires() {
    for (const Site* s : acquires_) {
      const bool sure = again_ && AcquiresNoOther(s) && acquires_.size() == 1;
      Add("drop acquire", "ring", "RP", sure, make_.Drop(*s), s);
      Add("acquire an earlier use", "ring", "RP", sure, make_.ShiftUse(s->stmt->operand, -1), s);
    }
  }

  void Commits() {
    for (const Site* s : commits_) {
      Add("drop commit", "arrival", "DP", Waited(), make_.Drop(*s), s);
      Add("commit twice", "arrival", "PD", Waited() && base_.Loops(*s), make_.Twice(*s), s);
      // Bytes are expected of the loads that stand before.
      for (size_t i = s->at; i-- > 0;) {
        const text::Stmt& before = *(*s->block)[i];
        if (before.kind != text::Stmt::Kind::kOp || before.destination == nullptr ||
            before.destination->name.text != name_ || !IsCopyOfEngine(before.op->name)) {
          break;
        }
        Add("commit before the load", "tx", "TP", true, make_.MoveBefore(*s, before), s);
      }
    }
  }

  void Releases() {
    for (const Site* s : releases_) {
      const bool loops = base_.Loops(*s);
      Add("drop release", "ring", "DP", again_ && loops, make_.Drop(*s), s);
      Add("release twice", "arrival", "PD", again_ && loops, make_.Twice(*s), s);
      const bool one = releases_.size() == 1 && again_ && loops;
      Add("release an earlier use", "ring", "PRD", one && several_slots_,
          make_.ShiftUse(s->stmt->operand, -1), s);
      const std::string use = Use(s);
      if (use.ends_with("-1")) {
        Add("release ahead of the wait", "ring", "PLRD", again_ && loops,
            make_.ShiftUse(s->stmt->operand, 1), s);
      }
      Early(s, use, again_ && loops);
    }
  }

  // Behind the wait for it, before what reads it.
  void Early(const Site* release, const std::string& use, bool broken) {
    for (size_t i = release->at; i-- > 0;) {
      const text::Stmt& before = *(*release->block)[i];
      if (before.kind != text::Stmt::Kind::kOp || before.op->name != "wait" ||
          before.operand->name.text != name_ || make_.UseText(before.operand) != use) {
        continue;
      }
      bool read = false;
      for (size_t j = i + 1; j < release->at; ++j) {
        read |= base_.Names((*release->block)[j]->span, name_);
      }
      // Another ring of the loading role may hold it back until this one has been read.
      const bool alone = std::all_of(acquires_.begin(), acquires_.end(),
                                     [&](const Site* s) { return AcquiresNoOther(s); });
      if (!read) return;
      Add("release early", "ring", "RLP", broken && alone, make_.MoveBehind(*release, before),
          release);
      return;
    }
  }

  void Reads() {
    for (const Site& site : base_.sites()) {
      if (site.kernel != nullptr && site.kernel != kernel_) continue;
      for (const Expr* e : Expressions(*site.stmt)) {
        const bool of_slot = e->kind == Expr::Kind::kPath && e->name.text == name_ &&
                             e != site.stmt->destination && e != site.stmt->operand;
        if (!of_slot || UseOf(e) == nullptr) continue;
        const bool waited = waits_.size() == 1 && Use(waits_[0]) == make_.UseText(e) && !asks_;
        Add("read the next use", "use", "RIL", waited && several_slots_, make_.ShiftUse(e, 1),
            &site);
      }
    }
  }

  void Fills() {
    for (const Site* s : fills_) {
      const bool acquired =
          acquires_.size() == 1 && Use(acquires_[0]) == make_.UseText(s->stmt->destination);
      Add("fill the next use", "use", "RIP", acquired && several_slots_,
          make_.ShiftUse(s->stmt->destination, 1), s);
      if (!IsCopyOfEngine(s->op())) continue;
      const auto& fields = s->stmt->destination->postfixes;
      const std::string field = fields.empty() ? "" : std::string(fields[0].member.text);
      const auto of_field = std::count_if(fills_.begin(), fills_.end(), [&](const Site* other) {
        const auto& p = other->stmt->destination->postfixes;
        return !p.empty() && p[0].member.text == field;
      });
      bool read = false;
      for (const Site& site : base_.sites()) {
        if (&site != s) read |= base_.HeadText(site).find(name_ + "." + field) != std::string::npos;
      }
      Add("drop load", "init", "ITRDP", of_field == 1 && read, make_.Drop(*s), s);
    }
  }

  void Counts() {
    const auto shift = [&](std::string_view op, const Expr* e, int by, bool broken) {
      if (e == nullptr) return;
      const std::string text = "(" + base_.Text(e) + (by > 0 ? ") + 1" : ") - 1");
      Add(op, "arrival", "DP", broken, {{e->span, text}}, nullptr);
    };
    shift("full one more", item_.full, 1, Waited());
    shift("full one less", item_.full, -1, Waited() && again_);
    shift("empty one more", item_.empty, 1, again_);
    shift("empty one less", item_.empty, -1, again_);
    if (item_.full != nullptr || item_.empty != nullptr) return;
    const Span end{item_.span.end, item_.span.end};
    Add("full of more than there are", "arrival", "DP", Waited(), {{end, " full 999"}}, nullptr);
    Add("empty of more than there are", "arrival", "DP", again_, {{end, " empty 999"}}, nullptr);
  }

  // One role of the two makes one trip more, or less.
  void Trips() {
    for (const auto* sites : {&commits_, &waits_}) {
      if (sites->size() != 1 || asks_) continue;
      const Site* s = (*sites)[0];
      if (s->around.empty()) continue;
      const text::Stmt* loop = s->around.back();
      if (loop->kind != text::Stmt::Kind::kFor || loop->range.high == nullptr) continue;
      if (base_.Least(loop->range.high)) continue;
      const bool fills = sites == &commits_;
      const Span high = loop->range.high->span;
      const std::string text = base_.Text(high);
      std::set<std::string> words;  // all that go round in it
      for (const Declared& d : base_.items()) {
        const std::string ring(d.item->name.text);
        if (d.item->kind == KernelItem::Kind::kRing && base_.Names(loop->span, ring))
          words.insert(ring);
      }
      const Known known = optional_ ? Known::kOpen : Known::kBroken;
      // What threads fill in vain may hurt nobody; a copy of an engine is still under way at the
      // end.
      const bool vain = fills && !by_engine_;
      make_.Add(fills ? "fill once more" : "wait once more", "trips", "DPLRB",
                vain ? Known::kOpen : known, {{high, text + " + 1"}}, s, words, kernel_);
      make_.Add(fills ? "fill once less" : "wait once less", "trips", "DPLRIB", known,
                {{high, text + " - 1"}}, s, words, kernel_);
    }
  }

  Maker& make_;
  const Base& base_;
  const text::Kernel* kernel_;
  const KernelItem& item_;
  std::string name_;
  bool optional_ = false;
  std::vector<const Site*> acquires_, commits_, waits_, releases_, fills_;
  bool several_slots_ = false;  // in every member
  bool asks_ = false;           // test() stands in for waits
  bool by_engine_ = false;      // filled by copies only
  bool again_ = false;          // its slots are used again as the shape says
};

}  // namespace

void RingChanges(Maker& make) {
  for (const Declared& declared : make.base().items()) {
    if (declared.item->kind == KernelItem::Kind::kRing) Ring(make, declared).Make();
  }
}

}  // namespace mutation
