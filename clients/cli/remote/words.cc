#include "clients/cli/remote/words.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

// The keys of event bodies that tell a run's story, in the order in which they are shown.
constexpr std::string_view kStoryKeys[] = {
    "verdict", "blame",  "stage",     "end",          "state",         "reason", "kind",
    "purpose", "worker", "attempt",   "members_seen", "members_total", "shape",  "bottleneck",
    "name",    "intent", "objective", "spent",        "detail"};
constexpr size_t kValueBytesMax = 60;

std::string ValueText(const nlohmann::json& value) {
  if (value.is_string()) return Printable(value.get<std::string>()).substr(0, kValueBytesMax);
  return value.is_number() ? value.dump() : "";
}

}  // namespace

std::string Bare(const std::string& name, std::string_view prefix) {
  return name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name;
}
std::string Word(cake::v1::Verdict verdict) {
  if (verdict == cake::v1::VERDICT_UNSPECIFIED) return "in work";
  return Bare(cake::v1::Verdict_Name(verdict), "VERDICT_");
}
std::string Word(cake::v1::Blame blame) {
  if (blame == cake::v1::BLAME_UNSPECIFIED) return "";
  return Bare(cake::v1::Blame_Name(blame), "BLAME_");
}
std::string Word(cake::v1::ObjectiveSource source) {
  return Bare(cake::v1::ObjectiveSource_Name(source), "OBJECTIVE_SOURCE_");
}
std::string Word(cake::v1::RunState state) {
  return Bare(cake::v1::RunState_Name(state), "RUN_STATE_");
}

std::string BindingWords(const std::string& json) {
  const auto binding = nlohmann::json::parse(json, nullptr, false);
  if (!binding.is_object()) return Printable(json);
  std::string out;
  for (const auto& [name, value] : binding.items())
    absl::StrAppend(&out, out.empty() ? "" : " ", Printable(name), "=", value.dump());
  return out;
}

std::string ImportedWords(const cake::v1::Evidence& evidence) {
  return absl::StrCat("imported with ", evidence.import(), " (", evidence.source_run(),
                      " of campaign ", Printable(evidence.campaign()), "), on ",
                      Printable(evidence.device()), evidence.simulated() ? ", simulated" : "");
}

std::string EventWords(const cake::v1::Event& event) {
  const auto body = nlohmann::json::parse(event.body_json(), nullptr, false);
  std::string story;
  if (body.is_object()) {
    for (const std::string_view key : kStoryKeys) {
      const auto found = body.find(key);
      const std::string value = found == body.end() ? "" : ValueText(*found);
      if (!value.empty())
        absl::StrAppend(&story, story.empty() ? "" : ", ", std::string(key), " ", value);
    }
  }
  return absl::StrFormat("%8d  %-18s %-8s %s", event.seq(), event.kind(),
                         Printable(event.subject()), story);
}

std::string Quantity(double value, const std::string& unit) {
  if (unit == "ns") return Duration(value);
  const bool countable = unit == "bytes" || unit == "flop";
  if (!countable || value < 1e3)
    return absl::StrFormat("%.4g%s%s", value, unit.empty() ? "" : " ", unit);
  const char* const prefixes[] = {"k", "M", "G", "T"};
  size_t at = 0;
  for (value /= 1e3; value >= 1e3 && at + 1 < std::size(prefixes); value /= 1e3) ++at;
  return absl::StrFormat("%.4g %s%s", value, prefixes[at], unit == "bytes" ? "B" : unit);
}

}  // namespace clients::cli::remote
