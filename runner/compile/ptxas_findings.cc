#include "runner/compile/ptxas_findings.h"

#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace runner::compile {
namespace {

namespace diag = compiler::diag;
using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

constexpr Def<Name, Name> kSerialised{
    "CK3140", Severity::kWarning, Category::kLowering,
    "the products of warpgroups in `{1}` run one after the other, each with a wait ({0})",
    "ptxas found accesses of their registers, or control flow, between a product and its wait that "
    "it cannot prove harmless; products into fragments that live in one loop body only, read after "
    "a wait that every path passes, avoid it"};
constexpr Def<Name, Name> kBudgetIgnored{
    "CK3141", Severity::kWarning, Category::kLowering,
    "the register budgets of roles in `{1}` are ignored ({0})",
    "ptxas applies setmaxnreg only where each role fits in what it asks for"};
constexpr Def<Name, Name> kOther{"CK3142", Severity::kWarning, Category::kLowering,
                                 "ptxas says of `{1}`: {0}",
                                 "a note about products of warpgroups or register budgets"};

constexpr std::string_view kMarker = "// @span ";
constexpr size_t kNotesMax = 32;

std::optional<int64_t> NumberAt(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// The number behind `word`, as in "around line 63".
std::optional<int64_t> NumberBehind(std::string_view line, std::string_view word) {
  const size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  return NumberAt(line.substr(at + word.size()));
}

std::string Function(std::string_view line) {
  constexpr std::string_view kBefore = "function '";
  const size_t open = line.find(kBefore);
  if (open == std::string_view::npos) return "the program";
  const std::string_view name = line.substr(open + kBefore.size());
  return std::string(name.substr(0, name.find('\'')));
}

// The statement of the last marker up to that line of the PTX, counted from 1.
diag::Span SpanAt(std::string_view ptx, int64_t line) {
  diag::Span span;
  for (; line > 0 && !ptx.empty(); --line) {
    const size_t end = ptx.find('\n');
    const std::string_view text = ptx.substr(0, end);
    const size_t at = text.find(kMarker);
    if (at != std::string_view::npos) {
      const std::string_view numbers = text.substr(at + kMarker.size());
      const size_t space = numbers.find(' ');
      const auto begin = NumberAt(numbers);
      const auto stop =
          space == std::string_view::npos ? std::nullopt : NumberAt(numbers.substr(space + 1));
      if (begin && stop && *begin >= 0 && *stop >= *begin) {
        span = {static_cast<uint32_t>(*begin), static_cast<uint32_t>(*stop)};
      }
    }
    ptx.remove_prefix(end == std::string_view::npos ? ptx.size() : end + 1);
  }
  return span;
}

}  // namespace

void AddPtxasFindings(std::string_view log, std::string_view ptx, diag::Report& report) {
  std::set<std::pair<std::string, uint32_t>> known;  // notes come again for each instruction
  while (!log.empty() && known.size() < kNotesMax) {
    const size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
    const size_t open = line.find("(C75");
    const size_t close = line.find(')', open);
    if (open == std::string_view::npos || close == std::string_view::npos) continue;
    const std::string code(line.substr(open + 1, close - open - 1));
    const auto ptx_line = NumberBehind(line, "line ");
    const diag::Span span = ptx_line ? SpanAt(ptx, *ptx_line) : diag::Span{};
    const std::string function = Function(line);
    if (!known.emplace(code + function, span.begin).second) continue;
    const bool serialised = line.find("serialized") != std::string_view::npos;
    if (serialised) {
      report.Add(kSerialised, span, Name{code}, Name{function});
    } else if (line.find("setmaxnreg") != std::string_view::npos) {
      report.Add(kBudgetIgnored, span, Name{code}, Name{function});
    } else {
      report.Add(kOther, span, Name{std::string(line.substr(open))}, Name{function});
    }
  }
}

}  // namespace runner::compile
