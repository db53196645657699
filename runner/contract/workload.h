// The workload contract as plain values: what a kernel must compute, on which shapes, how it is
// judged and timed. It is the authority outside the candidate: nothing that an agent sends can
// change it. The meaning of each field is told in proto/cake/v1/workload.proto, the form in which
// contracts are written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/ir/types.h"

namespace runner::contract {

inline constexpr int64_t kContractBytesMax = 256 * 1024;
inline constexpr int kDimsMax = 16, kTensorsMax = 64, kArgsMax = 64, kCasesMax = 256;
inline constexpr int kGeneratorsMax = 256, kRankMax = 8;
inline constexpr size_t kArgValuesMax = 1024;
inline constexpr int64_t kAllocationAlignment = 256;
inline constexpr int64_t kTensorBytesMax = int64_t{1} << 36;

enum class Role : uint8_t { kIn, kOut, kInOut };
enum class Content : uint8_t { kFinite, kAny };
enum class Tier : uint8_t { kMachine, kDevice };
enum class Set : uint8_t { kSearch, kHeldOut, kBoundary };
enum class SeedPolicy : uint8_t { kFresh, kFixed };
enum class Metric : uint8_t { kScaled, kExact, kRegret };
inline constexpr int kMetrics = 3;
enum class Visibility : uint8_t { kOpen, kImplementationHidden };
enum class Determinism : uint8_t { kBitwise, kNone };

// The words of JSON, SQL and the command line: "in", "finite", "machine", "held_out", ..
std::string_view ToString(Role role);
std::string_view ToString(Content content);
std::string_view ToString(Tier tier);
std::string_view ToString(Set set);
std::string_view ToString(SeedPolicy policy);
std::string_view ToString(Metric metric);
std::string_view ToString(Visibility visibility);
std::string_view ToString(Determinism determinism);

struct Dim {
  std::string name;
  int64_t low = 0, high = 0;  // inclusive
};

struct Tensor {
  std::string name;
  compiler::ir::DType dtype = compiler::ir::DType::kF32;
  std::vector<std::string> shape;    // expressions over dims
  std::vector<std::string> strides;  // elements; empty: row-major
  Role role = Role::kIn;
  Content content = Content::kFinite;
  std::string touched;       // elements, an expression over dims; empty: all
  bool overwritten = false;  // of an inout: what is touched need not be read
  int64_t alignment = 0;     // bytes that programs may rely on; 0: kAllocationAlignment
};

struct Arg {
  std::string name;
  compiler::ir::DType dtype = compiler::ir::DType::kF32;
  double value = 0;
  std::vector<double> values;  // of an arg array, in order; empty: one value
};

struct Case {
  std::string name;
  Tier tier = Tier::kMachine;
  Set set = Set::kSearch;
  double weight = 0;
  std::map<std::string, int64_t> dims;
  std::string variant;
  std::map<std::string, double> args;
};

enum class Dist : uint8_t {
  kNormal,
  kUniform,
  kConstant,
  kDenormal,
  kSpecials,
  kTies,
  kBelow,
  kDistinct,
  kOffsets,
};
inline constexpr int kDists = 9;
inline bool IsIndexDist(Dist dist) { return dist >= Dist::kBelow; }
std::string_view ToString(Dist dist);

// first, second: normal (mean, stddev), uniform (low, high), constant (value, -), specials
// (fraction, stddev), ties (levels, step), distinct (share of -1, -), offsets (share of empty
// steps, -). The last two and `below` have a range.
struct Generator {
  std::string tensor, variant;
  Dist dist = Dist::kNormal;
  double first = 0, second = 1;
  SeedPolicy seed_policy = SeedPolicy::kFresh;
  std::string range;  // of index contents: an expression over dims
};

struct Command {
  std::vector<std::string> argv;
  uint32_t timeout_s = 0;
};

struct Reference {
  std::string builtin;  // empty: command
  Command command;
};

struct Compare {
  std::string output;
  Metric metric = Metric::kScaled;
  std::string reduction;
  double operations = 0, output_ulps = 1;
  compiler::ir::DType accumulator = compiler::ir::DType::kF32;
  compiler::ir::DType operand = compiler::ir::DType::kUnknown;  // kUnknown: factors are not rounded
  bool flush = false;  // results below the normal numbers may be 0
};

struct Specialise {
  std::string dim, arg;  // one of them
  bool search_only = false;
};

// Protocols by name; a name may go on with what a machine lacks (`-events`). The last one is, case
// by case, the graph protocol where memory traffic alone takes less than kGraphBelowNs on the
// device, else the cold one: that is known before anything is measured.
inline constexpr std::string_view kColdProtocol = "cold-abba-v1", kGraphProtocol = "rot-graph-v1",
                                  kCaseProtocol = "cold-or-graph-v1";
inline constexpr double kGraphBelowNs = 2'000;

// Baselines that are no program beside the contract.
inline constexpr std::string_view kCublasLtBaseline = "cublaslt", kCommandBaseline = "command";

struct Workload {
  std::string name, summary;
  std::vector<Dim> dims;
  std::vector<Tensor> tensors;
  std::vector<Arg> args;
  std::vector<Case> cases;
  std::vector<Generator> generators;
  Reference reference;
  std::vector<Compare> compare;
  // The baseline: a program beside the contract, or one of the words above.
  std::string protocol, baseline;
  Command baseline_command;
  std::vector<Specialise> specialise;
  Visibility visibility = Visibility::kOpen;
  Determinism determinism = Determinism::kBitwise;
};

// Parses a contract. InvalidArgument: "LINE:COLUMN: what" of the first fault, unknown fields
// included.
absl::StatusOr<Workload> ParseTextproto(std::string_view text);

// Canonical JSON (sorted keys, shortest doubles, no spaces) and back. Hash: SHA-256 of it, 64 hex
// digits.
std::string ToCanonicalJson(const Workload& workload);
absl::StatusOr<Workload> FromJson(std::string_view json);
std::string Hash(const Workload& workload);

// Everything wrong with a contract that needs no reference run: names, references between fields,
// cases inside their dims' ranges, one comparison an output, a generator an input and variant, at
// least kMachineCasesMin machine-tier cases, outputs whose elements lie apart, no more elements
// touched than there are, no wide gap between the sizes that they draw contents for, weights only
// on device-tier search cases, bounded sizes. Empty: sound.
inline constexpr int kMachineCasesMin = 6;
inline constexpr int64_t kSizeGapMax = 32;  // factor between neighbouring machine-tier sizes
std::vector<std::string> Lint(const Workload& workload);

// What programs may rely on of a tensor's address, in bytes.
inline int64_t AlignmentOf(const Tensor& tensor) {
  return tensor.alignment > 0 ? tensor.alignment : kAllocationAlignment;
}

const Tensor* FindTensor(const Workload& workload, std::string_view name);
const Case* FindCase(const Workload& workload, std::string_view name);
const Compare* FindCompare(const Workload& workload, std::string_view output);
// The generator of an input in a variant: its own entry, else the entry of the plain variant; null:
// none.
const Generator* FindGenerator(const Workload& workload, std::string_view tensor,
                               std::string_view variant);

// Value of a size expression (integers, dims, + - * /, parentheses; / rounds down).
// InvalidArgument: syntax, an unknown name, overflow, division by zero.
absl::StatusOr<int64_t> EvaluateSize(std::string_view expression,
                                     const std::map<std::string, int64_t>& dims);

// A tensor of one case: its numbers.
struct CaseTensor {
  const Tensor* tensor = nullptr;
  std::vector<int64_t> shape, strides;  // elements
  int64_t elements = 0;                 // product of the shape
  int64_t bytes = 0;                    // extent in memory, strides included
  int64_t touched = 0;                  // elements that every correct run reads or writes at least
};
// Every tensor of the contract, in its order, at a case. InvalidArgument: an expression fails, a
// size is negative or above kTensorBytesMax, or more elements are touched than there are.
absl::StatusOr<std::vector<CaseTensor>> TensorsOf(const Workload& workload, const Case& at);

// The bytes that every correct run of a case moves at least: what is touched of each tensor, of an
// inout in both directions unless it is overwritten. InvalidArgument as TensorsOf.
struct Traffic {
  int64_t read = 0, written = 0;
};
absl::StatusOr<Traffic> TrafficOf(const Workload& workload, const Case& at);

// The name of an arg, or those of its elements: `w[0]`, `w[1]`, ..
std::vector<std::string> NamesOf(const Arg& arg);

// The args of a case by these names, overrides applied, each rounded to its dtype.
std::map<std::string, double> ArgsOf(const Workload& workload, const Case& at);

}  // namespace runner::contract
