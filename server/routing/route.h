// Where evidence goes: from what each layer said of a program to whose fault a failure was and
// which part of the product should learn from it. First match wins; every row has a test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/state/state.h"
#include "store/events.h"

namespace server::routing {

enum class Gates : uint8_t { kNone, kPassed, kRejected };  // kNone: direct CUDA has no gates
enum class Machine : uint8_t { kNotRun, kRight, kWrong };

struct Evidence {
  Gates gates = Gates::kPassed;
  Machine machine = Machine::kNotRun;
  bool on_machine = false;  // the run itself was on the reference machine
  bool proved = false;      // the property that the failure refutes had been proved
  bool varies = false;      // repeated runs differed
  bool audit = false;
  store::Verdict verdict = store::Verdict::kPending;  // what the worker saw
};

struct Route {
  store::Verdict verdict = store::Verdict::kPending;
  store::Blame blame = store::Blame::kUnset;
  std::string_view to;     // candidate, verifier, lowering, vocabulary, contract, worker, oracle
  std::string_view title;  // of a finding; empty: no finding can come of it
  bool at_once = false;    // one case is enough for a finding
};

Route RouteOf(const Evidence& evidence);

// The property whose proof a verdict contradicts: "bounds", "deadlock", "races"; "" for none.
std::string_view PropertyOf(store::Verdict verdict);
// Whether a member's report lists `property` as proved.
bool IsProved(std::string_view member_report_json, std::string_view property);

// What makes two failures one finding: 16 hex digits of (stage, verdict, code, place).
std::string FailureFingerprint(std::string_view stage, store::Verdict verdict,
                               std::string_view code, std::string_view place);

inline constexpr size_t kFindingCandidatesMin = 3, kFindingLineagesMin = 2;

// The event that a further case of `fingerprint` causes, if any. `state` does not hold the case
// yet.
std::optional<store::EventBody> FindingAfter(const state::State& state,
                                             const std::string& fingerprint, int64_t candidate,
                                             const Route& route);

}  // namespace server::routing
