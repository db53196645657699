// What a worker is asked to do: the spec object of a job. Its JSON has the names of message
// JobSpec, so that the edge translates it without knowing its meaning.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/core/contracts.h"
#include "server/core/gate.h"
#include "server/state/state.h"

namespace server::core {

// Workers that have it run what the gates rejected.
inline constexpr std::string_view kAuditCapability = "audit";

inline constexpr std::string_view kMachineProtocol = "machine-v1";
inline constexpr std::string_view kMachineCapability = "run:machine";

// Which device a job is for, and what is run on it.
struct JobTarget {
  std::string protocol, arch;  // arch: "" on the reference machine
  std::vector<std::string> needs, cases;
};

// MEASURED runs go to a real device under the contract's protocol. Others go to the reference
// machine, or to a simulated device where only such workers serve: values are judged, nothing is
// timed.
JobTarget TargetOf(const state::State& state, const state::Run& run, const Contract& contract,
                   std::string_view program_arch, store::Purpose purpose, bool direct);

struct JobInputs {
  const state::Candidate* candidate = nullptr;
  const state::Variant* variant = nullptr;
  const Contract* contract = nullptr;
  const GateReply* lowered = nullptr;
  JobTarget target;
  store::Purpose purpose = store::Purpose::kSearch;
  uint64_t seed = 0;  // of the generated inputs
  store::ObjectHash contract_object;
  // The best variant so far and its candidate, which a search is timed against; null: none.
  const state::Variant* incumbent = nullptr;
  const state::Candidate* incumbent_of = nullptr;
};
std::string JobSpecJson(const JobInputs& inputs);
// A search is timed against the best so far in the same blocks: two ratios to the baseline from
// different sessions differ by more than their intervals say.
void AddIncumbent(const state::State& state, const state::Run& run, JobInputs& inputs);
// The seed of a job's inputs. Programs of a search get the inputs of some others, started one after
// the other, and so do runs that began with the same seed, which are the arms of one repeat: a
// worker then has them made, and what is expected of them. They cannot keep anything from one to
// the next; hand-written code could, and what is confirmed has to be right on inputs of its own.
uint64_t InputsSeed(const state::Run& run, int64_t decision, store::Purpose purpose,
                    const state::Candidate& candidate);
// How a job names the variant that its candidate is timed against.
std::string IncumbentId(const state::Variant& variant);

int64_t PriorityOf(store::Purpose purpose);

}  // namespace server::core
