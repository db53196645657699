#include "server/core/contracts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace server::core {

using runner::contract::Set;
using runner::contract::Tier;

absl::Status Contracts::Register(const ContractFile& file) {
  auto workload = runner::contract::ParseTextproto(file.text);
  if (!workload.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(file.path, ":", workload.status().message()));
  }
  const std::vector<std::string> faults = runner::contract::Lint(*workload);
  if (!faults.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(file.path, ": ", absl::StrJoin(faults, "; ")));
  }
  Contract contract;
  contract.hash = runner::contract::Hash(*workload);
  contract.canonical_json = runner::contract::ToCanonicalJson(*workload);
  contract.baseline_name = workload->baseline;
  const auto program = file.programs.find(workload->baseline);
  if (program != file.programs.end()) contract.baseline_source = program->second;
  contract.workload = *std::move(workload);
  const state::Workload* row = ledger_.state().FindWorkload(contract.hash);
  if (row == nullptr || row->imported) {
    store::Batch batch;
    batch.objects.push_back({store::ObjectKind::kOther, file.text});
    batch.objects.push_back({store::ObjectKind::kOther, contract.canonical_json});
    batch.events.push_back(
        store::WorkloadRegistered{.workload = row == nullptr ? 0 : row->id,
                                  .name = contract.workload.name,
                                  .hash = contract.hash,
                                  .text_hash = store::HashOf(file.text),
                                  .canon_hash = store::HashOf(contract.canonical_json)});
    if (auto done = ledger_.Commit(std::move(batch)); !done.ok()) return done.status();
  }
  by_hash_.insert_or_assign(contract.hash, std::move(contract));
  return absl::OkStatus();
}

absl::Status Contracts::LoadKnown() {
  for (const auto& [id, row] : ledger_.state().workloads) {
    if (by_hash_.contains(row.hash)) continue;
    auto text = ledger_.Object(row.canon_hash);
    if (!text.ok()) return text.status();
    auto workload = runner::contract::FromJson(*text);
    if (!workload.ok()) return workload.status();
    Contract contract;
    contract.hash = row.hash;
    contract.canonical_json = *std::move(text);
    contract.baseline_name = workload->baseline;
    contract.workload = *std::move(workload);
    by_hash_.emplace(row.hash, std::move(contract));
  }
  return absl::OkStatus();
}

const Contract* Contracts::Find(std::string_view hash) const {
  const auto it = by_hash_.find(hash);
  return it == by_hash_.end() ? nullptr : &it->second;
}

std::vector<std::string> MachineCases(const Contract& contract) {
  std::vector<std::string> names;
  for (const auto& one : contract.workload.cases) {
    if (one.tier == Tier::kMachine) names.push_back(one.name);
  }
  return names;
}

std::vector<std::string> DeviceCases(const Contract& contract, bool held_out) {
  std::vector<std::string> names;
  for (const auto& one : contract.workload.cases) {
    if (one.tier == Tier::kDevice && (held_out || one.set != Set::kHeldOut)) {
      names.push_back(one.name);
    }
  }
  return names;
}

}  // namespace server::core
