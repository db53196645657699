// Tactics on loops: unrolling, fusing, splitting.
#include <algorithm>
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

// What statements read and write, by the names that stand first in their paths. Instructions other
// than loads and stores order things: they are not moved.
struct Touched {
  std::set<std::string_view> reads, writes, declares;
  bool ordered = false;
};

void Touch(const text::Stmt& s, Touched& out);

void TouchAll(const text::Block& block, Touched& out) {
  for (const text::Stmt* stmt : block) Touch(*stmt, out);
}

void TouchOp(const text::Stmt& s, Touched& out) {
  const std::string_view name = s.op_name.text;
  out.ordered =
      out.ordered || (name != "st" && name.substr(0, 3) != "st.") || s.on_event != nullptr;
  if (s.destination != nullptr) out.writes.insert(s.destination->name.text);
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
      for (const text::Ident& name : s.names) out.declares.insert(name.text);
      break;
    case StmtKind::kAssign: out.writes.insert(s.target->name.text); break;
    case StmtKind::kFor:
      for (const text::Ident& name : s.names) out.declares.insert(name.text);
      break;
    case StmtKind::kIf: break;
    case StmtKind::kOp: TouchOp(s, out); break;
    default: out.ordered = true; break;
  }
  TouchAll(s.body, out);
  TouchAll(s.else_body, out);
}

bool Meet(const std::set<std::string_view>& a, const std::set<std::string_view>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::string_view name) { return b.contains(name); });
}

bool Independent(const Touched& a, const Touched& b) {
  return !a.ordered && !b.ordered && !Meet(a.writes, b.reads) && !Meet(a.writes, b.writes) &&
         !Meet(a.reads, b.writes);
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

Sites FuseSites(const ProgramText& program) {
  Sites sites;
  VisitBlocks(*program.program, [&](const text::Block& block) {
    for (size_t i = 1; i < block.size(); ++i) {
      const text::Stmt &first = *block[i - 1], &second = *block[i];
      if (!IsRangeLoop(first) || !IsRangeLoop(second) || first.body.empty() ||
          second.body.empty() || first.names.front().text != second.names.front().text ||
          Header(program, first) != Header(program, second)) {
        continue;
      }
      Touched a, b;
      TouchAll(first.body, a);
      TouchAll(second.body, b);
      // Names declared in both would be declared twice.
      if (!Independent(a, b) || Meet(a.declares, b.declares)) continue;
      const Span inner = InnerOf(second.body);
      sites.push_back(
          {{{{first.body.back()->span.end, first.body.back()->span.end},
             absl::StrCat("\n", std::string(program.Slice(inner)))},
            {second.span, ""}},
           {},
           absl::StrCat("fuse two loops over ", std::string(first.names.front().text))});
    }
  });
  return sites;
}

Sites UnfuseSites(const ProgramText& program) {
  Sites sites;
  VisitBlocks(*program.program, [&](const text::Block& block) {
    for (const text::Stmt* loop : block) {
      if (!IsRangeLoop(*loop) || loop->body.size() < 2) continue;
      for (size_t cut = 1; cut < loop->body.size(); ++cut) {
        Touched a, b;
        for (size_t i = 0; i < loop->body.size(); ++i) {
          Touch(*loop->body[i], i < cut ? a : b);
        }
        if (!Independent(a, b) || Meet(a.declares, b.reads)) continue;
        const uint32_t begin = loop->span.begin;
        const std::string header(program.Slice({begin, loop->body.front()->span.begin}));
        const uint32_t at = loop->body[cut]->span.begin;
        sites.push_back({{{{at, at}, absl::StrCat("\n}\n", header, "\n")}},
                         {},
                         absl::StrCat("split the loop over ", std::string(loop->names.front().text),
                                      " in two")});
      }
    }
  });
  return sites;
}

}  // namespace server::generators
