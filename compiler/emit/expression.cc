// Expressions: the author's, with C++'s precedence and no more parentheses than it needs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"
#include "compiler/ir/constant.h"
#include "compiler/ir/packed.h"

namespace compiler::emit {
namespace {

using ir::DType;
using ir::ExprKind;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

bool IsNarrow(DType type) { return ir::Info(type).is_integer && ir::Info(type).bits < 32; }

int PrecedenceOf(std::string_view token) {
  if (token == "*" || token == "/" || token == "%") return kMultiplicative;
  if (token == "+" || token == "-") return kAdditive;
  if (token == "<<" || token == ">>") return kShift;
  if (token == "==" || token == "!=") return kEquality;
  if (token == "&") return kBitAnd;
  if (token == "^") return kBitXor;
  if (token == "|") return kBitOr;
  return kRelational;
}

std::string IntegerLiteral(DType type, int64_t value) {
  switch (type) {
    case DType::kBool: return value != 0 ? "true" : "false";
    case DType::kU32: return absl::StrCat(static_cast<uint32_t>(value), "u");
    case DType::kU64: return absl::StrCat(static_cast<uint64_t>(value), "ull");
    case DType::kI64:
      if (value == std::numeric_limits<int64_t>::min()) return "(-9223372036854775807ll - 1)";
      return absl::StrCat(value, "ll");
    case DType::kI32:
      if (value == std::numeric_limits<int32_t>::min()) return "(-2147483647 - 1)";
      return absl::StrCat(value);
    default: return absl::StrCat("(", Absl(ir::Info(type).cuda), ")(", value, ")");
  }
}

// The shortest decimal that reads back as the same f32.
std::string F32Literal(float value) {
  if (std::isnan(value)) return "__int_as_float(0x7fffffff)";
  if (std::isinf(value))
    return value < 0 ? "-__int_as_float(0x7f800000)" : "__int_as_float(0x7f800000)";
  std::string text;
  for (int digits = 1; digits <= std::numeric_limits<float>::max_digits10; ++digits) {
    text = absl::StrFormat("%.*g", digits, value);
    if (std::strtof(text.c_str(), nullptr) == value) break;
  }
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

bool LogicalKind(ExprKind kind) { return kind == ExprKind::kAnd || kind == ExprKind::kOr; }

}  // namespace

std::string KernelEmitter::TypeText(const ir::Type& type) const {
  const std::string scalar(ir::Info(type.dtype).cuda);
  if (type.is_scalar()) return scalar;
  if (type.is_fragment()) return FragmentText(type);
  Require(type.is_array() && type.shape.size() == 1, "register arrays have one extent");
  return absl::StrCat("cake::array<", scalar, ", ", type.shape[0], ">");
}

std::string KernelEmitter::Operand(ir::ExprId id, int at_least) {
  const Text text = Expression(id);
  return text.precedence < at_least ? absl::StrCat("(", text.code, ")") : text.code;
}

Text KernelEmitter::Literal(const ir::Expr& expr) {
  if (expr.kind == ExprKind::kInt) {
    return {IntegerLiteral(expr.type.dtype, expr.int_value),
            expr.int_value < 0 || IsNarrow(expr.type.dtype) ? kPrefix : kPrimary};
  }
  if (expr.type.dtype == DType::kF32 || expr.type.dtype == DType::kTF32) {
    const auto value = static_cast<float>(expr.float_value);
    return {F32Literal(value), std::signbit(value) ? kPrefix : kPrimary};
  }
  const ir::DTypeInfo& info = ir::Info(expr.type.dtype);
  const uint64_t bits = ir::EncodeFloat(expr.type.dtype, expr.float_value);
  const std::string_view suffix = info.bits == 64 ? "ull" : info.bits == 32 ? "u" : "";
  return {absl::StrFormat("%s{0x%0*x%s}", std::string(info.cuda), info.bits / 4, bits,
                          std::string(suffix))};
}

Text KernelEmitter::Builtin(ir::BuiltinValue value) {
  used_.insert(value);
  return {builtins_.at(value)};
}

Text KernelEmitter::OperatorText(const ir::Expr& expr) {
  const bool binary = expr.args.size() == 2;
  const int precedence = binary ? PrecedenceOf(expr.op->name) : kPrefix;
  std::vector<std::string> args;
  args.push_back(Operand(expr.args[0], precedence));
  if (binary) args.push_back(Operand(expr.args[1], precedence + 1));
  // `--x` and `- -x` are different things in C++.
  if (!binary && args[0][0] == expr.op->name[0]) args[0] = absl::StrCat("(", args[0], ")");
  const std::string code = expr.op->lower({.name = expr.op->name,
                                           .args = args,
                                           .operand_type = program_[expr.args[0]].type.dtype,
                                           .result_type = expr.type.dtype,
                                           .modifiers = expr.modifiers,
                                           .width = expr.width,
                                           .ftz = kernel_.numerics_ftz});
  const std::string plain = binary ? absl::StrCat(args[0], " ", Absl(expr.op->name), " ", args[1])
                                   : absl::StrCat(Absl(expr.op->name), args[0]);
  return {code, code == plain ? precedence : kPrefix};
}

Text KernelEmitter::Operation(const ir::Expr& expr) {
  Require(expr.op != nullptr && expr.op->lower != nullptr, "an instruction with a lowering");
  if (expr.type.is_fragment()) return FragmentOperation(expr);
  if (expr.op->result != ir::ResultRule::kPair && expr.type.is_array()) {
    const std::string name = Fresh(hint_ + "_out");
    Elementwise(expr, name);
    return {name};
  }
  const ir::Type& operand = program_[expr.args[0]].type;
  if (ConvertsValues(expr) &&
      (operand.is_array() || ir::IsPacked(operand.dtype) || ir::IsPacked(expr.type.dtype))) {
    return ConvertToOne(expr);
  }
  if (expr.op->form == ir::Form::kOperator) return OperatorText(expr);
  size_t operands = expr.args.size();
  if (expr.op->width_arg && operands == expr.op->args.size()) --operands;
  std::vector<std::string> args;
  for (size_t i = 0; i < operands; ++i) args.push_back(Operand(expr.args[i], kLogicalOr));
  std::string code = expr.op->lower({.name = expr.op->name,
                                     .args = args,
                                     .operand_type = program_[expr.args[0]].type.dtype,
                                     .result_type = expr.type.dtype,
                                     .modifiers = expr.modifiers,
                                     .width = expr.width,
                                     .ftz = kernel_.numerics_ftz});
  if (expr.op->effects.copy == ir::CopyEffect::kLaunchCancel) code = LoggedTicket(expr, code);
  // C++ functions of ints give ints: templates around must see the type that the program says.
  const bool scalar = expr.op->result != ir::ResultRule::kPair;
  if (scalar && IsNarrow(expr.type.dtype) && code.front() != '(' && code.find("cake::") != 0) {
    code = absl::StrCat("(", Absl(ir::Info(expr.type.dtype).cuda), ")(", code, ")");
  }
  return {code, code.front() == '(' ? kPrefix : kPrimary};
}

bool KernelEmitter::IsElementwise(ir::ExprId id) const {
  const ir::Expr& expr = program_[id];
  return expr.kind == ExprKind::kOp && expr.type.is_array() &&
         expr.op->result != ir::ResultRule::kPair;
}

// Declares `name` and fills it: op(array, ..) element by element.
void KernelEmitter::Elementwise(const ir::Expr& expr, const std::string& name) {
  if (ConvertsValues(expr)) return ConvertInto(expr, name);
  names_.Open();  // an operand may name a variable of the author's called e
  const std::string e = Fresh("e");
  names_.Close();
  std::vector<std::string> args;
  for (const ir::ExprId arg : expr.args) {
    const bool array = program_[arg].type.is_array();
    std::string code = Operand(arg, kLogicalOr);
    if (array && code.find_first_of("(.[ ") != std::string::npos) {
      const std::string source = Fresh(hint_ + "_in");
      out_.Line(
          absl::StrCat("const ", TypeText(program_[arg].type), " ", source, " = ", code, ";"));
      code = source;
    }
    args.push_back(array ? absl::StrCat(code, "[", e, "]") : code);
  }
  out_.Line(absl::StrCat(TypeText(expr.type), " ", name, ";"));
  const std::string element = expr.op->lower({.name = expr.op->name,
                                              .args = args,
                                              .operand_type = program_[expr.args[0]].type.dtype,
                                              .result_type = expr.type.dtype,
                                              .modifiers = expr.modifiers,
                                              .width = expr.width,
                                              .ftz = kernel_.numerics_ftz});
  out_.Line("#pragma unroll");
  out_.Line(absl::StrCat("for (int ", e, " = 0; ", e, " < ", expr.type.shape[0], "; ++", e, ") ",
                         name, "[", e, "] = ", element, ";"));
}

Text KernelEmitter::Array(const ir::Expr& expr) {
  std::vector<std::string> elements;
  for (const ir::ExprId arg : expr.args) elements.push_back(Code(arg));
  const ir::ExprKind kind = program_[expr.args[0]].kind;
  const bool literals = kind == ExprKind::kInt || kind == ExprKind::kFloat;
  const bool same = std::all_of(expr.args.begin(), expr.args.end(),
                                [&](ir::ExprId arg) { return arg == expr.args[0]; }) ||
                    (literals && std::count(elements.begin(), elements.end(), elements[0]) ==
                                     static_cast<std::ptrdiff_t>(elements.size()));
  if (same && elements.size() > 1) {
    return {absl::StrCat("cake::splat<", Absl(ir::Info(expr.type.dtype).cuda), ", ",
                         elements.size(), ">(", elements[0], ")")};
  }
  return {absl::StrCat(TypeText(expr.type), "{", absl::StrJoin(elements, ", "), "}")};
}

Text KernelEmitter::Expression(ir::ExprId id) {
  const ir::Expr& expr = program_[id];
  switch (expr.kind) {
    case ExprKind::kInt:
    case ExprKind::kFloat: return Literal(expr);
    case ExprKind::kSymbol: return {symbols_[static_cast<size_t>(expr.symbol)]};
    case ExprKind::kBuiltin: return Builtin(expr.builtin);
    case ExprKind::kLocal: return {locals_.at(expr.local)};
    case ExprKind::kElement: {
      if (expr.args.size() == 3) return FragmentElement(expr);
      Require(expr.args.size() == 2, "register arrays have one index");
      return {absl::StrCat(Operand(expr.args[0], kPrimary), "[", Code(expr.args[1]), "]")};
    }
    case ExprKind::kArray: return Array(expr);
    case ExprKind::kOp: return Operation(expr);
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      const bool both = expr.kind == ExprKind::kAnd;
      const int precedence = both ? kLogicalAnd : kLogicalOr;
      std::string sides[2];
      for (size_t i = 0; i < 2; ++i) {
        // && inside || is right as it is, but compilers and readers ask for the parentheses.
        const bool mixed =
            LogicalKind(program_[expr.args[i]].kind) && program_[expr.args[i]].kind != expr.kind;
        sides[i] = Operand(expr.args[i], mixed ? kBitOr : precedence);
      }
      return {absl::StrCat(sides[0], both ? " && " : " || ", sides[1]), precedence};
    }
    case ExprKind::kLoad: return expr.type.is_array() ? VectorLoad(expr) : Load(expr);
    case ExprKind::kPair:
      return {absl::StrCat(Code(expr.args[0]), expr.int_value == 0 ? ".value" : ".index")};
    case ExprKind::kTest: return Test(expr);
    case ExprKind::kRow:
    case ExprKind::kColumn: return Coordinate(expr);
    case ExprKind::kAtomic: return Atomic(expr);
  }
  Unreachable("expression kind");
}

// Whether the value is the same wherever it is evaluated between here and the end of the scope.
bool KernelEmitter::IsStable(ir::ExprId id) const {
  const ir::Expr& expr = program_[id];
  switch (expr.kind) {
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kSymbol:
    case ExprKind::kBuiltin: return true;
    case ExprKind::kLocal: return !kernel_.locals[static_cast<size_t>(expr.local)].is_var;
    case ExprKind::kOp:
      return !expr.op->effects.collective && expr.type.is_scalar() &&
             std::all_of(expr.args.begin(), expr.args.end(),
                         [&](ir::ExprId arg) { return IsStable(arg); });
    default: return false;
  }
}

}  // namespace compiler::emit
