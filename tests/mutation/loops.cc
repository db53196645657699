#include "tests/mutation/loops.h"

#include <algorithm>
#include <random>

#include "compiler/facts/launch.h"
#include "compiler/machine/machine.h"
#include "server/pipeline/pipeline.h"
#include "verifier/closure.h"

namespace mutation {
namespace {

using compiler::machine::Cut;
using server::pipeline::Candidate;
using server::pipeline::Member;
using verifier::ClosurePlan;
using verifier::KernelClosure;

constexpr int kLargestDepth = 4;
constexpr int64_t kHorizon = 4 * kLargestDepth + 18;

class LoopWriter {
 public:
  explicit LoopWriter(uint64_t seed) : random_(seed), wide_(seed % 4 == 3) {}

  std::string Write() {
    depth_ = 1 + Below(kLargestDepth);
    const int family = Below(3);
    const std::string kernel = family == 0 ? Ring(false) : family == 1 ? Ring(true) : Copies();
    const std::string y = wide_ ? "N + 1, N + 32, 32" : "N + 32, 32";
    return "program p target sm_90\ndim N in 0..=64\nin x: f32[N + 32, 32]\nout y: f32[" + y +
           "]\nkernel k {\n  grid (" + (wide_ ? "N + 1" : "1") + ")\n" + kernel + "}\n";
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool OneIn(int n) { return Below(n) == 0; }

  // `number`, now and then a near one.
  int Near(int number) {
    if (!OneIn(9)) return number;
    const int by = OneIn(3) ? depth_ : 1;
    return OneIn(2) ? number + by : number - by;
  }
  int AtLeast(int low, int number) { return std::max(low, number); }

  std::string Out() const { return wide_ ? "st y[cta.x, k, lane]" : "st y[k, lane]"; }

  static std::string Use(const std::string& name, int offset) {
    if (offset == 0) return name + "@k";
    return name + "@(k " + (offset < 0 ? "- " : "+ ") + std::to_string(std::abs(offset)) + ")";
  }

  // A statement of the loop, now and then left out, under a condition, or moved one down.
  void Add(std::vector<std::string>& lines, const std::string& line) {
    if (OneIn(25)) return;
    // By the trip, by the number of trips, by the CTA of a grid that grows with it, or not at all.
    const std::string when = OneIn(25)            ? "k % 2 == 0"
                             : OneIn(25)          ? "N > 12"
                             : wide_ && OneIn(12) ? "cta.x != " + std::to_string(5 * Below(5))
                                                  : "";
    const std::string text = when.empty() ? line : "if " + when + " { " + line + " }";
    if (!lines.empty() && OneIn(25)) {
      lines.insert(lines.end() - 1, text);
    } else {
      lines.push_back(text);
    }
  }

  static std::string Role(const std::string& name, int warps, const std::string& before,
                          const std::vector<std::string>& lines) {
    std::string text = "  role " + name + ": warps " + std::to_string(warps) + " {\n" + before +
                       "    for k in 0..N {\n";
    for (const std::string& line : lines) text += "      " + line + "\n";
    return text + "    }\n  }\n";
  }

  std::string Ring(bool loads) {
    const int look = OneIn(4) ? 1 : 0;  // what the reader waits for ahead
    std::vector<std::string> fill, drain;
    const int from = Near(depth_), lag = Near(depth_);
    Add(fill, OneIn(2) ? "wait " + Use("free", -lag)
                       : "if k >= " + std::to_string(AtLeast(0, from)) + " { wait " +
                             Use("free", -lag) + " }");
    if (loads) {
      Add(fill, "bulk.load " + Use("s", Near(0)) + " <- x[k, :] on " + Use("full", 0));
      Add(fill, "expect " + Use("full", 0));
    } else {
      Add(fill, "st " + Use("s", Near(0)) + "[lane] <- 1.0");
      Add(fill, "arrive " + Use("full", 0));
    }
    if (look > 0) {
      Add(drain, "if k + 1 < N { wait " + Use("full", Near(1)) + " }");
    } else {
      Add(drain, "wait " + Use("full", Near(0)));
    }
    Add(drain, Out() + " <- ld " + Use("s", Near(0)) + "[lane]");
    const std::string release = "arrive " + Use("free", AtLeast(-1, Near(0)));
    Add(drain, OneIn(2) ? release
                        : "if k + " + std::to_string(AtLeast(0, Near(depth_))) + " < N { " +
                              release + " }");
    if (OneIn(6)) {
      Add(fill, "bar.sync meet");
      Add(drain, "bar.sync meet");
    }
    const std::string stages = std::to_string(depth_);
    const std::string slots = std::to_string(AtLeast(1, Near(depth_)));
    const std::string first = look > 0 ? "    if N > 0 { wait full@0 }\n" : "";
    return "  smem s[" + slots + "]: f32[32]\n  event full[" + stages + "] count 1\n  event free[" +
           std::to_string(AtLeast(1, Near(depth_))) + "] count 1\n  barrier meet threads 64\n" +
           Role("fill", 1, "", fill) + Role("drain", 1, first, drain);
  }

  // Slots that a role's own copies fill some trips ahead.
  std::string Copies() {
    const int ahead = AtLeast(0, Near(depth_ - 1));
    std::vector<std::string> lines;
    Add(lines, "cp.async " + Use("s", ahead) + "[thread] <- x[k, lane]");
    Add(lines, "cp.async.commit");
    Add(lines, "cp.async.wait " + std::to_string(AtLeast(0, Near(ahead))));
    Add(lines, "sync role");
    Add(lines, Out() + " <- ld " + Use("s", Near(0)) + "[thread]");
    Add(lines, "sync role");
    std::string first;
    for (int i = 0; i < ahead; ++i) {
      first += "    cp.async s@" + std::to_string(i) + "[thread] <- x[" + std::to_string(i) +
               ", lane]; cp.async.commit\n";
    }
    return "  smem s[" + std::to_string(AtLeast(1, Near(depth_))) + "]: f32[32]\n" +
           Role("main", 1, first, lines);
  }

  std::mt19937_64 random_;
  int depth_ = 1;
  const bool wide_;  // a grid of N + 1
};

// One program, at any number of trips.
class Subject {
 public:
  explicit Subject(const std::string& text) {
    server::pipeline::Options options;
    options.run_gates = false;
    options.emit_cuda = false;
    const Candidate candidate(text, options);
    if (!candidate.ok()) return;
    member_ = candidate.CheckMember(candidate.Bind({}).value());
    ok_ = !member_.report.has_errors() && member_.program != nullptr;
  }
  bool ok() const { return ok_; }
  const Member& member() const { return member_; }

  // Nothing is said of values that nobody wrote: closures do not speak of them.
  compiler::machine::Result Run(int64_t trips, const compiler::machine::CutPlan* cuts) const {
    const auto values = compiler::facts::BindLaunch(*member_.program, {{"N", trips}}).value();
    const auto plan =
        compiler::facts::PlanLaunch(*member_.program, member_.facts, values, "hash").value();
    std::vector<std::vector<std::byte>> bytes;
    compiler::machine::Memory memory;
    for (const auto& tensor : plan.tensors) bytes.emplace_back(static_cast<size_t>(tensor.bytes));
    for (auto& tensor : bytes) memory.tensors.emplace_back(tensor);
    compiler::machine::Options options;
    options.check_definedness = false;
    options.cuts = cuts;
    return compiler::machine::Run(*member_.program, member_.facts, plan, values, memory, options)
        .value();
  }

 private:
  Member member_;
  bool ok_ = false;
};

// The closure that the runs up to the horizon give; why there is none.
std::string Close(const Subject& subject, const std::vector<bool>& wrong, KernelClosure& closure) {
  const compiler::ir::Program& program = *subject.member().program;
  const auto kernels = verifier::AnalyseAll(program, subject.member().facts);
  const auto closures = verifier::PlanClosures(program, kernels);
  if (closures.empty()) return "no loop";
  closure = closures[0];
  if (!closure.plan.why_not.empty()) return closure.plan.why_not;
  const auto ran = subject.Run(kHorizon, &closure.plan.cuts);
  closure.found = verifier::FindClosure(closure.plan, ran.cuts);
  if (!closure.found)
    return ran.report.has_errors() ? "stopped by a finding" : "no state came again";
  for (int64_t n = 0; n <= kHorizon; ++n) {
    if (!wrong[static_cast<size_t>(n)]) closure.ran.insert(n);
  }
  return "";
}

}  // namespace

std::string LoopText(uint64_t seed) { return LoopWriter(seed).Write(); }

LoopTally CheckClosures(uint64_t first, int64_t count) {
  LoopTally tally;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t seed = first + static_cast<uint64_t>(i);
    const Subject subject(LoopText(seed));
    if (!subject.ok()) {
      ++tally.open["no program"];
      continue;
    }
    ++tally.loops;
    std::vector<bool> wrong;
    for (int64_t n = 0; n <= kHorizon; ++n) {
      wrong.push_back(subject.Run(n, nullptr).report.has_errors());
    }
    const auto fewest = std::find(wrong.begin(), wrong.end(), true);
    if (fewest != wrong.end()) {
      ++tally.broken;
      if (fewest - wrong.begin() > kLargestDepth + 2) ++tally.late;
    }
    KernelClosure closure;
    const std::string why = Close(subject, wrong, closure);
    if (!why.empty()) {
      ++tally.open[why];
    } else if (closure.found->needed > kHorizon) {
      ++tally.open["beyond the horizon"];
    } else {
      ++tally.closed;
      if (closure.Closed() && fewest != wrong.end()) tally.missed.push_back(seed);
    }
  }
  return tally;
}

std::string ToJson(const LoopTally& tally) {
  std::string text = "{\"loops\": " + std::to_string(tally.loops) +
                     ", \"broken\": " + std::to_string(tally.broken) +
                     ", \"late\": " + std::to_string(tally.late) +
                     ", \"closed\": " + std::to_string(tally.closed) + ", \"open\": {";
  const char* comma = "";
  for (const auto& [why, times] : tally.open) {
    text += comma + ("\"" + why + "\": ") + std::to_string(times);
    comma = ", ";
  }
  text += "}, \"missed\": [";
  for (size_t i = 0; i < tally.missed.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(tally.missed[i]);
  }
  return text + "]}";
}

}  // namespace mutation
