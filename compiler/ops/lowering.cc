#include "compiler/ops/lowering.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ir/packed.h"

namespace compiler::ops {
namespace {

using ir::DType;
using ir::LowerArgs;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

std::string_view PackedName(std::string_view token) {
  if (token == "+") return "add";
  return token == "-" ? "sub" : "mul";
}

bool IsNarrow(DType dtype) { return ir::Info(dtype).is_integer && ir::Info(dtype).bits < 32; }
bool IsHalf(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }

// One name, number or element: a cast before it needs no parentheses.
bool IsSimple(std::string_view value) {
  return value.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_[]") ==
         std::string_view::npos;
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

std::string WidenText(DType dtype, std::string_view value) {
  return absl::StrCat("cake::f32_from_", Absl(ir::ToString(dtype)), "(", Absl(value), ")");
}

std::string Binary(const LowerArgs& args) {
  const std::string_view token = args.name;
  const DType type = args.operand_type;
  if (ir::IsPacked(type)) return LowerPacked(PackedName(token), args);
  std::string left = args.args[0];
  std::string right = args.args[1];
  if (IsComparison(token) && IsHalf(type)) {
    left = WidenText(type, left);
    right = WidenText(type, right);
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

}  // namespace

std::string_view CudaType(DType dtype) { return ir::Info(dtype).cuda; }

std::string Cast(DType dtype, std::string_view value) {
  const bool simple = IsSimple(value);
  return absl::StrCat("(", Absl(CudaType(dtype)), simple ? ")" : ")(", Absl(value),
                      simple ? "" : ")");
}

std::string CallText(std::string_view function, const LowerArgs& args) {
  return absl::StrCat(Absl(function), "(", absl::StrJoin(args.args, ", "), ")");
}

std::string LowerOperator(const LowerArgs& args) {
  if (args.args.size() == 2) return Binary(args);
  if (ir::IsPacked(args.operand_type)) return LowerPacked("neg", args);
  std::string text = absl::StrCat(Absl(args.name), args.args[0]);
  return IsNarrow(args.operand_type) ? Cast(args.operand_type, text) : text;
}

std::string LowerPacked(std::string_view function, const LowerArgs& args) {
  const bool ftz = args.ftz && args.operand_type != DType::kBF16x2;
  const bool rounds =
      function == "add" || function == "sub" || function == "mul" || function == "fma";
  return CallText(absl::StrCat("cake::", Absl(ir::ToString(args.operand_type)), "_", Absl(function),
                               ftz && rounds ? "_ftz" : ""),
                  args);
}

}  // namespace compiler::ops
