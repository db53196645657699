// Tactics on loops: unrolling, fusing, splitting.
#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "server/generators/sites.h"

namespace server::generators {
namespace {

using StmtKind = text::Stmt::Kind;

bool IsRangeLoop(const text::Stmt& stmt) {
  return stmt.kind == StmtKind::kFor && stmt.range.low != nullptr && stmt.range.high != nullptr &&
         stmt.names.size() == 1;
}

using NameSet = std::set<std::string_view>;

// What statements read and write, by the names that stand first in their paths. Instructions other
// than loads, stores and additions to memory order things: they are not moved.
struct Touched {
  NameSet reads, writes, declares;
  bool ordered = false;
};

void Touch(const text::Stmt& s, Touched& out);

void TouchAll(const text::Block& block, Touched& out) {
  for (const text::Stmt* stmt : block) Touch(*stmt, out);
}

void TouchOp(const text::Stmt& s, Touched& out) {
  const std::string_view name = s.op_name.text;
  const bool adds = name.substr(0, 4) == "red.";
  const bool moves = adds || name == "st" || name.substr(0, 3) == "st.";
  out.ordered = out.ordered || !moves || s.on_event != nullptr;
  if (s.destination != nullptr) out.writes.insert(s.destination->name.text);
  if (!adds || s.value == nullptr) return;
  for (const text::Postfix& postfix : s.value->postfixes) {
    if (!postfix.args.empty()) out.writes.insert(postfix.args.front()->name.text);
  }
}

void Touch(const text::Stmt& s, Touched& out) {
  VisitExprs(s, [&](const text::Expr& e) {
    if (e.kind == text::Expr::Kind::kPath) out.reads.insert(e.name.text);
    // A call may do anything.
    for (const text::Postfix& postfix : e.postfixes) {
      const bool method = e.postfixes.size() > 1;
      if (postfix.kind == text::Postfix::Kind::kCall && s.kind == StmtKind::kCall && !method) {
        out.ordered = true;
      }
    }
  });
  switch (s.kind) {
    case StmtKind::kLet:
    case StmtKind::kVar:
    case StmtKind::kFor:
      for (const text::Ident& name : s.names) out.declares.insert(name.text);
      break;
    case StmtKind::kIf:
    case StmtKind::kElect: break;
    case StmtKind::kAssign: out.writes.insert(s.target->name.text); break;
    case StmtKind::kOp: TouchOp(s, out); break;
    default: out.ordered = true; break;
  }
  TouchAll(s.body, out);
  TouchAll(s.else_body, out);
}

bool Meet(const NameSet& a, const NameSet& b) {
  return std::any_of(a.begin(), a.end(), [&](std::string_view name) { return b.contains(name); });
}

// Names of arrays that threads keep for themselves.
NameSet ArraysOf(const ProgramText& program) {
  NameSet arrays;
  VisitBlocks(*program.program, [&](const text::Block& block) {
    for (const text::Stmt* stmt : block) {
      if (stmt->kind != StmtKind::kVar || stmt->type.shape.empty()) continue;
      for (const text::Ident& name : stmt->names) arrays.insert(name.text);
    }
  });
  return arrays;
}

using Part = std::vector<const text::Stmt*>;

// Of what lies outside: names that the statements declare are their own.
Touched TouchedBy(const Part& part) {
  Touched out;
  for (const text::Stmt* stmt : part) Touch(*stmt, out);
  for (const std::string_view name : out.declares) {
    out.reads.erase(name);
    out.writes.erase(name);
  }
  return out;
}

// Whether every use of `array` in the statements is of elements that the trip of `variable` names.
bool IsOfTheTrip(const Part& part, std::string_view array, std::string_view variable) {
  bool only = true;
  for (const text::Stmt* stmt : part) {
    VisitExprs(*stmt, [&](const text::Expr& e) {
      if (e.kind != text::Expr::Kind::kPath || e.name.text != array) return;
      bool named = false;
      if (!e.postfixes.empty()) {
        for (const text::Index& index : e.postfixes.front().indices) {
          named = named || Names(index.offset, variable);
        }
      }
      only = only && named;
    });
  }
  return only;
}

// Whether trips of one part may change places with trips of the other. What the two share are at
// most arrays of which each trip has its own elements; that two trips name the same ones is for
// the gates and the oracle to find.
bool Independent(const Part& first, const Part& second, const NameSet& arrays,
                 std::string_view variable) {
  const Touched a = TouchedBy(first), b = TouchedBy(second);
  if (a.ordered || b.ordered) return false;
  NameSet shared;
  for (const std::string_view name : a.writes) {
    if (b.reads.contains(name) || b.writes.contains(name)) shared.insert(name);
  }
  for (const std::string_view name : b.writes) {
    if (a.reads.contains(name)) shared.insert(name);
  }
  return std::all_of(shared.begin(), shared.end(), [&](std::string_view name) {
    return arrays.contains(name) && IsOfTheTrip(first, name, variable) &&
           IsOfTheTrip(second, name, variable);
  });
}

Part PartOf(const text::Block& block, size_t begin, size_t end) {
  return {block.begin() + static_cast<std::ptrdiff_t>(begin),
          block.begin() + static_cast<std::ptrdiff_t>(end)};
}

NameSet Declared(const Part& part) {
  NameSet names;
  for (const text::Stmt* stmt : part) {
    const bool declares = stmt->kind == StmtKind::kLet || stmt->kind == StmtKind::kVar;
    if (!declares && stmt->kind != StmtKind::kFunction) continue;
    for (const text::Ident& name : stmt->names) names.insert(name.text);
    if (stmt->function != nullptr) names.insert(stmt->function->name.text);
  }
  return names;
}

NameSet ReadBy(const text::Stmt& stmt) { return TouchedBy({&stmt}).reads; }

// A `let` of numbers alone: the same wherever it stands in the trip.
bool IsPlainLet(const text::Stmt& stmt) {
  bool plain = stmt.kind == StmtKind::kLet && stmt.names.size() == 1;
  VisitExprs(stmt, [&](const text::Expr& e) {
    plain = plain && e.kind != text::Expr::Kind::kLoad;
    for (const text::Postfix& postfix : e.postfixes) {
      plain = plain && postfix.kind != text::Postfix::Kind::kCall;
    }
  });
  return plain;
}

// The bytes between the braces of a loop.
Span InnerOf(const text::Block& block) {
  return {block.front()->span.begin, block.back()->span.end};
}

std::string_view Header(const ProgramText& program, const text::Stmt& loop) {
  return program.Slice({loop.range.low->span.begin, loop.body.front()->span.begin});
}

void AddUnrolls(const ProgramText& program, const text::Stmt& loop, Sites& sites) {
  const std::string name(loop.names.front().text);
  const uint32_t end = loop.step != nullptr ? loop.step->span.end : loop.range.high->span.end;
  if (loop.unroll != nullptr) {
    for (const char* factor : {"2", "4", "8"}) {
      if (program.Slice(loop.unroll->span) == factor) continue;
      sites.push_back({{{loop.unroll->span, factor}},
                       {},
                       absl::StrCat("unroll the loop over ", name, " ", factor, " times")});
    }
    sites.push_back({{{{end, loop.unroll->span.end}, ""}},
                     {},
                     absl::StrCat("do not unroll the loop over ", name)});
    return;
  }
  for (const char* factor : {"2", "4", "8"}) {
    sites.push_back({{{{end, end}, absl::StrCat(" unroll ", factor)}},
                     {},
                     absl::StrCat("unroll the loop over ", name, " ", factor, " times")});
  }
}

}  // namespace

Sites UnrollSites(const ProgramText& program) {
  Sites sites;
  VisitBlocks(*program.program, [&](const text::Block& block) {
    for (const text::Stmt* stmt : block) {
      if (IsRangeLoop(*stmt)) AddUnrolls(program, *stmt, sites);
    }
  });
  return sites;
}

namespace {

// The body of the second loop as it stands behind the first one's: without the plain lets that both
// have, word for word. "" where the two declare one name for different things.
std::string SecondBody(const ProgramText& program, const text::Block& first,
                       const text::Block& second) {
  const NameSet taken = Declared(PartOf(first, 0, first.size()));
  Touched before;
  TouchAll(first, before);
  std::vector<Edit> edits;
  const Span inner = InnerOf(second);
  for (const text::Stmt* stmt : second) {
    if (!Meet(Declared({stmt}), taken)) continue;
    const std::string_view words = program.Slice(stmt->span);
    const bool twice = std::any_of(first.begin(), first.end(), [&](const text::Stmt* one) {
      return program.Slice(one->span) == words;
    });
    if (!twice || !IsPlainLet(*stmt) || Meet(ReadBy(*stmt), before.writes)) return "";
    edits.push_back({{stmt->span.begin - inner.begin, stmt->span.end - inner.begin}, ""});
  }
  return Apply(program.Slice(inner), std::move(edits));
}

// The plain lets among `part` that `needed` names, with those that they name, as text; nullopt
// where something else that is declared there is needed.
std::optional<std::string> LetsAgain(const ProgramText& program, const Part& part, NameSet needed) {
  std::vector<std::string_view> lines;
  for (auto it = part.rbegin(); it != part.rend(); ++it) {
    if (!Meet(Declared({*it}), needed)) continue;
    if (!IsPlainLet(**it)) return std::nullopt;
    needed.merge(ReadBy(**it));
    lines.push_back(program.Slice((*it)->span));
  }
  std::string out;
  for (auto it = lines.rbegin(); it != lines.rend(); ++it) {
    absl::StrAppend(&out, std::string(*it), "\n");
  }
  return out;
}

}  // namespace

Sites FuseSites(const ProgramText& program) {
  Sites sites;
  const NameSet arrays = ArraysOf(program);
  VisitBlocks(*program.program, [&](const text::Block& block) {
    for (size_t i = 1; i < block.size(); ++i) {
      const text::Stmt &first = *block[i - 1], &second = *block[i];
      if (!IsRangeLoop(first) || !IsRangeLoop(second) || first.body.empty() ||
          second.body.empty() || first.names.front().text != second.names.front().text ||
          Header(program, first) != Header(program, second) ||
          !Independent(PartOf(first.body, 0, first.body.size()),
                       PartOf(second.body, 0, second.body.size()), arrays,
                       first.names.front().text)) {
        continue;
      }
      const std::string body = SecondBody(program, first.body, second.body);
      if (body.empty()) continue;
      const uint32_t end = first.body.back()->span.end;
      sites.push_back(
          {{{{end, end}, absl::StrCat("\n", body)}, {second.span, ""}},
           {},
           absl::StrCat("fuse two loops over ", std::string(first.names.front().text))});
    }
  });
  return sites;
}

Sites UnfuseSites(const ProgramText& program) {
  Sites sites;
  const NameSet arrays = ArraysOf(program);
  VisitBlocks(*program.program, [&](const text::Block& block) {
    for (const text::Stmt* loop : block) {
      if (!IsRangeLoop(*loop)) continue;
      for (size_t cut = 1; cut < loop->body.size(); ++cut) {
        const Part first = PartOf(loop->body, 0, cut);
        const Part second = PartOf(loop->body, cut, loop->body.size());
        // Lets alone are no half of a loop.
        if (std::all_of(first.begin(), first.end(),
                        [](const text::Stmt* one) { return one->kind == StmtKind::kLet; }) ||
            !Independent(first, second, arrays, loop->names.front().text)) {
          continue;
        }
        NameSet needed;
        for (const text::Stmt* stmt : second) needed.merge(ReadBy(*stmt));
        const auto lets = LetsAgain(program, first, std::move(needed));
        if (!lets) continue;
        const std::string header(program.Slice({loop->span.begin, loop->body.front()->span.begin}));
        const uint32_t at = second.front()->span.begin;
        sites.push_back({{{{at, at}, absl::StrCat("\n}\n", header, "\n", *lets)}},
                         {},
                         absl::StrCat("split the loop over ", std::string(loop->names.front().text),
                                      " in two")});
      }
    }
  });
  return sites;
}

}  // namespace server::generators
