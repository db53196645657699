#include "compiler/ir/types.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace compiler::ir {
namespace {

// In the order of the enumeration; ToString, ParseDType and every reader index this table.
constexpr std::array<DTypeInfo, 30> kDTypes = {{
    // dtype, name, C++ type, bits, float, signed, integer, computes, in this build
    {DType::kUnknown, "unknown", "void", 0, false, false, false, false, false},
    {DType::kBool, "bool", "bool", 8, false, false, false, false, true},
    {DType::kI8, "i8", "signed char", 8, false, true, true, true, true},
    {DType::kU8, "u8", "unsigned char", 8, false, false, true, true, true},
    {DType::kI16, "i16", "short", 16, false, true, true, true, true},
    {DType::kU16, "u16", "unsigned short", 16, false, false, true, true, true},
    {DType::kI32, "i32", "int", 32, false, true, true, true, true},
    {DType::kU32, "u32", "unsigned int", 32, false, false, true, true, true},
    {DType::kI64, "i64", "long long", 64, false, true, true, true, true},
    {DType::kU64, "u64", "unsigned long long", 64, false, false, true, true, true},
    {DType::kF16, "f16", "cake::f16", 16, true, true, false, false, true},
    {DType::kBF16, "bf16", "cake::bf16", 16, true, true, false, false, true},
    {DType::kF32, "f32", "float", 32, true, true, false, true, true},
    {DType::kTF32, "tf32", "float", 32, true, true, false, false, true},
    {DType::kE4M3, "e4m3", "cake::e4m3", 8, true, true, false, false, true},
    {DType::kE5M2, "e5m2", "cake::e5m2", 8, true, true, false, false, true},
    {DType::kF16x2, "f16x2", "cake::f16x2", 32, true, true, false, true, true},
    {DType::kBF16x2, "bf16x2", "cake::bf16x2", 32, true, true, false, true, true},
    {DType::kF32x2, "f32x2", "cake::f32x2", 64, true, true, false, true, true},
    {DType::kE2M1, "e2m1", "unsigned char", 8, true, true, false, false, true},
    {DType::kE3M2, "e3m2", "unsigned char", 8, true, true, false, false, true},
    {DType::kE2M3, "e2m3", "unsigned char", 8, true, true, false, false, true},
    {DType::kUE8M0, "ue8m0", "unsigned char", 8, false, false, false, false, true},
    {DType::kUE4M3, "ue4m3", "unsigned char", 8, false, false, false, false, true},
    {DType::kE2M1x2, "e2m1x2", "unsigned char", 8, false, false, false, false, true},
    {DType::kI4x2, "i4x2", "unsigned char", 8, false, false, false, false, true},
    {DType::kU4x2, "u4x2", "unsigned char", 8, false, false, false, false, true},
    {DType::kB1x8, "b1x8", "unsigned char", 8, false, false, false, false, true},
    {DType::kE2M3x4, "e2m3x4", "unsigned char", 24, false, false, false, false, true},
    {DType::kE3M2x4, "e3m2x4", "unsigned char", 24, false, false, false, false, true},
}};

constexpr std::array<std::string_view, 8> kLevelNames = {"const", "launch", "cluster", "cta",
                                                         "role",  "wg",     "warp",    "lane"};
constexpr std::array<std::string_view, 6> kScopeNames = {"thread", "warp", "wg",
                                                         "role",   "cta",  "cluster"};

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

const DTypeInfo& Info(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }

std::optional<DType> ParseDType(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.dtype != DType::kUnknown && info.name == name) return info.dtype;
  }
  return std::nullopt;
}

int64_t NumbersOf(DType dtype) {
  switch (dtype) {
    case DType::kE2M1x2:
    case DType::kI4x2:
    case DType::kU4x2: return 2;
    case DType::kE2M3x4:
    case DType::kE3M2x4: return 4;
    case DType::kB1x8: return 8;
    default: return 1;
  }
}

DType PackedTypeOf(DType dtype) {
  switch (dtype) {
    case DType::kE2M1: return DType::kE2M1x2;
    case DType::kE2M3: return DType::kE2M3x4;
    case DType::kE3M2: return DType::kE3M2x4;
    default: return DType::kUnknown;
  }
}

std::string_view ToString(Level level) { return kLevelNames[static_cast<size_t>(level)]; }

std::string_view ToString(Space space) {
  switch (space) {
    case Space::kGlobal: return "global memory";
    case Space::kShared: return "shared memory";
    case Space::kTmem: return "tensor memory";
    case Space::kRegister: return "registers";
  }
  return "";
}

std::string_view ToString(Scope scope) { return kScopeNames[static_cast<size_t>(scope)]; }

Level RequiredLevel(Scope scope) {
  switch (scope) {
    case Scope::kThread: return Level::kLane;
    case Scope::kWarp: return Level::kWarp;
    case Scope::kWg: return Level::kWg;
    case Scope::kRole: return Level::kRole;
    case Scope::kCta: return Level::kCta;
    case Scope::kCluster: return Level::kCluster;
  }
  return Level::kLane;
}

std::string ToString(const Type& type) {
  std::string text =
      absl::StrCat(Absl(type.form), type.form.empty() ? "" : " ", Absl(Info(type.dtype).name));
  if (!type.shape.empty()) text += ShapeText(type.shape);
  return text;
}

std::string ShapeText(std::span<const int64_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

}  // namespace compiler::ir
