// From a program and the numbers of one case to a launch: a plain, serialisable value used alike by
// the reference machine, the CUDA worker, the fake driver and, later, the exported library.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/facts/derived.h"
#include "compiler/ir/program.h"

namespace compiler::facts {

// Value of a launch-level expression (integers; f32 args by their bits). Error: overflow, division
// by zero.
absl::StatusOr<int64_t> EvaluateLaunch(const ir::Program& program, ir::ExprId expr,
                                       const ir::LaunchValues& values);

// The same inside a kernel: its kernel-level lets of launch level may be named.
absl::StatusOr<int64_t> EvaluateKernelLaunch(const ir::Program& program, const ir::Kernel& kernel,
                                             ir::ExprId expr, const ir::LaunchValues& values);

// The elements of the arg array that is symbol number `symbol`.
std::vector<int64_t> ArrayOf(const ir::LaunchValues& values, size_t symbol);

// FailedPrecondition names the dim range or the `where` that the values do not satisfy.
absl::Status CheckGuard(const ir::Program& program, const ir::LaunchValues& values);

// The same without words.
bool Admits(const ir::Program& program, const ir::LaunchValues& values);

// "N=1000, SMS=4": the dims, args and SMS in declaration order.
std::string DescribeLaunch(const ir::Program& program, const ir::LaunchValues& values);

// Named numbers to symbol order: every dim, arg and stride must be given ("SMS" too); strides that
// are not given take the row-major value, and dims with one admitted value need not be. Of an arg
// array NAME is the value of every element and NAME[3] that of one.
// Missing or unknown names are InvalidArgument naming them.
absl::StatusOr<ir::LaunchValues> BindLaunch(const ir::Program& program,
                                            const std::map<std::string, int64_t>& named);

// The same of values by number of their symbols, for programs without arg arrays.
absl::StatusOr<ir::LaunchValues> BindSymbols(const ir::Program& program,
                                             std::span<const size_t> symbols,
                                             std::span<const int64_t> values);

// The dims of a program solved from concrete tensor shapes, by tensor name:
// each dim appears bare, or affine in one extent. FailedPrecondition
// names both declarations that disagree.
absl::StatusOr<std::map<std::string, int64_t>> SolveDims(
    const ir::Program& program, const std::map<std::string, std::vector<int64_t>>& shapes,
    const std::map<std::string, int64_t>& known);

struct ArgumentSlot {
  enum class Kind : uint8_t { kTensor, kWorkspace, kSymbol, kTensorMap };
  Kind kind = Kind::kTensor;
  std::string name;
  int64_t value = 0;              // kSymbol: its bits
  std::vector<int64_t> elements;  // kSymbol, arg arrays: the bits of each, bytes / count wide
  // Size in the kernel's parameter block: 8 for pointers, 4 or 8 for values, 128 for tensor maps,
  // which are passed by value (CUDA driver API, CUtensorMap).
  int bytes = 8;
};

// The parameter block of every kernel of a program: tensors, workspaces, symbols, tensor maps.
// `values` may be null: the slots' values are 0 then.
std::vector<ArgumentSlot> Parameters(const ir::Program& program, const ir::LaunchValues* values);

// The name of the kernel's function in the emitted source: PROGRAM_KERNEL.
std::string EmittedName(const ir::Program& program, const ir::Kernel& kernel);

struct KernelLaunch {
  std::string name;  // the emitted function's name
  int64_t grid[3] = {1, 1, 1};
  int64_t block = 0, shared_bytes = 0, cluster = 1;
  bool cooperative = false, pdl = false;
  bool skipped = false;  // `when` is false or a grid extent is 0
};

struct TensorPlan {
  std::string name;
  ir::Direction direction = ir::Direction::kIn;
  ir::DType dtype = ir::DType::kF32;
  std::vector<int64_t> shape, strides;
  int64_t bytes = 0;       // extent in memory, strides included
  bool zero = false;       // workspace: zeroed inside the timed region
  int64_t alignment = 16;  // that its first byte must have
};

// What a tensor map is made of when the program is launched, dimensions in the tensor's order.
struct TensorMapPlan {
  std::string name, tensor;
  ir::DType dtype = ir::DType::kF32;
  std::vector<int64_t> extents, strides;  // strides in elements of `element_bytes`
  int64_t element_bytes = 1;
  std::vector<int64_t> box;
  int64_t swizzle_bytes = 0;
  bool used = false;  // by a kernel that is launched: only then it is made
};

struct LaunchPlan {
  std::string program, canonical_hash, target;
  std::vector<ArgumentSlot> arguments;  // the same for every kernel, in parameter order
  std::vector<TensorPlan> tensors;      // in/out/inout, then workspaces
  std::vector<KernelLaunch> kernels;    // in order, one stream
  std::vector<TensorMapPlan> tensor_maps;
};

// FailedPrecondition names the guard (range or `where`) the case does not satisfy.
absl::StatusOr<LaunchPlan> PlanLaunch(const ir::Program& program, const Facts& facts,
                                      const ir::LaunchValues& values,
                                      std::string_view canonical_hash);

// The same of values that the guard admits, without the arguments: all that the machine needs.
absl::StatusOr<LaunchPlan> PlanSizes(const ir::Program& program, const Facts& facts,
                                     const ir::LaunchValues& values);

// The same in the room of a plan of this program for other values; it is no plan where this fails.
absl::Status PlanSizes(const ir::Program& program, const Facts& facts,
                       const ir::LaunchValues& values, LaunchPlan& plan);

std::string ToJson(const LaunchPlan& plan);
absl::StatusOr<LaunchPlan> LaunchPlanFromJson(std::string_view json);

}  // namespace compiler::facts
