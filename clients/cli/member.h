// One checked member of a family, as most local verbs start.
#pragma once

#include <memory>

#include "clients/cli/input.h"
#include "clients/cli/verbs.h"
#include "server/pipeline/pipeline.h"

namespace clients::cli {

struct Loaded {
  ProgramFile file;
  std::unique_ptr<server::pipeline::Candidate> candidate;
  server::pipeline::Member member;
};

// Reads, parses, binds the params given (defaults elsewhere) and runs the pipeline with `pipeline`.
absl::StatusOr<Loaded> Load(const MemberOptions& options, server::pipeline::Options pipeline);

// Prints the report of a member that a gate rejected, its verdict and the next command; returns
// exit code 1.
// `words` end the next command.
int PrintRejected(const Loaded& loaded, const MemberOptions& options,
                  const std::string& words = "");

}  // namespace clients::cli
