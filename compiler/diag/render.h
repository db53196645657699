// The two renderings of a report, made at the very edge: text for people, JSON for agents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/diag/diagnostic.h"

namespace compiler::diag {

struct Position {
  int line = 1;
  int column = 1;
};  // 1-based; columns count bytes

// Line starts of one source text; every span is resolved through it.
class LineIndex {
 public:
  explicit LineIndex(std::string_view source);
  Position Find(uint32_t offset) const;
  std::string_view Line(int line) const;  // without its newline

 private:
  std::string_view source_;
  std::vector<uint32_t> starts_;
};

constexpr size_t kMaxShown = 200;  // diagnostics one rendering shows

struct TextOptions {
  bool color = false;
  size_t max_line_bytes = 200;         // longer source lines are cut around the span
  size_t max_diagnostics = kMaxShown;  // the rest is counted, not shown
};

// `file` is only printed. Control and bidirectional characters of the source are escaped.
std::string RenderText(const Report& report, std::string_view file, std::string_view source,
                       const TextOptions& options = {});

// One JSON object {"file", "diagnostics": [...], "errors": n, "warnings": n}; documented in
// compiler/LANGUAGE.md.
std::string RenderJson(const Report& report, std::string_view file, std::string_view source);

// Applies every MACHINE fix that overlaps no earlier one, first diagnostic first. Counts them in
// `applied` unless it is null.
std::string ApplyMachineFixes(const Report& report, std::string_view source, int* applied);

// SHA-256-free stable identity of a finding: code, enclosing statement text and category, no
// offsets.
uint64_t Fingerprint(const Diagnostic& diagnostic, std::string_view source);

}  // namespace compiler::diag
