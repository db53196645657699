// Named numbers to launch values and launch values to a plan.
#include "compiler/facts/launch.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/arch/device.h"
#include "compiler/facts/launch_eval.h"
#include "compiler/facts/tensor_maps.h"
#include "compiler/facts/walk.h"

namespace compiler::facts {
namespace {

constexpr size_t kNamesShown = 8;  // in one message

// "`a`, `b` and 5 more"
std::string Names(std::vector<std::string> quoted) {
  const size_t count = quoted.size();
  if (count <= kNamesShown) return absl::StrJoin(quoted, ", ");
  quoted.resize(kNamesShown);
  return absl::StrCat(absl::StrJoin(quoted, ", "), " and ", count - kNamesShown, " more");
}

std::string Quoted(std::string_view name) { return absl::StrCat("`", std::string(name), "`"); }

// The smallest and largest value of a symbol's dtype, as LaunchValues keeps it.
std::pair<int64_t, int64_t> DTypeRange(ir::DType dtype) {
  const ir::DTypeInfo& info = ir::Info(dtype);
  if (info.is_float || info.bits >= 64 || dtype == ir::DType::kUnknown) {
    return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
  if (dtype == ir::DType::kBool) return {0, 1};
  const int64_t values = int64_t{1} << info.bits;
  if (info.is_signed) return {-values / 2, values / 2 - 1};
  return {0, values - 1};
}

absl::StatusOr<int64_t> Multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    return absl::FailedPreconditionError("the size of a tensor overflows 64 bits");
  }
  return product;
}

// The row-major value of each stride symbol that was not given; strides of a tensor with a zero
// extent are those of extents of one.
absl::Status FillStrides(const ir::Program& program, std::vector<bool>& given,
                         ir::LaunchValues& values) {
  for (const ir::Tensor& tensor : program.tensors) {
    int64_t row_major = 1;
    for (size_t d = tensor.strides.size(); d-- > 0;) {
      const ir::Expr& stride = program[tensor.strides[d]];
      if (stride.kind == ir::ExprKind::kSymbol) {
        const auto symbol = static_cast<size_t>(stride.symbol);
        if (program.symbols[symbol].kind == ir::SymbolKind::kStride && !given[symbol]) {
          values.values[symbol] = row_major;
          given[symbol] = true;
        }
      }
      const absl::StatusOr<int64_t> extent = EvaluateLaunch(program, tensor.shape[d], values);
      if (!extent.ok()) return extent.status();
      const absl::StatusOr<int64_t> next = Multiply(row_major, std::max<int64_t>(*extent, 1));
      if (!next.ok()) return next.status();
      row_major = *next;
    }
  }
  return absl::OkStatus();
}

// The elements of an arg array: each by its own name, else by that of the array.
absl::Status BindArray(const ir::Symbol& symbol, size_t index,
                       const std::map<std::string, int64_t>& named, std::set<std::string>& known,
                       std::vector<std::string>& missing, ir::LaunchValues& values) {
  values.arrays.resize(values.values.size());
  std::vector<int64_t>& elements = values.arrays[index];
  const auto [low, high] = DTypeRange(symbol.dtype);
  for (int64_t k = 0; k < symbol.elements; ++k) {
    const std::string name = absl::StrCat(symbol.name, "[", k, "]");
    known.insert(name);
    auto found = named.find(name);
    if (found == named.end()) found = named.find(symbol.name);
    if (found == named.end()) {
      missing.push_back(Quoted(elements.empty() ? symbol.name : name));
      return absl::OkStatus();
    }
    if (found->second < low || found->second > high) {
      return absl::InvalidArgumentError(absl::StrCat(Quoted(name), " = ", found->second,
                                                     " does not fit ",
                                                     std::string(ir::ToString(symbol.dtype))));
    }
    elements.push_back(found->second);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ir::LaunchValues> BindLaunch(const ir::Program& program,
                                            const std::map<std::string, int64_t>& named) {
  std::set<std::string_view> known;
  std::set<std::string> known_elements;
  std::vector<std::string> missing;
  ir::LaunchValues values;
  values.values.assign(program.symbols.size(), 0);
  std::vector<bool> given(program.symbols.size(), false);
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    const ir::Symbol& symbol = program.symbols[i];
    known.insert(symbol.name);
    if (symbol.elements > 0) {
      const absl::Status status = BindArray(symbol, i, named, known_elements, missing, values);
      if (!status.ok()) return status;
      given[i] = true;
      continue;
    }
    const auto found = named.find(symbol.name);
    // A dim that a param fixes has one value, which need not be said.
    if (found == named.end() && symbol.has_range && symbol.low == symbol.high) {
      values.values[i] = symbol.low;
      given[i] = true;
      continue;
    }
    if (found == named.end()) {
      if (symbol.kind != ir::SymbolKind::kStride) missing.push_back(Quoted(symbol.name));
      continue;
    }
    const auto [low, high] = DTypeRange(symbol.dtype);
    if (found->second < low || found->second > high) {
      return absl::InvalidArgumentError(absl::StrCat(Quoted(symbol.name), " = ", found->second,
                                                     " does not fit ",
                                                     std::string(ir::ToString(symbol.dtype))));
    }
    values.values[i] = found->second;
    given[i] = true;
  }
  if (!missing.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("no value is given for ", Names(missing)));
  }
  std::vector<std::string> unknown;
  for (const auto& [name, value] : named) {
    // SMS is a number of the device: giving it to a program that does not use it is no mistake.
    const bool element = known_elements.contains(name);
    if (!known.contains(name) && !element && name != "SMS") unknown.push_back(Quoted(name));
  }
  if (!unknown.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("program ", Quoted(program.name), " declares no ", Names(unknown)));
  }
  if (const absl::Status status = FillStrides(program, given, values); !status.ok()) return status;
  std::vector<std::string> unused;
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i]) unused.push_back(Quoted(program.symbols[i].name));
  }
  if (!unused.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("no value is given for ", Names(unused)));
  }
  return values;
}

absl::StatusOr<ir::LaunchValues> BindSymbols(const ir::Program& program,
                                             std::span<const size_t> symbols,
                                             std::span<const int64_t> given_values) {
  ir::LaunchValues values;
  values.values.assign(program.symbols.size(), 0);
  std::vector<bool> given(program.symbols.size(), false);
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    const ir::Symbol& symbol = program.symbols[i];
    if (symbol.elements > 0) return absl::InvalidArgumentError("arg arrays are bound by name");
    if (!symbol.has_range || symbol.low != symbol.high) continue;
    values.values[i] = symbol.low;
    given[i] = true;
  }
  for (size_t i = 0; i < symbols.size(); ++i) {
    const auto [low, high] = DTypeRange(program.symbols[symbols[i]].dtype);
    if (given_values[i] < low || given_values[i] > high) {
      return absl::InvalidArgumentError("a value does not fit its type");
    }
    values.values[symbols[i]] = given_values[i];
    given[symbols[i]] = true;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] || program.symbols[i].kind == ir::SymbolKind::kStride) continue;
    return absl::InvalidArgumentError("a value is missing");
  }
  if (const absl::Status status = FillStrides(program, given, values); !status.ok()) return status;
  if (std::find(given.begin(), given.end(), false) != given.end()) {
    return absl::InvalidArgumentError("a stride is missing");
  }
  return values;
}

std::vector<int64_t> ArrayOf(const ir::LaunchValues& values, size_t symbol) {
  return symbol < values.arrays.size() ? values.arrays[symbol] : std::vector<int64_t>();
}

std::string EmittedName(const ir::Program& program, const ir::Kernel& kernel) {
  return absl::StrCat(program.name, "_", kernel.name);
}

std::string DescribeLaunch(const ir::Program& program, const ir::LaunchValues& values) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < program.symbols.size() && i < values.values.size(); ++i) {
    const ir::Symbol& symbol = program.symbols[i];
    if (symbol.kind == ir::SymbolKind::kStride) continue;
    if (symbol.elements > 0) {
      parts.push_back(absl::StrCat(symbol.name, "=[", absl::StrJoin(ArrayOf(values, i), " "), "]"));
      continue;
    }
    if (symbol.dtype == ir::DType::kF32) {
      const auto bits = static_cast<uint32_t>(values.values[i]);
      parts.push_back(absl::StrCat(symbol.name, "=", std::bit_cast<float>(bits)));
      continue;
    }
    parts.push_back(absl::StrCat(symbol.name, "=", values.values[i]));
  }
  return absl::StrJoin(parts, ", ");
}

bool Admits(const ir::Program& program, const ir::LaunchValues& values) {
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    const ir::Symbol& symbol = program.symbols[i];
    if (symbol.kind != ir::SymbolKind::kDim || !symbol.has_range) continue;
    if (values.values[i] < symbol.low || values.values[i] > symbol.high) return false;
  }
  return std::all_of(program.guards.begin(), program.guards.end(), [&](const ir::Guard& guard) {
    const absl::StatusOr<int64_t> holds = EvaluateLaunch(program, guard.condition, values);
    return holds.ok() && *holds != 0;
  });
}

absl::Status CheckGuard(const ir::Program& program, const ir::LaunchValues& values) {
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    const ir::Symbol& symbol = program.symbols[i];
    // A grid of whole clusters would be empty, and nothing would be computed.
    if (symbol.kind == ir::SymbolKind::kSms && values.values[i] < symbol.low) {
      return absl::FailedPreconditionError(
          absl::StrCat("a cluster of the program needs ", symbol.low,
                       " multiprocessors; the device has ", values.values[i]));
    }
    if (symbol.kind != ir::SymbolKind::kDim || !symbol.has_range) continue;
    if (values.values[i] < symbol.low || values.values[i] > symbol.high) {
      return absl::FailedPreconditionError(
          absl::StrCat("dim ", Quoted(symbol.name), " = ", values.values[i],
                       " is outside its declared range ", symbol.low, "..=", symbol.high));
    }
  }
  for (const ir::Guard& guard : program.guards) {
    const absl::StatusOr<int64_t> holds = EvaluateLaunch(program, guard.condition, values);
    if (!holds.ok()) return holds.status();
    if (*holds == 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("the guard `", std::string(TextOf(program, guard.source.span)),
                       "` does not hold for ", DescribeLaunch(program, values)));
    }
  }
  return absl::OkStatus();
}

namespace {

absl::Status PlanTensor(const ir::Program& program, const ir::Tensor& tensor,
                        const ir::LaunchValues& values, TensorPlan& plan) {
  plan.name = tensor.name;
  plan.direction = tensor.direction;
  plan.dtype = tensor.dtype;
  plan.zero = tensor.zero;
  plan.alignment = tensor.alignment;
  plan.shape.clear();
  plan.strides.clear();
  int64_t last = 0;  // largest element offset
  bool empty = false;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    const absl::StatusOr<int64_t> extent = EvaluateLaunch(program, tensor.shape[d], values);
    if (!extent.ok()) return extent.status();
    const absl::StatusOr<int64_t> stride = EvaluateLaunch(program, tensor.strides[d], values);
    if (!stride.ok()) return stride.status();
    if (*extent < 0 || *stride < 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("tensor ", Quoted(tensor.name), " has extent ", *extent, " with stride ",
                       *stride, " in dimension ", d, "; both must be at least 0"));
    }
    plan.shape.push_back(*extent);
    plan.strides.push_back(*stride);
    empty = empty || *extent == 0;
    const absl::StatusOr<int64_t> reach = Multiply(std::max<int64_t>(*extent - 1, 0), *stride);
    if (!reach.ok()) return reach.status();
    if (__builtin_add_overflow(last, *reach, &last)) {
      return absl::FailedPreconditionError(
          absl::StrCat("the extent of tensor ", Quoted(tensor.name), " overflows 64 bits"));
    }
  }
  const int64_t element_bytes = std::max(1, ir::Info(tensor.dtype).bits / 8);
  const absl::StatusOr<int64_t> bytes = Multiply(empty ? 0 : last + 1, element_bytes);
  if (!bytes.ok()) return bytes.status();
  plan.bytes = *bytes;
  return absl::OkStatus();
}

absl::Status CheckGrid(const ir::Kernel& kernel, const KernelLaunch& launch,
                       const arch::Device& device) {
  const int64_t limits[3] = {device.max_grid_x, device.max_grid_y, device.max_grid_z};
  for (int d = 0; d < 3; ++d) {
    if (launch.grid[d] < 0 || launch.grid[d] > limits[d]) {
      return absl::FailedPreconditionError(
          absl::StrCat("kernel ", Quoted(kernel.name), " has a grid of ", launch.grid[d],
                       " CTAs in dimension ", d, "; ", device.arch, " allows 0..=", limits[d]));
    }
  }
  if (kernel.cluster > 1 && launch.grid[0] % kernel.cluster != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("kernel ", Quoted(kernel.name), " has ", launch.grid[0],
                     " CTAs in x, which is not a multiple of its cluster of ", kernel.cluster));
  }
  return absl::OkStatus();
}

// A cooperative grid has to be on the device as a whole.
absl::Status CheckResident(const ir::Program& program, const ir::Kernel& kernel,
                           const KernelFacts& facts, const KernelLaunch& launch,
                           const ir::LaunchValues& values) {
  int64_t sms = facts.sms;
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    if (program.symbols[i].kind == ir::SymbolKind::kSms) sms = values.values[i];
  }
  const int64_t ctas = launch.grid[0] * launch.grid[1] * launch.grid[2];
  if (ctas <= sms * facts.ctas_per_sm) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("kernel ", Quoted(kernel.name), " meets in `grid.sync` with ", ctas, " CTAs; ",
                   sms, " SMs surely hold ", sms * facts.ctas_per_sm, " of them at once"));
}

absl::Status PlanKernel(const ir::Program& program, const ir::Kernel& kernel,
                        const KernelFacts& facts, const arch::Device& device,
                        const ir::LaunchValues& values, KernelLaunch& launch) {
  std::string name = launch.name.empty() ? EmittedName(program, kernel) : std::move(launch.name);
  launch = {.name = std::move(name),
            .block = facts.threads,
            .shared_bytes = facts.shared_bytes,
            .cluster = kernel.cluster,
            .cooperative = facts.cooperative,
            .pdl = kernel.pdl};
  for (size_t d = 0; d < kernel.grid.size(); ++d) {
    const absl::StatusOr<int64_t> extent =
        EvaluateKernelLaunch(program, kernel, kernel.grid[d], values);
    if (!extent.ok()) return extent.status();
    launch.grid[d] = *extent;
    launch.skipped = launch.skipped || *extent == 0;
  }
  if (kernel.when != ir::ExprId::kNone) {
    const absl::StatusOr<int64_t> runs = EvaluateKernelLaunch(program, kernel, kernel.when, values);
    if (!runs.ok()) return runs.status();
    launch.skipped = launch.skipped || *runs == 0;
  }
  if (const absl::Status status = CheckGrid(kernel, launch, device); !status.ok()) return status;
  if (launch.skipped || !launch.cooperative) return absl::OkStatus();
  return CheckResident(program, kernel, facts, launch, values);
}

// In, out and inout tensors in declaration order, then workspaces.
std::vector<size_t> TensorOrder(const ir::Program& program) {
  std::vector<size_t> order;
  for (const bool workspaces : {false, true}) {
    for (size_t i = 0; i < program.tensors.size(); ++i) {
      if ((program.tensors[i].direction == ir::Direction::kWorkspace) == workspaces) {
        order.push_back(i);
      }
    }
  }
  return order;
}

}  // namespace

std::vector<ArgumentSlot> Parameters(const ir::Program& program, const ir::LaunchValues* values) {
  std::vector<ArgumentSlot> slots;
  for (const size_t i : TensorOrder(program)) {
    const ir::Tensor& tensor = program.tensors[i];
    slots.push_back({.kind = tensor.direction == ir::Direction::kWorkspace
                                 ? ArgumentSlot::Kind::kWorkspace
                                 : ArgumentSlot::Kind::kTensor,
                     .name = tensor.name,
                     .bytes = 8});
  }
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    const ir::Symbol& symbol = program.symbols[i];
    int bytes = 4;  // dims and SMS are i32
    if (symbol.kind == ir::SymbolKind::kStride) bytes = 8;
    if (symbol.kind == ir::SymbolKind::kArg) bytes = std::max(1, ir::Info(symbol.dtype).bits / 8);
    slots.push_back({.kind = ArgumentSlot::Kind::kSymbol,
                     .name = symbol.name,
                     .value = values == nullptr ? 0 : values->values[i],
                     .elements = values == nullptr ? std::vector<int64_t>() : ArrayOf(*values, i),
                     .bytes = bytes * static_cast<int>(std::max<int64_t>(symbol.elements, 1))});
  }
  diag::Report reported_by_derive;
  for (const TensorMap& map : DeriveCopies(program, reported_by_derive).maps) {
    slots.push_back(
        {.kind = ArgumentSlot::Kind::kTensorMap, .name = map.name, .bytes = kTensorMapBytes});
  }
  return slots;
}

absl::StatusOr<LaunchPlan> PlanLaunch(const ir::Program& program, const Facts& facts,
                                      const ir::LaunchValues& values,
                                      std::string_view canonical_hash) {
  if (values.values.size() != program.symbols.size()) {
    return absl::InvalidArgumentError(absl::StrCat(values.values.size(), " launch values for ",
                                                   program.symbols.size(), " symbols"));
  }
  if (const absl::Status status = CheckGuard(program, values); !status.ok()) return status;
  absl::StatusOr<LaunchPlan> plan = PlanSizes(program, facts, values);
  if (!plan.ok()) return plan;
  plan->canonical_hash = std::string(canonical_hash);
  plan->arguments = Parameters(program, &values);
  return plan;
}

absl::StatusOr<LaunchPlan> PlanSizes(const ir::Program& program, const Facts& facts,
                                     const ir::LaunchValues& values) {
  LaunchPlan plan;
  if (absl::Status status = PlanSizes(program, facts, values, plan); !status.ok()) return status;
  return plan;
}

absl::Status PlanSizes(const ir::Program& program, const Facts& facts,
                       const ir::LaunchValues& values, LaunchPlan& plan) {
  const absl::StatusOr<const arch::Device*> device = arch::DeviceOfTarget(program.target);
  if (!device.ok()) return device.status();
  plan.program = program.name;
  plan.target = program.target;
  plan.tensors.resize(program.tensors.size());
  plan.kernels.resize(program.kernels.size());
  plan.tensor_maps.clear();
  size_t number = 0;
  for (const size_t i : TensorOrder(program)) {
    const absl::Status status =
        PlanTensor(program, program.tensors[i], values, plan.tensors[number++]);
    if (!status.ok()) return status;
  }
  bool follows = false;  // the first launch has none before it that it could overlap
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    KernelLaunch& launch = plan.kernels[k];
    const absl::Status status =
        PlanKernel(program, program.kernels[k], facts.kernels[k], **device, values, launch);
    if (!status.ok()) return status;
    launch.pdl = launch.pdl && follows;
    follows = follows || !launch.skipped;
  }
  return PlanTensorMaps(program, facts, plan);
}

}  // namespace compiler::facts
