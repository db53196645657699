// Fragments as register arrays: types, elements, coordinates, conversions.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/emit/fragment_part.h"
#include "compiler/emit/require.h"

namespace compiler::emit {
namespace {

using ir::DType;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

// `text` is a number, or an operand that binds like a product.
std::string Times(const std::string& text, int64_t factor) {
  return factor == 1 ? text : absl::StrCat(text, " * ", factor);
}

std::string LanePart(const ir::AxisMap& axis, const std::string& lane) {
  const bool all = axis.lane_divisor * axis.lane_values == ir::kLanes;
  std::string part = lane;
  if (axis.lane_divisor > 1) absl::StrAppend(&part, " / ", axis.lane_divisor);
  if (!all) absl::StrAppend(&part, " % ", axis.lane_values);
  return Times(part, axis.pack);
}

// Two floats to the halves of a word in one instruction (PTX ISA, cvt.rn.bf16x2.f32).
bool PacksInOne(const ir::Type& to, const ir::Expr& expr, DType from) {
  const bool plain =
      expr.modifiers.size() == 1 || (expr.modifiers.size() == 2 && expr.modifiers[1] == "rn");
  return expr.op->algebra == ir::Algebra::kConvert && plain && from == DType::kF32 &&
         (to.dtype == DType::kBF16 || to.dtype == DType::kF16);
}

}  // namespace

bool IsTile(const ir::Type& type) {
  const ir::DTypeInfo& info = ir::Info(type.dtype);
  return info.bits == 32 && info.computes;
}

std::string KernelEmitter::FragmentText(const ir::Type& type) const {
  Require(ir::FindForm(type.form) != nullptr, "fragment form of this build");
  const ir::FragmentMap map = ir::MapOf(type);
  const absl::string_view element = Absl(ir::Info(type.dtype).cuda);
  if (IsTile(type)) {
    return absl::StrCat("cake::tile<", element, ", ", map.row_count, ", ", map.column_count, ">");
  }
  return absl::StrCat(map.packs_rows ? "cake::fragment_b<" : "cake::fragment<", element, ", ",
                      map.row_count, ", ", map.column_count, ">");
}

Text KernelEmitter::FragmentElement(const ir::Expr& expr) {
  const std::string name = Operand(expr.args[0], kPrimary);
  const std::string row = Code(expr.args[1]);
  const std::string column = Code(expr.args[2]);
  if (IsTile(program_[expr.args[0]].type)) return {absl::StrCat(name, "[", row, "][", column, "]")};
  return {absl::StrCat(name, ".get(", row, ", ", column, ")")};
}

Text KernelEmitter::Coordinate(const ir::Expr& expr) {
  const ir::FragmentMap map = ir::MapOf(FragmentType(expr.local));
  if (FragmentType(expr.local).form.starts_with("tmem.")) return TensorCoordinate(expr);
  const ir::AxisMap& axis = expr.kind == ir::ExprKind::kRow ? map.rows : map.columns;
  std::string lane = LanePart(axis, Builtin(ir::BuiltinValue::kLane).code);
  if (axis.warp_stride != 0) lane = Sum(lane, BandText(axis));
  const ir::Expr& index = program_[expr.args[0]];
  if (index.kind == ir::ExprKind::kInt) {
    return {Sum(lane, absl::StrCat(axis.Coordinate(index.int_value, 0))), kAdditive};
  }
  const std::string i = Operand(expr.args[0], kPrefix);
  std::string text;
  const ir::Type& type = FragmentType(expr.local);
  if (axis.warp_stride != 0 && type.shape[0] == axis.tile) {
    text = Times(i, axis.repeat_stride);
  } else if (axis.warp_stride != 0) {
    text = absl::StrCat(i, " / ", axis.repeats, " * ", axis.tile, " + ", i, " % ", axis.repeats,
                        " * ", axis.repeat_stride);
  } else if (axis.pack == 1 &&
             axis.repeats * std::max<int64_t>(axis.repeat_stride, 1) == axis.tile) {
    text = Times(i, axis.repeat_stride);
  } else if (axis.pack == 1 && axis.repeats == 1) {
    text = Times(i, axis.tile);
  } else {
    Require(axis.repeats == 1, "axis of packed elements");
    text = absl::StrCat(i, " / ", axis.pack, " * ", axis.tile, " + ", i, " % ", axis.pack);
  }
  return {absl::StrCat(lane, " + ", text), kAdditive};
}

// Where the band of this warp begins in a tile of its warpgroup.
std::string KernelEmitter::BandText(const ir::AxisMap& axis) {
  const std::string warp = Builtin(ir::BuiltinValue::kWarp).code;
  return absl::StrCat(warp, " % ", ir::kWarpgroupWarps, " * ", axis.warp_stride);
}

// The conversion of a fragment that has no name yet.
Text KernelEmitter::FragmentOperation(const ir::Expr& expr) {
  const std::string name = Fresh(hint_ + "_out");
  out_.Line(absl::StrCat(FragmentText(expr.type), " ", name, ";"));
  ConvertFragment(name, expr.type, expr);
  return {name};
}

void KernelEmitter::AssignFragment(const std::string& name, const ir::Type& type,
                                   ir::ExprId value) {
  const ir::Expr& expr = program_[value];
  if (expr.type.is_scalar()) {
    out_.Line(absl::StrCat("cake::fill(", name, ", ", Code(value), ");"));
  } else if (expr.kind == ir::ExprKind::kOp) {
    ConvertFragment(name, type, expr);
  } else {
    out_.Line(absl::StrCat(name, " = ", Code(value), ";"));
  }
}

void KernelEmitter::ConvertFragment(const std::string& name, const ir::Type& type,
                                    const ir::Expr& expr) {
  Require(expr.args.size() == 1, "conversion of a fragment");
  const ir::Type& from = program_[expr.args[0]].type;
  const std::string source = Code(expr.args[0]);
  const ir::FragmentMap map = ir::MapOf(type);
  const bool pairs = PacksInOne(type, expr, from.dtype) && !map.packs_rows;
  names_.Open();
  const std::string r = Fresh("r");
  const std::string e = Fresh("e");
  const auto element = [&](const std::string& column) {
    return absl::StrCat(source, IsTile(from) ? "[" : ".get(", r, IsTile(from) ? "][" : ", ", column,
                        IsTile(from) ? "]" : ")");
  };
  out_.Line("#pragma unroll");
  out_.Open(absl::StrCat("for (int ", r, " = 0; ", r, " < ", map.row_count, "; ++", r, ") {"));
  out_.Line("#pragma unroll");
  out_.Open(absl::StrCat("for (int ", e, " = 0; ", e, " < ", map.column_count, "; ",
                         pairs ? absl::StrCat(e, " += 2") : absl::StrCat("++", e), ") {"));
  if (pairs) {
    out_.Line(absl::StrCat(name, ".reg[", r, "][", e, " / 2] = cake::pack_",
                           Absl(ir::ToString(type.dtype)), "(", element(e), ", ",
                           element(e + " + 1"), ");"));
  } else {
    const std::vector<std::string> args{element(e)};
    const std::string value = expr.op->lower({.name = expr.op->name,
                                              .args = args,
                                              .operand_type = from.dtype,
                                              .result_type = type.dtype,
                                              .modifiers = expr.modifiers,
                                              .width = expr.width,
                                              .ftz = kernel_.numerics_ftz});
    out_.Line(IsTile(type) ? absl::StrCat(name, "[", r, "][", e, "] = ", value, ";")
                           : absl::StrCat(name, ".set(", r, ", ", e, ", ", value, ");"));
  }
  out_.Close();
  out_.Close();
  names_.Close();
}

}  // namespace compiler::emit
