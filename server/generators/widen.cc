#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "server/generators/sites.h"

namespace server::generators {
namespace {

using Kind = text::KernelItem::Kind;

constexpr int64_t kValueMax = 1 << 16;

// Names whose values flow into others: NAME = e, and arguments into parameters of functions.
class Flows {
 public:
  explicit Flows(const ProgramText& program) {
    for (const text::Item* item : program.program->items) {
      if (item->kind == text::Item::Kind::kConst) Add(item->names.front().text, item->value);
      if (item->function != nullptr) functions_[item->function->name.text] = item->function;
      if (item->kernel == nullptr) continue;
      VisitItems(item->kernel->items, [&](const text::KernelItem& inner) {
        if (inner.kind == Kind::kConst) Add(inner.name.text, inner.value);
        if (inner.function != nullptr) functions_[inner.function->name.text] = inner.function;
      });
    }
    VisitBlocks(*program.program, [&](const text::Block& block) {
      for (const text::Stmt* stmt : block) {
        if (stmt->function != nullptr) functions_[stmt->function->name.text] = stmt->function;
      }
    });
    VisitBlocks(*program.program, [&](const text::Block& block) {
      for (const text::Stmt* stmt : block) {
        VisitExpr(stmt->value, [&](const text::Expr& e) { AddCall(e); });
      }
    });
  }

  // The name and everything that its value reaches.
  std::set<std::string_view> Reached(std::string_view name) const {
    std::set<std::string_view> out = {name};
    for (bool grown = true; grown;) {
      grown = false;
      for (const auto& [to, from] : edges_) {
        if (out.contains(to)) continue;
        const bool hit = std::any_of(from.begin(), from.end(),
                                     [&](std::string_view f) { return out.contains(f); });
        if (hit) grown = out.insert(to).second || grown;
      }
    }
    return out;
  }

 private:
  void Add(std::string_view to, const text::Expr* value) {
    VisitExpr(value, [&](const text::Expr& e) {
      if (e.kind == text::Expr::Kind::kPath) edges_[to].insert(e.name.text);
    });
  }

  void AddCall(const text::Expr& e) {
    if (e.kind != text::Expr::Kind::kPath || e.postfixes.empty()) return;
    const auto function = functions_.find(e.name.text);
    if (function == functions_.end() || e.postfixes.front().kind != text::Postfix::Kind::kCall) {
      return;
    }
    const auto& args = e.postfixes.front().args;
    const auto& parameters = function->second->parameters;
    for (size_t i = 0; i < std::min(args.size(), parameters.size()); ++i) {
      Add(parameters[i].name.text, args[i]);
    }
  }

  std::map<std::string_view, std::set<std::string_view>> edges_;
  std::map<std::string_view, const text::Function*> functions_;
};

bool AnyNamed(const text::Expr* expr, const std::set<std::string_view>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return Names(expr, name); });
}

// The extents of slices that plain loads and stores move.
bool SizesAccess(const text::Block& block, const std::set<std::string_view>& names) {
  bool found = false;
  const auto slices = [&](const text::Expr* path) {
    if (path == nullptr) return;
    for (const text::Postfix& postfix : path->postfixes) {
      for (const text::Index& index : postfix.indices) {
        found = found || (index.extent != nullptr && AnyNamed(index.extent, names));
      }
    }
  };
  for (const text::Stmt* stmt : block) {
    if (stmt->kind == text::Stmt::Kind::kOp && stmt->op_name.text.substr(0, 2) == "st") {
      slices(stmt->destination);
    }
    for (const text::Expr* expr : {stmt->value, stmt->source}) {
      VisitExpr(expr, [&](const text::Expr& e) {
        if (e.kind == text::Expr::Kind::kLoad) slices(e.operands.front());
      });
    }
  }
  return found;
}

bool SizesTile(const text::KernelItem& item, const std::set<std::string_view>& names) {
  const auto any = [&](const std::vector<text::Expr*>& all) {
    return std::any_of(all.begin(), all.end(),
                       [&](const text::Expr* e) { return AnyNamed(e, names); });
  };
  bool found = any(item.type.shape) || (item.kind == Kind::kGrid && any(item.values));
  for (const text::Field& field : item.fields) found = found || any(field.type.shape);
  return found;
}

const text::Item* ParamItem(const ProgramText& program, std::string_view name) {
  for (const text::Item* item : program.program->items) {
    if (item->kind == text::Item::Kind::kParam && item->names.front().text == name) return item;
  }
  return nullptr;
}

// Domains are written as {a, b} or a..b; the edit that lets one more value in.
bool AdmitEdit(const text::Item& item, int64_t value, bool above, Site& site) {
  if (item.has_values) {
    if (item.values.empty()) return false;
    const text::Expr* at = above ? item.values.back() : item.values.front();
    const Span place =
        above ? Span{at->span.end, at->span.end} : Span{at->span.begin, at->span.begin};
    site.edits.push_back({place, above ? absl::StrCat(", ", value) : absl::StrCat(value, ", ")});
    return true;
  }
  const text::Expr* end = above ? item.range.high : item.range.low;
  if (end == nullptr || end->kind != text::Expr::Kind::kInt) return false;
  const int64_t written = above && !item.range.inclusive ? value + 1 : value;
  site.edits.push_back({end->span, absl::StrCat(written)});
  return true;
}

void AddDomain(const ProgramText& program, const ParamDomain& param, ParamUse use, Sites& sites) {
  const text::Item* item = ParamItem(program, param.name);
  if (item == nullptr || param.values.empty()) return;
  const auto [low, high] = std::minmax_element(param.values.begin(), param.values.end());
  const bool counts = use == ParamUse::kStages;
  const int64_t above = counts ? *high + 1 : *high * 2;
  const int64_t below = counts ? *low - 1 : *low / 2;
  for (const int64_t value : {above, below}) {
    if (value < 1 || value > kValueMax || (!counts && value * 2 != *low && value != *high * 2)) {
      continue;
    }
    Site site{.text = absl::StrCat("let ", param.name, " be ", value)};
    site.changes[param.name] = value;
    if (AdmitEdit(*item, value, value > *high, site)) sites.push_back(std::move(site));
  }
}

// Depths that are written as numbers: of rings, whose uses count on whatever their depth is.
void AddRingDepths(const ProgramText& program, Sites& sites) {
  for (const text::Item* item : program.program->items) {
    if (item->kernel == nullptr) continue;
    VisitItems(item->kernel->items, [&](const text::KernelItem& inner) {
      const text::Expr* depth = inner.extent;
      if (inner.kind != Kind::kRing || depth == nullptr || depth->kind != text::Expr::Kind::kInt) {
        return;
      }
      const auto now = static_cast<int64_t>(depth->int_value);
      for (const int64_t then : {now + 1, now + 2, now - 1}) {
        if (then < 1) continue;
        sites.push_back({{{depth->span, absl::StrCat(then)}},
                         {},
                         absl::StrCat("give ring ", std::string(inner.name.text), " ", then,
                                      " stages instead of ", now)});
      }
    });
  }
}

}  // namespace

ParamUse UseOf(const ProgramText& program, std::string_view param) {
  const std::set<std::string_view> names = Flows(program).Reached(param);
  bool stages = false, warps = false, tile = false, vector = false, width = false;
  for (const text::Item* item : program.program->items) {
    if (item->kernel == nullptr) continue;
    VisitItems(item->kernel->items, [&](const text::KernelItem& inner) {
      stages = stages || (inner.extent != nullptr && Names(inner.extent, param));
      warps = warps || (inner.warps != nullptr && AnyNamed(inner.warps, names));
      tile = tile || SizesTile(inner, names);
    });
  }
  VisitBlocks(*program.program, [&](const text::Block& block) {
    vector = vector || SizesAccess(block, names);
    width = width || SizesAccess(block, {param});
  });
  if (warps) return ParamUse::kWarps;
  if (stages) return ParamUse::kStages;
  if (width) return ParamUse::kVector;  // whatever it makes of the grid too
  if (tile) return ParamUse::kTile;
  return vector ? ParamUse::kVector : ParamUse::kOther;
}

Sites WidenSites(const ProgramText& program, ParamUse use) {
  Sites sites;
  for (const ParamDomain& param : program.params) {
    const ParamUse mine = UseOf(program, param.name);
    // What sizes nothing that is told apart here is still a size of the work.
    const bool fits = mine == use || (use == ParamUse::kTile && mine == ParamUse::kOther);
    if (fits) AddDomain(program, param, use, sites);
  }
  if (use == ParamUse::kStages) AddRingDepths(program, sites);
  return sites;
}

}  // namespace server::generators
