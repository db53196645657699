// Events: mbarriers that the program counts itself.
#include <string>

#include "tests/mutation/programs/change.h"

namespace mutation {
namespace {

using text::KernelItem;

// Sites that name the event behind `on`.
std::vector<const Site*> Completing(const Base& base, std::string_view name,
                                    const text::Kernel* kernel) {
  std::vector<const Site*> out;
  for (const Site& site : base.sites()) {
    const bool here = site.kernel == nullptr || site.kernel == kernel;
    const text::Expr* event = site.stmt->on_event;
    if (here && event != nullptr && event->name.text == name) out.push_back(&site);
  }
  return out;
}

// Where a generation has several kinds of arrivals all of them count.
void OfEvent(Maker& make, const Declared& declared) {
  const Base& base = make.base();
  const std::string name(declared.item->name.text);
  const auto on = [&](std::string_view op) { return base.On(op, name, declared.kernel); };
  const std::vector<const Site*> waits = on("wait"),
                                 loads = Completing(base, name, declared.kernel);
  const bool waited = !waits.empty();
  const auto add = [&](std::string_view op, std::string_view family, std::string_view hazards,
                       bool broken, std::vector<TextEdit> edits, const Site* at) {
    const Known known = broken && !declared.optional ? Known::kBroken : Known::kOpen;
    make.Add(op, family, hazards, known, std::move(edits), at, {name}, declared.kernel);
  };
  for (const Site* s : on("arrive")) {
    add("drop arrive", "arrival", "DP", waited, make.Drop(*s), s);
    add("arrive twice", "arrival", "PDW", waited && base.Loops(*s), make.Twice(*s), s);
  }
  for (const Site* s : on("expect")) {
    add("drop expect", "tx", "DPT", waited, make.Drop(*s), s);
    add("expect twice", "tx", "PDT", waited && base.Loops(*s), make.Twice(*s), s);
    const text::Expr* bytes = s->stmt->bytes;
    const Span end{s->stmt->span.end, s->stmt->span.end};
    for (const char* by : {"16", "-16"}) {
      const std::string sign = by[0] == '-' ? " - 16" : " + 16";
      if (bytes == nullptr) continue;
      add(by[0] == '-' ? "expect 16 bytes less" : "expect 16 bytes more", "tx", "TDP", waited,
          {{bytes->span, "(" + base.Text(bytes) + ")" + sign}}, s);
    }
    if (bytes == nullptr && !loads.empty()) {
      add("expect other bytes", "tx", "TDP", waited, {{end, " bytes 48"}}, s);
    }
    add("expect on another slot", "tx", "DPT",
        waited && base.Least(declared.item->extent).value_or(1) >= 2,
        make.ShiftUse(s->stmt->operand, 1), s);
  }
  for (const Site* s : loads) {
    add("complete on another slot", "tx", "DTPR",
        waited && base.Least(declared.item->extent).value_or(1) >= 2,
        make.ShiftUse(s->stmt->on_event, 1), s);
  }
  for (const Site* s : waits) {
    const bool brings = !loads.empty() && loads[0]->op() != "umma.commit";
    add("drop wait for an event", "ring", "RIPL", brings && waits.size() == 1, make.Drop(*s), s);
  }
  for (const Site* s : on("umma.commit")) {
    add("drop commit of products", "async", "DP", waited, make.Drop(*s), s);
  }
  const text::Expr* count = declared.item->value;
  if (count == nullptr) return;
  const std::string text = "(" + base.Text(count) + ")";
  add("count one more", "arrival", "DP", waited, {{count->span, text + " + 1"}}, nullptr);
  add("count one less", "arrival", "PD", waited, {{count->span, text + " - 1"}}, nullptr);
}

}  // namespace

void EventChanges(Maker& make) {
  for (const Declared& declared : make.base().items()) {
    if (declared.item->kind == KernelItem::Kind::kEvent) OfEvent(make, declared);
  }
}

}  // namespace mutation
