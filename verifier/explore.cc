#include "verifier/explore.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include "compiler/facts/contents.h"
#include "compiler/facts/copies.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/values.h"
#include "verifier/cells.h"
#include "verifier/clearest.h"
#include "verifier/closure_search.h"
#include "verifier/coverage.h"
#include "verifier/decisions.h"
#include "verifier/filling.h"
#include "verifier/order_dependence.h"
#include "verifier/outputs.h"
#include "verifier/protocol.h"
#include "verifier/residency.h"
#include "verifier/run_shape.h"
#include "verifier/trip_coverage.h"
#include "verifier/unreached.h"
#include "verifier/variants.h"

namespace verifier {
namespace {

using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<Name> kNotRun{"CK2510", Severity::kError, Category::kUnproven,
                            "the reference machine does not run this program: {0}",
                            "what the machine cannot show right is not accepted"};

constexpr int kMaxFailingInstances = 4;  // later ones mostly repeat the same findings

// What the machine does for an element that hardware copies, in lane statements: such copies are
// one statement each, whatever they move. It moves whole rows at once.
constexpr int64_t kStatementsPerCopiedElement = 1;
constexpr double kEndlessRatio = 256;
constexpr double kMostElements = 1e12;                  // more are as many
constexpr int64_t kFewerTripsLaneStatements = 300'000;  // for all numbers of trips together
constexpr int64_t kProtocolLaneStatements = 4'000'000;  // of all shapes without data
constexpr int64_t kCellLaneStatements = 2'000'000;  // for conditions that small shapes leave open
constexpr size_t kMaxShapesWithData = 3, kMaxSmallWithData = 4;
constexpr size_t kMaxShapesOfSeveralCtas = 3;
constexpr std::string_view kArithmeticError = "CK2050";  // of compiler/machine/findings.cc

// Runs shapes one after the other inside one budget of work.
class Explorer {
 public:
  Explorer(const ir::Program& program, const compiler::facts::Facts& facts, const Policy& policy,
           std::vector<Variant> again, Exploration& out)
      : program_(program),
        facts_(facts),
        policy_(policy),
        values_(program, WatchedDecisions(program)),
        again_(std::move(again)),
        left_(policy.max_lane_statements),
        left_again_(policy.max_lane_statements),
        out_(out) {
    for (const auto& copy : facts.copies.plans) {
      const ir::View& side = program[compiler::facts::GlobalSide(program, program[copy.first])];
      copied_.insert(program[side.tensor].name);
    }
  }

  // More work than the shapes before could use up.
  void Allow(int64_t lane_statements) {
    left_ = std::max<int64_t>(left_, 0) + lane_statements;
    left_again_ = std::max<int64_t>(left_again_, 0) + lane_statements;
  }
  bool done() const { return stopped_ || failing_ >= kMaxFailingInstances || left_ <= 0; }
  int64_t left() const { return left_; }
  int64_t covered() const { return static_cast<int64_t>(shown_.size()); }

  // False: the shape was too much work, or the machine refuses the program.
  bool Run(const Shape& shape) {
    const std::vector<std::string>& ran = out_.instances;
    if (std::find(ran.begin(), ran.end(), shape.text) != ran.end()) return true;
    // The cheapest shape with CTAs gets the whole budget: if even that does not end, the program
    // is at fault; a larger one that does not is left out.
    const bool first = std::none_of(out_.launched.begin(), out_.launched.end(), std::identity());
    const int64_t limit =
        first ? policy_.max_lane_statements
              : std::min(policy_.max_lane_statements_per_instance, std::max<int64_t>(left_, 1));
    const int64_t copying = Copying(shape);
    if (!first && copying > limit) return false;
    const absl::StatusOr<compiler::machine::Result> result =
        RunShape(program_, facts_, values_, shape, limit, {}, policy_, shared_);
    Count(shape, result);
    // No contents satisfy the contracts at this shape: no launch has it.
    if (absl::IsFailedPrecondition(result.status())) {
      if (out_.refused.empty()) out_.refused = std::string(result.status().message());
      return false;
    }
    if (!result.ok()) {
      NotRun(result.status());
      return false;
    }
    left_ -= result->lane_statements + copying;
    if (result->outcome == compiler::machine::Outcome::kLimit && !first &&
        !Endless(shape, result->lane_statements)) {
      return false;
    }
    if (result->lane_statements > most_work_) {
      most_work_ = result->lane_statements;
      cost_of_most_ = shape.cost;
    }
    Take(shape, *result);
    Add(UnwrittenOutputs(program_, shape, *result), out_.outputs);
    for (const Variant& variant : again_) {
      if (result->report.has_errors() || left_again_ <= 0) break;
      RunAgain(shape, variant);
    }
    return true;
  }

  // Shapes whose loops make more trips, without their arithmetic. `most`: with the highest numbers
  // that contracts admit.
  void RunWithoutData(const std::vector<Shape>& shapes, bool most) {
    std::optional<ir::Program> slim;
    std::optional<RunValues> values;
    const std::vector<compiler::machine::Watch> no_watch;
    SharedRuns shared;
    int64_t left = kProtocolLaneStatements;
    for (const Shape& shape : shapes) {
      if (stopped_ || left <= 0 || out_.report.has_errors()) return;
      const std::vector<std::string>& ran = out_.instances;
      if (!most && std::find(ran.begin(), ran.end(), shape.text) != ran.end()) continue;
      if (most && LoopsHaveRun(program_, out_)) return;
      if (!slim) values.emplace(slim.emplace(WithoutData(program_)), no_watch);
      const auto result = RunShape(
          *slim, facts_, *values, shape, left,
          {.contents = most ? compiler::facts::Choice::kHighest : compiler::facts::Choice::kSpread,
           .protocol = true},
          policy_, shared);
      if (result.ok()) left -= result->lane_statements;
      if (!result.ok() || result->outcome == compiler::machine::Outcome::kLimit) continue;
      out_.without_data.push_back(shape.text);
      for (size_t s = 0; s < out_.trips.size(); ++s) {
        out_.trips[s] = std::max(out_.trips[s], result->statements[s].most_trips);
      }
      NoteTrips(shape, *result);
      Add(result->report, out_.report);
    }
  }

  void Close(const Selection& selection) {  // loops whose states come again
    const auto note = [this](const compiler::diag::Report& found) { Add(found, out_.report); };
    SearchClosures(program_, facts_, selection, policy_, note, out_.closures);
  }

  // Shapes that have run, with elements that the conditions of the program name: the ones with most
  // of them, and small ones, where a tail is most of what there is.
  void RunWithData(const std::vector<Shape>& shapes, const Cells& cells) {
    left_again_ = std::max<int64_t>(left_, 0);
    size_t runs = 0;
    for (size_t i = 0; i < shapes.size() && runs < kMaxSmallWithData; ++i) {
      if (shapes[i].works) runs += RunOneWithData(shapes[i], cells) ? 1 : 0;
    }
    runs = 0;
    for (size_t i = shapes.size(); i-- > 0 && runs < kMaxShapesWithData;) {
      runs += RunOneWithData(shapes[i], cells) ? 1 : 0;
    }
  }

 private:
  bool RunOneWithData(const Shape& shape, const Cells& cells) {
    const std::vector<std::string>& ran = out_.instances;
    if (left_again_ <= 0 || std::find(ran.begin(), ran.end(), shape.text) == ran.end()) {
      return false;
    }
    RunAgain(shape, {.cells = &cells});
    return true;
  }

  void NotRun(const absl::Status& status) {
    if (!stopped_) out_.report.Add(kNotRun, {}, Name{std::string(status.message())});
    stopped_ = true;
  }

  // Far more work than shapes that came to their end, beyond what its size explains: a spin on an
  // event that nobody completes looks like that.
  bool Endless(const Shape& shape, int64_t lane_statements) const {
    const double larger = std::max(1.0, shape.cost / std::max(1.0, cost_of_most_));
    return most_work_ > 0 && static_cast<double>(lane_statements) >
                                 kEndlessRatio * larger * static_cast<double>(most_work_);
  }

  // As if each element of the tensors that hardware copies were copied once.
  int64_t Copying(const Shape& shape) const {
    double elements = 0;
    for (const compiler::facts::TensorPlan& tensor : shape.plan.tensors) {
      if (!copied_.contains(tensor.name)) continue;
      double of = 1;
      for (const int64_t extent : tensor.shape) of *= static_cast<double>(extent);
      elements += of;
    }
    return static_cast<int64_t>(std::min(elements, kMostElements)) * kStatementsPerCopiedElement;
  }

  void RunAgain(const Shape& shape, const Variant& variant) {
    const auto result =
        RunShape(program_, facts_, values_, shape, policy_.max_lane_statements_per_instance,
                 variant, policy_, shared_);
    Count(shape, result);
    // No such contents, or none but those that have run.
    if (absl::IsFailedPrecondition(result.status()) || absl::IsAlreadyExists(result.status())) {
      return;
    }
    if (!result.ok()) return NotRun(result.status());
    left_again_ -= result->lane_statements + Copying(shape);
    // That arithmetic on the data itself overflows is nothing that the place is looked for.
    const auto& found = result->report.diagnostics();
    const bool arithmetic = variant.cells != nullptr &&
                            std::any_of(found.begin(), found.end(),
                                        [](const auto& d) { return d.code == kArithmeticError; });
    if (result->outcome != compiler::machine::Outcome::kLimit && !arithmetic) Take(shape, *result);
  }

  void NoteTrips(const Shape& shape, const compiler::machine::Result& result) {
    if (result.report.has_errors()) return;
    for (KernelClosure& closure : out_.closures) {
      const bool launched = !shape.plan.kernels[closure.plan.cuts.kernel].skipped;
      if (!launched || !closure.plan.why_not.empty()) continue;
      closure.ran.insert(result.statements[static_cast<size_t>(closure.plan.loop)].most_trips);
    }
  }

  void Count(const Shape& shape, const absl::StatusOr<compiler::machine::Result>& result) {
    if (!result.ok()) return;
    ++out_.runs;
    out_.lane_statements += result->lane_statements;
    out_.checks += result->checks;
    if (result->outcome == compiler::machine::Outcome::kFinished) {
      out_.order_hash = out_.order_hash * 31 + result->order_hash;
    }
    for (const compiler::facts::KernelLaunch& kernel : shape.plan.kernels) {
      if (!kernel.skipped) out_.ctas += kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
    }
  }

  void Take(const Shape& shape, const compiler::machine::Result& result) {
    const std::vector<std::string>& ran = out_.instances;
    if (std::find(ran.begin(), ran.end(), shape.text) == ran.end()) {
      out_.instances.push_back(shape.text);
    }
    for (size_t k = 0; k < shape.plan.kernels.size(); ++k) {
      if (!shape.plan.kernels[k].skipped) out_.launched[k] = true;
    }
    for (size_t s = 0; s < out_.executed.size(); ++s) {
      if (result.statements[s].warp_executions > 0) out_.executed[s] = true;
      out_.trips[s] = std::max(out_.trips[s], result.statements[s].most_trips);
      out_.lanes[s] += result.statements[s].lane_executions;
      if (result.statements[s].left_out) out_.left_out[s] = true;
    }
    out_.outcomes.resize(result.outcomes.size());
    for (size_t e = 0; e < out_.outcomes.size(); ++e) out_.outcomes[e] |= result.outcomes[e];
    NoteTrips(shape, result);
    shown_.insert(shape.shows.begin(), shape.shows.end());
    if (result.report.has_errors()) ++failing_;
    Add(result.report, out_.report);
  }

  void Add(const compiler::diag::Report& report, compiler::diag::Report& to) {
    for (const compiler::diag::Diagnostic& d : report.diagnostics()) {
      if (seen_.emplace(d.code, d.primary.begin, d.primary.end).second) to.AddMade(d);
    }
  }

  const ir::Program& program_;
  const compiler::facts::Facts& facts_;
  const Policy& policy_;
  const RunValues values_;
  SharedRuns shared_;
  const std::vector<Variant> again_;
  int64_t left_;
  int64_t left_again_;  // the same for further runs of shapes that have run
  Exploration& out_;
  std::set<std::string> copied_;  // tensors that hardware copies
  int64_t most_work_ = 0;         // lane statements of the longest run that was taken
  double cost_of_most_ = 0;       // of its shape
  int failing_ = 0;
  bool stopped_ = false;
  std::set<std::pair<size_t, int64_t>> shown_;
  std::set<std::tuple<std::string_view, uint32_t, uint32_t>> seen_;
};

// By StmtId: loops that every thread that comes to them runs, whatever the guard admits.
std::vector<bool> NeverLeftOut(const ir::Program& program,
                               const std::vector<KernelAnalysis>& kernels,
                               const Exploration& out) {
  std::vector<bool> runs(program.stmts.size(), false), not_always(program.stmts.size(), false);
  for (const KernelAnalysis& analysis : kernels) {
    const Prover prover(analysis.atoms);
    for (const CountedLoop& loop : analysis.loops) {
      const auto at = static_cast<size_t>(loop.stmt);
      if (out.left_out[at] || out.trips[at] == 0 || not_always[at]) continue;
      runs[at] = prover.AtMost(Linear::Constant(1), loop.room, loop.facts);
      not_always[at] = !runs[at];
    }
  }
  return runs;
}

bool AllExecuted(const ir::Program& program, const Exploration& exploration) {
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    if (!MissingOf(program, exploration, k).statements.empty()) return false;
  }
  return true;
}

bool OnlyLoops(const ir::Program& program, const Missing& missing) {
  return missing.statements.empty() && missing.decisions.empty() &&
         std::all_of(missing.sides.begin(), missing.sides.end(), [&](const Side& side) {
           return program[side.stmt].kind == ir::StmtKind::kFor;
         });
}

// Looks for what is still missing where the constants of its conditions say.
void RunCells(const ir::Program& program, const Selection& selection, Explorer& explorer,
              const Exploration& out) {
  int64_t left = kCellLaneStatements;
  for (size_t k = 0; k < program.kernels.size() && left > 0 && !out.report.has_errors(); ++k) {
    const Missing missing = MissingOf(program, out, k);
    if (missing.empty()) continue;
    const Cells cells = CellsOf(program, selection, k, missing);
    explorer.Allow(left);
    const int64_t before = explorer.left();
    // All of them: a step that is left out shows in the iterations after it. Of a whole loop it
    // shows at once.
    const bool loops = OnlyLoops(program, missing);
    for (const Shape& shape : cells.shapes) {
      if (explorer.done() || out.report.has_errors()) break;
      if (loops && MissingOf(program, out, k).empty()) break;
      explorer.Run(shape);
    }
    if (cells.reads() && !explorer.done()) explorer.RunWithData(selection.shapes, cells);
    left -= before - explorer.left();
  }
}

// Threads of one CTA race in memory that other CTAs reach too: shapes of several, the most work
// first, though enough have failed.
void RunSeveralCtas(const Selection& selection, Explorer& explorer, const Exploration& out) {
  size_t runs = 0;
  explorer.Allow(kCellLaneStatements);
  for (size_t i = selection.shapes.size(); i-- > 0 && explorer.left() > 0;) {
    const std::optional<Shape> other =
        selection.on_several ? selection.on_several(selection.shapes[i]) : std::nullopt;
    const Shape& shape = other ? *other : selection.shapes[i];
    const bool several =
        std::any_of(shape.plan.kernels.begin(), shape.plan.kernels.end(), [](const auto& kernel) {
          return !kernel.skipped && kernel.grid[0] * kernel.grid[1] * kernel.grid[2] > 1;
        });
    const std::vector<std::string>& ran = out.instances;
    if (!several || std::find(ran.begin(), ran.end(), shape.text) != ran.end()) continue;
    if (++runs > kMaxShapesOfSeveralCtas) return;
    explorer.Run(shape);
  }
}

}  // namespace

Exploration Explore(const ir::Program& program, const compiler::facts::Facts& facts,
                    const std::vector<KernelAnalysis>& kernels, const Selection& selection,
                    const Policy& policy) {
  Exploration out{.wanted = selection.wanted};
  out.launched.assign(program.kernels.size(), false);
  out.executed.assign(program.stmts.size(), false);
  out.trips.assign(program.stmts.size(), 0);
  out.lanes.assign(program.stmts.size(), 0);
  out.left_out.assign(program.stmts.size(), false);
  out.schedules = LearnFromEachOther(program) || TakesTurns(program) ? 2 : 1;
  if (TestsDecide(program)) out.schedules += static_cast<int>(kSeedsOfTests);
  if (policy.close_trips) out.closures = PlanClosures(program, kernels);
  Explorer explorer(program, facts, policy, MoreVariants(program, facts, kernels), out);
  for (size_t i = 0; i < selection.shapes.size(); ++i) {
    if (explorer.done()) {
      out.cut += static_cast<int64_t>(selection.shapes.size() - i);
      break;
    }
    if (!explorer.Run(selection.shapes[i])) ++out.cut;
  }
  out.covered = explorer.covered();
  if (!selection.trips.empty()) explorer.Allow(policy.max_lane_statements_per_instance);
  for (const Shape& shape : selection.trips) {
    if (explorer.done()) break;
    explorer.Run(shape);
  }
  if (!selection.contents.empty()) explorer.Allow(policy.max_lane_statements_per_instance);
  for (const Shape& shape : selection.contents) {
    if (explorer.done()) break;
    explorer.Run(shape);
  }
  const int64_t before = explorer.left();
  for (const Shape& shape : selection.fewer_trips) {
    if (explorer.done() || before - explorer.left() > kFewerTripsLaneStatements) break;
    explorer.Run(shape);
  }
  out.never_left_out = NeverLeftOut(program, kernels, out);
  explorer.Allow(policy.max_lane_statements_per_instance);
  if (selection.larger && !AllExecuted(program, out)) out.larger = selection.larger();
  for (const Shape& shape : out.larger) {
    if (explorer.done() || AllExecuted(program, out)) break;
    explorer.Run(shape);
  }
  RunCells(program, selection, explorer, out);
  explorer.RunWithoutData(selection.trips, false);
  if (!program.contracts.empty()) {
    if (out.larger.empty() && selection.larger) out.larger = selection.larger();
    explorer.RunWithoutData(out.larger, true);
    const size_t before_ragged = out.larger.size();
    out.larger.insert(out.larger.end(), selection.ragged.begin(), selection.ragged.end());
    explorer.RunWithoutData(
        {out.larger.begin() + static_cast<ptrdiff_t>(before_ragged), out.larger.end()}, true);
  }
  if (!out.report.has_errors()) explorer.Close(selection);
  if (RacesInsideCtasOnly(program, out.report)) RunSeveralCtas(selection, explorer, out);
  out.report = ClearestRaces(program, out.report);
  if (!out.report.has_errors() && out.outputs.diagnostics().empty()) {
    out.outputs = UnreachedOutputs(program, facts, kernels, selection);
  }
  return out;
}

}  // namespace verifier
