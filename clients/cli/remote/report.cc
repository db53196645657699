#include "clients/cli/remote/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cli/remote/words.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

std::string SeverityWord(cake::v1::Severity severity) {
  switch (severity) {
    case cake::v1::SEVERITY_WARNING: return "warning";
    case cake::v1::SEVERITY_ADVICE: return "advice";
    default: return "error";
  }
}

std::string InstanceText(const cake::v1::Instance& instance) {
  std::string out;
  const auto add = [&out](const char* name, int64_t value) {
    if (value >= 0) absl::StrAppend(&out, out.empty() ? "" : ", ", name, " ", value);
  };
  if (!instance.role().empty()) absl::StrAppend(&out, "role ", instance.role());
  add("cta", instance.cta());
  add("warp", instance.warp());
  add("lane", instance.lane());
  add("iteration", instance.iteration());
  if (!instance.shape().empty()) absl::StrAppend(&out, out.empty() ? "" : ", ", instance.shape());
  return out;
}

void AppendDiagnostic(const cake::v1::Diagnostic& d, std::string& out) {
  const bool error =
      d.severity() != cake::v1::SEVERITY_WARNING && d.severity() != cake::v1::SEVERITY_ADVICE;
  absl::StrAppend(&out, Paint(absl::StrCat(SeverityWord(d.severity()), "[", d.code(), "]"),
                              error ? Style::kBad : Style::kBold));
  // A finding about something that is missing has no place.
  if (d.primary().line() > 0)
    absl::StrAppend(&out, " line ", d.primary().line(), ":", d.primary().column());
  absl::StrAppend(&out, ": ", Printable(d.message()), "\n");
  for (const auto& label : d.labels()) {
    absl::StrAppend(&out, "  line ", label.span().line(), ": ", Printable(label.text()), "\n");
  }
  if (d.has_instance()) {
    const std::string instance = InstanceText(d.instance());
    if (!instance.empty()) absl::StrAppend(&out, "  at: ", Printable(instance), "\n");
  }
  for (const auto& edge : d.wait_graph()) {
    absl::StrAppend(&out, "  ", Printable(edge.waiter()), " waits for ", Printable(edge.event()),
                    ": ", edge.arrived(), " of ", edge.needed(), " arrived",
                    edge.missing().empty() ? "" : "; ", Printable(edge.missing()), "\n");
  }
  if (!d.why().empty()) absl::StrAppend(&out, "  why: ", Printable(d.why()), "\n");
  for (const auto& fix : d.fixes()) absl::StrAppend(&out, "  fix: ", Printable(fix.title()), "\n");
}

}  // namespace

std::string ReportText(const cake::v1::Report& report) {
  std::string out;
  if (report.verdict() != cake::v1::VERDICT_UNSPECIFIED) {
    absl::StrAppend(&out, "verdict ", Paint(Word(report.verdict()), Style::kBold), ", blame ",
                    Word(report.blame()), "\n");
  }
  for (const auto& diagnostic : report.diagnostics()) AppendDiagnostic(diagnostic, out);
  if (report.omitted() > 0) absl::StrAppend(&out, report.omitted(), " more diagnostics omitted\n");
  for (const auto& property : report.properties()) {
    absl::StrAppend(&out, "  ", property.property(), ": ",
                    Bare(cake::v1::How_Name(property.how()), "HOW_"), " ",
                    Printable(property.coverage()), "\n");
  }
  if (report.has_estimate()) {
    const auto& e = report.estimate();
    absl::StrAppend(
        &out, "estimate", e.shape().empty() ? "" : " for ", Printable(e.shape()), ": ",
        Duration(e.time_ns()), " (", Duration(e.low_ns()), " to ", Duration(e.high_ns()),
        "), bound by ", e.bottleneck().kind(),
        e.coverage() == cake::v1::COVERAGE_RANK_ONLY ? "; not calibrated, ranks only\n" : "\n");
  }
  return out;
}

std::string ProgressText(const cake::v1::Progress& p) {
  return absl::StrCat(p.expanded(), " of ", p.members(), " members looked at: ", p.rejected(),
                      " rejected by the gates, ", p.duplicates(), " duplicates, ", p.ranked_out(),
                      " ranked out, ", p.evaluated(), " evaluated, ",
                      p.lost() > 0 ? absl::StrCat(p.lost(), " lost to machines, ") : "", p.queued(),
                      " in flight");
}

std::string RunTable(const cake::v1::RunSummary& run) {
  const auto& p = run.progress();
  const auto& best = run.best();
  const bool replayed = run.objective_source() == cake::v1::OBJECTIVE_SOURCE_REPLAY;
  const bool measured = replayed || run.objective_source() == cake::v1::OBJECTIVE_SOURCE_MEASURED;
  std::string out =
      absl::StrCat("run ", run.run(), " of experiment ", Printable(run.experiment()), ", workload ",
                   Printable(run.workload()), "\nobjective source: ", Word(run.objective_source()),
                   replayed   ? " (recorded before, not measured now)\n"
                   : measured ? "\n"
                              : " (predicted, not measured)\n");
  Table table({"candidates", "members", "gates rejected", "duplicates", "ranked out", "evaluated",
               "best", measured ? "time" : "predicted", "state"});
  table.Add(
      {absl::StrCat(run.candidates()), absl::StrCat(p.members()), absl::StrCat(p.rejected()),
       absl::StrCat(p.duplicates()), absl::StrCat(p.ranked_out()), absl::StrCat(p.evaluated()),
       best.candidate().empty() ? "none"
                                : absl::StrCat(best.candidate(), " ", BindingWords(best.binding())),
       best.candidate().empty() ? "" : Duration(best.objective_ns()),
       absl::StrCat(Word(run.state()), run.reason().empty() ? "" : " ", Printable(run.reason()))});
  out += table.Text();
  if (!run.text().empty()) {
    absl::StrAppend(&out, Printable(run.text()), "\n");
  } else if (!best.candidate().empty() && best.baseline_ns() > 0) {
    absl::StrAppendFormat(
        &out,
        measured
            ? "best: %.3fx the time of the baseline\n"
            : "best by estimate: predicted %.3fx the time of the baseline program (not measured)\n",
        best.objective_ns() / best.baseline_ns());
  }
  return out;
}

}  // namespace clients::cli::remote
