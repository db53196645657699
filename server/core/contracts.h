// The workload contracts that the daemon knows, by hash: registered from folders at start, and
// those that older runs were pinned to, from the store.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "runner/contract/workload.h"
#include "server/core/ledger.h"

namespace server::core {

// A contract file as the edge read it from disk: `programs` are the *.cake files beside it.
struct ContractFile {
  std::string path, text;
  std::map<std::string, std::string> programs;  // file name -> text
};

struct Contract {
  runner::contract::Workload workload;
  std::string hash, canonical_json;
  std::string baseline_name, baseline_source;  // empty when the file was not beside the contract
};

class Contracts {
 public:
  explicit Contracts(Ledger& ledger) : ledger_(ledger) {}

  // Parses, lints and, if its hash is new, registers a contract. INVALID_ARGUMENT: "PATH: what".
  absl::Status Register(const ContractFile& file);
  // Reads the contracts of earlier registrations.
  absl::Status LoadKnown();

  // null: never registered.
  const Contract* Find(std::string_view hash) const;

 private:
  Ledger& ledger_;
  std::map<std::string, Contract, std::less<>> by_hash_;
};

// Names of the cases that a machine job runs: all of the machine tier.
std::vector<std::string> MachineCases(const Contract& contract);
std::vector<std::string> DeviceCases(const Contract& contract, bool held_out);

}  // namespace server::core
