#include "server/generators/reduce.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/ops/table.h"
#include "compiler/text/parse.h"

namespace server::generators {
namespace {

using Kind = text::KernelItem::Kind;
using StmtKind = text::Stmt::Kind;

std::vector<Edit> CommentEdits(std::string_view source) {
  std::vector<Edit> edits;
  for (size_t at = source.find("//"); at != std::string_view::npos;) {
    const size_t end = std::min(source.find('\n', at), source.size());
    edits.push_back({{static_cast<uint32_t>(at), static_cast<uint32_t>(end)}, ""});
    at = source.find("//", end);
  }
  return edits;
}

// One unit: the edits that leave it out.
struct Unit {
  std::vector<Edit> edits;
  std::string text;
};

void AddParams(const ProgramText& program, const Binding& binding, std::vector<Unit>& units) {
  for (const text::Item* item : program.program->items) {
    if (item->kind != text::Item::Kind::kParam) continue;
    const auto value = binding.find(std::string(item->names.front().text));
    if (value == binding.end()) continue;
    units.push_back({{{item->span, absl::StrCat("const ", value->first, " = ", value->second)}},
                     absl::StrCat("domain of ", value->first)});
  }
}

void AddStatements(const ProgramText& program, std::vector<Unit>& units) {
  VisitBlocks(*program.program, [&](const text::Block& block) {
    for (const text::Stmt* stmt : block) units.push_back({{{stmt->span, ""}}, "a statement"});
  });
}

// `if c { a } else { b }` gives a; a loop gives one trip of its body, its variable at the start.
void AddUnwrapped(const ProgramText& program, std::vector<Unit>& units) {
  VisitBlocks(*program.program, [&](const text::Block& block) {
    for (const text::Stmt* stmt : block) {
      if (stmt->body.empty()) continue;
      const Span inner = {stmt->body.front()->span.begin, stmt->body.back()->span.end};
      std::string head;
      if (stmt->kind == StmtKind::kFor && stmt->range.low != nullptr && stmt->names.size() == 1) {
        head = absl::StrCat("let ", std::string(stmt->names.front().text), " = ",
                            std::string(program.Slice(stmt->range.low->span)), "\n");
      } else if (stmt->kind != StmtKind::kIf && stmt->kind != StmtKind::kElect &&
                 stmt->kind != StmtKind::kOnce) {
        continue;
      }
      units.push_back({{{{stmt->span.begin, inner.begin}, head}, {{inner.end, stmt->span.end}, ""}},
                       "a loop or a branch around statements"});
    }
  });
}

void AddItems(const ProgramText& program, std::vector<Unit>& units) {
  for (const text::Item* item : program.program->items) {
    if (item->kernel != nullptr) {
      VisitItems(item->kernel->items, [&](const text::KernelItem& inner) {
        if (inner.kind == Kind::kGrid) return;
        units.push_back({{{inner.span, ""}}, "an item of a kernel"});
      });
    }
    const bool needed = item->kind == text::Item::Kind::kTensor ||
                        item->kind == text::Item::Kind::kDim ||
                        item->kind == text::Item::Kind::kArg;
    if (!needed) units.push_back({{{item->span, ""}}, "an item of the program"});
  }
}

std::vector<Unit> UnitsOf(const ProgramText& program, std::string_view source,
                          const Binding& binding) {
  std::vector<Unit> units;
  if (auto comments = CommentEdits(source); !comments.empty()) {
    units.push_back({std::move(comments), "comments"});
  }
  AddParams(program, binding, units);
  AddStatements(program, units);
  AddUnwrapped(program, units);
  AddItems(program, units);
  return units;
}

bool Covers(const Span& outer, const Span& inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

// Edits that do not overlap: the larger one of two wins, a partial overlap keeps the earlier.
std::vector<Edit> Disjoint(std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end > b.span.end;
  });
  std::vector<Edit> out;
  for (Edit& edit : edits) {
    if (!out.empty() &&
        (Covers(out.back().span, edit.span) || edit.span.begin < out.back().span.end)) {
      continue;
    }
    out.push_back(std::move(edit));
  }
  return out;
}

std::string WithoutEmptyLines(std::string_view source) {
  std::string out;
  size_t at = 0;
  while (at < source.size()) {
    const size_t end = std::min(source.find('\n', at), source.size());
    const std::string_view line = source.substr(at, end - at);
    if (line.find_first_not_of(" \t;") != std::string_view::npos) {
      out += std::string(line) + "\n";
    }
    at = end + 1;
  }
  return out;
}

}  // namespace

Reduction Reduce(std::string_view source, const Binding& binding, int64_t from, int64_t count) {
  Reduction out;
  const ProgramText program = Read(source);
  if (program.program == nullptr) return out;
  const std::vector<Unit> units = UnitsOf(program, source, binding);
  out.units = static_cast<int64_t>(units.size());
  std::vector<Edit> edits;
  for (int64_t i = std::max<int64_t>(from, 0); i < std::min(from + count, out.units); ++i) {
    const Unit& unit = units[static_cast<size_t>(i)];
    edits.insert(edits.end(), unit.edits.begin(), unit.edits.end());
    out.text = unit.text;
  }
  if (edits.empty()) return out;
  const std::string cut = WithoutEmptyLines(Apply(source, Disjoint(std::move(edits))));
  compiler::diag::Report report;
  out.source = WithoutEmptyLines(text::Format(cut, compiler::ops::Table(), report));
  out.found = !report.has_errors() && !out.source.empty() && out.source != source;
  return out;
}

}  // namespace server::generators
