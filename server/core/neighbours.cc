#include "server/core/neighbours.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace server::core {
namespace {

using nlohmann::json;
using state::State;
using state::Variant;

struct Change {
  std::string param, from, to;
};

// The one param in which two bindings differ.
std::optional<Change> OnlyChange(const std::string& a, const std::string& b) {
  const json left = json::parse(a, nullptr, false), right = json::parse(b, nullptr, false);
  if (!left.is_object() || !right.is_object() || left.size() != right.size()) return std::nullopt;
  std::optional<Change> change;
  for (const auto& [name, value] : left.items()) {
    const auto other = right.find(name);
    if (other == right.end()) return std::nullopt;
    if (*other == value) continue;
    if (change) return std::nullopt;
    change = Change{name, value.dump(), other->dump()};
  }
  return change;
}

bool InWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Where the number of `param NAME in DOMAIN = NUMBER` stands.
std::optional<std::pair<size_t, size_t>> DefaultOf(std::string_view source,
                                                   std::string_view param) {
  const std::string head = absl::StrCat("param ", std::string(param));
  for (size_t at = source.find(head); at != std::string_view::npos;
       at = source.find(head, at + 1)) {
    size_t next = at + head.size();
    if (next < source.size() && InWord(source[next])) continue;
    const size_t end = std::min(source.find_first_of(";\n", next), source.size());
    const size_t comment = source.find("//", next);
    // `=` of a range `..=` is none; the domain has no other.
    size_t equals = next;
    do {
      equals = source.find('=', equals + 1);
    } while (equals != std::string_view::npos && source[equals - 1] == '.');
    if (equals >= std::min(end, comment)) return std::nullopt;
    const size_t begin = source.find_first_not_of(" \t", equals + 1);
    size_t stop = begin;
    while (stop < source.size() && source[stop] >= '0' && source[stop] <= '9') ++stop;
    if (begin == std::string_view::npos || stop == begin) return std::nullopt;
    return std::make_pair(begin, stop);
  }
  return std::nullopt;
}

json SpanJson(std::string_view source, size_t begin, size_t end) {
  const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<long>(begin), '\n');
  const size_t last = source.rfind('\n', begin);
  const size_t start = last == std::string_view::npos ? 0 : last + 1;
  const auto column = static_cast<int64_t>(begin - start) + 1;
  const size_t line_end = std::min(source.find('\n', begin), source.size());
  return {{"begin", begin},
          {"end", end},
          {"line", line},
          {"column", column},
          {"end_line", line},
          {"end_column", column + static_cast<int64_t>(end - begin)},
          {"source_line", std::string(source.substr(start, line_end - start))}};
}

struct Better {
  const Variant* variant;
  Change change;
  bool measured;
  double factor;  // of the time: below 1
};

std::vector<Better> BetterOnes(const State& state, const Variant& variant) {
  std::vector<Better> found;
  const state::Candidate& mine = state.candidates.at(variant.candidate);
  for (const int64_t id : state.runs.at(mine.run).candidates) {
    const state::Candidate& candidate = state.candidates.at(id);
    if (candidate.source_hash != mine.source_hash) continue;
    for (const int64_t v : candidate.variants) {
      const Variant& other = state.variants.at(v);
      const auto change = OnlyChange(variant.params_json, other.params_json);
      if (!change) continue;
      const bool wrong =
          store::VerdictRank(other.verdict) > 0 && other.verdict != store::Verdict::kRankedOut &&
          store::VerdictRank(other.verdict) < store::VerdictRank(store::Verdict::kCorrect);
      if (wrong) continue;
      const bool measured = variant.ratio_med > 0 && other.ratio_med > 0;
      const double now = measured ? 1 / variant.ratio_med : variant.PredictedNs();
      const double then = measured ? 1 / other.ratio_med : other.PredictedNs();
      if (now > 0 && then > 0 && then < 0.995 * now) {
        found.push_back({&other, *change, measured, then / now});
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const Better& a, const Better& b) {
    if (a.measured != b.measured) return a.measured;
    if (a.factor != b.factor) return a.factor < b.factor;
    return a.variant->id < b.variant->id;
  });
  return found;
}

}  // namespace

std::string DefaultEdit(std::string_view source, std::string_view param, std::string_view value) {
  const auto place = DefaultOf(source, param);
  if (!place) return "";
  const json fix = {
      {"title", absl::StrCat("make ", std::string(value), " the default of ", std::string(param))},
      {"applicability", "maybe"},
      {"edits", json::array({{{"text", std::string(value)},
                              {"span", SpanJson(source, place->first, place->second)}}})}};
  return fix.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<Advice> AdviceOfNeighbours(const State& state, const Variant& variant,
                                       std::string_view source) {
  std::vector<Advice> out;
  for (const Better& better : BetterOnes(state, variant)) {
    if (out.size() >= kNeighbourAdviceMax) break;
    const std::string name = state.candidates.at(better.variant->candidate).Name();
    out.push_back({absl::StrCat("set ", better.change.param, " to ", better.change.to),
                   absl::StrFormat("%s %.3fx the time with %s instead of %s, all else equal",
                                   better.measured ? "measured" : "predicted", better.factor,
                                   better.change.to, better.change.from),
                   absl::StrCat(name, " ", better.variant->params_json),
                   DefaultEdit(source, better.change.param, better.change.to)});
  }
  return out;
}

}  // namespace server::core
