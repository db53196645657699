// Which objects the log names, and which the text of an object names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "store/sqlite.h"
#include "store/upkeep.h"

namespace store {

// Hash -> the first event that names it.
using NamedObjects = std::unordered_map<std::string, int64_t>;

// Of events 1 to `through_seq`, read in pieces.
absl::StatusOr<NamedObjects> NamedByEvents(Database& db, int64_t through_seq,
                                           const Cancelled& cancelled);

// Everything in a text that looks like a hash: 64 hex digits with none beside them.
std::vector<std::string> HashesIn(std::string_view text);

}  // namespace store
