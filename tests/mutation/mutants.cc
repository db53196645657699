#include "tests/mutation/mutants.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "server/pipeline/pipeline.h"
#include "tests/mutation/cake_text.h"
#include "tests/mutation/explorer.h"
#include "tests/mutation/generate.h"

namespace mutation {
namespace {

constexpr int64_t kMaxStates = 200'000;
constexpr size_t kListed = 20;

struct Finding {
  std::string code;
  std::set<int> lines;  // of its place and of what it names beside it
};

// The errors of the gates.
std::vector<Finding> Findings(const Protocol& protocol) {
  server::pipeline::Options options;
  options.emit_cuda = false;
  const std::string text = CakeText(protocol);
  const server::pipeline::Candidate candidate(text, options);
  if (!candidate.ok()) return {{.code = "no program"}};
  const auto member = candidate.CheckMember(candidate.Bind({}).value());
  std::vector<Finding> findings;
  for (const auto& d : member.report.diagnostics()) {
    if (d.severity != compiler::diag::Severity::kError) continue;
    Finding& finding = findings.emplace_back(Finding{.code = std::string(d.code)});
    const auto note = [&](compiler::diag::Span span) {
      const auto end = text.begin() + std::min<std::ptrdiff_t>(span.begin, text.size());
      finding.lines.insert(1 + static_cast<int>(std::count(text.begin(), end, '\n')));
    };
    note(d.primary);
    for (const auto& label : d.labels) note(label.span);
  }
  return findings;
}

// Arrivals and waits whose generation no order fixes: what comes of that differs from run to run.
bool IsOfPremise(const std::string& code) {
  return code == "CK2041" || code == "CK2042" || (code >= "CK2063" && code <= "CK2070");
}

bool IsOfKind(Fate fate, const std::string& code) {
  if (IsOfPremise(code)) return true;
  switch (fate) {
    case Fate::kRace:
    case Fate::kOrder:
      return code == "CK2020" || code == "CK2021" || code == "CK2100" || code == "CK2101" ||
             code == "CK2103";
    case Fate::kDeadlock:
    case Fate::kStepError:
      return code == "CK2032" || code == "CK2040" || (code >= "CK2060" && code <= "CK2062");
    case Fate::kUnwritten: return code == "CK2010";
    case Fate::kUnfenced: return code == "CK2102";
    case Fate::kExit: return code == "CK2104" || code == "CK2105";
    default: return false;
  }
}

bool IsNamed(Op op) { return op == Op::kSync || op == Op::kNamedArrive; }
bool IsOfEvent(Op op) {
  return op == Op::kArrive || op == Op::kExpect || op == Op::kLoad || op == Op::kWait;
}

using Steps = std::vector<std::pair<int, int>>;  // by agent and place

// All steps of the event or barrier that one is of.
void AddCompany(const Protocol& protocol, const Step& of, Steps& steps) {
  for (size_t a = 0; a < protocol.agents.size(); ++a) {
    for (size_t s = 0; s < protocol.agents[a].size(); ++s) {
      const Step& step = protocol.agents[a][s];
      const bool same =
          (IsNamed(of.op) && IsNamed(step.op)) || (IsOfEvent(of.op) && IsOfEvent(step.op));
      if (same && step.event == of.event) {
        steps.emplace_back(static_cast<int>(a), static_cast<int>(s));
      }
    }
  }
}

// The steps that have part in it: its own and, of one that waits, all that it could wait for.
Steps PartOf(const Protocol& protocol, const Site& site) {
  Steps part{{site.agent, site.step}};
  if (site.fate != Fate::kDeadlock) return part;
  AddCompany(protocol,
             protocol.agents[static_cast<size_t>(site.agent)][static_cast<size_t>(site.step)],
             part);
  return part;
}

// The steps that what was changed makes count differently.
Steps CountedAnew(const Mutant& mutant) {
  Steps steps;
  for (const Protocol* protocol : {&mutant.base, &mutant.mutant}) {
    const auto& agent = protocol->agents[static_cast<size_t>(mutant.agent)];
    if (mutant.step < 0 || mutant.step >= static_cast<int>(agent.size())) continue;
    AddCompany(mutant.mutant, agent[static_cast<size_t>(mutant.step)], steps);
  }
  return steps;
}

// Whether some finding is of the kind of what goes wrong, and where that or its cause is.
bool IsRight(const Mutant& mutant, const std::set<Site>& sites,
             const std::vector<Finding>& findings) {
  const std::vector<std::vector<int>> lines = CakeLines(mutant.mutant);
  const auto line = [&](int agent, int step) {
    const auto& own = lines[static_cast<size_t>(agent)];
    return step >= 0 && step < static_cast<int>(own.size()) ? own[static_cast<size_t>(step)] : -1;
  };
  std::set<int> changed{line(mutant.agent, mutant.step), line(mutant.agent, mutant.step + 1)};
  // A count stands in a declaration, before the first role.
  for (int at = 1; mutant.step < 0 && at < lines[0][0] - 2; ++at) changed.insert(at);
  const Steps counted = CountedAnew(mutant);
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    const auto names = [&](const auto& step) {
      return finding.lines.contains(line(step.first, step.second));
    };
    if (IsOfPremise(finding.code) && std::any_of(counted.begin(), counted.end(), names)) {
      return true;
    }
    return std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
      if (!IsOfKind(site.fate, finding.code)) return false;
      const Steps part = PartOf(mutant.mutant, site);
      const bool there = std::any_of(part.begin(), part.end(), names);
      return there || std::any_of(changed.begin(), changed.end(),
                                  [&](int at) { return finding.lines.contains(at); });
    });
  });
}

void Add(Column& column, bool broken, bool refused, bool right) {
  if (!broken) {
    ++column.equivalent;
    column.equivalent_refused += refused ? 1 : 0;
    return;
  }
  ++column.broken;
  column.right += right ? 1 : 0;
  column.otherwise += refused && !right ? 1 : 0;
}

std::string ToJson(const std::map<std::string, Column>& columns) {
  std::string text = "{";
  const char* comma = "";
  for (const auto& [name, column] : columns) {
    text += comma + ("\"" + name + "\": {\"broken\": ") + std::to_string(column.broken) +
            ", \"right\": " + std::to_string(column.right) +
            ", \"otherwise\": " + std::to_string(column.otherwise) +
            ", \"equivalent\": " + std::to_string(column.equivalent) +
            ", \"equivalent_refused\": " + std::to_string(column.equivalent_refused) +
            ", \"unresolved\": " + std::to_string(column.unresolved) + "}";
    comma = ", ";
  }
  return text + "}";
}

std::string ToJson(const std::vector<uint64_t>& seeds) {
  std::string text = "[";
  for (size_t i = 0; i < seeds.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(seeds[i]);
  return text + "]";
}

}  // namespace

MutantTally CheckMutants(uint64_t first, int64_t count) {
  MutantTally tally;
  std::set<std::string> bases;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t seed = first + static_cast<uint64_t>(i);
    const Mutant mutant = GenerateMutant(seed);
    bases.insert(ToString(mutant.base));
    if (Explore(mutant.base, kMaxStates).fate != Fate::kOk) {
      tally.bad_bases.push_back(seed);
      continue;
    }
    Column& change = tally.by_change[mutant.change];
    Column& family = tally.by_family[mutant.family];
    const std::optional<std::set<Site>> sites = AllSites(mutant.mutant, kMaxStates);
    if (!sites) {
      ++change.unresolved;
      ++family.unresolved;
      continue;
    }
    const std::vector<Finding> findings = Findings(mutant.mutant);
    const bool broken = !sites->empty(), refused = !findings.empty();
    const bool right = broken && IsRight(mutant, *sites, findings);
    Add(change, broken, refused, right);
    Add(family, broken, refused, right);
    if (broken && !refused) tally.accepted.push_back(seed);
    if (broken && refused && !right && tally.otherwise.size() < kListed) {
      tally.otherwise.push_back(seed);
    }
  }
  tally.bases = static_cast<int64_t>(bases.size());
  return tally;
}

std::string ToJson(const MutantTally& tally) {
  return "{\"bases\": " + std::to_string(tally.bases) +
         ", \"changes\": " + ToJson(tally.by_change) +
         ", \"families\": " + ToJson(tally.by_family) +
         ", \"accepted\": " + ToJson(tally.accepted) +
         ", \"otherwise\": " + ToJson(tally.otherwise) +
         ", \"bad_bases\": " + ToJson(tally.bad_bases) + "}";
}

}  // namespace mutation
