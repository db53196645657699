// A learnt rule: one file with what it says, the query that finds it, and the programs that it must
// refuse and must let through. Agents write them, so everything in it is untrusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/diag/diagnostic.h"

namespace verifier::learnt {

constexpr size_t kRuleBytesMax = 64 * 1024;
constexpr size_t kQueryBytesMax = 16 * 1024;
constexpr size_t kSpecimensMax = 16;  // of each kind

struct Rule {
  std::string name;  // ^[a-z][a-z0-9_]{2,47}$
  std::string code;  // CK2700 to CK2799: the codes of learnt rules, one each
  compiler::diag::Severity severity = compiler::diag::Severity::kError;
  compiler::diag::Category category = compiler::diag::Category::kSafety;
  std::string message;  // the fact; {column} is that column of the row
  std::string why;      // the hardware's reason
  std::string fix;      // what to do, in words; a row's edit_text goes with it
  std::string query;    // one SELECT over the tables of FACTS.md
  std::vector<std::string> accepts, rejects;  // whole programs
  std::string text;                           // the file
};

// INVALID_ARGUMENT says what is wrong with the file, and where. The query is not looked at.
absl::StatusOr<Rule> ParseRule(std::string_view text);

}  // namespace verifier::learnt
