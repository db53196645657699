// A member's result as JSON for agents and text for people.
#include "compiler/diag/render.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compiler/arch/hardware.h"
#include "server/pipeline/pipeline.h"

namespace server::pipeline {
namespace {

using Json = nlohmann::ordered_json;

// The JSON of another folder, as a value; it is ours, so it parses.
Json Parsed(const std::string& text) { return Json::parse(text, nullptr, false); }

Json Properties(const Member& member) {
  Json all = Json::array();
  for (const verifier::PropertyStatus& status : member.properties) {
    all.push_back({{"property", status.property},
                   {"how", verifier::ToString(status.how)},
                   {"coverage", status.coverage}});
  }
  return all;
}

Json Premises(const Member& member) {
  Json all = Json::array();
  for (const verifier::Premise& premise : member.premises) {
    all.push_back({{"premise", premise.id + " " + premise.name},
                   {"how", verifier::ToString(premise.met)},
                   {"coverage", premise.why}});
  }
  return all;
}

std::string_view OutcomeWord(const verifier::learnt::RuleOutcome& outcome) {
  if (outcome.unknown) return "unknown";
  return outcome.hits > 0 ? "hit" : "silent";
}

// Those that were asked; what they cost is no part of a report, which is equal for equal inputs.
Json Rules(const Member& member) {
  Json all = Json::array();
  for (const verifier::learnt::RuleOutcome& outcome : member.rule_outcomes) {
    Json one = {{"rule", outcome.id},
                {"state", outcome.shadow ? "SHADOW" : "ACTIVE"},
                {"outcome", OutcomeWord(outcome)},
                {"hits", outcome.hits}};
    if (outcome.unknown) one["why"] = outcome.why;
    all.push_back(std::move(one));
  }
  return all;
}

std::string RulesText(const Member& member) {
  int64_t asked = 0, hits = 0;
  std::string unknown;
  for (const verifier::learnt::RuleOutcome& outcome : member.rule_outcomes) {
    if (outcome.shadow) continue;
    ++asked;
    hits += outcome.hits;
    if (outcome.unknown) absl::StrAppend(&unknown, "; ", outcome.id, ": ", outcome.why);
  }
  if (asked == 0) return "";
  return absl::StrFormat("%-13s %-14s %d asked, %d violations%s\n", "learnt rules",
                         unknown.empty() ? "asked" : "unknown", asked, hits, unknown);
}

}  // namespace

std::string ToJson(const Candidate& candidate, const Member& member) {
  const bool passed = member.verdict == Verdict::kPassed;
  Json json = {{"file", candidate.options().file_name},
               {"program", std::string(candidate.program_name())},
               {"binding", member.binding},
               {"verdict", ToString(member.verdict)},
               {"blame", passed ? "NONE" : "CANDIDATE"},
               {"stage", ToString(member.stage)}};
  const Json report = Parsed(
      compiler::diag::RenderJson(member.report, candidate.options().file_name, candidate.source()));
  for (const char* key : {"diagnostics", "errors", "warnings", "advice", "omitted"})
    json[key] = report.at(key);
  json["properties"] = Properties(member);
  json["instances"] = member.instances;
  json["assumptions"] = member.assumptions;
  json["premises"] = Premises(member);
  if (!member.rule_outcomes.empty()) {
    json["rules"] = Rules(member);
    for (Json& diagnostic : json["diagnostics"]) {
      const std::string code = diagnostic.at("code").get<std::string>();
      const std::string_view rule = member.rules->RuleOf(code);
      if (!rule.empty()) diagnostic["rule"] = rule;
    }
  }
  json["canonical_hash"] = member.canonical_hash;
  json["structural_hash"] = member.structural_hash;
  json["estimate"] = nullptr;
  if (member.estimate) {
    json["estimate"] = Parsed(costmodel::ToJson(*member.estimate, candidate.source()));
  } else if (!member.estimate_status.ok()) {
    json["estimate_error"] = std::string(member.estimate_status.message());
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ToText(const Candidate& candidate, const Member& member, bool color) {
  std::string text = compiler::diag::RenderText(member.report, candidate.options().file_name,
                                                candidate.source(), {.color = color});
  for (const verifier::PropertyStatus& status : member.properties) {
    absl::StrAppend(&text,
                    absl::StrFormat("%-13s %-14s %s\n", status.property,
                                    std::string(verifier::ToString(status.how)), status.coverage));
  }
  text += RulesText(member);
  if (!member.assumptions.empty()) {
    absl::StrAppend(&text, absl::StrFormat("%-13s %-14s %s\n", "assumptions", "assumed",
                                           absl::StrJoin(member.assumptions, "; ")));
  }
  if (!member.properties.empty() && member.device != nullptr) {
    const std::string note(compiler::arch::HardwareNote(member.device->arch));
    if (!note.empty()) {
      absl::StrAppend(&text, absl::StrFormat("%-13s %-14s %s: %s\n", "hardware", "unknown",
                                             member.device->arch, note));
    }
  }
  if (member.estimate) text += costmodel::ToText(*member.estimate, candidate.source());
  return text;
}

}  // namespace server::pipeline
