// Tactics on which CTA does what: raster order and persistent loops over tiles.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/generators/sites.h"

namespace server::generators {
namespace {

using Kind = text::KernelItem::Kind;

struct Launch {
  const text::KernelItem* grid = nullptr;
  const text::KernelItem* role = nullptr;  // the only one
  bool plain = true;  // no cluster, no function or constant between that names the CTA
};

bool NamesCta(const text::KernelItem& item) {
  bool found = Names(item.value, "cta");
  if (item.let != nullptr) {
    VisitExprs(*item.let, [&](const text::Expr& e) {
      found = found || (e.kind == text::Expr::Kind::kPath && e.name.text == "cta");
    });
  }
  return found;
}

Launch LaunchOf(const text::Kernel& kernel) {
  Launch launch;
  int roles = 0;
  VisitItems(kernel.items, [&](const text::KernelItem& item) {
    if (item.kind == Kind::kGrid) launch.grid = &item;
    if (item.kind == Kind::kRole) {
      launch.role = &item;
      ++roles;
    }
    const bool counted = item.kind == Kind::kCluster || item.kind == Kind::kRing ||
                         item.kind == Kind::kEvent || item.kind == Kind::kFunction ||
                         item.kind == Kind::kTmem;
    launch.plain = launch.plain && !counted && !NamesCta(item);
  });
  if (roles != 1) launch.role = nullptr;
  return launch;
}

// `cta` and `cta.x`, as they are written in a block.
struct CtaUse {
  Span span;
  char axis;  // 'x', 'y', 'z'; 0: the linear number
};

std::vector<CtaUse> CtaUses(const text::Block& block) {
  std::vector<CtaUse> uses;
  VisitExprs(block, [&](const text::Expr& e) {
    if (e.kind != text::Expr::Kind::kPath || e.name.text != "cta") return;
    if (e.postfixes.empty()) {
      uses.push_back({e.name.span, 0});
    } else if (e.postfixes.front().kind == text::Postfix::Kind::kMember) {
      const text::Ident& member = e.postfixes.front().member;
      uses.push_back({{e.name.span.begin, member.span.end}, member.text.front()});
    }
  });
  return uses;
}

bool UsesLinear(const std::vector<CtaUse>& uses) {
  return std::any_of(uses.begin(), uses.end(), [](const CtaUse& use) { return use.axis == 0; });
}

std::string Parens(std::string_view expr) { return absl::StrCat("(", std::string(expr), ")"); }

// The axes exchanged: CTAs that follow each other go down instead of along.
void AddExchange(const ProgramText& program, const text::Kernel& kernel, Sites& sites) {
  const Launch launch = LaunchOf(kernel);
  if (launch.grid == nullptr || launch.grid->values.size() != 2) return;
  Site site{.text =
                absl::StrCat("exchange the axes of the grid of ", std::string(kernel.name.text))};
  bool whole = true;
  VisitItems(kernel.items, [&](const text::KernelItem& item) {
    whole = whole && item.kind != Kind::kCluster && !NamesCta(item);
    if (item.kind != Kind::kRole) return;
    const auto uses = CtaUses(item.body);
    whole = whole && !UsesLinear(uses);
    for (const CtaUse& use : uses) {
      site.edits.push_back({use.span, use.axis == 'x' ? "cta.y" : "cta.x"});
    }
  });
  const auto& axes = launch.grid->values;
  site.edits.push_back({axes[0]->span, std::string(program.Slice(axes[1]->span))});
  site.edits.push_back({axes[1]->span, std::string(program.Slice(axes[0]->span))});
  if (whole) sites.push_back(std::move(site));
}

// Bands of `rows` tile rows, each walked column by column: CTAs side by side share both operands.
void AddBands(const ProgramText& program, const text::Kernel& kernel, int rows, Sites& sites) {
  const Launch launch = LaunchOf(kernel);
  if (launch.grid == nullptr || launch.grid->values.size() != 2 || launch.role == nullptr ||
      !launch.plain || launch.role->body.empty()) {
    return;
  }
  const auto uses = CtaUses(launch.role->body);
  if (UsesLinear(uses)) return;
  const std::string x = Parens(program.Slice(launch.grid->values[0]->span));
  const std::string y = Parens(program.Slice(launch.grid->values[1]->span));
  Site site{.text = absl::StrCat("walk the grid of ", std::string(kernel.name.text),
                                 " in bands of ", rows, " rows")};
  const Span axes = {launch.grid->values[0]->span.begin, launch.grid->values[1]->span.end};
  site.edits.push_back({axes, absl::StrCat(x, "*", y)});
  const uint32_t begin = launch.role->body.front()->span.begin;
  site.edits.push_back(
      {{begin, begin},
       absl::StrCat("let band_first = cta / (", rows, "*", x, ") * ", rows,
                    "\nlet band_rows = min(", y, " - band_first, ", rows,
                    ")\nlet tile_y = band_first + cta % (", rows, "*", x,
                    ") % band_rows\nlet tile_x = cta % (", rows, "*", x, ") / band_rows\n")});
  for (const CtaUse& use : uses) {
    site.edits.push_back({use.span, use.axis == 'x' ? "tile_x" : "tile_y"});
  }
  sites.push_back(std::move(site));
}

void AddPersistent(const ProgramText& program, const text::Kernel& kernel, Sites& sites) {
  const Launch launch = LaunchOf(kernel);
  if (launch.grid == nullptr || launch.role == nullptr || !launch.plain ||
      launch.role->body.empty() || launch.grid->values.size() > 2) {
    return;
  }
  const auto uses = CtaUses(launch.role->body);
  const std::string x = Parens(program.Slice(launch.grid->values[0]->span));
  const bool flat = launch.grid->values.size() == 1;
  if (program.Slice(launch.grid->span).find("SMS") != std::string_view::npos) return;
  const std::string tiles =
      flat ? x : absl::StrCat(x, "*", Parens(program.Slice(launch.grid->values[1]->span)));
  for (const int per_sm : {1, 2, 4}) {
    Site site{.text = absl::StrCat("let ", per_sm, " CTAs an SM loop over the tiles of ",
                                   std::string(kernel.name.text))};
    const Span axes = {launch.grid->values.front()->span.begin,
                       launch.grid->values.back()->span.end};
    site.edits.push_back({axes, absl::StrCat("min(", tiles, ", ", per_sm, "*SMS)")});
    const uint32_t begin = launch.role->body.front()->span.begin;
    const uint32_t end = launch.role->body.back()->span.end;
    std::string head = absl::StrCat("for work in cta..", tiles, " step ctas {\n");
    if (!flat) absl::StrAppend(&head, "let tile_x = work % ", x, "\nlet tile_y = work / ", x, "\n");
    site.edits.push_back({{begin, begin}, head});
    // The next tile overwrites shared memory that slower warps may still read.
    site.edits.push_back({{end, end}, "\nsync cta\n}"});
    for (const CtaUse& use : uses) {
      site.edits.push_back({use.span, flat || use.axis == 0 ? "work"
                                      : use.axis == 'x'     ? "tile_x"
                                                            : "tile_y"});
    }
    sites.push_back(std::move(site));
  }
}

}  // namespace

Sites RasterSites(const ProgramText& program) {
  Sites sites;
  for (const text::Item* item : program.program->items) {
    if (item->kernel == nullptr) continue;
    AddExchange(program, *item->kernel, sites);
    for (const int rows : {4, 8}) AddBands(program, *item->kernel, rows, sites);
  }
  return sites;
}

Sites PersistentSites(const ProgramText& program) {
  Sites sites;
  for (const text::Item* item : program.program->items) {
    if (item->kernel != nullptr) AddPersistent(program, *item->kernel, sites);
  }
  return sites;
}

}  // namespace server::generators
