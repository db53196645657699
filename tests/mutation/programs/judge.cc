#include "tests/mutation/programs/judge.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "server/pipeline/pipeline.h"

namespace mutation {
namespace {

using compiler::diag::Category;
using compiler::diag::Severity;

struct CodesOf {
  char hazard;
  int first, last;
};

// clang-format off
constexpr CodesOf kCodes[] = {
    {'R', 1412, 1413}, {'R', 2010, 2010}, {'R', 2020, 2023}, {'R', 2100, 2103}, {'R', 2161, 2162},
    {'R', 2168, 2169}, {'R', 2190, 2190}, {'R', 2400, 2400}, {'R', 2426, 2428}, {'R', 2440, 2444},
    {'R', 2451, 2451}, {'R', 2530, 2531},
    {'D', 2030, 2032}, {'D', 2040, 2040}, {'D', 2060, 2062}, {'D', 2164, 2165}, {'D', 2425, 2425},
    {'X', 2102, 2102},
    {'L', 1412, 1415}, {'L', 2100, 2101}, {'L', 2103, 2105}, {'L', 2400, 2402}, {'L', 2440, 2448},
    {'L', 2451, 2453}, {'L', 2455, 2455},
    {'I', 2010, 2014}, {'I', 2162, 2162}, {'I', 2190, 2190},
    {'T', 1428, 1428}, {'T', 2060, 2062}, {'T', 2067, 2067}, {'T', 2071, 2071},
    {'B', 1024, 1024}, {'B', 1240, 1240}, {'B', 2001, 2007}, {'B', 2023, 2023}, {'B', 2044, 2044},
    {'B', 2501, 2501}, {'B', 2507, 2508}, {'B', 2546, 2546}, {'B', 2591, 2591},
    {'A', 1098, 1098}, {'A', 1404, 1410}, {'A', 1440, 1460}, {'A', 2006, 2006}, {'A', 2403, 2404},
    {'A', 2449, 2450}, {'A', 2457, 2457}, {'A', 2502, 2502}, {'A', 2520, 2522}, {'A', 2535, 2535},
    {'A', 2547, 2547}, {'A', 3112, 3112}, {'A', 3120, 3129},
    {'S', 1100, 1100}, {'S', 1126, 1126}, {'S', 1260, 1261}, {'S', 1420, 1420}, {'S', 2170, 2170},
    {'S', 2548, 2548}, {'S', 3101, 3113}, {'S', 3118, 3118}, {'S', 3130, 3160}, {'S', 6000, 6999},
    {'C', 1110, 1111}, {'C', 2030, 2032}, {'C', 2163, 2163}, {'C', 2167, 2167}, {'C', 2401, 2401},
    {'W', 1420, 1429}, {'W', 2160, 2162}, {'W', 2420, 2428}, {'W', 2430, 2432}, {'W', 2460, 2460}};
// clang-format on

// Arrivals and waits whose generation no order fixes: what comes of that differs from run to run.
bool IsOfPremise(int code) {
  return code == 2041 || code == 2042 || (code >= 2063 && code <= 2070) ||
         (code >= 3114 && code <= 3116);
}

int LineOf(std::string_view text, size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

// Whether a place of it is one of the lines.
bool IsThere(const compiler::diag::Diagnostic& d, std::string_view source,
             const std::set<int>& lines) {
  const auto touches = [&](compiler::diag::Span span) {
    const int last = LineOf(source, span.end);
    for (int line = LineOf(source, span.begin); line <= last; ++line) {
      if (lines.contains(line)) return true;
    }
    return false;
  };
  const auto of = [&](const auto& part) { return touches(part.span); };
  return touches(d.primary) || std::any_of(d.labels.begin(), d.labels.end(), of) ||
         std::any_of(d.wait_graph.begin(), d.wait_graph.end(), of);
}

}  // namespace

std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kRight: return "right";
    case Outcome::kUnproven: return "unproven";
    case Outcome::kOtherwise: return "otherwise";
    case Outcome::kAccepted: return "accepted";
    case Outcome::kMalformed: return "malformed";
  }
  return "";
}

bool IsOfHazard(char hazard, std::string_view text) {
  int code = 0;
  if (text.size() < 6) return false;
  std::from_chars(text.data() + 2, text.data() + text.size(), code);
  if (hazard == 'P') return IsOfPremise(code);
  return std::any_of(std::begin(kCodes), std::end(kCodes), [&](const CodesOf& of) {
    return of.hazard == hazard && of.first <= code && code <= of.last;
  });
}

Judged JudgeText(const std::string& source, std::string_view program, const Member& member,
                 std::string_view hazards, const std::set<int>& lines) {
  server::pipeline::Options options;
  options.emit_cuda = false;
  options.program = program;
  const server::pipeline::Candidate candidate(source, options);
  if (!candidate.ok()) return {};
  const auto binding = candidate.Bind(member);
  if (!binding.ok()) return {};
  const server::pipeline::Member judged = candidate.CheckMember(*binding);
  if (judged.verdict == server::pipeline::Verdict::kPassed) return {Outcome::kAccepted, {}};
  Judged out;
  bool right = false, unproven = false, malformed = true;
  for (const auto& d : judged.report.diagnostics()) {
    if (d.severity != Severity::kError) continue;
    out.codes.push_back(std::string(d.code) + ":" +
                        std::to_string(LineOf(source, d.primary.begin)));
    const bool of_kind = std::any_of(hazards.begin(), hazards.end(),
                                     [&](char hazard) { return IsOfHazard(hazard, d.code); });
    malformed &= !of_kind && (d.category == Category::kType || d.category == Category::kSyntax);
    if (!of_kind || !IsThere(d, source, lines)) continue;
    (d.category == Category::kUnproven ? unproven : right) = true;
  }
  out.outcome = right       ? Outcome::kRight
                : unproven  ? Outcome::kUnproven
                : malformed ? Outcome::kMalformed
                            : Outcome::kOtherwise;
  return out;
}

std::string Report(const std::string& source, std::string_view program, const Member& member) {
  server::pipeline::Options options;
  options.emit_cuda = false;
  options.program = program;
  const server::pipeline::Candidate candidate(source, options);
  const auto binding = candidate.Bind(member);
  if (!binding.ok()) return std::string(binding.status().message());
  const auto judged = candidate.CheckMember(*binding);
  std::string text = server::pipeline::ToText(candidate, judged, false);
  for (const std::string& instance : judged.instances) text += "ran " + instance + "\n";
  return text;
}

Judged Judge(const Base& base, const Change& change, const Member& member) {
  return JudgeText(Apply(base, change), base.program().name.text, member, change.hazards,
                   Lines(base, change));
}

std::vector<Member> Members(const Base& base, int64_t count, uint64_t seed) {
  server::pipeline::Options options;
  options.program = base.program().name.text;
  const server::pipeline::Candidate candidate(base.source(), options);
  std::vector<Member> members;
  if (!candidate.ok()) return members;
  server::pipeline::MemberCursor cursor(candidate, count, seed);
  while (const auto binding = cursor.Next()) {
    if (static_cast<int64_t>(members.size()) < count) members.push_back(*binding);
  }
  return members;
}

}  // namespace mutation
