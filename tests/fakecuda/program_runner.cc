#include "tests/fakecuda/program_runner.h"

#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "compiler/facts/launch.h"
#include "compiler/machine/machine.h"
#include "runner/worker/program_cache.h"
#include "tests/fakecuda/event_log.h"
#include "tests/fakecuda/tensor_map.h"

namespace fakecuda {
namespace {

namespace facts = compiler::facts;
namespace ir = compiler::ir;
namespace machine = compiler::machine;

LaunchResult Bad(std::string detail) {
  return {.kind = LaunchResult::Kind::kBadParameters, .detail = std::move(detail)};
}

// A value parameter as the program's symbol holds it: integers by value, floats by their bits.
int64_t ReadValue(const void* parameter, int bytes, const ir::Symbol& symbol) {
  uint64_t bits = 0;
  std::memcpy(&bits, parameter, static_cast<size_t>(bytes));
  const ir::DTypeInfo& info = ir::Info(symbol.dtype);
  if (bytes == 8 || info.is_float || !info.is_signed) return static_cast<int64_t>(bits);
  const int unused = 64 - 8 * bytes;
  return static_cast<int64_t>(bits << unused) >> unused;
}

struct Arguments {
  std::vector<uint64_t> addresses;  // of tensors and workspaces, in plan order
  std::vector<const runner::cuda::CUtensorMap*> maps;
  ir::LaunchValues values;
};

Arguments ReadArguments(const ir::Program& program, void** parameters) {
  Arguments out;
  size_t i = 0;
  for (const facts::ArgumentSlot& slot : facts::Parameters(program, nullptr)) {
    const void* parameter = parameters[i++];
    if (slot.kind == facts::ArgumentSlot::Kind::kSymbol) {
      const ir::Symbol& symbol = program.symbols[out.values.values.size()];
      out.values.arrays.emplace_back();
      const auto elements = static_cast<int>(symbol.elements);
      for (int k = 0; k < elements; ++k) {
        const int width = slot.bytes / elements;
        out.values.arrays.back().push_back(
            ReadValue(static_cast<const std::byte*>(parameter) + k * width, width, symbol));
      }
      out.values.values.push_back(elements > 0 ? 0 : ReadValue(parameter, slot.bytes, symbol));
    } else if (slot.kind == facts::ArgumentSlot::Kind::kTensorMap) {
      out.maps.push_back(static_cast<const runner::cuda::CUtensorMap*>(parameter));
    } else {
      uint64_t address = 0;
      std::memcpy(&address, parameter, sizeof(address));
      out.addresses.push_back(address);
    }
  }
  return out;
}

// Leaves only `kernel` to run. False: the plan has no such kernel, or skips it.
bool SelectKernel(facts::LaunchPlan& plan, const std::string& kernel,
                  const facts::KernelLaunch** selected) {
  for (facts::KernelLaunch& each : plan.kernels) {
    if (each.name == kernel && !each.skipped)
      *selected = &each;
    else
      each.skipped = true;
  }
  return *selected != nullptr;
}

// Every map that a launched kernel uses is one of its tensor: the hardware would copy to and from
// wherever it points.
std::string MapFault(const facts::LaunchPlan& plan, const Arguments& arguments) {
  for (size_t i = 0; i < plan.tensor_maps.size(); ++i) {
    const facts::TensorMapPlan& map = plan.tensor_maps[i];
    if (!map.used) continue;
    for (size_t t = 0; t < plan.tensors.size(); ++t) {
      if (plan.tensors[t].name != map.tensor) continue;
      if (!IsTensorMapOf(*arguments.maps[i], arguments.addresses[t])) {
        return absl::StrCat(map.name, " is no map of ", map.tensor);
      }
    }
  }
  return "";
}

bool SameShape(const facts::KernelLaunch& planned, const LaunchShape& shape) {
  return std::equal(planned.grid, planned.grid + 3, shape.grid) && planned.block == shape.block &&
         planned.shared_bytes == shape.shared_bytes && planned.cooperative == shape.cooperative &&
         planned.cluster == shape.cluster && planned.pdl == shape.pdl;
}

LaunchResult ResultOf(const machine::Result& run) {
  LaunchResult out{.lane_statements = run.lane_statements};
  switch (run.outcome) {
    case machine::Outcome::kFinished: break;
    case machine::Outcome::kFault: out.kind = LaunchResult::Kind::kFault; break;
    case machine::Outcome::kDeadlock:
    case machine::Outcome::kLimit: out.kind = LaunchResult::Kind::kHang; break;
  }
  if (!run.report.diagnostics().empty()) out.detail = run.report.diagnostics().front().message;
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ProgramRunner>> ProgramRunner::Load(const std::string& program_id,
                                                                   const std::string& arch) {
  const char* folder = std::getenv("CAKE_FAKE_OBJECTS");
  if (folder == nullptr) return absl::NotFoundError("CAKE_FAKE_OBJECTS is not set");
  const auto cached = runner::worker::GetProgram(folder, program_id);
  if (!cached.ok()) return cached.status();
  compiler::diag::Report report;
  runner::launch::Elaborated program = runner::launch::Elaborate(
      {cached->source, cached->file, cached->program, cached->binding, arch}, report);
  if (program.program == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("the cached program does not elaborate: ",
                     report.diagnostics().empty() ? "" : report.diagnostics().front().message));
  }
  if (program.canonical_hash != program_id) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the cache has program ", program.canonical_hash, " under the name ", program_id));
  }
  return std::unique_ptr<ProgramRunner>(new ProgramRunner(std::move(program), cached->source));
}

std::vector<int64_t> ProgramRunner::ParameterBytes() const {
  std::vector<int64_t> out;
  for (const facts::ArgumentSlot& slot : facts::Parameters(*program_.program, nullptr)) {
    const bool symbol = slot.kind == facts::ArgumentSlot::Kind::kSymbol;
    const bool map = slot.kind == facts::ArgumentSlot::Kind::kTensorMap;
    out.push_back(
        symbol ? slot.bytes
               : static_cast<int64_t>(map ? sizeof(runner::cuda::CUtensorMap) : sizeof(uint64_t)));
  }
  return out;
}

int64_t ProgramRunner::CtasPerSm(const std::string& kernel) const {
  const ir::Program& program = *program_.program;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    if (facts::EmittedName(program, program.kernels[k]) == kernel) {
      return program_.facts.kernels[k].ctas_per_sm;
    }
  }
  return 0;
}

LaunchResult ProgramRunner::Launch(const std::string& kernel, const LaunchShape& shape,
                                   void** parameters, const FindMemory& find, int64_t sms,
                                   int64_t max_lane_statements) {
  const ir::Program& program = *program_.program;
  const int64_t ctas = shape.grid[0] * shape.grid[1] * shape.grid[2];
  if (shape.cooperative && ctas > sms * CtasPerSm(kernel)) {
    return {.kind = LaunchResult::Kind::kTooLarge,
            .detail = absl::StrCat("a cooperative grid of ", ctas, " CTAs on ", sms, " SMs")};
  }
  const Arguments arguments = ReadArguments(program, parameters);
  auto plan = facts::PlanLaunch(program, program_.facts, arguments.values, program_.canonical_hash);
  if (!plan.ok()) return Bad(std::string(plan.status().message()));
  // Workspaces are cleared by the launcher, once for all kernels.
  for (facts::TensorPlan& tensor : plan->tensors) tensor.zero = false;
  const facts::KernelLaunch* planned = nullptr;
  if (!SelectKernel(*plan, kernel, &planned)) return Bad(absl::StrCat("no launch of ", kernel));
  if (!SameShape(*planned, shape)) return Bad(absl::StrCat("another shape than ", kernel, "'s"));

  if (const std::string fault = MapFault(*plan, arguments); !fault.empty()) {
    return {.kind = LaunchResult::Kind::kFault, .detail = fault};
  }

  LaunchResult out;
  machine::Memory memory;
  std::vector<std::span<std::byte>> outputs;
  for (size_t i = 0; i < plan->tensors.size(); ++i) {
    const facts::TensorPlan& tensor = plan->tensors[i];
    const std::span<std::byte> bytes = find(arguments.addresses[i], tensor.bytes);
    if (static_cast<int64_t>(bytes.size()) != tensor.bytes) {
      return {.kind = LaunchResult::Kind::kFault,
              .detail = absl::StrCat(tensor.name, " is not inside an allocation")};
    }
    memory.tensors.push_back(bytes);
    if (tensor.direction == ir::Direction::kOut || tensor.direction == ir::Direction::kInOut) {
      outputs.push_back(bytes);
    }
  }
  // A device computes with whatever its memory holds, lets races happen and knows nothing of who
  // knows what; only values and bounds matter here. One kernel of several runs alone, so what the
  // others wrote must count as defined.
  compiler::emit::EventLogParameter log;
  const bool logs = shape.logs_events || shape.has_progress;
  if (logs) {
    std::memcpy(&log, parameters[facts::Parameters(program, nullptr).size()], sizeof(log));
  }
  // Delays bring warps into another order.
  const machine::Options options{.check_races = false,
                                 .clocks = false,
                                 .check_definedness = false,
                                 .count = false,
                                 .max_lane_statements = max_lane_statements,
                                 .schedule_seed = log.seed,
                                 .log_events = logs};
  const auto run = machine::Run(program, program_.facts, *plan, arguments.values, memory, options);
  if (!run.ok()) return Bad(std::string(run.status().message()));
  out = ResultOf(*run);
  const auto write = shape.has_progress ? WriteProgress : WriteEventLog;
  if (logs && !write(program, program_.facts, *run, ctas, log, find)) {
    return {.kind = LaunchResult::Kind::kFault, .detail = "the log is not inside an allocation"};
  }
  out.outputs = std::move(outputs);
  return out;
}

}  // namespace fakecuda
