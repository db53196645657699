#include "verifier/verify.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/arch/hardware.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/order.h"
#include "verifier/coverage.h"
#include "verifier/explore.h"
#include "verifier/order_dependence.h"
#include "verifier/policy.h"
#include "verifier/rules.h"
#include "verifier/trip_coverage.h"
#include "verifier/vacuous.h"

namespace verifier {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Diagnostic;
using compiler::diag::Name;
using compiler::diag::Report;
using compiler::diag::Severity;
using compiler::diag::Span;

std::string_view ToString(How how) {
  switch (how) {
    case How::kProved: return "proved";
    case How::kExplored: return "explored";
    case How::kBounded: return "bounded";
    case How::kRefuted: return "refuted";
    case How::kUnknown: return "unknown";
    case How::kNotApplicable: return "not applicable";
  }
  return "unknown";
}

namespace {

constexpr Def<Name> kNeverLaunched{
    "CK2509", Severity::kError, Category::kUnproven,
    "no shape that the machine can hold launches kernel `{0}`",
    "races, deadlocks and unwritten values are looked for by running the kernel at small shapes; "
    "one that never ran is not checked"};

// Of rules/cta_disjoint.cc.
constexpr std::string_view kCtasMayMeet = "CK2530", kCtasMayMeetInAlias = "CK2531";

struct Obligations {
  int64_t proved = 0, unknown = 0;
  std::vector<std::string> notes;
  bool beyond_runs = false;
};

struct ProofResults {
  Report report;
  std::map<std::string, Obligations, std::less<>> of_property;
};

ProofResults Prove(RuleInput& input) {
  ProofResults results;
  for (const Rule* rule : Rules()) {
    RuleOutput out;
    rule->check(input, out);
    results.report.Append(out.report);
    Obligations& sum = results.of_property[std::string(rule->property)];
    sum.proved += out.proved;
    sum.unknown += out.unknown;
    sum.beyond_runs |= out.beyond_runs;
    sum.notes.insert(sum.notes.end(), out.notes.begin(), out.notes.end());
  }
  return results;
}

bool Overlaps(Span a, Span b) { return a.begin < b.end && b.begin < a.end; }

bool Touch(const Diagnostic& a, const Diagnostic& b) {
  std::vector<Span> of_a{a.primary}, of_b{b.primary};
  for (const auto& label : a.labels) of_a.push_back(label.span);
  for (const auto& label : b.labels) of_b.push_back(label.span);
  return std::any_of(of_a.begin(), of_a.end(), [&](const Span& x) {
    return std::any_of(of_b.begin(), of_b.end(), [&](const Span& y) { return Overlaps(x, y); });
  });
}

// Of products, clusters, tensor memory and rings whose slots are given back too early.
std::string_view PropertyOfEngines(const Diagnostic& d) {
  const int number = (d.code[4] - '0') * 10 + (d.code[5] - '0');
  switch (number) {
    case 1: return "convergence";
    case 3:
    case 49: return "alignment";
    case 20:
    case 21: return "bounds";
    case 22:
    case 23:
    case 24:
    case 25: return "deadlock";
    case 46:
    case 47: return "definedness";
    default: return "races";
  }
}

// Which property a finding of the machine refutes (its codes, by tens:
// compiler/machine/findings*.cc).
std::string_view PropertyOf(const Diagnostic& d) {
  if (d.code >= "CK2160" && d.code <= "CK2170" && d.severity == Severity::kError) {
    if (d.code == "CK2163") return "convergence";
    const bool waits = d.code >= "CK2164" && d.code <= "CK2167";
    return waits ? "deadlock" : "global races";
  }
  if (d.code == "CK2190") return "definedness";
  if (d.code.starts_with("CK210") || d.code == "CK2560") return "races";  // of asynchronous copies
  if (d.code.starts_with("CK24") && d.severity == Severity::kError) {
    return d.category == Category::kUnproven ? "" : PropertyOfEngines(d);
  }
  if (!d.code.starts_with("CK20") || d.severity != Severity::kError) return "";
  const int number = (d.code[4] - '0') * 10 + (d.code[5] - '0');
  if (number == 6) return "alignment";
  if (number < 10 || number == 44 || number == 51) return "bounds";
  if (number < 20) return "definedness";
  if (number == 23) return "global races";
  if (number < 30) return "races";
  if (number < 40) return "convergence";
  if (number < 50 || number >= 60) return "deadlock";
  return "overflow";
}

// Whether the machine has shown what the proof could not exclude.
bool IsWitness(const Diagnostic& machine, const Diagnostic& unproven) {
  if (unproven.category != Category::kUnproven || machine.severity != Severity::kError)
    return false;
  if (unproven.code == kCtasMayMeet || unproven.code == kCtasMayMeetInAlias) {
    return PropertyOf(machine).ends_with("races") && Touch(machine, unproven);
  }
  const bool same_kind =
      machine.category == Category::kSafety || machine.category == Category::kHardware;
  return same_kind && Overlaps(machine.primary, unproven.primary);
}

// What the machine has shown at a place needs no "not proven" beside it: the witness stays and
// takes the fixes over.
Report Merge(const Report& proofs, const Report& machine) {
  std::vector<Diagnostic> found(machine.diagnostics().begin(), machine.diagnostics().end());
  Report merged;
  for (const Diagnostic& d : proofs.diagnostics()) {
    const auto witness = std::find_if(found.begin(), found.end(),
                                      [&](const Diagnostic& m) { return IsWitness(m, d); });
    if (witness == found.end()) {
      merged.AddMade(d);
    } else if (witness->fixes.empty()) {
      witness->fixes = d.fixes;
    }
  }
  for (Diagnostic& d : found) merged.AddMade(std::move(d));
  merged.Sort();
  return merged;
}

// A kernel under `when` may be one that this member never launches; any other must have run, or
// the silence of the machine means nothing.
Report NeverLaunched(const ir::Program& program, const Exploration& exploration) {
  Report report;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const ir::Kernel& kernel = program.kernels[k];
    if (exploration.launched[k] || kernel.when != ir::ExprId::kNone) continue;
    report.Add(kNeverLaunched, kernel.declared, Name{kernel.name})
        .Fix("let the guard admit small shapes: sizes as dims with a low end, few constants", {},
             Applicability::kManual);
  }
  return report;
}

std::string Several(int number) {
  constexpr const char* kWords[] = {"no", "one", "two", "three", "four", "five", "six", "seven"};
  return kWords[std::clamp(number, 0, 7)];
}

class Statuses {
 public:
  Statuses(const ProofResults& proofs, const Exploration& exploration, std::string unexecuted,
           bool order_decides, std::string trips, bool trips_bounded, std::string closures,
           std::string open)
      : proofs_(proofs),
        exploration_(exploration),
        order_decides_(order_decides),
        unexecuted_(std::move(unexecuted)),
        trips_(std::move(trips)),
        closures_(std::move(closures)),
        open_(std::move(open)),
        trips_bounded_(trips_bounded) {
    for (const Diagnostic& d : exploration.report.diagnostics()) {
      refuted_.emplace(PropertyOf(d),
                       d.instance.shape.empty() ? "the only shape" : d.instance.shape);
    }
    for (const Diagnostic& d : exploration.outputs.diagnostics()) {
      refuted_.emplace("definedness", d.instance.shape);
    }
  }

  PropertyStatus Proof(std::string_view property, std::string_view what) const {
    PropertyStatus status{.property = std::string(property)};
    const auto found = proofs_.of_property.find(property);
    const Obligations none;
    const Obligations& o = found == proofs_.of_property.end() ? none : found->second;
    const int64_t all = o.proved + o.unknown;
    status.coverage = absl::StrCat(o.proved, " of ", all, " ", std::string(what),
                                   " proved, for every shape that the guard admits");
    if (const auto witness = refuted_.find(property); witness != refuted_.end()) {
      status.how = How::kRefuted;
      absl::StrAppend(&status.coverage, "; shown wrong at ", witness->second);
    } else if (all == 0) {
      status.how = How::kNotApplicable;
      status.coverage = absl::StrCat("there are no ", std::string(what));
    } else {
      status.how = o.unknown == 0 ? How::kProved : How::kUnknown;
    }
    return status;
  }

  PropertyStatus Run(std::string_view property, bool applicable, std::string_view why_not) const {
    PropertyStatus status{.property = std::string(property)};
    if (!applicable) {
      status.how = How::kNotApplicable;
      status.coverage = std::string(why_not);
      return status;
    }
    const size_t ran = exploration_.instances.size();
    const std::vector<bool>& launched = exploration_.launched;
    status.coverage = absl::StrCat(
        ran, ran == 1 ? " shape" : " shapes", " run on the machine, all CTAs, ",
        Several(exploration_.schedules), exploration_.schedules == 1 ? " schedule" : " schedules");
    if (const size_t more = exploration_.without_data.size(); more > 0) {
      absl::StrAppend(&status.coverage, "; ", more, " more without arithmetic");
    }
    if (exploration_.wanted > 0) {
      absl::StrAppend(&status.coverage, "; ", exploration_.covered, " of ", exploration_.wanted,
                      " boundary values of dims and args shown");
    }
    if (exploration_.cut > 0) absl::StrAppend(&status.coverage, "; ", exploration_.cut, " not run");
    if (const auto witness = refuted_.find(property); witness != refuted_.end()) {
      status.how = How::kRefuted;
      absl::StrAppend(&status.coverage, "; shown wrong at ", witness->second);
    } else if (std::count(launched.begin(), launched.end(), true) == 0) {
      status.how = How::kUnknown;
    } else {
      const bool every = std::count(launched.begin(), launched.end(), false) == 0;
      if (!every) absl::StrAppend(&status.coverage, "; not every kernel was launched");
      absl::StrAppend(&status.coverage, unexecuted_, trips_);
      const bool whole = every && exploration_.cut == 0 &&
                         exploration_.covered == exploration_.wanted && unexecuted_.empty() &&
                         !order_decides_ && !trips_bounded_;
      if (order_decides_) {
        absl::StrAppend(&status.coverage,
                        "; threads learn from each other: ", Several(exploration_.schedules),
                        exploration_.schedules == 1 ? " order" : " orders", " of many ran");
      }
      status.how = whole ? How::kExplored : How::kBounded;
    }
    return status;
  }

  // The same of what is handed over, which the states at cuts say all of.
  PropertyStatus HandOver(std::string_view property, bool applicable,
                          std::string_view why_not) const {
    PropertyStatus status = Run(property, applicable, why_not);
    if (status.how != How::kExplored && status.how != How::kBounded) return status;
    status.coverage += closures_;
    if (!open_.empty()) status.how = How::kBounded;
    return status;
  }

  // The same of what is written: states that come again do not say that it is.
  PropertyStatus Written() const {
    PropertyStatus status = Run("definedness", true, "");
    if (open_.empty() || (status.how != How::kExplored && status.how != How::kBounded)) {
      return status;
    }
    status.coverage += open_;
    status.how = How::kBounded;
    return status;
  }

  // Of every instance that ran.
  PropertyStatus Interleavings(const std::vector<Premise>& premises) const {
    PropertyStatus status{.property = "interleavings", .how = How::kProved};
    std::vector<std::string> checked, assumed, fails;
    for (const Premise& premise : premises) {
      if (premise.met == Met::kChecked) checked.push_back(premise.id);
      if (premise.met == Met::kAssumed) assumed.push_back(premise.id);
      if (premise.met == Met::kFails) fails.push_back(absl::StrCat(premise.id, ": ", premise.why));
    }
    if (exploration_.report.has_errors()) {
      status.how = How::kUnknown;
      status.coverage = "after what was found nothing is said of other schedules";
      return status;
    }
    if (!fails.empty()) {
      status.how = How::kBounded;
      status.coverage = absl::StrCat("orders that ran: ", exploration_.schedules, " a shape; ",
                                     absl::StrJoin(fails, "; "));
      return status;
    }
    status.coverage =
        absl::StrCat("one run of a shape stands for all its schedules: P0 to P5 and P7 hold (",
                     absl::StrJoin(checked, ", "), " checked in each run; ",
                     absl::StrJoin(assumed, ", "), " assumed)");
    return status;
  }

  // The levels of the type check have accepted every collective before a program gets here.
  PropertyStatus Convergence(bool collectives) const {
    PropertyStatus status = Run("convergence", collectives, "there are no collectives");
    if (!collectives || status.how == How::kRefuted) return status;
    status.how = How::kProved;
    status.coverage =
        "every collective stands under conditions and trip counts that are uniform over its scope";
    return status;
  }

  // Between CTAs: by proof where every written tensor has one, else by what the machine ran.
  PropertyStatus GlobalRaces() const {
    const auto found = proofs_.of_property.find("global races");
    const bool proved = found != proofs_.of_property.end() && found->second.unknown == 0 &&
                        found->second.proved > 0;
    PropertyStatus status = Run("global races", true, "");
    if (proved && status.how != How::kRefuted) {
      status.how = How::kProved;
      status.coverage =
          "writes of different CTAs are disjoint for every shape that the guard admits";
    }
    // What tickets, flags or a barrier of the grid order has been seen at the shapes that ran.
    if (!proved && status.how == How::kExplored) status.how = How::kBounded;
    // Strides and overlaps that no shape has are not explored by running shapes.
    if (found != proofs_.of_property.end() && found->second.beyond_runs &&
        status.how != How::kRefuted) {
      status.how = How::kUnknown;
    }
    if (found != proofs_.of_property.end() && !found->second.notes.empty()) {
      absl::StrAppend(&status.coverage, " (", absl::StrJoin(found->second.notes, ", "), ")");
    }
    return status;
  }

 private:
  const ProofResults& proofs_;
  const Exploration& exploration_;
  // Values that depend on who comes first reach the program: tickets, flags, status words.
  const bool order_decides_;
  const std::string unexecuted_;  // in words; "" if every statement ran
  const std::string trips_;       // in words, of loops that did not run as often as needed
  const std::string closures_;    // in words, of loops whose states come again
  const std::string open_;        // those that some shape may repeat more often than any run did
  const bool trips_bounded_;      // some shape may have more of them than ran
  std::map<std::string_view, std::string, std::less<>> refuted_;
};

struct Uses {
  bool shared = false, barriers = false, collectives = false, order_decides = false;
};

Uses UsesOf(const ir::Program& program) {
  Uses uses{.order_decides = TestsDecide(program)};
  for (const ir::Kernel& kernel : program.kernels) {
    uses.shared |= !kernel.shared.empty();
    for (const ir::Role& role : kernel.roles) {
      compiler::facts::ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
        if (stmt.op != nullptr && stmt.op->effects.sync != ir::SyncEffect::kNone) {
          uses.barriers |= stmt.op->effects.collective;
          uses.collectives |= stmt.op->effects.collective;
        }
        uses.collectives |= stmt.op != nullptr && stmt.op->effects.collective;
        uses.order_decides |=
            stmt.op != nullptr && stmt.op->effects.copy == ir::CopyEffect::kLaunchCancel;
        for (const ir::ExprId root : compiler::facts::OwnExprs(program, stmt)) {
          compiler::facts::ForEachExpr(program, root, [&](ir::ExprId, const ir::Expr& expr) {
            if (expr.op == nullptr) return;
            uses.collectives |= expr.op->effects.collective;
            uses.order_decides |= ir::OrderingOf(*expr.op, expr.modifiers).strong;
          });
        }
      });
    }
  }
  return uses;
}

}  // namespace

Verdict Verify(const ir::Program& program, const compiler::facts::Facts& facts,
               const compiler::arch::Device& device, const Policy& policy) {
  std::vector<KernelAnalysis> kernels = AnalyseAll(program, facts);
  const Selection selection = SelectShapes(program, facts, kernels, policy);
  RuleInput input{program, facts, device, kernels};
  const ProofResults proofs = Prove(input);
  const Exploration exploration = Explore(program, facts, kernels, selection, policy);

  Verdict verdict;
  verdict.report = Merge(proofs.report, exploration.report);
  ReportVacuous(program, facts, exploration, verdict.report);
  if (!verdict.report.has_errors()) {
    verdict.report.Append(NeverLaunched(program, exploration));
    verdict.report.Append(exploration.outputs);  // of a program that does nothing else wrong
    verdict.report.Sort();
  }
  std::string unexecuted;
  TripCoverage trips;
  if (!verdict.report.has_errors()) {
    trips = CoverageOfTrips(program, kernels, selection, exploration);
    verdict.report.Append(TripAdvice(trips));
    verdict.report.Append(CountedInFloats(program, exploration));
    unexecuted = ReportMissing(program, facts, kernels, exploration, verdict.report);
    verdict.report.Sort();
  }
  verdict.instances = exploration.instances;
  verdict.assumptions = AssumptionsOf(program, facts, policy);
  if (const std::string_view note = compiler::arch::HardwareNote(device.arch); !note.empty()) {
    verdict.assumptions.push_back(
        absl::StrCat(device.arch, ": ", absl::string_view(note.data(), note.size())));
  }
  const Uses uses = UsesOf(program);
  std::string closures, open;
  for (const KernelClosure& closure : exploration.closures) {
    const size_t kernel = closure.plan.cuts.kernel;
    if (exploration.report.has_errors() || !exploration.launched[kernel]) continue;
    std::string words = closure.Words(program);
    if (!closure.Closed()) {
      const TripBound bound = BoundOfTrips(program, kernels, exploration, kernel);
      if (bound.more) {
        absl::StrAppend(&words, ", so known of at most ", bound.ran,
                        bound.ran == 1 ? " trip" : " trips");
        open += words;
      }
    }
    closures += words;
  }
  const Statuses statuses(proofs, exploration, unexecuted, uses.order_decides,
                          TripWords(program, trips), !trips.bounded.empty(), closures, open);
  verdict.premises = PremisesOf(program, uses.order_decides, exploration.checks);
  verdict.properties = {
      statuses.Proof("bounds", "accesses and indices"),
      statuses.Proof("alignment", "vector accesses"),
      statuses.Proof("overflow", "index operations"),
      statuses.HandOver("races", true, ""),
      statuses.GlobalRaces(),
      statuses.HandOver("deadlock", uses.barriers || uses.order_decides, "nothing waits"),
      statuses.Interleavings(verdict.premises),
      statuses.Written(),
      statuses.Convergence(uses.collectives),
      statuses.Proof("resources", "limits of the device"),
  };
  for (PropertyStatus& status : verdict.properties) {
    const bool blocks = status.how == How::kUnknown && UnknownBlocks(status.property);
    if (blocks) status.coverage += "; unknown blocks";
  }
  ReportUnknown(program, verdict.properties, verdict.report);
  verdict.accepted = !verdict.report.has_errors();
  verdict.order_hash = exploration.order_hash;
  verdict.work = {.runs = exploration.runs,
                  .ctas = exploration.ctas,
                  .lane_statements = exploration.lane_statements};
  if (!kernels.empty()) {
    verdict.work.eliminations = kernels[0].atoms.eliminations().made();
    verdict.work.rows = kernels[0].atoms.eliminations().rows();
  }
  return verdict;
}

}  // namespace verifier
