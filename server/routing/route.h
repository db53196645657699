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
  bool varies = false;      // repeated runs differed, or right once and wrong another time
  bool audit = false;
  bool device_suspect = false;  // comparisons of equals were off, or the clocks disagreed
  bool over_limit = false;      // the build failed by a resource: shared memory, registers
  bool mispredicted = false;    // measured outside three intervals, or the top three inverted
  bool misattributed = false;   // the profile's bottleneck is another one than predicted
  bool advised = false;         // a tactic was applied ..
  bool gained = false;          // .. and the program is faster than its parent
  store::Verdict verdict = store::Verdict::kPending;  // what the worker saw
};

// Findings that one case cannot open need so many candidates.
inline constexpr size_t kFindingCandidatesMin = 3, kFindingLineagesMin = 2;
inline constexpr size_t kRefitCandidatesMin = 8, kVocabularyLineagesMin = 3;

struct Route {
  store::Verdict verdict = store::Verdict::kPending;
  store::Blame blame = store::Blame::kUnset;
  // candidate, verifier, lowering, vocabulary, contract, worker, oracle, cost-model, tactic
  std::string_view to;
  std::string_view title;  // of a finding; empty: no finding can come of it
  bool at_once = false;    // one case is enough for a finding
  size_t candidates_min = kFindingCandidatesMin, lineages_min = kFindingLineagesMin;
};

Route RouteOf(const Evidence& evidence);

// Where a form that the gates could not resolve leads: the language lacks it.
Route VocabularyRoute(store::Verdict verdict);

// Whether a measured time is outside three intervals of its prediction: further from it, on a
// logarithmic scale, than three times the interval reaches. False where either is unknown.
bool Mispredicted(double measured_ns, double predicted_ns, double spread_log);

// The property whose proof a verdict contradicts: "bounds", "deadlock", "races"; "" for none.
std::string_view PropertyOf(store::Verdict verdict);
// Whether a member's report lists `property` as proved.
bool IsProved(std::string_view member_report_json, std::string_view property);

// The title of the finding that a proof was wrong names its property: as long as the finding is
// there, proofs of it count as unknown.
std::string SoundnessTitle(std::string_view property);
bool IsSoundness(std::string_view title);
bool IsDistrusted(const state::State& state, std::string_view property);

// What makes two failures one finding: 16 hex digits of the stage, the verdict, the code or the
// sanitizer's word, the instruction form at the site, and the roles of both sides ("load/mma").
struct Failure {
  std::string_view stage;
  store::Verdict verdict = store::Verdict::kPending;
  std::string_view code, form, roles;
};
std::string FailureFingerprint(const Failure& failure);

// The instruction at a place of a source: the dotted word that its statement begins with, or that
// the span begins with where it lies within one. "" where there is none.
std::string FormAt(std::string_view source, int64_t begin, int64_t end);

// The event that a further case of `fingerprint` causes, if any. `state` does not hold the case
// yet.
std::optional<store::EventBody> FindingAfter(const state::State& state,
                                             const std::string& fingerprint, int64_t candidate,
                                             const Route& route);

}  // namespace server::routing
