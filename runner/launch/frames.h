// What the supervisor's job process and an evaluation child say to each other. Payloads are JSON
// but for bulk memory, which travels as one sealed memfd beside a result. The child reports raw
// bytes and facts, never an opinion.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/launch/elaborate.h"
#include "runner/launch/image.h"
#include "runner/launch/marks.h"

namespace runner::launch {

inline constexpr uint8_t kReadyFrame = 1;    // child: it is up, what device it has
inline constexpr uint8_t kSetupFrame = 2;    // parent: contract, program, seed
inline constexpr uint8_t kProgramFrame = 3;  // child: hash, CUDA source, options, launch plans
inline constexpr uint8_t kRejectedFrame =
    4;  // child: the program's diagnostics; it takes the next setup
inline constexpr uint8_t kLoadFrame = 5;  // parent: cubin (raw)
inline constexpr uint8_t kLoadedFrame =
    6;  // child: facts of the loaded functions, or the driver's error
inline constexpr uint8_t kCaseFrame = 7;         // parent: a case and its runs
inline constexpr uint8_t kCaseDoneFrame = 8;     // child: outcome, layout; the image beside it
inline constexpr uint8_t kTimingFrame = 9;       // parent: what to time
inline constexpr uint8_t kTimingDoneFrame = 10;  // child: raw samples
inline constexpr uint8_t kFailedFrame = 11;   // child: the world failed, in words; the child ends
inline constexpr uint8_t kHealthFrame = 12;   // parent: is the device alive?
inline constexpr uint8_t kHealthyFrame = 13;  // child: it is
inline constexpr uint8_t kForeignFrame = 14;  // child, while it times: a sample of the process
                                              // that runs a foreign baseline, please
inline constexpr uint8_t kForeignDoneFrame = 15;  // parent: its nanoseconds, or why there are none
inline constexpr uint8_t kKeepFrame = 16;       // parent: bounds of outputs under a name, beside it
inline constexpr uint8_t kKeptFrame = 17;       // child: the names that it keeps now, or an error
inline constexpr uint8_t kReferenceFrame = 18;  // parent: an output to compute, inputs beside it
inline constexpr uint8_t kReferenceDoneFrame = 19;  // child: its values beside it

struct Setup {
  contract::Workload workload;
  ProgramText program;
  uint64_t seed = 0;
  bool emit = false;               // also lower the program to CUDA
  bool instrument = false;         // .. to a build that delays its warps where they meet
  bool progress = false;           // .. to a build for autopsies of hangs
  std::vector<std::string> cases;  // to plan
  std::map<std::string, std::string>
      direct_plans;  // direct CUDA: LaunchPlan JSON a case; no program text then
};
std::string ToJson(const Setup& setup);
absl::StatusOr<Setup> SetupFromJson(std::string_view json);

// The roles of our own device code among loaded modules.
inline constexpr std::string_view kJudgeRole = "judge", kReferenceRole = "reference";

// One input set's bounds: the outputs in the order of the bytes beside the frame, low before high.
struct KeepRequest {
  std::string known;
  std::vector<std::pair<std::string, int64_t>> outputs;  // bytes of both
};
std::string ToJson(const KeepRequest& request);
absl::StatusOr<KeepRequest> KeepRequestFromJson(std::string_view json);

struct ProgramReply {
  std::string canonical_hash, program, target, cuda;
  std::vector<std::string> kernels, options;
  std::map<std::string, std::string> refused;  // case -> why its launch cannot be planned
};
std::string ToJson(const ProgramReply& reply);
absl::StatusOr<ProgramReply> ProgramReplyFromJson(std::string_view json);

struct CaseRequest {
  std::string name;
  std::string role = "candidate";  // of the program that runs
  std::vector<RunSpec> runs;
  std::optional<MarksOrder> marks;  // the device is to judge, if it can
};
std::string ToJson(const CaseRequest& request);
absl::StatusOr<CaseRequest> CaseRequestFromJson(std::string_view json);

// How the launches of a case went. `code` and `detail` are the machine's or the driver's words.
struct CaseReply {
  enum class Outcome : uint8_t { kFinished, kFault, kDeadlock, kLimit, kDriverError };
  Outcome outcome = Outcome::kFinished;
  std::string name, code, detail;
  std::string diagnostics;  // JSON of the machine's findings, or empty
  std::string autopsy;      // of a hang of a build for it: progress.h, or empty
  bool sticky = false;      // the context is dead: the child must be replaced
  int driver_error = 0;
  int runs_done = 0;
  int64_t lane_statements = 0;
  Layout layout;                // of one run; the image holds runs_done of them
  std::vector<RunMarks> marks;  // empty: none were ordered, or the device could not make them
  bool image_is_heads = false;  // marks are as ordered: what came along is MarksOrder::heads alone
};
int64_t ImageBytes(const CaseReply& reply, const CaseRequest& request);
std::string ToJson(const CaseReply& reply);
absl::StatusOr<CaseReply> CaseReplyFromJson(std::string_view json);

}  // namespace runner::launch
