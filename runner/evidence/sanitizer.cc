#include "runner/evidence/sanitizer.h"

#include <cctype>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace runner::evidence {
namespace {

constexpr std::string_view kMark = "=========";

std::string_view Strip(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.remove_suffix(1);
  return text;
}

// The number before `word`, as in "3 errors".
int64_t NumberBefore(std::string_view line, std::string_view word) {
  const size_t at = line.find(word);
  if (at == std::string_view::npos) return 0;
  size_t end = at;
  while (end > 0 && line[end - 1] == ' ') --end;
  size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
  int64_t value = 0;
  const std::string_view digits = line.substr(begin, end - begin);
  return absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), &value) ? value : 0;
}

// The beginnings of reports: memcheck and initcheck, racecheck, synccheck.
bool BeginsReport(std::string_view line) {
  for (const std::string_view word :
       {"Invalid ", "Uninitialized ", "Error: Race ", "Warning: Race ", "Barrier error", "Race ",
        "Malloc/Free", "Misaligned ", "Program hit ", "Divergent thread"}) {
    if (line.starts_with(word)) return true;
  }
  return false;
}

// "    at add(const float *, int)+0x70 in file.cu:4" without the parameters.
std::string PlaceOf(std::string_view line) {
  line.remove_prefix(std::string_view("at ").size());
  const size_t open = line.find('('), close = line.rfind(')');
  std::string out(line);
  if (open != std::string_view::npos && close != std::string_view::npos && close > open)
    out = absl::StrCat(std::string(line.substr(0, open)), std::string(line.substr(close + 1)));
  return out;
}

struct Reader {
  SanitizerReport report;
  SanitizerError now;
  bool open = false, summary = false;

  void Close() {
    if (!open) return;
    open = false;
    for (SanitizerError& known : report.shown) {
      if (known.what == now.what && known.at == now.at) {
        ++known.count;
        return;
      }
    }
    if (report.shown.size() < kSanitizerErrorsMax) report.shown.push_back(now);
  }

  void Line(std::string_view line) {
    if (line.find("SUMMARY:") != std::string_view::npos) {
      Close();
      summary = true;
      report.errors = NumberBefore(line, "error");
      report.warnings = NumberBefore(line, "warning");
    } else if (BeginsReport(line)) {
      Close();
      open = true;
      now = {.what = std::string(line)};
    } else if (open && line.starts_with("at ") && now.at.empty()) {
      now.at = PlaceOf(line);
    } else if (open && line.starts_with("by thread ") && now.thread.empty()) {
      now.thread = std::string(line.substr(std::string_view("by thread ").size()));
    } else if (line.empty()) {
      Close();
    }
  }
};

}  // namespace

absl::StatusOr<SanitizerReport> ParseSanitizer(std::string_view log, const std::string& tool) {
  Reader reader;
  reader.report.tool = tool;
  while (!log.empty()) {
    const size_t end = std::min(log.size(), log.find('\n'));
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(log.size(), end + 1));
    const size_t at = line.find(kMark);
    if (at == std::string_view::npos) continue;
    reader.Line(Strip(line.substr(at + kMark.size())));
  }
  reader.Close();
  if (!reader.summary)
    return absl::InvalidArgumentError(absl::StrCat(tool, " left no summary: the run did not end"));
  return reader.report;
}

std::string ToText(const SanitizerReport& report) {
  std::string out =
      absl::StrCat(report.tool, ": ", report.errors, " error", report.errors == 1 ? "" : "s",
                   report.warnings > 0 ? absl::StrCat(", ", report.warnings, " warnings") : "");
  for (const SanitizerError& error : report.shown) {
    absl::StrAppend(&out, "; ", error.what, error.at.empty() ? "" : absl::StrCat(" at ", error.at),
                    error.thread.empty() ? "" : absl::StrCat(" by thread ", error.thread),
                    error.count > 1 ? absl::StrCat(" and ", error.count - 1, " more") : "");
  }
  return out;
}

std::string ToJson(const std::vector<SanitizerReport>& reports) {
  nlohmann::json all = nlohmann::json::array();
  for (const SanitizerReport& report : reports) {
    nlohmann::json shown = nlohmann::json::array();
    for (const SanitizerError& error : report.shown) {
      shown.push_back({{"what", error.what},
                       {"at", error.at},
                       {"thread", error.thread},
                       {"count", error.count}});
    }
    all.push_back({{"tool", report.tool},
                   {"errors", report.errors},
                   {"warnings", report.warnings},
                   {"shown", shown}});
  }
  return nlohmann::json({{"reports", all}})
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace runner::evidence
