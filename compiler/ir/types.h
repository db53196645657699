// Data types, levels, scopes and launch symbols: the words that every later step shares.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace compiler::ir {

// The whole list of the language. kDTypes says which of them this build
// carries.
enum class DType : uint8_t {
  kUnknown,
  kBool,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kF16,
  kBF16,
  kF32,
  kTF32,
  kE4M3,
  kE5M2,
  kF16x2,
  kBF16x2,
  kF32x2,
  kE2M1,
  kE3M2,
  kE2M3,
  kUE8M0,
  kUE4M3,
  kE2M1x2,
  kI4x2,
  kU4x2,
  kB1x8,
  kE2M3x4,
  kE3M2x4,
};
// The last type whose values threads convert and compute with; those behind it move through memory
// and are operands of products.
constexpr DType kLastValue = DType::kF32x2;
constexpr DType kLastDType = DType::kE3M2x4;

struct DTypeInfo {
  DType dtype;
  std::string_view name;  // as written in IR: "bf16"
  std::string_view cuda;  // C++ type of emitted code: "cake::bf16"
  int bits;               // storage in memory
  bool is_float, is_signed, is_integer;
  bool computes;  // has + - * / in registers (16-bit floats do not)
  bool in_this_build;
};

const DTypeInfo& Info(DType dtype);
std::optional<DType> ParseDType(std::string_view name);
// Numbers in one element of memory: two of e2m1x2, one of most.
int64_t NumbersOf(DType dtype);
// Floats of 6 and 4 bits are packed in global memory and in shared memory padded to 16 bytes for 16
// of them (PTX ISA, packing of sub-byte types): the type in global memory of one that lies in
// shared memory; kUnknown for all others.
DType PackedTypeOf(DType dtype);
inline std::string_view ToString(DType dtype) { return Info(dtype).name; }

// Uniformity, widest first. A value of level L is equal for all threads of one instance of L.
enum class Level : uint8_t { kConst, kLaunch, kCluster, kCta, kRole, kWg, kWarp, kLane };
std::string_view ToString(Level level);
inline Level Narrower(Level a, Level b) { return a > b ? a : b; }

// Who executes one instruction together. A collective of scope S needs control of
// S's level or wider.
enum class Scope : uint8_t { kThread, kWarp, kWg, kRole, kCta, kCluster };
std::string_view ToString(Scope scope);
Level RequiredLevel(Scope scope);  // kWarp -> Level::kWarp, ... ; kThread -> Level::kLane

enum class Space : uint8_t { kGlobal, kShared, kTmem, kRegister };
std::string_view ToString(Space space);  // "global memory"

// Scalar (shape empty), register array (one extent) or fragment (form set; 2 extents: rows, cols of
// the whole tile).
struct Type {
  DType dtype = DType::kUnknown;
  std::vector<int64_t> shape;
  std::string_view
      form;  // "" | "wgmma" | "mma.a" | "tmem.32x32b" ..: points at the grammar's constant
  bool is_scalar() const { return shape.empty() && form.empty(); }
  bool is_array() const { return !shape.empty() && form.empty(); }
  bool is_fragment() const { return !form.empty(); }
  bool operator==(const Type&) const = default;
};
std::string ToString(const Type& type);
std::string ShapeText(std::span<const int64_t> shape);  // "[64, 8]"

// Every size that untrusted text can drive. One struct, units in the
// names.
struct Limits {
  int64_t source_bytes = 256 * 1024;
  int64_t nesting_levels = 256;
  int64_t elaborated_nodes = int64_t{1} << 20;
  int64_t register_statements = int64_t{1} << 17;
  int64_t domain_values = 4096;
  int64_t family_members_listed = 4096;
  int64_t machine_lane_statements = 20'000'000;
  int64_t diagnostics_shown = 200;
};

}  // namespace compiler::ir
