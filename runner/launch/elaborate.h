// From the text of a program to everything an evaluation needs of it. Runs inside evaluation
// children: the text is the candidate's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "compiler/arch/device.h"
#include "compiler/diag/diagnostic.h"
#include "compiler/facts/derived.h"
#include "compiler/facts/launch.h"
#include "compiler/ir/program.h"
#include "runner/contract/workload.h"

namespace runner::launch {

struct ProgramText {
  std::string source, file;                // file: only printed
  std::string program;                     // empty: the only one of the text
  std::map<std::string, int64_t> binding;  // params that differ from their defaults
  std::string arch;                        // to derive facts for; empty: the program's target
};

struct Elaborated {
  std::unique_ptr<compiler::ir::Program> program;
  const compiler::arch::Device* device = nullptr;
  compiler::facts::Facts facts;
  std::string canonical_hash;
};

// nullptr program: `report` says why.
Elaborated Elaborate(const ProgramText& text, compiler::diag::Report& report);

struct CasePlan {
  compiler::ir::LaunchValues values;
  compiler::facts::LaunchPlan plan;
};
// The launch of one case. `sms`: multiprocessors of the device. FailedPrecondition names what does
// not fit.
absl::StatusOr<CasePlan> PlanCase(const Elaborated& program, const contract::Workload& workload,
                                  const contract::Case& at, int64_t sms);

}  // namespace runner::launch
