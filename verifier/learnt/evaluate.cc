#include "verifier/learnt/evaluate.h"

#include <algorithm>
#include <ctime>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace verifier::learnt {
namespace {

namespace diag = compiler::diag;

constexpr size_t kLabelBytesMax = 200, kEditBytesMax = 4096;

int64_t ThreadCpuNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The words between braces of a message.
std::vector<std::string> SlotsOf(const std::string& message) {
  std::vector<std::string> slots;
  for (size_t at = 0; (at = message.find('{', at)) != std::string::npos;) {
    const size_t end = message.find('}', at);
    if (end == std::string::npos) break;
    slots.push_back(message.substr(at + 1, end - at - 1));
    at = end;
  }
  return slots;
}

// A row by the names of its columns.
class Row {
 public:
  Row(const Answer& answer, size_t row) : answer_(answer), row_(answer.rows[row]) {}

  const Answer::Value* Find(std::string_view name) const {
    const auto at = std::find(answer_.columns.begin(), answer_.columns.end(), name);
    if (at == answer_.columns.end()) return nullptr;
    return &row_[static_cast<size_t>(at - answer_.columns.begin())];
  }
  std::string Text(std::string_view name) const {
    const Answer::Value* value = Find(name);
    if (value == nullptr) return "";
    if (const auto* number = std::get_if<int64_t>(value)) return absl::StrCat(*number);
    if (const auto* real = std::get_if<double>(value)) return absl::StrFormat("%.6g", *real);
    if (const auto* text = std::get_if<std::string>(value)) return *text;
    return "none";
  }
  // Nothing where a column is missing, empty or no place of the source.
  std::optional<diag::Span> Place(std::string_view begin, std::string_view end,
                                  size_t source_bytes) const {
    const Answer::Value *low = Find(begin), *high = Find(end);
    if (low == nullptr || high == nullptr) return std::nullopt;
    const auto *first = std::get_if<int64_t>(low), *last = std::get_if<int64_t>(high);
    if (first == nullptr || last == nullptr || *first < 0 || *first > *last ||
        *last > static_cast<int64_t>(source_bytes)) {
      return std::nullopt;
    }
    return diag::Span{static_cast<uint32_t>(*first), static_cast<uint32_t>(*last)};
  }

 private:
  const Answer& answer_;
  const std::vector<Answer::Value>& row_;
};

// The message with its slots filled; names of the program come shortened, as in every message.
std::string MessageOf(const Rule& rule, const Row& row, std::vector<diag::Arg>& args) {
  std::string out;
  size_t at = 0;
  for (const std::string& slot : SlotsOf(rule.message)) {
    const size_t open = rule.message.find('{', at);
    const std::string value = row.Text(slot);
    absl::StrAppend(&out, rule.message.substr(at, open - at), diag::ShortName(value));
    const Answer::Value* cell = row.Find(slot);
    const auto* number = cell == nullptr ? nullptr : std::get_if<int64_t>(cell);
    args.push_back(number != nullptr ? diag::Arg(*number) : diag::Arg(diag::Name{value}));
    at = open + slot.size() + 2;
  }
  return out + rule.message.substr(at);
}

diag::Diagnostic DiagnosticOf(const Installed& installed, const Row& row, size_t source_bytes) {
  const Rule& rule = installed.compiled->rule;
  diag::Diagnostic d;
  d.code = rule.code;
  d.severity = rule.severity;
  d.category = rule.category;
  d.primary = row.Place("span_begin", "span_end", source_bytes).value_or(diag::Span{});
  d.message = MessageOf(rule, row, d.args);
  d.why = rule.why;
  if (const auto place = row.Place("label_begin", "label_end", source_bytes)) {
    d.labels.push_back({*place, row.Text("label").substr(0, kLabelBytesMax)});
  }
  const auto edit = row.Place("edit_begin", "edit_end", source_bytes);
  const std::string text = row.Text("edit_text");
  if (edit && text.size() <= kEditBytesMax) {
    // Offered as a guess: nobody has shown that the edited program passes.
    d.fixes.push_back({rule.fix, {{*edit, text}}, diag::Applicability::kMaybe});
  } else if (!rule.fix.empty()) {
    d.fixes.push_back({rule.fix, {}, diag::Applicability::kManual});
  }
  return d;
}

absl::Status CheckColumns(const Rule& rule, const Answer& answer) {
  const auto has = [&](std::string_view name) {
    return std::find(answer.columns.begin(), answer.columns.end(), name) != answer.columns.end();
  };
  for (const char* name : {"span_begin", "span_end"}) {
    if (!has(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("rule file: the query has no column `", name, "`: where it is violated"));
    }
  }
  for (const std::string& slot : SlotsOf(rule.message)) {
    if (!has(slot)) {
      return absl::InvalidArgumentError(
          absl::StrCat("rule file: the message names {", slot, "}, which the query has not"));
    }
  }
  if (has("edit_text") && rule.fix.empty()) {
    return absl::InvalidArgumentError("rule file: `edit_text` needs `fix`, which says what it is");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompiledRule> CompileRule(std::string_view text) {
  auto rule = ParseRule(text);
  if (!rule.ok()) return rule.status();
  CompiledRule compiled;
  FactBase empty;
  auto answer = empty.Ask(rule->query, &compiled.tables);
  if (!answer.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("rule file: `query`: ", std::string(answer.status().message())));
  }
  if (auto status = CheckColumns(*rule, *answer); !status.ok()) return status;
  compiled.rule = *std::move(rule);
  return compiled;
}

RuleSet::RuleSet(std::vector<Installed> rules) : rules_(std::move(rules)) {
  std::sort(rules_.begin(), rules_.end(),
            [](const Installed& a, const Installed& b) { return a.id < b.id; });
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  const auto mix = [&](std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    hash = (hash ^ 0xffu) * 0x100000001b3u;
  };
  for (const Installed& one : rules_) {
    tables_.insert(one.compiled->tables.begin(), one.compiled->tables.end());
    mix(one.id);
    mix(one.shadow ? "shadow" : "active");
    mix(one.compiled->rule.text);
  }
  hash_ = rules_.empty() ? "built-in" : absl::StrFormat("built-in+%016x", hash);
}

std::string_view RuleSet::RuleOf(std::string_view code) const {
  const auto rule = std::find_if(rules_.begin(), rules_.end(), [&](const Installed& one) {
    return one.compiled->rule.code == code;
  });
  return rule == rules_.end() ? std::string_view() : std::string_view(rule->id);
}

namespace {

// Asks, and keeps the least time of `repeats` times.
absl::StatusOr<Answer> AskTimed(FactBase& facts, const std::string& query, int repeats,
                                int64_t& least_ns) {
  least_ns = INT64_MAX;
  absl::StatusOr<Answer> answer = absl::InternalError("not asked");
  for (int i = 0; i < repeats; ++i) {
    const int64_t before = ThreadCpuNs();
    answer = facts.Ask(query);
    least_ns = std::min(least_ns, ThreadCpuNs() - before);
  }
  return answer;
}

}  // namespace

Findings Evaluate(const RuleSet& rules, const Source& source, int repeats) {
  Findings findings;
  if (rules.empty()) return findings;
  const int64_t before = ThreadCpuNs();
  FactBase facts;
  facts.Fill(source, rules.tables());
  findings.fill_cpu_ns = ThreadCpuNs() - before;
  for (const Installed& installed : rules.rules()) {
    RuleOutcome outcome{.id = installed.id, .shadow = installed.shadow};
    const auto answer =
        AskTimed(facts, installed.compiled->rule.query, std::max(repeats, 1), outcome.cpu_ns);
    if (!answer.ok()) {
      outcome.unknown = true;
      outcome.why = std::string(answer.status().message());
      findings.outcomes.push_back(std::move(outcome));
      continue;
    }
    outcome.hits = static_cast<int64_t>(answer->rows.size());
    outcome.steps = answer->steps;
    for (size_t row = 0; row < answer->rows.size() && !installed.shadow; ++row) {
      findings.report.AddMade(
          DiagnosticOf(installed, Row(*answer, row), source.program.source.size()));
    }
    findings.outcomes.push_back(std::move(outcome));
  }
  return findings;
}

}  // namespace verifier::learnt
