// What the hardware does not take: forms of operands, and more of something than there is.
#include <string>

#include "tests/mutation/programs/change.h"

namespace mutation {
namespace {

using text::Expr;
using text::Field;
using text::KernelItem;

// A buffer that tensor copies fill, or products read, is not padded.
void Pad(Maker& make, const text::FormSpec& form, const Declared& declared) {
  if (form.kind != "swizzle") return;
  bool engine = false;
  for (const Site& site : make.base().sites()) {
    const bool reads = site.op() == "wgmma" || site.op() == "umma" || site.op().starts_with("tma.");
    engine |= reads && make.base().Names(site.stmt->span, declared.item->name.text);
  }
  make.Add("padded instead of swizzled", "alignment", "A", engine ? Known::kBroken : Known::kOpen,
           {{form.span, "padded 8"}}, nullptr, {std::string(declared.item->name.text)},
           declared.kernel);
}

void PadFields(Maker& make, const text::Fields& fields, const Declared& declared) {
  for (const Field& field : fields) {
    Pad(make, field.form, declared);
    for (const text::Fields& alternative : field.alternatives) {
      PadFields(make, alternative, declared);
    }
  }
}

// Operands of warpgroups begin at whole rows of eight.
void OfProduct(Maker& make, const Site& site) {
  const Base& base = make.base();
  for (const Expr* operand : {site.stmt->left, site.stmt->right}) {
    if (operand == nullptr) continue;
    for (const text::Postfix& postfix : operand->postfixes) {
      if (postfix.kind != text::Postfix::Kind::kIndex) continue;
      for (const text::Index& index : postfix.indices) {
        if (index.offset == nullptr || index.extent == nullptr) continue;
        for (const char* by : {"4", "1"}) {
          make.Add("operand off its rows", "alignment", "AB", Known::kBroken,
                   {{index.offset->span, base.Text(index.offset) + " + " + by}}, &site,
                   {std::string(operand->name.text)}, site.kernel);
        }
      }
    }
  }
}

// A box of a tensor copy and its place in shared memory.
void OfBox(Maker& make, const Site& site) {
  const Base& base = make.base();
  const Expr* view = site.op() == "tma.load" ? site.stmt->destination : nullptr;
  if (view == nullptr) return;
  for (const text::Postfix& postfix : view->postfixes) {
    if (postfix.kind != text::Postfix::Kind::kIndex) continue;
    for (const text::Index& index : postfix.indices) {
      if (index.offset == nullptr || index.extent == nullptr) continue;
      make.Add("box off its place", "alignment", "AB", Known::kBroken,
               {{index.offset->span, base.Text(index.offset) + " + 1"}}, &site,
               {std::string(view->name.text)}, site.kernel);
    }
  }
}

void OfRole(Maker& make, const Declared& declared) {
  const Base& base = make.base();
  const KernelItem& role = *declared.item;
  const auto add = [&](std::string_view op, Span span, const std::string& text) {
    // What a CTA needs in all is told of the kernel.
    make.Add(op, "resource", "S", Known::kBroken, {{span, text}}, nullptr,
             {std::string(declared.kernel->name.text)}, declared.kernel);
  };
  add("more warps than a CTA has", role.warps->span, base.Text(role.warps) + " + 64");
  if (role.regs == nullptr) return;
  const std::string regs = base.Text(role.regs);
  add("registers that are no multiple of 8", role.regs->span, regs + " + 4");
  add("more registers than a thread has", role.regs->span, regs + " + 256");
  // Eight warps of 256 registers are the whole file; other roles take theirs beside them.
  const auto warps = base.Least(role.warps);
  size_t roles = 0;
  for (const Declared& d : base.items()) {
    roles += d.kernel == declared.kernel && d.item->kind == KernelItem::Kind::kRole ? 1 : 0;
  }
  if (warps && *warps >= 8 && roles > 1) {
    add("more registers than the file has", role.regs->span, "256");
  }
}

}  // namespace

void FormChanges(Maker& make) {
  for (const Declared& declared : make.base().items()) {
    const KernelItem& item = *declared.item;
    if (item.kind == KernelItem::Kind::kShared) Pad(make, item.form, declared);
    if (item.kind == KernelItem::Kind::kShared || item.kind == KernelItem::Kind::kRing) {
      PadFields(make, item.fields, declared);
    }
  }
  for (const Site& site : make.base().sites()) {
    if (site.op() == "wgmma" || site.op() == "umma") OfProduct(make, site);
    OfBox(make, site);
  }
}

void ResourceChanges(Maker& make) {
  const Base& base = make.base();
  for (const Declared& declared : base.items()) {
    const KernelItem& item = *declared.item;
    const std::set<std::string> words{std::string(item.name.text)};
    switch (item.kind) {
      case KernelItem::Kind::kRole: OfRole(make, declared); break;
      case KernelItem::Kind::kRing:
        make.Add("more slots than memory holds", "resource", "S", Known::kBroken,
                 {{item.extent->span, "4096*" + base.Text(item.extent)}}, nullptr, words,
                 declared.kernel);
        break;
      case KernelItem::Kind::kShared:
        if (item.has_fields || item.type.shape.empty()) break;
        // A byte an element is 1 MB.
        make.Add("more bytes than memory holds", "resource", "S", Known::kBroken,
                 {{item.type.shape[0]->span, "1048576*(" + base.Text(item.type.shape[0]) + ")"}},
                 nullptr, words, declared.kernel);
        break;
      case KernelItem::Kind::kEvent:
        make.Add("more arrivals than an event counts", "resource", "SD", Known::kBroken,
                 {{item.value->span, "1048576*(" + base.Text(item.value) + ")"}}, nullptr, words,
                 declared.kernel);
        break;
      case KernelItem::Kind::kCluster:
        make.Add("more CTAs than a cluster has", "resource", "SW", Known::kBroken,
                 {{item.value->span, "32*" + base.Text(item.value)}}, nullptr,
                 {std::string(declared.kernel->name.text)}, declared.kernel);
        break;
      default: break;
    }
  }
}

}  // namespace mutation
