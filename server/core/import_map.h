// The log of another store under the numbers of this one. Every number in it names a row that the
// log itself made before: anything else refuses the whole log, so that evidence can neither name
// nor change what is here already, but for devices, contracts and findings that both sides know.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/evidence.h"
#include "server/state/state.h"

namespace server::core {

struct MappedLog {
  std::vector<store::EventBody> events;
  std::vector<int64_t> at_us;       // of each
  std::map<int64_t, int64_t> runs;  // theirs -> ours
  int64_t left_out = 0;             // events that concern that machine only
};

struct ImportContext {
  int64_t import = 0;      // the number that the import gets
  int64_t principal = 0;   // whose act the import is
  std::string suffix;      // sets names of that store apart from names here
  bool simulated = false;  // as the manifest says
  int64_t first_seq = 0;   // of the first event that is made of the log
};

// INVALID_ARGUMENT names the event that does not fit.
absl::StatusOr<MappedLog> MapLog(const state::State& state, const ImportContext& context,
                                 std::vector<LoggedEvent> log);

// Ends what the log left unfinished: runs that went on there are over here, so that this daemon
// never works on them. INVALID_ARGUMENT when the log cannot be folded.
absl::Status CloseOpenWork(int64_t first_seq, MappedLog& log);

}  // namespace server::core
