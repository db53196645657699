// Any bytes that make a program with facts through the launch plan, the reference machine and the
// emitter, on one small shape. What holds: the machine ends by itself or at its limits, and says so
// the same way twice.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/facts/launch.h"
#include "compiler/machine/machine.h"
#include "tests/fuzz/elaborated.h"

namespace {

using namespace compiler;

constexpr int64_t kMaxLaneStatements = 20'000;
constexpr int64_t kMaxTensorBytes = int64_t{1} << 20;
constexpr int64_t kMaxShadowBytes = int64_t{1} << 24;
constexpr int64_t kMaxCtas = 64;

// A small value of each dim, argument and stride that its range admits.
std::map<std::string, int64_t> SmallValues(const ir::Program& program) {
  constexpr int64_t kWanted = 33;  // more than a warp, no multiple of anything
  std::map<std::string, int64_t> values;
  for (const ir::Symbol& symbol : program.symbols) {
    int64_t value = symbol.kind == ir::SymbolKind::kSms ? 2 : kWanted;
    if (symbol.has_range) value = std::clamp(value, symbol.low, std::max(symbol.low, symbol.high));
    values[symbol.name] = value;
  }
  return values;
}

bool IsSmall(const facts::LaunchPlan& plan) {
  int64_t bytes = 0;
  for (const facts::TensorPlan& tensor : plan.tensors) {
    if (tensor.bytes > kMaxTensorBytes) return false;
    bytes += tensor.bytes;
  }
  for (const facts::KernelLaunch& kernel : plan.kernels) {
    int64_t ctas = 1;
    for (const int64_t extent : kernel.grid) {
      if (extent > kMaxCtas) return false;
      ctas *= extent;
    }
    if (ctas > kMaxCtas) return false;
  }
  return bytes <= 4 * kMaxTensorBytes;
}

struct Ending {
  machine::Outcome outcome = machine::Outcome::kFinished;
  int64_t lane_statements = 0;
  std::vector<std::string> codes;
  bool operator==(const Ending&) const = default;
};

Ending Run(const fuzz::Elaborated& one, const facts::LaunchPlan& plan,
           const ir::LaunchValues& values) {
  std::vector<std::vector<std::byte>> storage;
  machine::Memory memory;
  for (const facts::TensorPlan& tensor : plan.tensors) {
    storage.emplace_back(static_cast<size_t>(tensor.bytes));
    for (size_t i = 0; i < storage.back().size(); ++i) {
      storage.back()[i] = static_cast<std::byte>(i % 7);
    }
  }
  for (std::vector<std::byte>& bytes : storage) memory.tensors.emplace_back(bytes);
  machine::Options options;
  options.max_lane_statements = kMaxLaneStatements;
  options.max_shadow_bytes = kMaxShadowBytes;
  const auto result = machine::Run(*one.program, one.facts, plan, values, memory, options);
  Ending ending;
  if (!result.ok()) return ending;
  ending.outcome = result->outcome;
  ending.lane_statements = result->lane_statements;
  for (const auto& d : result->report.diagnostics()) ending.codes.emplace_back(d.code);
  return ending;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string source(reinterpret_cast<const char*>(data), size);
  for (const fuzz::Elaborated& one : fuzz::ElaborateAll(source)) {
    if (one.program == nullptr || one.report.has_errors()) continue;
    emit::Emit(*one.program, one.facts, std::string(64, '0'), "fuzz.cake");
    const auto values = facts::BindLaunch(*one.program, SmallValues(*one.program));
    if (!values.ok()) continue;
    const auto plan = facts::PlanLaunch(*one.program, one.facts, *values, std::string(64, '0'));
    if (!plan.ok() || !IsSmall(*plan)) continue;
    fuzz::Require(Run(one, *plan, *values) == Run(one, *plan, *values));
  }
  return 0;
}
