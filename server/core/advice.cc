#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/core/diagnose.h"

namespace server::core {
namespace {

using nlohmann::json;

constexpr size_t kAdviceMax = 12;

std::string Text(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

double Number(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->get<double>() : 0;
}

// "CK2101 at line 12"
std::string Place(const json& diagnostic) {
  std::string place = Text(diagnostic, "code");
  for (const char* key : {"span", "primary"}) {
    const auto span = diagnostic.find(key);
    if (span == diagnostic.end() || !span->is_object()) continue;
    const auto line = static_cast<int64_t>(Number(*span, "line"));
    if (line > 0) absl::StrAppend(&place, " at line ", line);
    break;
  }
  return place;
}

void FromDiagnostics(const json& report, std::vector<Advice>& out) {
  const auto list = report.find("diagnostics");
  if (list == report.end() || !list->is_array()) return;
  for (const json& diagnostic : *list) {
    if (!diagnostic.is_object() || Text(diagnostic, "severity") == "advice") continue;
    const std::string message = Text(diagnostic, "message");
    const std::string why = Text(diagnostic, "why");
    bool fixed = false;
    const auto fixes = diagnostic.find("fixes");
    if (fixes != diagnostic.end() && fixes->is_array()) {
      for (const json& fix : *fixes) {
        out.push_back({Text(fix, "title"), why.empty() ? message : message + ": " + why,
                       Place(diagnostic), fix.dump()});
        fixed = true;
      }
    }
    if (!fixed && Text(diagnostic, "severity") == "error") {
      out.push_back({absl::StrCat("change the statement that causes: ", message),
                     why.empty() ? "the program is not accepted with it" : why, Place(diagnostic),
                     ""});
    }
  }
}

// Predicted gains, largest first. They are predictions: the words say so.
void FromEstimate(const json& report, std::vector<Advice>& out) {
  const auto estimate = report.find("estimate");
  if (estimate == report.end() || !estimate->is_object()) return;
  const double now = Number(*estimate, "time_ns");
  const std::string bottleneck = Text(*estimate, "bottleneck");
  std::string hottest = "no statement dominates";
  if (const auto at = estimate->find("attribution"); at != estimate->end() && !at->empty()) {
    const json& first = at->front();
    hottest = absl::StrFormat("line %d takes %.0f of %.0f predicted ns (%s)",
                              static_cast<int>(Number(first, "line")), Number(first, "ns"), now,
                              Text(first, "resource"));
  }
  std::vector<std::pair<double, std::string>> gains;
  if (const auto list = estimate->find("what_if"); list != estimate->end()) {
    for (const json& what : *list) {
      const double then = Number(what, "time_ns");
      if (then > 0 && then < now) gains.emplace_back(then, Text(what, "change"));
    }
  }
  std::sort(gains.begin(), gains.end());
  for (const auto& [then, change] : gains) {
    out.push_back({change,
                   absl::StrFormat("bottleneck is %s; predicted %.0f ns instead of %.0f ns",
                                   bottleneck, then, now),
                   hottest, ""});
  }
}

}  // namespace

std::vector<Metric> EstimatedMetrics(std::string_view member_report_json) {
  std::vector<Metric> out;
  const json report = json::parse(member_report_json, nullptr, false);
  if (!report.is_object() || !report.contains("estimate") || !report["estimate"].is_object()) {
    return out;
  }
  struct Row {
    const char *key, *name, *unit;
  };
  constexpr Row kRows[] = {
      {"time_ns", "predicted_time", "ns"},         {"low_ns", "predicted_low", "ns"},
      {"high_ns", "predicted_high", "ns"},         {"roofline_ns", "roofline", "ns"},
      {"global_bytes", "global_traffic", "bytes"}, {"flops", "operations", "flop"},
      {"occupancy", "occupancy", "share"},         {"waves", "waves", ""}};
  for (const Row& row : kRows) {
    const auto it = report["estimate"].find(row.key);
    if (it == report["estimate"].end() || !it->is_number()) continue;
    out.push_back({row.name, row.unit, it->get<double>(), store::ScoreSource::kEstimated});
  }
  return out;
}

std::string BottleneckWhy(std::string_view member_report_json) {
  const json report = json::parse(member_report_json, nullptr, false);
  if (!report.is_object() || !report.contains("estimate") || !report["estimate"].is_object()) {
    return "";
  }
  const json& estimate = report["estimate"];
  std::vector<std::pair<double, std::string>> shares;
  if (const auto all = estimate.find("utilisation"); all != estimate.end() && all->is_object()) {
    for (const auto& [resource, share] : all->items()) {
      if (share.is_number()) shares.emplace_back(-share.get<double>(), resource);
    }
  }
  std::sort(shares.begin(), shares.end());
  std::string out;
  for (size_t i = 0; i < std::min<size_t>(shares.size(), 3); ++i) {
    absl::StrAppendFormat(&out, "%s%s %.0f%%", i == 0 ? "" : ", ", shares[i].second,
                          -100 * shares[i].first);
  }
  if (const std::string next = Text(estimate, "runner_up"); !next.empty()) {
    absl::StrAppend(&out, "; runner-up ", next);
  }
  if (const auto at = estimate.find("attribution"); at != estimate.end() && !at->empty()) {
    const json& first = at->front();
    absl::StrAppendFormat(&out, "; line %d takes %.0f of %.0f ns (%s)",
                          static_cast<int>(Number(first, "line")), Number(first, "ns"),
                          Number(estimate, "time_ns"), Text(first, "resource"));
  }
  return out;
}

std::vector<Advice> AdviceFrom(std::string_view member_report_json,
                               std::string_view run_report_json,
                               const std::vector<store::CheckOutcome>& checks) {
  std::vector<Advice> out;
  const json run = json::parse(run_report_json, nullptr, false);
  if (run.is_object()) FromDiagnostics(run, out);
  for (const store::CheckOutcome& check : checks) {
    if (check.outcome != "FAIL" || out.size() >= kAdviceMax) continue;
    out.push_back({absl::StrCat("make check ", check.name, " pass"), check.detail, "run", ""});
  }
  const json member = json::parse(member_report_json, nullptr, false);
  if (member.is_object()) {
    FromDiagnostics(member, out);
    FromEstimate(member, out);
  }
  if (out.size() > kAdviceMax) out.resize(kAdviceMax);
  return out;
}

}  // namespace server::core
