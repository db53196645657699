// Many changes of many programs, drawn by a seed, each judged in a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/mutation/programs/change.h"
#include "tests/mutation/programs/judge.h"

namespace mutation {

struct Program {
  std::string file;
  std::unique_ptr<Base> base;
  std::vector<Change> changes;
};

// The programs of the files; one that does not parse is left out.
std::vector<Program> ReadPrograms(const std::vector<std::string>& files);

struct Draw {
  uint64_t seed = 1;
  int64_t members = 3;         // of each family, at most
  int64_t per_operator = 400;  // mutants that are broken or equal, at most
  int64_t per_other = 30;      // of open ones, and of those for later architectures
  int64_t shard = 0, shards = 1;
};

struct Mutation {
  size_t program = 0, change = 0;
  int64_t number = 0;  // of the member
  Member member;
};

// What is run, in an order of which every shard takes its part.
std::vector<Mutation> DrawMutants(const std::vector<Program>& programs, const Draw& draw);

// A line of JSON for each; one that ends the process or takes longer than a minute is told as such.
void RunMutants(const std::vector<Program>& programs, const std::vector<Mutation>& mutants,
                const std::function<void(const std::string&)>& print);

// {"base", "target", "member", "values", "line", "change", "op", "family", "known", "outcome",
// "codes"}
std::string ToJson(const Program& program, const Mutation& mutant, const Judged& judged);

}  // namespace mutation
