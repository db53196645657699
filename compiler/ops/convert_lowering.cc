// C++ text of cvt and bitcast.
#include "absl/strings/str_cat.h"
#include "compiler/ir/packed.h"
#include "compiler/ops/lowering.h"

namespace compiler::ops {
namespace {

using ir::DType;
using ir::LowerArgs;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }
absl::string_view NameOf(DType dtype) { return Absl(ir::ToString(dtype)); }

bool IsNarrow(DType dtype) { return ir::Info(dtype).is_integer && ir::Info(dtype).bits < 32; }
bool IsHalf(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }
bool IsFloat8(DType dtype) { return dtype == DType::kE4M3 || dtype == DType::kE5M2; }

std::string_view KindOf(DType integer) {
  if (integer == DType::kU32) return "uint";
  if (integer == DType::kI64) return "ll";
  if (integer == DType::kU64) return "ull";
  return "int";
}

// The rounding as CUDA's intrinsics call it.
std::string_view Suffix(const LowerArgs& args) {
  if (HasModifier(args, "rz")) return "rz";
  if (HasModifier(args, "rm")) return "rd";
  return HasModifier(args, "rp") ? "ru" : "rn";
}

// What the name of a device function says of rounding and saturation; nothing of `.rn`.
std::string WordSuffix(const LowerArgs& args) {
  std::string text;
  for (const std::string_view word : args.modifiers) {
    if (word == "rz" || word == "rm" || word == "rp" || word == "rna" || word == "sat") {
      absl::StrAppend(&text, "_", Absl(word));
    }
  }
  return text;
}

// A float operand to an integer, rounded; the intrinsics saturate.
std::string FromFloat(const LowerArgs& args, DType to, std::string_view value) {
  std::string text =
      absl::StrCat("__float2", Absl(KindOf(to)), "_", Absl(Suffix(args)), "(", Absl(value), ")");
  if (!IsNarrow(to)) return text;
  if (HasModifier(args, "sat")) {
    return absl::StrCat("cake::saturate<", Absl(CudaType(to)), ">(", text, ")");
  }
  return Cast(to, text);
}

std::string IntegerToFloat(const LowerArgs& args, DType from, std::string_view value) {
  const std::string_view suffix = Suffix(args);
  if (suffix == "rn" || from == DType::kBool || IsNarrow(from)) return Cast(DType::kF32, value);
  return absl::StrCat("__", Absl(KindOf(from)), "2float_", Absl(suffix), "(", Absl(value), ")");
}

// Any number as f32. tf32 has f32's layout.
std::string ToF32(const LowerArgs& args, DType from, const std::string& value) {
  if (from == DType::kF32 || from == DType::kTF32) return value;
  if (!ir::Info(from).is_float) return IntegerToFloat(args, from, value);
  return absl::StrCat("cake::f32_from_", NameOf(from), "(", value, ")");
}

std::string Narrowed(const LowerArgs& args, DType to, const std::string& f32) {
  // 8-bit floats saturate and round to nearest whatever is written.
  const std::string words = IsFloat8(to) ? std::string() : WordSuffix(args);
  return absl::StrCat("cake::", NameOf(to), "_from_f32", words, "(", f32, ")");
}

bool ConvertsInPairs(DType from, DType to, std::span<const std::string_view> modifiers) {
  for (const std::string_view word : modifiers) {
    if (word == "rm" || word == "rp") return false;
  }
  if (from == to || ir::IsPacked(to)) return ir::IsPacked(to);
  return IsHalf(to) || IsFloat8(to);
}

// Two numbers of one type to a pair.
std::string Pair(const LowerArgs& args) {
  if (!ConvertsInPairs(args.operand_type, args.result_type, args.modifiers)) return {};
  const DType from = args.operand_type;
  const DType to = ir::ElementOf(args.result_type);
  const std::string& low = args.args[0];
  const std::string& high = args.args[1];
  if (from == to) return absl::StrCat("cake::", NameOf(to), "x2_of(", low, ", ", high, ")");
  if ((IsFloat8(from) && to == DType::kF16) || (from == DType::kF16 && IsFloat8(to))) {
    return absl::StrCat("cake::", NameOf(to), "x2_from_", NameOf(from), "(", low, ", ", high, ")");
  }
  const std::string first = ToF32(args, from, low);
  const std::string second = ToF32(args, from, high);
  if (to == DType::kF32) return absl::StrCat("cake::f32x2_of(", first, ", ", second, ")");
  const std::string words = IsFloat8(to) ? std::string() : WordSuffix(args);
  return absl::StrCat("cake::", NameOf(to), "x2_from_f32", words, "(", first, ", ", second, ")");
}

}  // namespace

std::string LowerConvert(const LowerArgs& args) {
  if (args.args.size() == 2) return Pair(args);
  const DType to = args.result_type;
  const DType from = args.operand_type;
  const std::string& value = args.args[0];
  if (from == to) return value;
  if (ir::Info(to).is_float) {
    const std::string f32 = ToF32(args, from, value);
    return to == DType::kF32 ? f32 : Narrowed(args, to, f32);
  }
  if (ir::Info(from).is_float) {
    const std::string f32 = ToF32(args, from, value);
    return to == DType::kBool ? absl::StrCat("((", f32, ") != 0)") : FromFloat(args, to, f32);
  }
  if (to == DType::kBool) return absl::StrCat("((", value, ") != 0)");
  if (HasModifier(args, "sat") && from != DType::kBool) {
    return absl::StrCat("cake::saturate<", Absl(CudaType(to)), ">(", value, ")");
  }
  return Cast(to, value);
}

std::string LowerBitcast(const LowerArgs& args) {
  const DType to = args.result_type;
  const DType from = args.operand_type;
  if (CudaType(to) == CudaType(from)) return args.args[0];
  const bool from_f32 = CudaType(from) == "float";
  const bool to_f32 = CudaType(to) == "float";
  if (from_f32 && ir::Info(to).is_integer) {
    return CallText(to == DType::kI32 ? "__float_as_int" : "__float_as_uint", args);
  }
  if (to_f32 && ir::Info(from).is_integer) {
    return CallText(from == DType::kI32 ? "__int_as_float" : "__uint_as_float", args);
  }
  if (ir::Info(from).is_integer && ir::Info(to).is_integer) return Cast(to, args.args[0]);
  return absl::StrCat("cake::bits_as<", Absl(CudaType(to)), ">(", args.args[0], ")");
}

}  // namespace compiler::ops
