// The stages of one job, in order: set up, build, oracle, timing, receipt. Internal to the
// evaluator.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "runner/child/spans.h"
#include "runner/worker/evaluator.h"
#include "runner/worker/foreign_baseline.h"
#include "runner/worker/known_marks.h"

namespace runner::worker {

inline constexpr int64_t kSetupMs = 60'000, kNsPerMs = 1'000'000;

class JobRun {
 public:
  JobRun(Evaluator& evaluator, const Job& job, const Evaluator::Progress& progress);
  absl::StatusOr<JobResult> Run();

 private:
  // Each stage returns whether the next one may run; what it found is in result_.
  absl::Status ChooseCases();
  // Cases of hidden sizes that the program does not take are left out: its guard may be narrower
  // than the contract where nobody was told.
  void DropHidden(const std::string& name);
  bool SetUp();
  // Direct CUDA: the launch of every case, from the lines of its source.
  bool PlanDirect();
  bool Build();
  bool LoadModules();
  bool Oracle();
  bool Jitter();
  void Timing();
  void Finish();

  compile::Request RequestFor(const launch::ProgramReply& program,
                              const std::string& direct_cuda) const;
  // Keeps a program where its identity alone finds it again.
  bool KeepProgram(const launch::ProgramText& text, const std::string& hash);
  // The programs that the candidate is timed against: set up and built.
  bool BuildRivals();
  // Build of one program; nullptr: result_ says why.
  const compile::Build* BuildOne(const launch::ProgramReply& program,
                                 const std::string& direct_cuda, compile::Build& build);
  bool JudgeCase(const contract::Case& at);
  bool JitterCase(const contract::Case& at);
  // One attempt of a case: fills `outcome`. False: the attempt ended in a hang or fault of the
  // child.
  void Attempt(const contract::Case& at, CaseOutcome& outcome);
  // What the child made of a case. It then works on the next one, while this one is judged.
  absl::StatusOr<CaseRun> TakeCase(const launch::CaseRequest& request);
  // Judges what a child made of a case, unless it ended in a fault.
  void Judge(const contract::Case& at, const launch::CaseRequest& request, const CaseRun& run,
             CaseOutcome& outcome);
  // Expected values from the device, where it computes them.
  bool Expect(const contract::Workload& workload, const contract::Case& at,
              const contract::CaseTensor& output, const oracle::DrawnInputs& drawn,
              reference::Inputs::Given& given);
  void TakeJudgement(absl::StatusOr<oracle::CaseResult> judged, CaseOutcome& outcome);
  // Marks of a case instead of its memory, where the device may judge it: job_marks.cc.
  bool MayMark();
  bool Audited() const;
  std::shared_ptr<const KnownMarks> MarksOfSet(const contract::Case& at, const std::string& known,
                                               uint64_t key);
  std::optional<launch::MarksOrder> OrderMarks(const contract::Case& at,
                                               const std::vector<launch::RunSpec>& runs,
                                               bool timed);
  launch::CaseRequest RequestOf(const contract::Case& at);
  enum class Marked : uint8_t {
    kNot,      // the memory is here, to be judged
    kPassed,   // the device found nothing
    kAudit,    // .. and the memory is here too
    kDamaged,  // what the device compared with was not what it had been given
  };
  Marked TakeMarks(const contract::Case& at, const launch::CaseRequest& request,
                   const launch::CaseReply& reply, std::span<const std::byte> memory);
  // Nobody looks at the marks of any case any more but of the one that the child works on.
  void LetGo();
  // The judge on the device is asked no more.
  void Distrust(const contract::Case& at);
  static std::vector<oracle::Run> MarkedRuns(const launch::CaseRequest& request,
                                             const launch::CaseReply& reply,
                                             std::span<const std::byte> heads);
  void JudgeMarked(const contract::Case& at, const launch::CaseRequest& request, const CaseRun& run,
                   CaseOutcome& outcome);
  void Compare(const contract::Case& at, bool passed);
  // After a hang: where a build with progress words stands when it hangs too. In words, or "".
  std::string Autopsy(const contract::Case& at);
  // The same values on the reference machine: fills result_.machine ("right", "wrong", or
  // "not_run"), and machine_ where they are wrong.
  void AskMachine();
  // What the machine made of a case; nullopt: not asked, or it is not to be had.
  using OnMachine = std::optional<absl::StatusOr<CaseRun>>;
  // All of them, in as many children as there is room for.
  std::vector<OnMachine> RunOnMachine(const std::vector<const contract::Case*>& cases);
  std::optional<CaseOutcome> JudgeMachine(const contract::Case& at, OnMachine& run);
  bool FailedOnDevice() const;
  bool Confirmed();
  void FromReply(const CaseRun& run, CaseOutcome& outcome);
  void FromDeath(const absl::Status& status, CaseOutcome& outcome);
  std::vector<launch::RunSpec> RunsOf(const contract::Case& at, bool device) const;
  launch::Setup SetupOf(const launch::ProgramText& program, bool emit) const;
  bool TimeCase(const contract::Case& at);
  // Starts the command that is the baseline, and judges it once. False: result_ says why.
  bool OpenForeign(const contract::Case& at, std::unique_ptr<ForeignBaseline>& foreign);
  bool JudgeBaseline(const contract::Case& at, const oracle::Run& run);
  std::string BaselineKey(const contract::Case& at) const;
  bool has_library() const { return !job_.baseline_library.empty(); }
  // The protocol of one case, and what its memory traffic takes at least.
  std::string ProtocolOf(const contract::Case& at) const;
  double SpeedOfLightNs(const contract::Traffic& traffic) const;
  bool Weigh(const contract::Case& at, CaseTiming& timing);
  void TakeSpans(const nlohmann::json& reply);
  bool JudgeExecuted(const contract::Case& at, const nlohmann::json& reply);
  bool JudgeTimed(const contract::Case& at, const launch::CaseRequest& marks,
                  const std::string& memory, std::span<const std::byte> image);
  void Aggregate();
  // What tools say of the build and of a run, for people: decides nothing.
  void Evidence();
  bool Wants(std::string_view evidence) const;
  void Keep(const std::string& name, const absl::StatusOr<std::string>& json,
            const std::string& words);
  void ListSass();
  void ReadCounters();
  void Sanitize();
  const contract::Case* CaseForTools(bool counters) const;
  absl::StatusOr<std::string> RunUnder(const std::vector<std::string>& tool,
                                       const contract::Case& at);
  // The world failed: INFRA verdict, in words.
  bool Infra(contract::Verdict verdict, std::string detail);
  bool Say(contract::Verdict verdict, std::string detail);
  bool Restart();  // another child that has the programs again
  // Hand-written code shares its child with nobody.
  bool IsFresh() const { return job_.fresh_child || !job_.direct_cuda.empty(); }
  void DropChild();
  void BeginStage(const std::string& name, int64_t limit_ns);
  void EndStage(const std::string& end);

  Evaluator& evaluator_;
  Job job_;  // with the cases of hidden sizes in its contract
  const Evaluator::Progress& progress_;
  JobResult result_;
  CaseOutcome machine_;  // what the reference machine found wrong
  std::vector<const contract::Case*> cases_;
  const contract::Case* next_ = nullptr;             // that the oracle judges after this one
  std::optional<launch::CaseRequest> begun_;         // that child_ works on
  // What the marks that were ordered are looked at with, by input set: the cache may let go of it
  // meanwhile.
  std::map<std::string, std::shared_ptr<const oracle::DrawnInputs>> held_;
  std::map<std::string, std::string> direct_plans_;  // by case
  // Of the timed launches; the oracle's own runs have checks of their own.
  oracle::Check timed_{.name = "timed_outputs", .detail = "nothing was timed"};
  std::vector<oracle::Check> evidence_;
  // Only where the device's judge was compared with the one here, or found damaged.
  oracle::Check marks_{.name = "device_judge"};
  oracle::Check autopsy_;  // without a name: nothing hung
  oracle::Check executed_{.name = "executed_kernels", .detail = "nothing was timed"};
  oracle::Check baseline_{.name = "baseline_outputs", .detail = "the baseline is a program"};
  EvalChild* child_ = nullptr;
  launch::ProgramReply program_;
  compile::Build build_;
  // A program that the candidate is timed against.
  struct Rival {
    std::string role;  // "incumbent", "baseline"
    const launch::ProgramText* text = nullptr;
    compile::Build build;
  };
  std::vector<Rival> rivals_;
  bool has_cubin_ = false, set_up_ = false;
  // Where inputs and expected outputs are kept from one search to the next. What is said for good
  // has inputs of its own, that no other job will ask for: they would push a search's out.
  oracle::KnownScope Known() {
    if (job_.purpose != kSearch) return {};
    return {&evaluator_.known_cases_, result_.hashes.at("contract"),
            [this](const contract::Workload& workload, const contract::Case& at,
                   const contract::CaseTensor& output, const oracle::DrawnInputs& drawn,
                   reference::Inputs::Given& given) {
              return Expect(workload, at, output, drawn, given);
            }};
  }
  StageTime stage_;
  int64_t stage_start_ns_ = 0, stage_cpu_ns_ = 0;
};

// What is recorded of a compilation, as JSON.
std::string BuildJson(const compile::Build& build);

// The verdict that a report of findings of the machine stands for (CK2xxx codes).
contract::Verdict VerdictOfFinding(std::string_view code);

}  // namespace runner::worker
