// The oracle's judgement of one case: raw memory of its runs in, named checks with evidence out. It
// makes the inputs, the poison, the canaries and the expected values itself, from the contract and
// the seed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/contract/verdict.h"
#include "runner/contract/workload.h"
#include "runner/reference/reference.h"

namespace runner::oracle {

struct KnownScope;  // known_cases.h

// One buffer after a run, in the order of LaunchPlan::tensors: the contract's tensors by name, then
// workspaces (which the contract does not know). `before` and `after` have kGuardBytes bytes.
struct Buffer {
  std::string name;
  std::span<const std::byte> before, data, after;
};

// Runs with the same input_set had the same inputs. `poison` seeds the poison and the canaries of
// the run.
struct Run {
  uint64_t poison = 0;
  int input_set = 0;
  bool shifted = false;   // buffers began as far off as the program admits
  bool jittered = false;  // by a build that delays its warps where they meet
  std::vector<Buffer> buffers;
  // A device compared the run's memory with everything that passes (accepted.h) and found no fault:
  // buffers hold the beginning of each output alone, no canaries. `fingerprints`: of its outputs.
  bool marked = false;
  std::vector<uint64_t> fingerprints;
};

// Raised with every change after which a judgement of the same runs may come out otherwise.
inline constexpr int kOracleRevision = 3;

enum class Outcome : uint8_t { kPass, kFail, kNotRun };
std::string_view ToString(Outcome outcome);  // "PASS", "FAIL", "NOT_RUN"

inline constexpr std::string_view kCheckCanaries = "canaries";
inline constexpr std::string_view kCheckInputs = "inputs_unchanged";
inline constexpr std::string_view kCheckWritten = "fully_written";
inline constexpr std::string_view kCheckRepeat = "repeatable";
inline constexpr std::string_view kCheckFresh = "fresh_inputs";
inline constexpr std::string_view kCheckPerturbed = "perturbed_inputs";
inline constexpr std::string_view kCheckShifted = "misaligned_bases";
inline constexpr std::string_view kCheckJitter = "jittered";
inline constexpr std::string_view kCheckPrecision = "accumulator_precision";
inline constexpr std::string_view kCheckCorrect = "correct";
// Every name, in the order of a CaseResult.
inline constexpr std::string_view kCaseChecks[] = {
    kCheckCanaries, kCheckInputs,    kCheckWritten, kCheckRepeat,    kCheckJitter,
    kCheckFresh,    kCheckPerturbed, kCheckShifted, kCheckPrecision, kCheckCorrect};

struct Check {
  std::string name;
  Outcome outcome = Outcome::kNotRun;
  std::string detail;  // the fact, in words with numbers
};

// The first element that is wrong, in row-major order, and how far the whole output is off.
struct Difference {
  std::string output;
  std::vector<int64_t> index;
  double got = 0, want = 0, allowed = 0;  // allowed: the largest |got - want| that would pass
  int64_t wrong = 0, elements = 0;
  double worst =
      0;  // largest |got - want| / allowed; infinite where NaN or Inf stand at wrong places
};

struct CaseResult {
  std::string name;
  contract::Verdict verdict = contract::Verdict::kCorrect;
  std::vector<Check> checks;  // one of each of kCaseChecks, in that order
  std::optional<Difference> difference;
};

// Fills Inputs::given with the outputs of a contract's reference command.
using ReferenceCommand =
    std::function<absl::Status(const contract::Workload& workload, reference::Inputs& inputs)>;

// Judges one case. At least one run; two runs of input set 0 where repeatability is asked.
// `command` is needed where the contract's reference is one. `known`: where inputs and expected
// outputs are kept from one judgement to the next; the result is the same with and without.
// Runs are all marked or none is.
// InvalidArgument: the buffers are not those of the contract at this case. `threads` 0: all CPUs.
absl::StatusOr<CaseResult> JudgeCase(const contract::Workload& workload, const contract::Case& at,
                                     uint64_t seed, const std::vector<Run>& runs, int threads,
                                     const ReferenceCommand& command = {},
                                     const KnownScope* known = nullptr);

// Inputs and args that no output depends on at any machine-tier case: a contract with one is weak.
// Draws each input afresh, one at a time, and asks the reference.
absl::StatusOr<std::vector<std::string>> UnusedInputs(const contract::Workload& workload);

// The largest |got - want| that passes for one element.
double Allowed(const contract::Compare& compare, compiler::ir::DType output, int64_t reduction,
               double want, double scale);

}  // namespace runner::oracle
