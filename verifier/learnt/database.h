// One candidate's facts in memory, and questions to them that cannot do anything else: no file, no
// write, no function that makes much of little, a limit on all that grows.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "verifier/learnt/tables.h"

struct sqlite3;

namespace verifier::learnt {

constexpr size_t kAnswerRowsMax = 32;
// Of SQLite's machine: about 10 ms. Counted, not timed, so that the answer is the same everywhere.
constexpr int64_t kQueryStepsMax = 400'000;

struct Answer {
  using Value = std::variant<std::monostate, int64_t, double, std::string>;
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
  bool more = false;  // there are further rows
  int64_t steps = 0;  // thousands of instructions, rounded up
};

class FactBase {
 public:
  // Empty tables: what a query can be compiled against.
  FactBase();
  ~FactBase();
  FactBase(const FactBase&) = delete;
  FactBase& operator=(const FactBase&) = delete;

  // Fills the named tables, once.
  void Fill(const Source& source, const std::set<std::string>& tables);

  // INVALID_ARGUMENT: the query is refused or fails; RESOURCE_EXHAUSTED: over its steps or memory.
  // `tables` gets the names of those it reads.
  absl::StatusOr<Answer> Ask(const std::string& query, std::set<std::string>* tables = nullptr);

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace verifier::learnt
