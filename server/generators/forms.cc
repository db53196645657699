// Tactics on the forms that data takes on its way: layouts of shared buffers, caching of loads; and
// on which warps belong to one role.
#include <algorithm>
#include <array>
#include <set>

#include "absl/strings/str_cat.h"
#include "server/generators/sites.h"

namespace server::generators {
namespace {

using Kind = text::KernelItem::Kind;

constexpr std::array<std::string_view, 5> kLayouts = {"", "padded 8", "padded 4", "swizzle 128",
                                                      "swizzle 64"};
constexpr std::array<std::string_view, 5> kCaching = {"", "streaming", "cached", "evict_first",
                                                      "evict_last"};

void AddLayouts(const ProgramText& program, std::string_view name, const text::TypeExpr& type,
                const text::FormSpec& form, Sites& sites) {
  if (type.shape.size() < 2) return;
  const bool written = form.span.end > form.span.begin;
  const Span place = written ? form.span : Span{type.span.end, type.span.end};
  const std::string_view now = written ? program.Slice(form.span) : std::string_view();
  for (const std::string_view layout : kLayouts) {
    if (layout == now || (layout.empty() && !written)) continue;
    const bool gap = !written && !layout.empty();
    sites.push_back({{{place, absl::StrCat(gap ? " " : "", std::string(layout))}},
                     {},
                     absl::StrCat("lay ", std::string(name), " out as ",
                                  layout.empty() ? "plain rows" : std::string(layout))});
  }
}

std::set<std::string_view> TensorsOf(const ProgramText& program) {
  std::set<std::string_view> tensors;
  for (const text::Item* item : program.program->items) {
    for (const text::TensorDecl& tensor : item->tensors) tensors.insert(tensor.name.text);
  }
  return tensors;
}

void AddCaching(const text::Expr& load, const std::set<std::string_view>& tensors, Sites& sites) {
  if (load.operands.empty() || !tensors.contains(load.operands.front()->name.text)) return;
  if (load.modifiers.size() > 1) return;
  const std::string_view now = load.modifiers.empty() ? "" : load.modifiers.front().text;
  if (std::find(kCaching.begin(), kCaching.end(), now) == kCaching.end()) return;
  const uint32_t word = load.span.begin + 2;  // behind `ld`
  const uint32_t end = load.modifiers.empty() ? word : load.modifiers.front().span.end;
  for (const std::string_view caching : kCaching) {
    if (caching == now) continue;
    sites.push_back(
        {{{{word, end}, caching.empty() ? "" : absl::StrCat(".", std::string(caching))}},
         {},
         absl::StrCat("load ", std::string(load.operands.front()->name.text),
                      caching.empty() ? " plainly" : absl::StrCat(" .", std::string(caching)))});
  }
}

// Whether halves of the role can be roles of their own: nothing counts the role's warps that cannot
// count both halves'. Who fills a ring alone would fill it twice.
bool CanSplit(const text::Kernel& kernel, const text::KernelItem& role) {
  if (role.warps == nullptr || role.body.empty()) return false;
  bool free = true;
  VisitItems(kernel.items, [&](const text::KernelItem& item) {
    for (const text::Ident& name : item.from) free = free && name.text != role.name.text;
    free = free && item.kind != Kind::kBarrier && item.kind != Kind::kTmem;
  });
  VisitBlocks(role.body, [&](const text::Block& block) {
    for (const text::Stmt* stmt : block) free = free && stmt->word.text != "role";
  });
  return free;
}

// `sync cta` where it stands in the role: of the CTA's threads in several roles a named barrier is
// made.
std::vector<Edit> SyncsOf(const text::KernelItem& role) {
  std::vector<Edit> out;
  VisitBlocks(role.body, [&](const text::Block& block) {
    for (const text::Stmt* stmt : block) {
      if (stmt->op_name.text == "sync" && stmt->word.text == "cta") {
        out.push_back({stmt->span, "bar.sync halves"});
      }
    }
  });
  return out;
}

// The role's text again for its second half: `warp`, `thread` and `wg` counted on from the first.
std::string SecondHalf(const ProgramText& program, const text::KernelItem& role,
                       const std::string& name, const std::string& half) {
  std::vector<Edit> edits;
  const uint32_t base = role.span.begin;
  const auto at = [&](Span span) { return Span{span.begin - base, span.end - base}; };
  edits.push_back({at(role.name.span), name});
  edits.push_back({at(role.warps->span), half});
  for (const Edit& sync : SyncsOf(role)) edits.push_back({at(sync.span), sync.text});
  VisitExprs(role.body, [&](const text::Expr& e) {
    if (e.kind != text::Expr::Kind::kPath || !e.postfixes.empty()) return;
    if (e.name.text == "warp") {
      edits.push_back({at(e.name.span), absl::StrCat("(warp + ", half, ")")});
    }
    if (e.name.text == "thread") {
      edits.push_back({at(e.name.span), absl::StrCat("(thread + 32*(", half, "))")});
    }
    if (e.name.text == "wg") {
      edits.push_back({at(e.name.span), absl::StrCat("(wg + (", half, ")/4)")});
    }
  });
  return Apply(program.Slice(role.span), std::move(edits));
}

// The edits that make two roles of one; none where it cannot be.
std::vector<Edit> SplitEdits(const ProgramText& program, const text::Kernel& kernel,
                             const text::KernelItem& role) {
  const std::string warps(program.Slice(role.warps->span));
  const std::string half = absl::StrCat("(", warps, ")/2");
  const std::string name = absl::StrCat(std::string(role.name.text), "_b");
  const std::string second = SecondHalf(program, role, name, half);
  if (second.empty()) return {};
  std::vector<Edit> edits = {{role.warps->span, half},
                             {{role.span.end, role.span.end}, absl::StrCat("\n", second)}};
  const std::vector<Edit> syncs = SyncsOf(role);
  for (const Edit& sync : syncs) edits.push_back({sync.span, sync.text});
  if (!syncs.empty()) {
    const Span before = {role.span.begin, role.span.begin};
    edits.push_back({before, absl::StrCat("barrier halves threads 32*(", warps, ")\n")});
  }
  VisitItems(kernel.items, [&](const text::KernelItem& item) {
    for (const text::Ident& reader : item.to) {
      if (reader.text != role.name.text) continue;
      edits.push_back({{reader.span.end, reader.span.end}, absl::StrCat(", ", name)});
    }
  });
  return edits;
}

}  // namespace

Sites FormSites(const ProgramText& program) {
  Sites sites;
  const std::set<std::string_view> tensors = TensorsOf(program);
  for (const text::Item* item : program.program->items) {
    if (item->kernel == nullptr) continue;
    VisitItems(item->kernel->items, [&](const text::KernelItem& inner) {
      if (inner.kind == Kind::kShared && !inner.has_fields) {
        AddLayouts(program, inner.name.text, inner.type, inner.form, sites);
      }
      for (const text::Field& field : inner.fields) {
        if (field.alternatives.empty()) {
          AddLayouts(program, field.name.text, field.type, field.form, sites);
        }
      }
    });
  }
  VisitBlocks(*program.program, [&](const text::Block& block) {
    for (const text::Stmt* stmt : block) {
      for (const text::Expr* expr : {stmt->value, stmt->source}) {
        VisitExpr(expr, [&](const text::Expr& e) {
          if (e.kind == text::Expr::Kind::kLoad) AddCaching(e, tensors, sites);
        });
      }
    }
  });
  return sites;
}

Sites RoleSites(const ProgramText& program) {
  Sites sites;
  for (const text::Item* item : program.program->items) {
    if (item->kernel == nullptr) continue;
    VisitItems(item->kernel->items, [&](const text::KernelItem& role) {
      if (role.kind != Kind::kRole || !CanSplit(*item->kernel, role)) return;
      std::vector<Edit> edits = SplitEdits(program, *item->kernel, role);
      if (edits.empty()) return;
      sites.push_back({std::move(edits),
                       {},
                       absl::StrCat("split role ", std::string(role.name.text), " in two")});
    });
  }
  return sites;
}

}  // namespace server::generators
