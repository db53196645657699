#include "tests/mutation/schedules.h"

#include <fstream>
#include <set>
#include <sstream>

#include "server/pipeline/pipeline.h"

namespace mutation {
namespace {

using server::pipeline::Candidate;
using server::pipeline::Member;

// What must not depend on a schedule: codes with their places, and properties.
std::set<std::string> Said(const verifier::Verdict& verdict) {
  std::set<std::string> said;
  for (const auto& d : verdict.report.diagnostics()) {
    said.insert(std::string(d.code) + " at " + std::to_string(d.primary.begin));
  }
  for (const verifier::PropertyStatus& status : verdict.properties) {
    said.insert(status.property + " " + std::string(verifier::ToString(status.how)));
  }
  return said;
}

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::string DiffersUnderSchedules(const std::string& path, uint64_t seeds) {
  server::pipeline::Options options;
  options.emit_cuda = false;
  options.run_gates = false;
  const Candidate candidate(Read(path), options);
  if (!candidate.ok()) return "it is no program";
  const Member member = candidate.CheckMember(candidate.Bind({}).value());
  if (member.report.has_errors()) return "it has no facts";
  verifier::Policy policy;
  policy.hash_order = true;
  const auto verify = [&](uint64_t seed) {
    policy.schedule_seed = seed;
    return verifier::Verify(*member.program, member.facts, *member.device, policy);
  };
  policy.close_trips = false;  // cuts are places of the canonical schedule
  const verifier::Verdict canonical = verify(0);
  const bool decides = canonical.accepted && verifier::OneRunDecides(canonical.premises);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const verifier::Verdict other = verify(seed);
    if (Said(other) != Said(canonical)) return "another verdict under seed " + std::to_string(seed);
    if (decides && other.order_hash != canonical.order_hash) {
      return "another order under seed " + std::to_string(seed);
    }
  }
  return "";
}

}  // namespace mutation
