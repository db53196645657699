#include "compiler/ops/lowering.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace compiler::ops {
namespace {

using ir::DType;
using ir::LowerArgs;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

bool IsNarrow(DType dtype) { return ir::Info(dtype).is_integer && ir::Info(dtype).bits < 32; }
bool IsHalf(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }

// One name, number or element: a cast before it needs no parentheses.
bool IsSimple(std::string_view value) {
  return value.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_[]") ==
         std::string_view::npos;
}

std::string Cast(DType dtype, std::string_view value) {
  const bool simple = IsSimple(value);
  return absl::StrCat("(", Absl(CudaType(dtype)), simple ? ")" : ")(", Absl(value),
                      simple ? "" : ")");
}

std::string_view FlushingForm(std::string_view token) {
  if (token == "+") return "cake::add_ftz";
  if (token == "-") return "cake::sub_ftz";
  if (token == "*") return "cake::mul_ftz";
  return "cake::div_ftz";
}

bool IsComparison(std::string_view token) {
  return token == "==" || token == "!=" || token == "<" || token == "<=" || token == ">" ||
         token == ">=";
}

std::string WidenHalfText(DType dtype, std::string_view value) {
  return absl::StrCat("cake::f32_from_", Absl(ir::ToString(dtype)), "(", Absl(value), ")");
}

std::string Binary(const LowerArgs& args) {
  const std::string_view token = args.name;
  const DType type = args.operand_type;
  std::string left = args.args[0];
  std::string right = args.args[1];
  if (IsComparison(token) && IsHalf(type)) {
    left = WidenHalfText(type, left);
    right = WidenHalfText(type, right);
  }
  const bool arithmetic = token == "+" || token == "-" || token == "*" || token == "/";
  if (type == DType::kF32 && args.ftz && arithmetic) {
    return absl::StrCat(Absl(FlushingForm(token)), "(", left, ", ", right, ")");
  }
  // Two unsigned shorts would multiply as ints and overflow.
  if (type == DType::kU16 && token == "*") left = Cast(DType::kU32, left);
  std::string text = absl::StrCat(left, " ", Absl(token), " ", right);
  // C++ computes in int what is narrower.
  const bool promoted = IsNarrow(type) || type == DType::kBool;
  return promoted && !IsComparison(token) ? Cast(type, text) : text;
}

// A float operand to an integer, rounded; the intrinsics saturate.
std::string FromFloat(DType to, bool towards_zero, bool saturate, std::string_view value) {
  std::string_view kind = "int";
  if (to == DType::kU32) kind = "uint";
  if (to == DType::kI64) kind = "ll";
  if (to == DType::kU64) kind = "ull";
  std::string text =
      absl::StrCat("__float2", Absl(kind), towards_zero ? "_rz(" : "_rn(", Absl(value), ")");
  if (!IsNarrow(to)) return text;
  if (saturate) return absl::StrCat("cake::saturate<", Absl(CudaType(to)), ">(", text, ")");
  return Cast(to, text);
}

std::string ToFloat(DType from, bool towards_zero, std::string_view value) {
  if (!towards_zero || from == DType::kBool || IsNarrow(from)) {
    return Cast(DType::kF32, value);
  }
  std::string_view kind = "int";
  if (from == DType::kU32) kind = "uint";
  if (from == DType::kI64) kind = "ll";
  if (from == DType::kU64) kind = "ull";
  return absl::StrCat("__", Absl(kind), "2float_rz(", Absl(value), ")");
}

}  // namespace

std::string_view CudaType(DType dtype) { return ir::Info(dtype).cuda; }

std::string CallText(std::string_view function, const LowerArgs& args) {
  return absl::StrCat(Absl(function), "(", absl::StrJoin(args.args, ", "), ")");
}

std::string LowerOperator(const LowerArgs& args) {
  if (args.args.size() == 2) return Binary(args);
  std::string text = absl::StrCat(Absl(args.name), args.args[0]);
  return IsNarrow(args.operand_type) ? Cast(args.operand_type, text) : text;
}

std::string LowerConvert(const LowerArgs& args) {
  const DType to = args.result_type;
  DType from = args.operand_type;
  const bool towards_zero = HasModifier(args, "rz");
  const bool saturate = HasModifier(args, "sat");
  std::string value = args.args[0];
  if (from == to) return value;
  if (IsHalf(from)) {
    value = WidenHalfText(from, value);
    from = DType::kF32;
  }
  if (to == DType::kBool) return absl::StrCat("((", value, ") != 0)");
  if (IsHalf(to)) {
    if (from != DType::kF32) value = ToFloat(from, towards_zero, value);
    return absl::StrCat("cake::", Absl(ir::ToString(to)), "_from_f32", towards_zero ? "_rz" : "",
                        saturate ? "_sat(" : "(", value, ")");
  }
  if (to == DType::kF32) return from == DType::kF32 ? value : ToFloat(from, towards_zero, value);
  if (from == DType::kF32) return FromFloat(to, towards_zero, saturate, value);
  if (saturate && from != DType::kBool) {
    return absl::StrCat("cake::saturate<", Absl(CudaType(to)), ">(", value, ")");
  }
  return Cast(to, value);
}

std::string LowerBitcast(const LowerArgs& args) {
  const DType to = args.result_type;
  const DType from = args.operand_type;
  if (to == from) return args.args[0];
  if (from == DType::kF32) {
    return CallText(to == DType::kI32 ? "__float_as_int" : "__float_as_uint", args);
  }
  if (to == DType::kF32) {
    return CallText(from == DType::kI32 ? "__int_as_float" : "__uint_as_float", args);
  }
  if (IsHalf(from)) return absl::StrCat("(", Absl(CudaType(to)), ")(", args.args[0], ").bits");
  if (IsHalf(to)) {
    return absl::StrCat(Absl(CudaType(to)), "{(unsigned short)(", args.args[0], ")}");
  }
  return Cast(to, args.args[0]);
}

}  // namespace compiler::ops
