#include "clients/cli/remote/arms.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cli/remote/statistics.h"
#include "clients/cli/remote/words.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

constexpr int kPercents[3] = {25, 50, 100};

int64_t BudgetOf(const cake::v1::RunSummary& run) {
  for (const auto& line : run.budget().lines()) {
    if (line.kind() == "evaluations") return static_cast<int64_t>(line.limit());
  }
  return 0;
}

// The best score after `percent` of the budget; a run that ended before has kept its last one.
double ScoreAt(const cake::v1::RunSummary& run, int64_t budget, int percent) {
  const auto& curve = run.score_curve();
  if (curve.empty()) return 0;
  const int64_t at = budget > 0 ? std::max<int64_t>(1, budget * percent / 100)
                                : std::max<int64_t>(1, curve.size() * percent / 100);
  return curve[static_cast<int>(std::min<int64_t>(at, curve.size()) - 1)];
}

ArmRow* RowOf(ExperimentTable& table, const std::string& arm) {
  for (ArmRow& row : table.arms) {
    if (row.arm == arm) return &row;
  }
  table.arms.push_back({.arm = arm});
  return &table.arms.back();
}

void AddRun(const cake::v1::RunSummary& run, ExperimentTable& table) {
  ArmRow& row = *RowOf(table, run.arm());
  row.runs.push_back(&run);
  row.evaluations += run.score_curve_size();
  row.misses += static_cast<int64_t>(run.replay_misses());
  if (run.plateau_at() > 0) {
    ++row.plateaus;
    row.plateau_points.push_back(static_cast<double>(run.plateau_point()));
  }
  for (int i = 0; i < 3; ++i) row.at[i].push_back(ScoreAt(run, table.budget, kPercents[i]));
}

void Compare(ExperimentTable& table) {
  if (table.mixed_sources || table.arms.empty() || table.arms.front().is_void) return;
  std::vector<double> p;
  const ArmRow& first = table.arms.front();
  for (size_t k = 1; k < table.arms.size(); ++k) {
    const ArmRow& other = table.arms[k];
    if (other.is_void) continue;
    for (int i = 0; i < 3; ++i) {
      const RankSum sum = MannWhitney(first.at[i], other.at[i]);
      table.comparisons.push_back({first.arm, other.arm, kPercents[i], Median(first.at[i]),
                                   Median(other.at[i]), sum.above, sum.p, 1});
      p.push_back(sum.p);
    }
  }
  const std::vector<double> corrected = Holm(p);
  for (size_t i = 0; i < corrected.size(); ++i) table.comparisons[i].p_holm = corrected[i];
}

// A score in the words of its source: a ratio, or a predicted time.
std::string ScoreText(double score) {
  if (score == 0) return "none";
  return score < 0 ? Duration(-score) : absl::StrFormat("%.3f", score);
}

std::string PText(double p) { return p < 0.0001 ? "< 0.0001" : absl::StrFormat("%.4f", p); }

std::string ArmState(const ArmRow& row) {
  int64_t stopped = 0;
  for (const auto* run : row.runs) stopped += run->state() == cake::v1::RUN_STATE_STOPPED;
  if (row.is_void) return "void: too many evaluations were not recorded";
  return absl::StrCat(stopped, " of ", row.runs.size(), " runs ended");
}

using Rows = std::vector<std::vector<std::string>>;

Rows ArmRows(const ExperimentTable& table) {
  Rows rows = {{"arm", "runs", "evaluations", "at 25%", "at 50%", "at 100%", "plateaus",
                "plateau point", "replay misses", "state"}};
  for (const ArmRow& row : table.arms) {
    rows.push_back(
        {row.arm, absl::StrCat(row.runs.size()), absl::StrCat(row.evaluations),
         ScoreText(Median(row.at[0])), ScoreText(Median(row.at[1])), ScoreText(Median(row.at[2])),
         absl::StrCat(row.plateaus, " of ", row.runs.size()),
         row.plateau_points.empty() ? "none" : absl::StrFormat("%.0f", Median(row.plateau_points)),
         absl::StrCat(row.misses), ArmState(row)});
  }
  return rows;
}

Rows ComparisonRows(const ExperimentTable& table) {
  Rows rows = {{"at", "arm", "against", "median", "median of the other", "chance to be better", "p",
                "p by Holm"}};
  for (const ArmComparison& c : table.comparisons) {
    rows.push_back({absl::StrCat(c.percent, "%"), c.arm, c.against, ScoreText(c.median),
                    ScoreText(c.median_against), absl::StrFormat("%.2f", c.above), PText(c.p),
                    PText(c.p_holm)});
  }
  return rows;
}

std::string TableText(const Rows& rows) {
  Table table(rows.front());
  for (size_t i = 1; i < rows.size(); ++i) table.Add(rows[i]);
  return table.Text();
}

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : Printable(text)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

std::string TableHtml(const Rows& rows) {
  std::string out = "<table>\n";
  for (size_t i = 0; i < rows.size(); ++i) {
    const char* cell = i == 0 ? "th" : "td";
    out += "<tr>";
    for (const std::string& text : rows[i]) {
      absl::StrAppend(&out, "<", cell, ">", Escaped(text), "</", cell, ">");
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

// Medians over the repeats, as polylines over the budget.
std::string CurvesSvg(const ExperimentTable& table) {
  constexpr const char* kColors[] = {"#1b6ca8", "#c2571a", "#3d8b37", "#7b4ba8",
                                     "#a8323e", "#5f6b6d", "#b08900", "#008b8b"};
  constexpr double kWidth = 720, kHeight = 280;
  double low = HUGE_VAL, high = -HUGE_VAL;
  std::vector<std::vector<double>> curves;
  size_t longest = 0;
  for (const ArmRow& row : table.arms) {
    for (const auto* run : row.runs) {
      longest = std::max(longest, static_cast<size_t>(run->score_curve_size()));
    }
  }
  for (const ArmRow& row : table.arms) {
    std::vector<double> medians;
    for (size_t x = 0; x < longest; ++x) {
      std::vector<double> values;
      for (const auto* run : row.runs) {
        if (run->score_curve().empty()) continue;
        const auto at = std::min<int>(static_cast<int>(x), run->score_curve_size() - 1);
        if (run->score_curve(at) != 0) values.push_back(run->score_curve(at));
      }
      medians.push_back(values.empty() ? NAN : Median(values));
      if (values.empty()) continue;
      low = std::min(low, medians.back());
      high = std::max(high, medians.back());
    }
    curves.push_back(std::move(medians));
  }
  if (!(high > low)) return "";
  std::string out = absl::StrFormat(
      "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"median of the best so far\">\n",
      kWidth, kHeight);
  for (size_t i = 0; i < curves.size(); ++i) {
    std::string points;
    for (size_t x = 0; x < curves[i].size(); ++x) {
      if (std::isnan(curves[i][x])) continue;
      absl::StrAppendFormat(&points, "%.1f,%.1f ",
                            40 + (kWidth - 60) * static_cast<double>(x) /
                                     std::max<double>(1, static_cast<double>(longest) - 1),
                            10 + (kHeight - 40) * (high - curves[i][x]) / (high - low));
    }
    const char* color = kColors[i % std::size(kColors)];
    absl::StrAppend(&out, "<polyline fill=\"none\" stroke=\"", color,
                    "\" stroke-width=\"2\" points=\"", points, "\"/>\n");
    absl::StrAppendFormat(&out, "<text x=\"%d\" y=\"%.0f\" fill=\"%s\">%s</text>\n",
                          static_cast<int>(50 + 110 * i), kHeight - 8, color,
                          Escaped(table.arms[i].arm));
  }
  absl::StrAppend(&out, "<text x=\"2\" y=\"16\">", ScoreText(high), "</text><text x=\"2\" y=\"",
                  kHeight - 30, "\">", ScoreText(low), "</text></svg>\n");
  return out;
}

std::string Heading(const ExperimentTable& table) {
  return absl::StrCat(
      "experiment ", Printable(table.experiment), ", workload ", Printable(table.workload),
      "\nobjective source: ",
      table.mixed_sources ? std::string("mixed: nothing is compared") : Word(table.source),
      "\nbudget: ",
      table.budget > 0 ? absl::StrCat(table.budget, " evaluations a run") : "no limit", "\n");
}

}  // namespace

ExperimentTable TableOf(const cake::v1::ExperimentReply& reply) {
  ExperimentTable table;
  table.experiment = reply.experiment();
  for (const auto& run : reply.runs()) table.budget = std::max(table.budget, BudgetOf(run));
  for (const auto& run : reply.runs()) {
    if (table.source != cake::v1::OBJECTIVE_SOURCE_UNSPECIFIED &&
        table.source != run.objective_source()) {
      table.mixed_sources = true;
    }
    table.source = run.objective_source();
    table.workload = run.workload();
    AddRun(run, table);
  }
  for (ArmRow& row : table.arms) {
    const auto all = static_cast<double>(row.evaluations + row.misses);
    row.is_void = static_cast<double>(row.misses) > kReplayMissesMax * all;
  }
  Compare(table);
  return table;
}

std::string TextOf(const ExperimentTable& table) {
  std::string out = Heading(table) + TableText(ArmRows(table));
  if (!table.comparisons.empty()) {
    out += "\nMann-Whitney, two-sided; Holm over all comparisons of this table\n" +
           TableText(ComparisonRows(table));
  }
  return out;
}

std::string HtmlOf(const ExperimentTable& table) {
  std::string heading = Heading(table);
  for (size_t at = heading.find('\n'); at != std::string::npos; at = heading.find('\n', at + 5)) {
    heading.replace(at, 1, "<br>\n");
  }
  std::string out = absl::StrCat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>",
      Escaped(table.experiment),
      "</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;"
      "padding:0 1rem}table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2rem "
      ".6rem;text-align:left}svg{max-width:100%}</style></head><body>\n<h1>",
      Escaped(table.experiment), "</h1>\n<p>", heading, "</p>\n<h2>Best so far</h2>\n",
      CurvesSvg(table), "<h2>Arms</h2>\n", TableHtml(ArmRows(table)));
  if (!table.comparisons.empty()) {
    out += "<h2>Comparisons</h2>\n<p>Mann-Whitney, two-sided; Holm over all comparisons.</p>\n" +
           TableHtml(ComparisonRows(table));
  }
  return out + "</body></html>\n";
}

}  // namespace clients::cli::remote
