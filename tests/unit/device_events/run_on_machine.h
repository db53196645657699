// What the machine logs of a program, for tests that hold other logs against it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runner/launch/elaborate.h"
#include "tests/device/events/compare.h"

namespace device::events {

struct Ran {
  runner::launch::Elaborated program;
  std::vector<WarpLog> machine;
};

inline Ran RunOnMachine(const std::string& source,
                        const std::vector<compiler::machine::WarpTickets>* replay = nullptr,
                        const std::string& arch = "sm_90a") {
  Ran ran;
  compiler::diag::Report report;
  ran.program = runner::launch::Elaborate({.source = source, .arch = arch}, report);
  if (ran.program.program == nullptr) {
    ADD_FAILURE() << report.diagnostics()[0].message;
    return ran;
  }
  const auto& program = *ran.program.program;
  const auto values = compiler::facts::BindLaunch(program, {});
  const auto plan = compiler::facts::PlanLaunch(program, ran.program.facts, *values, "hash");
  std::vector<std::vector<std::byte>> bytes;
  for (const auto& tensor : plan->tensors) bytes.emplace_back(static_cast<size_t>(tensor.bytes));
  compiler::machine::Memory memory;
  for (auto& tensor : bytes) memory.tensors.emplace_back(tensor);
  const auto result = compiler::machine::Run(program, ran.program.facts, *plan, *values, memory,
                                             {.replay = replay, .log_events = true});
  EXPECT_EQ(result->outcome, compiler::machine::Outcome::kFinished);
  ran.machine = FromMachine(program, ran.program.facts, *result);
  return ran;
}

}  // namespace device::events
