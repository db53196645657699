// Runs a program on the machine with named inputs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "compiler/arch/device.h"
#include "compiler/diag/render.h"
#include "compiler/facts/derived.h"
#include "compiler/facts/launch.h"
#include "compiler/machine/machine.h"

namespace compiler::machine {

struct Ran {
  Result result;
  std::map<std::string, std::vector<std::byte>> memory;
  std::string text;  // the rendered report

  std::vector<std::string> Codes() const {
    std::vector<std::string> codes;
    for (const diag::Diagnostic& d : result.report.diagnostics()) codes.emplace_back(d.code);
    return codes;
  }
  template <typename T>
  std::vector<T> Values(const std::string& tensor) const {
    const std::vector<std::byte>& bytes = memory.at(tensor);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
};

template <typename T>
std::vector<std::byte> Bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

using Inputs = std::map<std::string, std::vector<std::byte>>;

// Fails the test unless the program binds, derives and plans without an error.
inline Ran RunProgram(const ir::Program& program, const std::map<std::string, int64_t>& named,
                      const Inputs& inputs = {}, const Options& options = {}) {
  Ran ran;
  diag::Report report;
  const absl::StatusOr<const arch::Device*> device =
      arch::Find(program.target.ends_with('a') ? program.target : "sm_90a");
  EXPECT_TRUE(device.ok()) << device.status();
  const facts::Facts facts = facts::Derive(program, **device, report);
  EXPECT_FALSE(report.has_errors()) << diag::RenderText(report, "hand", program.source);
  const absl::StatusOr<ir::LaunchValues> values = facts::BindLaunch(program, named);
  EXPECT_TRUE(values.ok()) << values.status();
  if (!values.ok()) return ran;
  const absl::StatusOr<facts::LaunchPlan> plan = facts::PlanLaunch(program, facts, *values, "hash");
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return ran;
  Memory memory;
  for (const facts::TensorPlan& tensor : plan->tensors) {
    std::vector<std::byte>& bytes = ran.memory[tensor.name];
    const auto input = inputs.find(tensor.name);
    if (input != inputs.end()) bytes = input->second;
    bytes.resize(static_cast<size_t>(tensor.bytes), std::byte{0xee});
    memory.tensors.emplace_back(bytes);
  }
  absl::StatusOr<Result> result = Run(program, facts, *plan, *values, memory, options);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return ran;
  ran.result = *std::move(result);
  ran.text = diag::RenderText(ran.result.report, "hand", program.source);
  return ran;
}

}  // namespace compiler::machine
