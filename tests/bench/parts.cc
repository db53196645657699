#include "tests/bench/parts.h"

#include <functional>
#include <optional>

#include "tests/bench/corpus.h"
#include "verifier/analysis.h"
#include "verifier/explore.h"
#include "verifier/instances.h"
#include "verifier/rules.h"

namespace bench {

using server::pipeline::Candidate;
using server::pipeline::Member;

Parts TimeParts(const std::string& source, const server::pipeline::Options& options) {
  Parts parts;
  double last = CpuSeconds();
  const auto lap = [&last](double& part) {
    const double now = CpuSeconds();
    part = (now - last) * 1e3;
    last = now;
  };
  const Candidate candidate(source, options);
  const auto binding = candidate.Bind({});
  lap(parts.parse);
  Member member = candidate.Elaborate(*binding);
  lap(parts.types);
  server::pipeline::Options no_gates = options;
  no_gates.run_gates = false;
  const Candidate derives(source, no_gates);
  last = CpuSeconds();
  member = derives.Judge(std::move(member));
  lap(parts.facts);

  const compiler::ir::Program& program = *member.program;
  std::vector<verifier::KernelAnalysis> kernels = verifier::AnalyseAll(program, member.facts);
  lap(parts.analysis);
  const verifier::Selection selection =
      verifier::SelectShapes(program, member.facts, kernels, options.policy);
  lap(parts.shapes);
  const verifier::RuleInput input{program, member.facts, *member.device, kernels};
  for (const verifier::Rule* rule : verifier::Rules()) {
    verifier::RuleOutput out;
    rule->check(input, out);
  }
  lap(parts.rules);
  verifier::Explore(program, member.facts, kernels, selection, options.policy);
  lap(parts.machine);
  return parts;
}

}  // namespace bench
