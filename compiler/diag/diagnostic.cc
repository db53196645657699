#include "compiler/diag/diagnostic.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace compiler::diag {
namespace {

// The shortest text that reads back as the same double.
std::string NumberText(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string ArgText(const Arg& arg) {
  if (const auto* number = std::get_if<int64_t>(&arg)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&arg)) return NumberText(*real);
  return ShortName(std::get<Name>(arg).text);
}

}  // namespace

std::string ShortName(std::string_view text) {
  if (text.size() <= kMaxNameBytes) return std::string(text);
  size_t cut = kMaxNameBytes;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return std::string(text.substr(0, cut)) + "...";
}

std::string FormatMessage(std::string_view message, const std::vector<Arg>& args) {
  std::string out;
  for (size_t i = 0; i < message.size(); ++i) {
    const bool slot = message[i] == '{' && i + 2 < message.size() && message[i + 1] >= '0' &&
                      message[i + 1] <= '9' && message[i + 2] == '}';
    const size_t index = slot ? static_cast<size_t>(message[i + 1] - '0') : args.size();
    if (index >= args.size()) {
      out += message[i];
      continue;
    }
    out += ArgText(args[index]);
    i += 2;
  }
  return out;
}

bool Report::has_errors() const {
  return std::any_of(diagnostics_.begin(), diagnostics_.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

void Report::Append(const Report& other) {
  // By index: appending a report to itself must not walk what it adds.
  const size_t count = other.diagnostics_.size();
  for (size_t i = 0; i < count; ++i) diagnostics_.push_back(other.diagnostics_[i]);
}

void Report::Sort() {
  const auto key = [](const Diagnostic& d) {
    return std::tie(d.primary.begin, d.primary.end, d.code, d.message);
  };
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
  const auto last = std::unique(diagnostics_.begin(), diagnostics_.end(),
                                [&](const Diagnostic& a, const Diagnostic& b) {
                                  return key(a) == key(b) && a.instance == b.instance;
                                });
  diagnostics_.erase(last, diagnostics_.end());
}

Report::Builder Report::AddErased(std::string_view code, Severity severity, Category category,
                                  std::string_view message, std::string_view why, Span primary,
                                  std::vector<Arg> args) {
  Diagnostic& d = diagnostics_.emplace_back();
  d.code = code;
  d.severity = severity;
  d.category = category;
  d.primary = primary;
  d.message = FormatMessage(message, args);
  d.why = why;
  d.args = std::move(args);
  return Builder(d);
}

std::string_view ToString(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kAdvice: return "advice";
  }
  return "error";
}

std::string_view ToString(Category category) {
  switch (category) {
    case Category::kSyntax: return "syntax";
    case Category::kType: return "type";
    case Category::kSafety: return "safety";
    case Category::kHardware: return "hardware";
    case Category::kData: return "data";
    case Category::kSchedule: return "schedule";
    case Category::kUnproven: return "unproven";
    case Category::kLimit: return "limit";
    case Category::kLowering: return "lowering";
    case Category::kRun: return "run";
    case Category::kContract: return "contract";
  }
  return "syntax";
}

std::string_view ToString(Applicability applicability) {
  switch (applicability) {
    case Applicability::kMachine: return "machine";
    case Applicability::kMaybe: return "maybe";
    case Applicability::kManual: return "manual";
  }
  return "manual";
}

}  // namespace compiler::diag
