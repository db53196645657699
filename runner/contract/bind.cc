#include "runner/contract/bind.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/facts/launch.h"

namespace runner::contract {
namespace {

namespace diag = compiler::diag;
namespace ir = compiler::ir;
using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

constexpr Def<Name, Name> kMissingTensor{
    "CK9101", Severity::kError, Category::kData,
    "the program has no tensor {0}; contract {1} declares it",
    "programs and contracts are joined by name: each tensor of the contract is a parameter"};
constexpr Def<Name, Name> kExtraTensor{
    "CK9102", Severity::kError, Category::kData,
    "contract {1} has no tensor {0}; nothing would fill it",
    "every parameter that is not a workspace comes from the contract"};
constexpr Def<Name, Name, Name> kTensorConflict{
    "CK9103", Severity::kError, Category::kData,
    "the program declares {0} as {1}, the contract as {2}",
    "direction, dtype and rank of a parameter are the contract's"};
constexpr Def<Name, Name> kMissingArg{"CK9104", Severity::kError, Category::kData,
                                      "the program has no arg {0}; contract {1} declares it",
                                      "args are joined by name"};
constexpr Def<Name, Name> kExtraArg{"CK9105", Severity::kError, Category::kData,
                                    "contract {1} has no arg {0}; nothing would give it a value",
                                    "args are joined by name"};
constexpr Def<Name, Name, Name> kArgConflict{
    "CK9106", Severity::kError, Category::kData,
    "the program declares arg {0} as {1}, the contract as {2}",
    "the dtype of an arg and the length of an array are the contract's"};
constexpr Def<Name, Name> kShapes{"CK9107", Severity::kError, Category::kData,
                                  "case {0} does not fit the program: {1}",
                                  "the program's dims are solved from the contract's shapes"};
constexpr Def<Name, Name, int64_t, int64_t, int64_t> kRange{
    "CK9108", Severity::kError, Category::kData,
    "case {0} has {1} = {2}; the program admits {3} to {4}",
    "a program must accept every case that the contract does not let it specialise away"};
constexpr Def<Name> kGuard{
    "CK9109", Severity::kError, Category::kData, "this condition refuses case {0} of the contract",
    "a program must accept every case that the contract does not let it specialise away"};

constexpr Def<Name, int64_t, int64_t> kAlignment{
    "CK9110", Severity::kError, Category::kData,
    "the program needs {0} at a multiple of {1} bytes; the contract gives it multiples of {2}",
    "vector accesses, bulk copies and tensor maps trap or read other bytes where an address is not "
    "a multiple of what they need"};

std::string_view Word(ir::Direction direction) {
  switch (direction) {
    case ir::Direction::kIn: return "in";
    case ir::Direction::kOut: return "out";
    case ir::Direction::kInOut: return "inout";
    case ir::Direction::kWorkspace: return "workspace";
  }
  return "";
}

std::string Describe(std::string_view role, ir::DType dtype, size_t rank) {
  return absl::StrCat(std::string(role), " ", std::string(ir::ToString(dtype)), " of rank ", rank);
}

void CheckTensors(const Workload& workload, const ir::Program& program, diag::Report& report) {
  for (const Tensor& want : workload.tensors) {
    const ir::Tensor* got = nullptr;
    for (const ir::Tensor& tensor : program.tensors) {
      if (tensor.direction != ir::Direction::kWorkspace && tensor.name == want.name) got = &tensor;
    }
    if (got == nullptr) {
      report.Add(kMissingTensor, {}, Name{want.name}, Name{workload.name});
      continue;
    }
    const std::string mine = Describe(Word(got->direction), got->dtype, got->shape.size());
    const std::string theirs = Describe(ToString(want.role), want.dtype, want.shape.size());
    if (mine != theirs) {
      report.Add(kTensorConflict, got->declared, Name{want.name}, Name{mine}, Name{theirs});
    } else if (got->alignment > AlignmentOf(want)) {
      report.Add(kAlignment, got->declared, Name{want.name}, got->alignment, AlignmentOf(want));
    }
  }
  for (const ir::Tensor& tensor : program.tensors) {
    if (tensor.direction == ir::Direction::kWorkspace) continue;
    if (FindTensor(workload, tensor.name) == nullptr) {
      report.Add(kExtraTensor, tensor.declared, Name{tensor.name}, Name{workload.name});
    }
  }
}

std::string ArgType(ir::DType dtype, int64_t elements) {
  const std::string name(ir::ToString(dtype));
  return elements == 0 ? name : absl::StrCat(name, "[", elements, "]");
}

void CheckArgs(const Workload& workload, const ir::Program& program, diag::Report& report) {
  for (const Arg& want : workload.args) {
    const ir::Symbol* got = nullptr;
    for (const ir::Symbol& symbol : program.symbols) {
      if (symbol.kind == ir::SymbolKind::kArg && symbol.name == want.name) got = &symbol;
    }
    if (got == nullptr) {
      report.Add(kMissingArg, {}, Name{want.name}, Name{workload.name});
      continue;
    }
    // One value of the contract is that of every element.
    const auto count = static_cast<int64_t>(want.values.size());
    if (got->dtype != want.dtype || (count != 0 && count != got->elements)) {
      report.Add(kArgConflict, got->declared, Name{want.name},
                 Name{ArgType(got->dtype, got->elements)}, Name{ArgType(want.dtype, count)});
    }
  }
  for (const ir::Symbol& symbol : program.symbols) {
    if (symbol.kind != ir::SymbolKind::kArg) continue;
    bool known = false;
    for (const Arg& arg : workload.args) known |= arg.name == symbol.name;
    if (!known) report.Add(kExtraArg, symbol.declared, Name{symbol.name}, Name{workload.name});
  }
}

bool MayRefuse(const Workload& workload, const Case& at) {
  if (at.set != Set::kHeldOut) return false;
  for (const Specialise& one : workload.specialise) {
    if (one.search_only) return true;
  }
  return false;
}

// How elements lie in memory is the contract's too; "" where the program reads them so.
std::string StrideConflict(const Workload& workload, const Case& at, const ir::Program& program,
                           const ir::LaunchValues& values) {
  const auto tensors = TensorsOf(workload, at);
  if (!tensors.ok()) return std::string(tensors.status().message());
  for (const CaseTensor& theirs : *tensors) {
    const auto mine =
        std::find_if(program.tensors.begin(), program.tensors.end(),
                     [&](const ir::Tensor& tensor) { return tensor.name == theirs.tensor->name; });
    if (mine == program.tensors.end() || theirs.bytes == 0) continue;
    for (size_t d = 0; d < mine->strides.size() && d < theirs.strides.size(); ++d) {
      const auto stride = compiler::facts::EvaluateLaunch(program, mine->strides[d], values);
      if (!stride.ok() || theirs.shape[d] <= 1 || *stride == theirs.strides[d]) continue;
      return absl::StrCat("neighbours of ", mine->name, " in dimension ", d, " lie ", *stride,
                          " elements apart, those of the contract ", theirs.strides[d]);
    }
  }
  return "";
}

void CheckCase(const Workload& workload, const Case& at, const ir::Program& program,
               diag::Report& report) {
  const auto named = CaseValues(workload, at, program, MachineSms(program));
  if (!named.ok()) {
    report.Add(kShapes, {}, Name{at.name}, Name{std::string(named.status().message())});
    return;
  }
  const auto values = compiler::facts::BindLaunch(program, *named);
  if (!values.ok()) {
    report.Add(kShapes, {}, Name{at.name}, Name{std::string(values.status().message())});
    return;
  }
  if (const std::string why = StrideConflict(workload, at, program, *values); !why.empty()) {
    report.Add(kShapes, {}, Name{at.name}, Name{why});
    return;
  }
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    const ir::Symbol& symbol = program.symbols[i];
    const int64_t value = values->values[i];
    if (symbol.kind != ir::SymbolKind::kDim || !symbol.has_range) continue;
    if (value < symbol.low || value > symbol.high) {
      report.Add(kRange, symbol.declared, Name{at.name}, Name{symbol.name}, value, symbol.low,
                 symbol.high);
    }
  }
  for (const ir::Guard& guard : program.guards) {
    const auto holds = compiler::facts::EvaluateLaunch(program, guard.condition, *values);
    if (!holds.ok() || *holds == 0) report.Add(kGuard, guard.source.span, Name{at.name});
  }
}

int64_t Bits(ir::DType dtype, double value) {
  if (dtype == ir::DType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return static_cast<int64_t>(std::llround(value));
}

}  // namespace

int64_t MachineSms(const ir::Program& program) {
  int64_t sms = kMachineSms;
  for (const ir::Symbol& symbol : program.symbols) {
    if (symbol.kind == ir::SymbolKind::kSms && symbol.low > 1) sms = std::max(sms, 2 * symbol.low);
  }
  return sms;
}

absl::StatusOr<std::map<std::string, int64_t>> CaseValues(const Workload& workload, const Case& at,
                                                          const ir::Program& program, int64_t sms) {
  const auto tensors = TensorsOf(workload, at);
  if (!tensors.ok()) return tensors.status();
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const CaseTensor& tensor : *tensors) shapes[tensor.tensor->name] = tensor.shape;
  std::map<std::string, int64_t> named;
  const std::map<std::string, double> values = ArgsOf(workload, at);
  for (const Arg& arg : workload.args) {
    for (const std::string& name : NamesOf(arg)) named[name] = Bits(arg.dtype, values.at(name));
  }
  auto dims = compiler::facts::SolveDims(program, shapes, {});
  if (!dims.ok()) return dims.status();
  for (const auto& [name, value] : *dims) named[name] = value;
  // A stride that the program names is the contract's.
  for (const CaseTensor& tensor : *tensors) {
    for (const ir::Tensor& mine : program.tensors) {
      if (mine.name != tensor.tensor->name) continue;
      for (size_t d = 0; d < mine.strides.size() && d < tensor.strides.size(); ++d) {
        const ir::Expr& stride = program[mine.strides[d]];
        if (stride.kind != ir::ExprKind::kSymbol) continue;
        const ir::Symbol& symbol = program[stride.symbol];
        if (symbol.kind == ir::SymbolKind::kStride) named[symbol.name] = tensor.strides[d];
      }
    }
  }
  for (const ir::Symbol& symbol : program.symbols) {
    if (symbol.kind == ir::SymbolKind::kSms) named[symbol.name] = sms;
    // A dim that no tensor mentions takes the contract's number of the same name.
    const auto given = at.dims.find(symbol.name);
    if (symbol.kind == ir::SymbolKind::kDim && !named.contains(symbol.name) &&
        given != at.dims.end()) {
      named[symbol.name] = given->second;
    }
  }
  return named;
}

void CheckBinding(const Workload& workload, const ir::Program& program, diag::Report& report) {
  diag::Report found;
  CheckTensors(workload, program, found);
  CheckArgs(workload, program, found);
  if (!found.has_errors()) {
    for (const Case& at : workload.cases) {
      if (!MayRefuse(workload, at)) CheckCase(workload, at, program, found);
    }
  }
  report.Append(found);
}

}  // namespace runner::contract
