#include "runner/oracle/judge.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runner/oracle/compare.h"
#include "runner/oracle/generate.h"
#include "runner/reference/numbers.h"
#include "runner/reference/parallel.h"

namespace runner::oracle {
namespace {

using contract::Role;
using contract::Verdict;

std::string Index(const std::vector<int64_t>& index) {
  return absl::StrCat("[", absl::StrJoin(index, ", "), "]");
}

class CaseJudge {
 public:
  CaseJudge(const contract::Workload& workload, const contract::Case& at, uint64_t seed,
            const std::vector<Run>& runs, int threads)
      : workload_(workload), at_(at), seed_(seed), runs_(runs), threads_(threads) {}

  absl::StatusOr<CaseResult> Judge() {
    if (auto status = Prepare(); !status.ok()) return status;
    result_.name = at_.name;
    Canaries();
    if (auto status = Inputs(); !status.ok()) return status;
    if (auto status = Written(); !status.ok()) return status;
    Repeat();
    if (auto status = Correct(); !status.ok()) return status;
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
  absl::Status Prepare() {
    auto builtin = reference::FindBuiltin(workload_.reference.builtin);
    if (!builtin.ok()) return builtin.status();
    builtin_ = *builtin;
    if (auto status = reference::CheckBuiltin(*builtin_, workload_); !status.ok()) return status;
    auto tensors = contract::TensorsOf(workload_, at_);
    if (!tensors.ok()) return tensors.status();
    tensors_ = *std::move(tensors);
    if (runs_.empty()) return absl::InvalidArgumentError("no runs to judge");
    for (const Run& run : runs_) {
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

  static int BufferIndex(const Run& run, const std::string& name) {
    for (size_t i = 0; i < run.buffers.size(); ++i) {
      if (run.buffers[i].name == name) return static_cast<int>(i);
    }
    return -1;
  }
  static std::span<const std::byte> Data(const Run& run, const std::string& name) {
    return run.buffers[static_cast<size_t>(BufferIndex(run, name))].data;
  }

  void Add(std::string_view name, Outcome outcome, std::string detail) {
    result_.checks.push_back({std::string(name), outcome, std::move(detail)});
  }

  void Canaries() {
    for (size_t r = 0; r < runs_.size(); ++r) {
      for (size_t i = 0; i < runs_[r].buffers.size(); ++i) {
        const Buffer& buffer = runs_[r].buffers[i];
        for (int side = 0; side < 2; ++side) {
          const auto guard = side == 0 ? buffer.before : buffer.after;
          const int64_t broken =
              FirstBrokenGuardByte(runs_[r].poison, static_cast<int>(i), side, guard);
          if (broken < 0) continue;
          const int64_t distance = side == 0 ? kGuardBytes - broken : broken;
          Add(kCheckCanaries, Outcome::kFail,
              absl::StrCat("run ", r, " wrote ", distance, " bytes ",
                           side == 0 ? "before the start of " : "after the end of ", buffer.name));
          return;
        }
      }
    }
    Add(kCheckCanaries, Outcome::kPass,
        absl::StrCat(kGuardBytes, " bytes on both sides of each buffer"));
  }

  absl::Status Inputs() {
    std::string fault;
    for (size_t r = 0; r < runs_.size(); ++r) {
      auto drawn = Drawn(runs_[r].input_set);
      if (!drawn.ok()) return drawn.status();
      for (const contract::CaseTensor& tensor : tensors_) {
        if (tensor.tensor->role != Role::kIn) continue;
        const auto got = Data(runs_[r], tensor.tensor->name);
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

  // An element is unwritten if every run left that run's own poison there.
  absl::Status Written() {
    std::string fault;
    for (const contract::CaseTensor& tensor : tensors_) {
      if (tensor.tensor->role != Role::kOut || !fault.empty()) continue;
      std::atomic<int64_t> count = 0, first = tensor.elements;
      reference::ParallelFor(tensor.elements, 1, threads_, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          if (!Unwritten(tensor, i)) continue;
          ++count;
          int64_t seen = first;
          while (i < seen && !first.compare_exchange_weak(seen, i)) {
          }
        }
      });
      if (count == 0) continue;
      fault =
          absl::StrCat(count.load(), " of ", tensor.elements, " elements of ", tensor.tensor->name,
                       " are never written, the first is element ", first.load());
    }
    Add(kCheckWritten, fault.empty() ? Outcome::kPass : Outcome::kFail, fault);
    return absl::OkStatus();
  }

  bool Unwritten(const contract::CaseTensor& tensor, int64_t element) const {
    const auto dtype = tensor.tensor->dtype;
    const int64_t bytes = reference::ElementBytes(dtype);
    const int64_t offset = reference::OffsetOf(tensor, element);
    for (const Run& run : runs_) {
      const int index = BufferIndex(run, tensor.tensor->name);
      uint64_t got = 0;
      std::memcpy(&got, run.buffers[static_cast<size_t>(index)].data.data() + offset * bytes,
                  static_cast<size_t>(bytes));
      if (got != PoisonElement(dtype, run.poison, index, offset)) return false;
    }
    return true;
  }

  void Repeat() {
    if (workload_.determinism == contract::Determinism::kNone) {
      Add(kCheckRepeat, Outcome::kNotRun, "the contract does not ask for it");
      return;
    }
    bool repeated = false;
    for (size_t r = 1; r < runs_.size(); ++r) {
      if (runs_[r].input_set != runs_[0].input_set) continue;
      repeated = true;
      for (const contract::CaseTensor& tensor : tensors_) {
        if (tensor.tensor->role == Role::kIn) continue;
        const auto a = Data(runs_[0], tensor.tensor->name), b = Data(runs_[r], tensor.tensor->name);
        const auto at = std::mismatch(a.begin(), a.end(), b.begin()).first;
        if (at == a.end()) continue;
        // Unwritten elements hold each run's own poison: they are the other check's finding.
        const int64_t element = (at - a.begin()) / reference::ElementBytes(tensor.tensor->dtype);
        if (tensor.tensor->role == Role::kOut && tensor.tensor->strides.empty() &&
            Unwritten(tensor, element))
          continue;
        Add(kCheckRepeat, Outcome::kFail,
            absl::StrCat("runs 0 and ", r, " on the same inputs differ from byte ", at - a.begin(),
                         " of ", tensor.tensor->name));
        return;
      }
    }
    Add(kCheckRepeat, repeated ? Outcome::kPass : Outcome::kNotRun,
        repeated ? "bitwise" : "only one run of each input set");
  }

  // The first run of each input set against the reference.
  absl::Status Correct() {
    std::string fresh = "one input set";
    Outcome fresh_outcome = Outcome::kNotRun;
    std::vector<int> seen;
    for (const Run& run : runs_) {
      if (std::find(seen.begin(), seen.end(), run.input_set) != seen.end()) continue;
      seen.push_back(run.input_set);
      auto difference = FirstDifference(run);
      if (!difference.ok()) return difference.status();
      if (seen.size() > 1) {
        const bool stale = difference->has_value() && SameOutputs(run, runs_[0]);
        fresh_outcome = stale ? Outcome::kFail : Outcome::kPass;
        fresh = stale ? "new inputs gave the outputs of the old ones"
                      : absl::StrCat(seen.size(), " input sets");
      }
      if (difference->has_value() && !result_.difference) result_.difference = *difference;
    }
    Add(kCheckFresh, fresh_outcome, fresh);
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

  absl::StatusOr<std::optional<Difference>> FirstDifference(const Run& run) {
    auto drawn = Drawn(run.input_set);
    if (!drawn.ok()) return drawn.status();
    for (const contract::CaseTensor& tensor : tensors_) {
      if (tensor.tensor->role == Role::kIn) continue;
      const contract::Compare* compare = contract::FindCompare(workload_, tensor.tensor->name);
      if (compare == nullptr) return absl::FailedPreconditionError("an output has no comparison");
      OutputView view{.at = &tensor, .compare = compare, .memory = Data(run, tensor.tensor->name)};
      if (!compare->reduction.empty()) {
        auto reduction = contract::EvaluateSize(compare->reduction, at_.dims);
        if (!reduction.ok()) return reduction.status();
        view.reduction = *reduction;
      }
      if (auto difference = CompareOutput(*builtin_, (*drawn)->inputs, view, threads_))
        return difference;
    }
    return std::optional<Difference>();
  }

  bool SameOutputs(const Run& a, const Run& b) const {
    return std::all_of(tensors_.begin(), tensors_.end(), [&](const contract::CaseTensor& tensor) {
      if (tensor.tensor->role == Role::kIn) return true;
      const auto x = Data(a, tensor.tensor->name), y = Data(b, tensor.tensor->name);
      return std::equal(x.begin(), x.end(), y.begin());
    });
  }

  absl::StatusOr<const DrawnInputs*> Drawn(int input_set) {
    auto found = drawn_.find(input_set);
    if (found == drawn_.end()) {
      auto drawn = DrawInputs(workload_, at_, tensors_, seed_, input_set, threads_);
      if (!drawn.ok()) return drawn.status();
      found = drawn_.emplace(input_set, *std::move(drawn)).first;
    }
    return &found->second;
  }

  // What a case's verdict is when several checks fail: damage outside the outputs first, then
  // causes before consequences.
  const std::vector<std::pair<std::string_view, Verdict>> order_ = {
      {kCheckCanaries, Verdict::kOutOfBoundsWrite}, {kCheckInputs, Verdict::kInputModified},
      {kCheckWritten, Verdict::kIncompleteOutput},  {kCheckRepeat, Verdict::kNondeterministic},
      {kCheckFresh, Verdict::kStaleOutput},         {kCheckCorrect, Verdict::kWrongResult}};

  const contract::Workload& workload_;
  const contract::Case& at_;
  const uint64_t seed_;
  const std::vector<Run>& runs_;
  const int threads_;
  const reference::Builtin* builtin_ = nullptr;
  std::vector<contract::CaseTensor> tensors_;
  std::map<int, DrawnInputs> drawn_;
  CaseResult result_;
};

}  // namespace

std::string_view ToString(Outcome outcome) {
  constexpr std::string_view kWords[] = {"PASS", "FAIL", "NOT_RUN"};
  return kWords[static_cast<size_t>(outcome)];
}

absl::StatusOr<CaseResult> JudgeCase(const contract::Workload& workload, const contract::Case& at,
                                     uint64_t seed, const std::vector<Run>& runs, int threads) {
  return CaseJudge(workload, at, seed, runs, threads).Judge();
}

}  // namespace runner::oracle
