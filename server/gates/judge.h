// What a gate child does with one request: the pipeline on some members, bound to the contract.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "runner/contract/workload.h"
#include "costmodel/calibration.h"
#include "server/core/gate.h"
#include "server/gates/family.h"
#include "server/pipeline/pipeline.h"

namespace server::gates {

// Keeps the last source parsed, since the members of a family come in several requests.
class Judge {
 public:
  core::GateReply Answer(const core::GateRequest& request);

 private:
  void Prepare(const core::GateRequest& request);
  core::GateProposal Propose(const core::GateRequest& request) const;
  core::GateSpecimens TryRule(const core::GateRequest& request) const;
  void Install(const std::vector<core::GateRule>& rules);
  core::GateProposal Cut(const core::GateRequest& request) const;
  void Map(const core::GateRequest& request, core::GateReply& reply);
  void Calibrate(const std::vector<core::GateCalibration>& calibrations);
  void EstimateEach(const core::GateRequest& request, core::GateReply& reply);
  core::GateMember One(const compiler::sema::Binding& binding);
  void CheckContract(pipeline::Member& member);
  void Estimate(pipeline::Member& member, core::GateMember& out);
  core::GateMember Describe(const pipeline::Member& member) const;
  core::GateMember FamilyError(const compiler::diag::Report& report) const;

  std::string key_;  // of what is prepared
  std::unique_ptr<pipeline::Candidate> candidate_;
  std::optional<runner::contract::Workload> contract_;
  std::optional<Family> family_;
  std::string family_error_;                                // why the narrowing is none
  std::vector<costmodel::Calibration> calibrations_;        // by which members are estimated
  std::string rules_key_;                                   // of what is installed
  std::shared_ptr<const verifier::learnt::RuleSet> rules_;  // null: none
};

std::string BindingJson(const compiler::sema::Binding& binding);
std::optional<compiler::sema::Binding> BindingFromJson(std::string_view json);

}  // namespace server::gates
