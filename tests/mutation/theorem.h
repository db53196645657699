// Whether one run decides for all interleavings: random protocols, as programs judged by the gates
// and, as protocols, by exhaustive exploration.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/machine/premises.h"
#include "tests/mutation/protocol.h"

namespace mutation {

struct Tally {
  int64_t protocols = 0;
  int64_t accepted = 0, rejected = 0;
  int64_t refused = 0;     // not programs at all: syntax, types, schedules of the language
  int64_t unresolved = 0;  // too many states
  std::vector<uint64_t> false_accepts;           // seeds
  std::map<std::string, int64_t> false_rejects;  // by code
  std::map<std::string, int64_t> witnesses;      // the first seed of each of these
  std::map<std::string, int64_t> fates;          // of what was rejected
};

// Protocols with the seeds first .. first + count - 1; `unchecked`: premises that the gates do not
// check.
Tally CheckTheorem(uint64_t first, int64_t count, compiler::machine::PremiseMask unchecked);

// The first code with which the gates refuse a protocol, "" where they accept it; nothing where it
// is no program.
std::optional<std::string> JudgeProtocol(const Protocol& protocol,
                                         compiler::machine::PremiseMask unchecked);

// One line of JSON.
std::string ToJson(const Tally& tally);

}  // namespace mutation
