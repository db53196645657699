// What `cake experiment run` reads: arms, repeats, budgets and start programs, as TOML.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cake/v1/operator.pb.h"

namespace clients::cli::remote {

struct StartProgram {
  std::string file, source;
  std::map<std::string, std::string> params;  // each narrows its domain to this value
};

struct ExperimentFile {
  cake::v1::CreateExperimentRequest request;  // without its id
  std::vector<StartProgram> start;            // handed to every run before it begins
};

// InvalidArgument names the file, the key and what is expected. Keys: name, workload, arms,
// repeats, seed, evaluations, tokens, active_seconds, gpu_seconds, plateau, target, visibility,
// ordered, slots; tables [[start]] with file and params. Files are relative to the experiment's.
absl::StatusOr<ExperimentFile> ReadExperiment(const std::string& path);

}  // namespace clients::cli::remote
