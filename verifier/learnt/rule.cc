#include "verifier/learnt/rule.h"

#include <toml++/toml.h>

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace verifier::learnt {
namespace {

using compiler::diag::Category;
using compiler::diag::Severity;

constexpr size_t kNameBytesMin = 3, kNameBytesMax = 48, kWordsBytesMax = 2000;
constexpr std::string_view kKeys[] = {"name", "code", "severity", "category", "message",
                                      "why",  "fix",  "query",    "accepts",  "rejects"};

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("rule file: ", std::string(what)));
}

// Reads the keys of a file and keeps the first fault.
class Reader {
 public:
  explicit Reader(const toml::table& table) : table_(table) {}

  std::string Text(const char* key, size_t bytes_max, bool required) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
      if (required) Fail(absl::StrCat("`", key, "` is missing"));
      return "";
    }
    const auto text = node->value<std::string>();
    if (!node->is_string() || !text) {
      Fail(absl::StrCat("`", key, "` must be a text"));
      return "";
    }
    if (required && text->empty()) Fail(absl::StrCat("`", key, "` is empty"));
    if (text->size() > bytes_max) {
      Fail(absl::StrCat("`", key, "` has ", text->size(), " bytes, the limit is ", bytes_max));
    }
    return *text;
  }

  // [[key]] with one `program` each.
  std::vector<std::string> Programs(const char* key) {
    std::vector<std::string> programs;
    const toml::node* node = table_.get(key);
    const toml::array* list = node == nullptr ? nullptr : node->as_array();
    if (list == nullptr || list->empty()) {
      Fail(absl::StrCat("there is no [[", key, "]]: a rule says what it must ",
                        key == std::string_view("accepts") ? "let through" : "refuse"));
      return programs;
    }
    if (list->size() > kSpecimensMax) {
      Fail(absl::StrCat("more than ", kSpecimensMax, " [[", key, "]]"));
    }
    for (const toml::node& one : *list) {
      const toml::table* table = one.as_table();
      const auto program =
          table == nullptr ? std::nullopt : (*table)["program"].value<std::string>();
      if (!program || table->size() != 1) {
        Fail(absl::StrCat("each [[", key, "]] has a text `program` and nothing else"));
        return programs;
      }
      programs.push_back(*program);
    }
    return programs;
  }

  void Fail(const std::string& what) {
    if (status_.ok()) status_ = Wrong(what);
  }
  void RefuseUnknownKeys() {
    for (const auto& [key, value] : table_) {
      if (std::find(std::begin(kKeys), std::end(kKeys), key.str()) == std::end(kKeys)) {
        Fail(absl::StrCat("line ", value.source().begin.line, ": unknown key `",
                          std::string(key.str()), "`"));
      }
    }
  }
  const absl::Status& status() const { return status_; }

 private:
  const toml::table& table_;
  absl::Status status_;
};

bool IsRuleName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return name.size() >= kNameBytesMin && name.size() <= kNameBytesMax && name[0] >= 'a' &&
         name[0] <= 'z' && std::all_of(name.begin(), name.end(), fits);
}

// Built-in rules have other numbers, so that a code says which kind has spoken.
bool IsLearntCode(std::string_view code) {
  return code.size() == 6 && code.starts_with("CK27") && code[4] >= '0' && code[4] <= '9' &&
         code[5] >= '0' && code[5] <= '9';
}

void ReadKinds(Reader& in, Rule& rule) {
  const std::string severity = in.Text("severity", 16, false);
  const std::string category = in.Text("category", 16, true);
  if (severity.empty() || severity == "error") {
    rule.severity = Severity::kError;
  } else if (severity == "warning") {
    rule.severity = Severity::kWarning;
  } else if (severity == "advice") {
    rule.severity = Severity::kAdvice;
  } else {
    in.Fail("`severity` must be error, warning or advice");
  }
  constexpr Category kCategories[] = {Category::kSafety, Category::kHardware, Category::kData,
                                      Category::kSchedule};
  const auto known =
      std::find_if(std::begin(kCategories), std::end(kCategories),
                   [&](Category one) { return compiler::diag::ToString(one) == category; });
  if (known == std::end(kCategories)) {
    in.Fail("`category` must be safety, hardware, data or schedule");
  } else {
    rule.category = *known;
  }
}

}  // namespace

absl::StatusOr<Rule> ParseRule(std::string_view text) {
  if (text.size() > kRuleBytesMax) {
    return Wrong(absl::StrCat("it has ", text.size(), " bytes, the limit is ", kRuleBytesMax));
  }
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return Wrong(
        absl::StrCat("line ", error.source().begin.line, ": ", std::string(error.description())));
  }
  Reader in(table);
  in.RefuseUnknownKeys();
  Rule rule;
  rule.text = std::string(text);
  rule.name = in.Text("name", kNameBytesMax, true);
  rule.code = in.Text("code", 6, true);
  ReadKinds(in, rule);
  rule.message = in.Text("message", kWordsBytesMax, true);
  rule.why = in.Text("why", kWordsBytesMax, true);
  rule.fix = in.Text("fix", kWordsBytesMax, false);
  rule.query = in.Text("query", kQueryBytesMax, true);
  rule.accepts = in.Programs("accepts");
  rule.rejects = in.Programs("rejects");
  if (!IsRuleName(rule.name)) in.Fail("`name` must match ^[a-z][a-z0-9_]{2,47}$");
  if (!IsLearntCode(rule.code)) in.Fail("`code` must be one of CK2700 to CK2799");
  if (!in.status().ok()) return in.status();
  return rule;
}

}  // namespace verifier::learnt
