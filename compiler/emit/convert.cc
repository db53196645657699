// Conversions that take or give several registers: packing, unpacking, whole arrays. Where the
// hardware converts two numbers in one instruction, so does the text.
#include "absl/strings/str_cat.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"
#include "compiler/ir/packed.h"

namespace compiler::emit {
namespace {

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

int64_t Elements(const ir::Type& type) { return type.is_array() ? type.shape[0] : 1; }

// The index of element `offset` of group `e` of `size`; a number where the group is known.
std::string IndexText(std::string_view group, int64_t size, int64_t offset) {
  if (group.empty()) return absl::StrCat(offset);
  std::string text = size == 1 ? std::string(group) : absl::StrCat(size, " * ", Absl(group));
  return offset == 0 ? text : absl::StrCat(text, " + ", offset);
}

}  // namespace

// How many numbers of the operand become one step of the conversion.
KernelEmitter::Grouping KernelEmitter::GroupingOf(const ir::Expr& expr) const {
  const ir::Type& from = program_[expr.args[0]].type;
  const int64_t numbers = Elements(from) * ir::HalvesOf(from.dtype);
  Grouping grouping{.numbers = numbers, .packed_in = ir::IsPacked(from.dtype)};
  grouping.packed_out = ir::IsPacked(expr.type.dtype);
  // An entry whose numbers do not convert in pairs has no text for two.
  grouping.pairs = numbers % 2 == 0 && !ConvertText(expr, {"a", "b"}).empty();
  return grouping;
}

bool KernelEmitter::ConvertsValues(const ir::Expr& expr) const {
  return expr.kind == ir::ExprKind::kOp && expr.op->result == ir::ResultRule::kFromModifier;
}

// The operand's elements as texts: a written array is taken apart, anything else is named.
KernelEmitter::Source KernelEmitter::SourceOf(const ir::Expr& expr) {
  const ir::ExprId arg = expr.args[0];
  const ir::Expr& value = program_[arg];
  Source source;
  if (value.kind == ir::ExprKind::kArray) {
    for (const ir::ExprId element : value.args) {
      source.elements.push_back(Operand(element, kLogicalOr));
    }
    return source;
  }
  source.is_array = value.type.is_array();
  source.name = Operand(arg, kPrimary);
  if (source.name.find_first_of("(.[ ") != std::string::npos) {
    const std::string kept = Fresh(hint_ + "_in");
    out_.Line(absl::StrCat("const ", TypeText(value.type), " ", kept, " = ", source.name, ";"));
    source.name = kept;
  }
  return source;
}

// Number `n` of the step, of an unpacked type.
std::string KernelEmitter::NumberText(const Source& source, const ir::Type& from,
                                      std::string_view group, int64_t step, int64_t n) const {
  const int64_t halves = ir::HalvesOf(from.dtype);
  const int64_t element = n / halves;
  std::string text;
  if (!source.elements.empty()) {
    text = source.elements[static_cast<size_t>(element)];
  } else if (source.is_array) {
    text = absl::StrCat(source.name, "[", IndexText(group, step / halves, element), "]");
  } else {
    text = source.name;
  }
  if (halves == 1) return text;
  return absl::StrCat("cake::", Absl(ir::ToString(from.dtype)), n % 2 == 0 ? "_low(" : "_high(",
                      text, ")");
}

std::string KernelEmitter::ConvertText(const ir::Expr& expr, std::vector<std::string> args) const {
  return expr.op->lower({.name = expr.op->name,
                         .args = args,
                         .operand_type = ir::ElementOf(program_[expr.args[0]].type.dtype),
                         .result_type = expr.type.dtype,
                         .modifiers = expr.modifiers,
                         .width = expr.width,
                         .ftz = kernel_.numerics_ftz});
}

// One step of the conversion: numbers from `first` on of each group to the elements of `name`.
void KernelEmitter::ConvertStep(const ir::Expr& expr, const Source& source,
                                const Grouping& grouping, const std::string& name,
                                std::string_view group, int64_t step, int64_t first) {
  const ir::Type& from = program_[expr.args[0]].type;
  const auto number = [&](int64_t n) { return NumberText(source, from, group, step, first + n); };
  if (!grouping.pairs) {
    for (int64_t n = 0; n < step; ++n) {
      out_.Line(absl::StrCat(name, "[", IndexText(group, step, first + n),
                             "] = ", ConvertText(expr, {number(n)}), ";"));
    }
    return;
  }
  const std::string pair = ConvertText(expr, {number(0), number(1)});
  if (grouping.packed_out) {
    out_.Line(absl::StrCat(name, "[", IndexText(group, 1, first / 2), "] = ", pair, ";"));
  } else {
    out_.Line(
        absl::StrCat("cake::put(&", name, "[", IndexText(group, step, first), "], ", pair, ");"));
  }
}

// Declares `name` and fills it.
void KernelEmitter::ConvertInto(const ir::Expr& expr, const std::string& name) {
  if (expr.op->algebra != ir::Algebra::kConvert) {  // the bits as they are
    out_.Line(absl::StrCat("const ", TypeText(expr.type), " ", name, " = cake::bits_as<",
                           TypeText(expr.type), ">(", Code(expr.args[0]), ");"));
    return;
  }
  const Grouping grouping = GroupingOf(expr);
  const Source source = SourceOf(expr);
  out_.Line(absl::StrCat(TypeText(expr.type), " ", name, ";"));
  const int64_t step = grouping.pairs || grouping.packed_in ? 2 : 1;
  const int64_t groups = grouping.numbers / step;
  if (!source.elements.empty() || groups == 1) {
    for (int64_t g = 0; g < groups; ++g) {
      ConvertStep(expr, source, grouping, name, "", step, g * step);
    }
    return;
  }
  names_.Open();
  const std::string e = Fresh("e");  // a variable of the author's may be called e
  out_.Line("#pragma unroll");
  out_.Open(absl::StrCat("for (int ", e, " = 0; ", e, " < ", groups, "; ++", e, ") {"));
  ConvertStep(expr, source, grouping, name, e, step, 0);
  out_.Close();
  names_.Close();
}

// A conversion whose result is one register.
Text KernelEmitter::ConvertToOne(const ir::Expr& expr) {
  if (expr.op->algebra != ir::Algebra::kConvert) {
    return {absl::StrCat("cake::bits_as<", TypeText(expr.type), ">(", Code(expr.args[0]), ")")};
  }
  const ir::Type& from = program_[expr.args[0]].type;
  const Source source = SourceOf(expr);
  const auto number = [&](int64_t n) { return NumberText(source, from, "", 2, n); };
  return {ConvertText(expr, {number(0), number(1)})};
}

}  // namespace compiler::emit
