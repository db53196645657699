// Judging a search on the device: bounds of what passes are kept there from one program to the
// next, and a case whose runs lie inside them needs no memory to come back. Everything else, and a
// sample of what passes, is judged here from the memory itself.
#include "absl/strings/str_cat.h"
#include "runner/device/judge.h"
#include "runner/oracle/fingerprint.h"
#include "runner/oracle/philox.h"
#include "runner/worker/command_reference.h"
#include "runner/worker/job_run.h"

namespace runner::worker {
namespace {

using contract::Verdict;

constexpr int64_t kKeepMs = 60'000;

std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

// What is said for good is judged from memory; so is what no bounds exist for.
bool JobRun::MayMark() {
  const bool searches = evaluator_.options_.cuda && job_.purpose == kSearch && !job_.fresh_child &&
                        job_.direct_cuda.empty() && !job_.workload.reference.builtin.empty();
  return searches && child_ != nullptr && child_->alive() && evaluator_.EnsureJudge(*child_).ok();
}

// A sample that the program's own text decides: whether it is looked at twice is the same each
// time.
bool JobRun::Audited() const {
  const uint64_t text = oracle::Fingerprint(job_.seed, BytesOf(job_.program.source), 1);
  uint64_t bound = 0;
  for (const auto& [name, value] : job_.program.binding)
    bound = oracle::FingerprintTerm(bound, static_cast<uint64_t>(value),
                                    oracle::Fingerprint(0, BytesOf(name), 1));
  return oracle::DeriveKey(text ^ bound, "audit of marks", 0) % evaluator_.options_.audit_share ==
         0;
}

std::shared_ptr<const KnownMarks> JobRun::MarksOfSet(const contract::Case& at,
                                                     const std::string& known, uint64_t key) {
  auto marks = evaluator_.known_marks_.Find(known);
  if (marks == nullptr) {
    // Nobody was judged on these inputs yet: the first program is judged from its memory.
    const auto drawn = evaluator_.known_cases_.Find(known);
    if (drawn == nullptr) return nullptr;
    const child::Span span(result_.spans, "judge.bounds");
    auto made = MarksOf(job_.workload, at, *drawn, key);
    if (!made.ok()) return nullptr;
    marks = *std::move(made);
    evaluator_.known_marks_.Keep(known, marks, marks->bytes());
  }
  if (!marks->usable) return nullptr;
  if (!child_->Knows(known)) {
    const child::Span span(result_.spans, "judge.bounds");
    std::vector<std::pair<std::string, std::span<const std::byte>>> outputs;
    for (const auto& [name, bounds] : marks->bounds) outputs.emplace_back(name, bounds.bounds);
    if (!child_->Keep(known, outputs, kKeepMs).ok() || !child_->Knows(known)) return nullptr;
  }
  return marks;
}

std::optional<launch::MarksOrder> JobRun::OrderMarks(const contract::Case& at,
                                                     const std::vector<launch::RunSpec>& runs,
                                                     bool timed) {
  if (runs.empty() || !MayMark()) return std::nullopt;
  launch::MarksOrder order{
      .key = oracle::DeriveKey(job_.seed, "marks", 0), .images = Audited(), .timed = timed};
  for (const launch::RunSpec& run : runs) {
    const std::string known =
        oracle::KnownKey(result_.hashes.at("contract"), at.name, job_.seed, run.input_set);
    // Where they are forgotten the case is judged from its memory, which makes them anew.
    auto drawn = evaluator_.known_cases_.Find(known);
    const auto marks = drawn == nullptr ? nullptr : MarksOfSet(at, known, order.key);
    if (marks == nullptr) return std::nullopt;
    if (order.runs.empty()) {
      order.heads = marks->heads;
      held_[known] = std::move(drawn);
    }
    order.runs.push_back({known, marks->inputs, marks->accepted});
  }
  return order;
}

bool JobRun::Expect(const contract::Workload& workload, const contract::Case& at,
                    const contract::CaseTensor& output, const oracle::DrawnInputs& drawn,
                    reference::Inputs::Given& given) {
  // What is said for good is said by the host's reference, in every element: the device's is
  // compared with it at some rows.
  if (job_.purpose != kSearch) return false;
  child::Spans took;
  const bool done = [&] {
    const child::Span span(took, "");
    return evaluator_.ExpectOnDevice(workload, at, output, drawn, job_.seed, given);
  }();
  if (!done) return false;
  child::SpanTotal& total = result_.spans["judge.on_device"];
  total.ns += took[""].ns;
  ++total.count;
  return true;
}

launch::CaseRequest JobRun::RequestOf(const contract::Case& at) {
  launch::CaseRequest request{.name = at.name, .runs = RunsOf(at, evaluator_.options_.cuda)};
  request.marks = OrderMarks(at, request.runs, false);
  return request;
}

std::vector<oracle::Run> JobRun::MarkedRuns(const launch::CaseRequest& request,
                                            const launch::CaseReply& reply,
                                            std::span<const std::byte> heads) {
  std::vector<oracle::Run> runs;
  for (size_t r = 0; r < request.runs.size(); ++r) {
    const launch::RunSpec& spec = request.runs[r];
    oracle::Run& run = runs.emplace_back(oracle::Run{.poison = spec.poison,
                                                     .input_set = spec.input_set,
                                                     .shifted = spec.shifted,
                                                     .marked = true});
    for (const launch::OutputMarks& output : reply.marks[r].outputs)
      run.fingerprints.push_back(output.outputs);
  }
  size_t at = 0;
  for (const auto& [name, bytes] : request.marks->heads) {
    runs[0].buffers.push_back(
        {.name = name, .data = heads.subspan(at, static_cast<size_t>(bytes))});
    at += static_cast<size_t>(bytes);
  }
  return runs;
}

void JobRun::LetGo() {
  const bool works = begun_ && begun_->marks;
  std::erase_if(held_, [&](const auto& one) {
    return !works || begun_->marks->runs.front().known != one.first;
  });
}

void JobRun::Distrust(const contract::Case& at) {
  marks_.outcome = oracle::Outcome::kFail;
  marks_.detail = absl::StrCat("case ", at.name, ": the device found nothing wrong");
  evaluator_.judge_status_ = absl::FailedPreconditionError(marks_.detail);
}

JobRun::Marked JobRun::TakeMarks(const contract::Case& at, const launch::CaseRequest& request,
                                 const launch::CaseReply& reply,
                                 std::span<const std::byte> memory) {
  if (!request.marks || reply.marks.empty()) return Marked::kNot;
  const auto fault = launch::FaultOf(*request.marks, job_.workload, reply.layout, request.runs,
                                     reply.marks, evaluator_.canaries_);
  if (fault.kind == launch::MarksFault::Kind::kKept) {
    marks_.outcome = oracle::Outcome::kFail;
    marks_.detail = absl::StrCat("case ", request.name, ": ", fault.what,
                                 ": the device's copies were damaged, so it was judged again");
    return Marked::kDamaged;
  }
  // A child that keeps memory back which it was asked for has failed, whatever it says.
  if (fault.kind == launch::MarksFault::Kind::kProgram && reply.image_is_heads)
    return Marked::kDamaged;
  if (reply.image_is_heads) {
    const std::string& known = request.marks->runs[0].known;
    const auto drawn = held_.at(known);
    // What follows looks for them where they may have been forgotten meanwhile.
    if (evaluator_.known_cases_.Find(known) == nullptr) evaluator_.known_cases_.Keep(known, drawn);
    if (HeadsPass(job_.workload, at, *drawn, request.marks->heads, memory)) return Marked::kPassed;
    Distrust(at);
    return Marked::kDamaged;
  }
  if (fault.kind == launch::MarksFault::Kind::kNone) return Marked::kAudit;
  return Marked::kNot;
}

// The memory was judged too: both have to say the same.
void JobRun::Compare(const contract::Case& at, bool passed) {
  if (!passed) return Distrust(at);
  if (marks_.outcome == oracle::Outcome::kFail) return;
  marks_.outcome = oracle::Outcome::kPass;
  marks_.detail = "the judge on the device and the one here agree";
}

void JobRun::JudgeMarked(const contract::Case& at, const launch::CaseRequest& request,
                         const CaseRun& run, CaseOutcome& outcome) {
  const child::Span span(result_.spans, "judge.marks");
  const oracle::KnownScope known = Known();
  auto judged = oracle::JudgeCase(job_.workload, at, job_.seed,
                                  MarkedRuns(request, run.reply, run.image.bytes()), 0,
                                  RunReferenceCommand, &known);
  TakeJudgement(std::move(judged), outcome);
}

}  // namespace runner::worker
