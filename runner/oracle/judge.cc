#include "runner/oracle/judge.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runner/oracle/compare.h"
#include "runner/oracle/generate.h"
#include "runner/oracle/known_cases.h"
#include "runner/oracle/memory_checks.h"
#include "runner/oracle/precision.h"

namespace runner::oracle {
namespace {

using contract::Role;
using contract::Verdict;

std::string Index(const std::vector<int64_t>& index) {
  return absl::StrCat("[", absl::StrJoin(index, ", "), "]");
}

struct Kept {
  contract::Workload workload;
  DrawnInputs drawn;
};

class CaseJudge {
 public:
  CaseJudge(const contract::Workload& workload, const contract::Case& at, uint64_t seed,
            const std::vector<Run>& runs, int threads, const ReferenceCommand& command,
            const KnownScope* known)
      : workload_(workload),
        at_(at),
        seed_(seed),
        runs_(runs),
        threads_(threads),
        command_(command),
        known_(known) {}

  absl::StatusOr<CaseResult> Judge() {
    if (auto status = Prepare(); !status.ok()) return status;
    result_.name = at_.name;
    if (runs_[0].marked) {
      Memory();
    } else {
      result_.checks.push_back(CheckCanaries(View()));
      if (auto status = Inputs(); !status.ok()) return status;
      result_.checks.push_back(CheckWritten(View()));
      Repeat();
    }
    if (auto status = AgainstReference(); !status.ok()) return status;
    for (const auto& [check, verdict] : order_) {
      const auto failed = std::find_if(
          result_.checks.begin(), result_.checks.end(),
          [&](const Check& c) { return c.name == check && c.outcome == Outcome::kFail; });
      if (failed == result_.checks.end()) continue;
      result_.verdict = verdict;
      break;
    }
    return std::move(result_);
  }

 private:
  absl::Status FindReference() {
    if (!workload_.reference.builtin.empty()) {
      auto builtin = reference::FindBuiltin(workload_.reference.builtin);
      if (!builtin.ok()) return builtin.status();
      builtin_ = *builtin;
      return reference::CheckBuiltin(*builtin_, workload_);
    }
    if (!command_) return absl::FailedPreconditionError("nobody runs the reference's command here");
    for (const contract::Compare& compare : workload_.compare) {
      if (compare.metric != contract::Metric::kRegret) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("output ", compare.output, ": a command scores no index"));
    }
    builtin_ = &reference::GivenReference();
    return absl::OkStatus();
  }

  absl::Status Prepare() {
    if (auto status = FindReference(); !status.ok()) return status;
    auto tensors = contract::TensorsOf(workload_, at_);
    if (!tensors.ok()) return tensors.status();
    tensors_ = *std::move(tensors);
    if (runs_.empty()) return absl::InvalidArgumentError("no runs to judge");
    for (const Run& run : runs_) {
      if (run.marked != runs_[0].marked)
        return absl::InvalidArgumentError("some runs are marked and some are not");
      if (run.marked) continue;
      for (const Buffer& buffer : run.buffers) {
        if (buffer.before.size() != kGuardBytes || buffer.after.size() != kGuardBytes) {
          return absl::InvalidArgumentError(
              absl::StrCat("buffer ", buffer.name, ": wrong guard size"));
        }
      }
      for (const contract::CaseTensor& tensor : tensors_) {
        const int index = BufferIndex(run, tensor.tensor->name);
        if (index < 0 || static_cast<int64_t>(
                             run.buffers[static_cast<size_t>(index)].data.size()) != tensor.bytes) {
          return absl::InvalidArgumentError(absl::StrCat("case ", at_.name, ": buffer ",
                                                         tensor.tensor->name, " is missing or not ",
                                                         tensor.bytes, " bytes"));
        }
      }
    }
    return absl::OkStatus();
  }

  void Add(std::string_view name, Outcome outcome, std::string detail) {
    result_.checks.push_back({std::string(name), outcome, std::move(detail)});
  }

  absl::Status Inputs() {
    std::string fault;
    for (size_t r = 0; r < runs_.size(); ++r) {
      auto drawn = Drawn(runs_[r].input_set);
      if (!drawn.ok()) return drawn.status();
      for (const contract::CaseTensor& tensor : tensors_) {
        if (tensor.tensor->role != Role::kIn) continue;
        const auto got = DataOf(runs_[r], tensor.tensor->name);
        const auto& want = (*drawn)->memory.at(tensor.tensor->name);
        const auto first = std::mismatch(got.begin(), got.end(), want.begin()).first;
        if (first == got.end() || !fault.empty()) continue;
        fault = absl::StrCat("run ", r, " changed byte ", first - got.begin(), " of input ",
                             tensor.tensor->name);
      }
    }
    Add(kCheckInputs, fault.empty() ? Outcome::kPass : Outcome::kFail, fault);
    return absl::OkStatus();
  }

  CaseView View() const { return {tensors_, runs_, threads_}; }

  void Repeat() {
    if (workload_.determinism == contract::Determinism::kNone) {
      Add(kCheckRepeat, Outcome::kNotRun, "the contract does not ask for it");
    } else {
      result_.checks.push_back(CheckRepeat(View()));
    }
  }

  // The checks of memory where a device found nothing.
  void Memory() {
    result_.checks.push_back(CanariesIntact(View()));
    Add(kCheckInputs, Outcome::kPass, "");
    Add(kCheckWritten, Outcome::kPass, "");
    if (workload_.determinism == contract::Determinism::kNone) return Repeat();
    result_.checks.push_back(Repeated(View()));
  }

  // What the reference says of one run.
  struct Compared {
    std::optional<Difference> difference;
    bool same_as_first = false;
    int stale_of = -1;  // an earlier run of other inputs, for which these outputs are right
  };

  // Every run whose outputs no earlier run of its input set has.
  absl::Status CompareAll() {
    compared_.resize(runs_.size());
    for (size_t r = 1; r < runs_.size() && runs_[0].marked; ++r)
      compared_[r].same_as_first = runs_[r].fingerprints == runs_[0].fingerprints;
    if (runs_[0].marked) return absl::OkStatus();
    for (size_t r = 0; r < runs_.size(); ++r) {
      Compared& mine = compared_[r];
      mine.same_as_first = r > 0 && SameOutputs(View(), runs_[r], runs_[0]);
      if (const int earlier = RepeatOf(r); earlier >= 0) {
        mine.difference = compared_[static_cast<size_t>(earlier)].difference;
        mine.stale_of = compared_[static_cast<size_t>(earlier)].stale_of;
        continue;
      }
      auto difference = FirstDifference(runs_[r]);
      if (!difference.ok()) return difference.status();
      mine.difference = *std::move(difference);
      if (mine.difference) mine.stale_of = StaleOf(r);
    }
    return absl::OkStatus();
  }

  // The first run of the same inputs that left the same outputs before run r; -1: none.
  int RepeatOf(size_t r) const {
    for (size_t earlier = 0; earlier < r; ++earlier) {
      if (runs_[earlier].input_set == runs_[r].input_set &&
          SameOutputs(View(), runs_[earlier], runs_[r]))
        return static_cast<int>(earlier);
    }
    return -1;
  }

  int StaleOf(size_t r) const {
    for (size_t earlier = 0; earlier < r; ++earlier) {
      if (runs_[earlier].input_set != runs_[r].input_set && !compared_[earlier].difference &&
          SameOutputs(View(), runs_[earlier], runs_[r]))
        return static_cast<int>(earlier);
    }
    return -1;
  }

  // Wrong outputs that were right for other inputs are old ones.
  void OtherInputs(std::string_view name, bool perturbed) {
    const auto is_perturbed = [&](size_t r) { return runs_[r].input_set >= kPerturbedSets; };
    std::set<int> sets;
    for (size_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r].input_set != runs_[0].input_set && is_perturbed(r) == perturbed) {
        sets.insert(runs_[r].input_set);
      }
      if (compared_[r].stale_of < 0) continue;
      const auto of = static_cast<size_t>(compared_[r].stale_of);
      if ((is_perturbed(r) || is_perturbed(of)) != perturbed) continue;
      Add(name, Outcome::kFail,
          absl::StrCat(
              "run ", r, " has the outputs of run ", of,
              perturbed ? ", whose inputs differ in a few elements" : ", whose inputs are others"));
      return;
    }
    if (sets.empty()) {
      Add(name, Outcome::kNotRun, perturbed ? "not for this case" : "one input set");
    } else {
      Add(name, Outcome::kPass,
          perturbed
              ? absl::StrCat("up to ", kPerturbedElementsMax, " elements of each input changed")
              : absl::StrCat(sets.size() + 1, " input sets"));
    }
  }

  // Runs that differ from the first in how they were run alone. Where results may vary, each is
  // right or wrong by itself.
  void OtherWays(std::string_view name, bool Run::*way, const char* passed, const char* not_run) {
    int64_t runs = 0;
    for (size_t r = 1; r < runs_.size(); ++r) {
      if (!(runs_[r].*way)) continue;
      ++runs;
      if (compared_[r].stale_of >= 0) continue;
      const bool bitwise = workload_.determinism == contract::Determinism::kBitwise &&
                           runs_[r].input_set == runs_[0].input_set;
      const bool right = !compared_[r].difference || compared_[0].difference;
      if (right && (!bitwise || compared_[r].same_as_first || compared_[0].difference)) continue;
      Add(name, Outcome::kFail,
          absl::StrCat("run ", r,
                       right ? " differs from run 0" : " is wrong where run 0 is right"));
      return;
    }
    Add(name, runs > 0 ? Outcome::kPass : Outcome::kNotRun,
        runs > 0 ? absl::StrCat(runs, passed) : not_run);
  }

  // Of the first run of each input set that is right as far as `correct` goes.
  absl::Status AccumulatorPrecision() {
    Precision worst;
    std::string where;
    for (const contract::CaseTensor& tensor : tensors_) {
      if (tensor.tensor->role == Role::kIn) continue;
      auto view = ViewOf(runs_[0], tensor);
      if (!view.ok()) return view.status();
      auto drawn = Drawn(runs_[0].input_set);
      if (!drawn.ok()) return drawn.status();
      Precision one = MeasurePrecision(ReferenceOf(**drawn, tensor), (*drawn)->inputs, *view);
      if (!one.measurable) {
        if (where.empty()) worst.why_not = one.why_not;
        continue;
      }
      if (!where.empty() && one.measured * worst.limit <= worst.measured * one.limit) continue;
      worst = one;
      where = tensor.tensor->name;
    }
    if (where.empty()) {
      Add(kCheckPrecision, Outcome::kNotRun, worst.why_not);
      return absl::OkStatus();
    }
    const bool fail = worst.measured > worst.limit;
    Add(kCheckPrecision, fail ? Outcome::kFail : Outcome::kPass,
        absl::StrCat(worst.elements, " elements of ", where, " err by ", worst.measured,
                     " of their terms (root mean square), ", fail ? "more than " : "at most ",
                     worst.limit, fail ? " that sums in the contract's accumulator can have" : ""));
    return absl::OkStatus();
  }

  absl::Status AgainstReference() {
    if (auto status = CompareAll(); !status.ok()) return status;
    for (const Compared& one : compared_) {
      if (one.difference && !result_.difference) result_.difference = one.difference;
    }
    OtherWays(kCheckJitter, &Run::jittered, " runs with delays", "no build with delays ran");
    OtherInputs(kCheckFresh, false);
    OtherInputs(kCheckPerturbed, true);
    OtherWays(kCheckShifted, &Run::shifted,
              " runs at the least alignment that the program asks for",
              "buffers have addresses on a GPU only");
    if (auto status = AccumulatorPrecision(); !status.ok()) return status;
    if (!result_.difference) {
      Add(kCheckCorrect, Outcome::kPass, "");
      return absl::OkStatus();
    }
    const Difference& d = *result_.difference;
    Add(kCheckCorrect, Outcome::kFail,
        absl::StrCat(d.output, Index(d.index), " is ", d.got, ", expected ", d.want, " within ",
                     d.allowed, "; ", d.wrong, " of ", d.elements,
                     " elements are wrong, the worst by ", d.worst, " times what is allowed"));
    return absl::OkStatus();
  }

  absl::StatusOr<OutputView> ViewOf(const Run& run, const contract::CaseTensor& tensor) const {
    auto view = OutputViewOf(workload_, at_, tensor);
    if (view.ok()) view->memory = DataOf(run, tensor.tensor->name);
    return view;
  }

  absl::StatusOr<std::optional<Difference>> FirstDifference(const Run& run) {
    auto drawn = Drawn(run.input_set);
    if (!drawn.ok()) return drawn.status();
    for (const contract::CaseTensor& tensor : tensors_) {
      if (tensor.tensor->role == Role::kIn) continue;
      const auto view = ViewOf(run, tensor);
      if (!view.ok()) return view.status();
      if (auto difference =
              CompareOutput(ReferenceOf(**drawn, tensor), (*drawn)->inputs, *view, threads_))
        return difference;
    }
    return std::optional<Difference>();
  }

  absl::StatusOr<const DrawnInputs*> Drawn(int input_set) {
    auto found = drawn_.find(input_set);
    if (found == drawn_.end()) {
      auto drawn = DrawnOrKnown(input_set);
      if (!drawn.ok()) return drawn.status();
      found = drawn_.emplace(input_set, *std::move(drawn)).first;
    }
    return found->second.get();
  }

  absl::StatusOr<std::shared_ptr<const DrawnInputs>> DrawnOrKnown(int input_set) {
    // Without its hash one contract's case is not told from another's.
    const bool keeps =
        known_ != nullptr && known_->cases != nullptr && !known_->contract_hash.empty();
    const std::string key =
        keeps ? KnownKey(known_->contract_hash, at_.name, seed_, input_set) : "";
    if (keeps) {
      if (auto known = known_->cases->Find(key)) return known;
    }
    // What is kept outlives this job: its tensors are those of a contract of its own.
    auto kept = std::make_shared<Kept>();
    kept->workload = workload_;
    auto tensors = contract::TensorsOf(kept->workload, at_);
    if (!tensors.ok()) return tensors.status();
    auto drawn = DrawInputs(kept->workload, at_, *tensors, seed_, input_set, threads_);
    if (!drawn.ok()) return drawn.status();
    if (workload_.reference.builtin.empty()) {
      if (auto status = command_(workload_, drawn->inputs); !status.ok()) return status;
    } else if (keeps) {
      // Of index outputs the best ones are known: what was chosen is scored against them.
      for (const contract::CaseTensor& tensor : *tensors) {
        const contract::Compare* compare = contract::FindCompare(workload_, tensor.tensor->name);
        if (tensor.tensor->role == Role::kIn || compare == nullptr) continue;
        reference::Inputs::Given given;
        if (known_->expect && known_->expect(kept->workload, at_, tensor, *drawn, given))
          drawn->inputs.given[tensor.tensor->name] = std::move(given);
        else
          Expect(*builtin_, tensor, drawn->inputs, threads_);
      }
    }
    kept->drawn = *std::move(drawn);
    const std::shared_ptr<const DrawnInputs> out(kept, &kept->drawn);
    if (keeps) known_->cases->Keep(key, out);
    return out;
  }

  // The reference of an output: what was expected before, or the computation.
  const reference::Builtin& ReferenceOf(const DrawnInputs& drawn,
                                        const contract::CaseTensor& output) {
    if (!drawn.inputs.given.contains(output.tensor->name)) return *builtin_;
    expected_ = *builtin_;
    expected_.evaluate = reference::GivenReference().evaluate;
    return expected_;
  }

  // What a case's verdict is when several checks fail: damage outside the outputs first, then
  // causes before consequences.
  const std::vector<std::pair<std::string_view, Verdict>> order_ = {
      {kCheckCanaries, Verdict::kOutOfBoundsWrite}, {kCheckInputs, Verdict::kInputModified},
      {kCheckWritten, Verdict::kIncompleteOutput},  {kCheckRepeat, Verdict::kNondeterministic},
      {kCheckJitter, Verdict::kRaceObserved},       {kCheckFresh, Verdict::kStaleOutput},
      {kCheckPerturbed, Verdict::kStaleOutput},     {kCheckShifted, Verdict::kWrongResult},
      {kCheckPrecision, Verdict::kWrongResult},     {kCheckCorrect, Verdict::kWrongResult}};

  const contract::Workload& workload_;
  const contract::Case& at_;
  const uint64_t seed_;
  const std::vector<Run>& runs_;
  const int threads_;
  const ReferenceCommand& command_;
  const KnownScope* known_ = nullptr;
  const reference::Builtin* builtin_ = nullptr;
  reference::Builtin expected_{};
  std::vector<contract::CaseTensor> tensors_;
  std::map<int, std::shared_ptr<const DrawnInputs>> drawn_;
  std::vector<Compared> compared_;  // by run
  CaseResult result_;
};

}  // namespace

std::string_view ToString(Outcome outcome) {
  constexpr std::string_view kWords[] = {"PASS", "FAIL", "NOT_RUN"};
  return kWords[static_cast<size_t>(outcome)];
}

absl::StatusOr<CaseResult> JudgeCase(const contract::Workload& workload, const contract::Case& at,
                                     uint64_t seed, const std::vector<Run>& runs, int threads,
                                     const ReferenceCommand& command, const KnownScope* known) {
  return CaseJudge(workload, at, seed, runs, threads, command, known).Judge();
}

}  // namespace runner::oracle
