// Loads and stores.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"

namespace compiler::emit {
namespace {

using ir::DType;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

int64_t BytesOf(DType type) { return std::max(1, ir::Info(type).bits / 8); }

bool IsWord(int64_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The cache hint or `volatile` of an access, or nothing. Hints mean nothing in shared memory.
std::string_view AccessWord(const std::vector<std::string_view>& modifiers, ir::Space space) {
  for (const std::string_view word : modifiers) {
    if (word == "volatile") return word;
    if (space == ir::Space::kGlobal &&
        IsOneOf(word, {"cached", "streaming", "last_use", "evict_first", "evict_last"})) {
      return word;
    }
  }
  return {};
}

}  // namespace

int64_t KernelEmitter::SliceElements(const ir::View& view) const {
  int64_t elements = 1;
  for (const ir::ViewIndex& index : view.index) {
    if (!index.is_slice) continue;
    const ir::Expr& extent = program_[index.extent];
    Require(extent.kind == ir::ExprKind::kInt, "constant extent of an access");
    elements *= extent.int_value;
  }
  return elements;
}

// Whether the slice is one run of elements that one instruction can move.
bool KernelEmitter::Contiguous(const ir::View& view) const {
  for (size_t d = 0; d + 1 < view.index.size(); ++d) {
    const ir::ViewIndex& index = view.index[d];
    if (index.is_slice && program_[index.extent].int_value != 1) return false;
  }
  if (view.space == ir::Space::kGlobal && program_[view.tensor].declared_strides) {
    const ir::Expr& stride = program_[program_[view.tensor].strides.back()];
    if (stride.kind != ir::ExprKind::kInt || stride.int_value != 1) return false;
  }
  return IsWord(SliceElements(view) * BytesOf(BufferType(view)));
}

std::string KernelEmitter::InBounds(const ir::View& view) {
  std::vector<std::string> conditions;
  for (size_t d = 0; d < view.index.size(); ++d) {
    const ir::ViewIndex& index = view.index[d];
    if (index.offset == ir::ExprId::kNone) continue;
    std::string extent;
    std::optional<Interval> bound;
    if (view.space == ir::Space::kShared) {
      const int64_t size = kernel_.shared[static_cast<size_t>(view.shared)].shape[d];
      extent = absl::StrCat(size);
      bound = Interval{size, size};
    } else {
      extent = Operand(Extent(view, d), kShift);
      bound = Range(Extent(view, d));
    }
    const int64_t count = index.is_slice ? program_[index.extent].int_value : 1;
    const auto range = Range(index.offset);
    if (range && bound && range->low >= 0 && range->high + count <= bound->low) continue;
    if (range && range->low >= 0 && count == 1) {
      conditions.push_back(absl::StrCat(Operand(index.offset, kShift), " < ", extent));
    } else {
      conditions.push_back(absl::StrCat("cake::inside(", Code(index.offset), ", ", extent,
                                        count == 1 ? "" : absl::StrCat(", ", count), ")"));
    }
  }
  return absl::StrJoin(conditions, " && ");
}

std::string KernelEmitter::LoadCall(const ir::Expr& expr, const std::vector<std::string>& offsets,
                                    int64_t vector) {
  const ir::View& view = program_[expr.view];
  const std::string place = Address(view, offsets);
  const std::string_view word = AccessWord(expr.modifiers, view.space);
  std::string function;
  if (!word.empty()) {
    function = absl::StrCat("cake::load_", Absl(word));
  } else if (view.space == ir::Space::kGlobal && ReadOnly(view.tensor)) {
    const DType type = BufferType(view);
    const bool builtin = vector == 0 && type != DType::kBool && type != DType::kF16 &&
                         type != DType::kBF16;  // CUDA has the function for its own types
    function = builtin ? "__ldg" : "cake::load_nc";
  } else if (vector > 0) {
    function = "cake::load";
  } else {
    return place;
  }
  if (vector > 0) absl::StrAppend(&function, "<", vector, ">");
  return absl::StrCat(function, "(&", place, ")");
}

Text KernelEmitter::Load(const ir::Expr& expr) {
  const ir::View& view = program_[expr.view];
  if (expr.args.empty()) return {LoadCall(expr, {}, 0)};
  const std::string condition = InBounds(view);
  if (condition.empty()) return {LoadCall(expr, {}, 0)};
  // Only one arm of ?: is evaluated: the access is not made where it would be out of bounds.
  return {
      absl::StrCat(condition, " ? ", LoadCall(expr, {}, 0), " : ", Operand(expr.args[0], kTernary)),
      kTernary};
}

// Offsets of every element of a slice, row-major, one text a dimension.
std::vector<std::vector<std::string>> KernelEmitter::ElementOffsets(const ir::View& view) const {
  std::vector<std::vector<std::string>> all{{}};
  for (const ir::ViewIndex& index : view.index) {
    const int64_t count = index.is_slice ? program_[index.extent].int_value : 1;
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& prefix : all) {
      for (int64_t e = 0; e < count; ++e) {
        longer.push_back(prefix);
        longer.back().push_back(absl::StrCat(e));
      }
    }
    all = std::move(longer);
  }
  return all;
}

Text KernelEmitter::VectorLoad(const ir::Expr& expr) {
  const ir::View& view = program_[expr.view];
  const int64_t count = SliceElements(view);
  const bool one_access = Contiguous(view);
  const std::string condition = expr.args.empty() ? std::string() : InBounds(view);
  if (one_access && condition.empty()) return {LoadCall(expr, {}, count)};
  const std::string name = Fresh(hint_ + "_in");
  out_.Line(absl::StrCat(TypeText(expr.type), " ", name, ";"));
  if (!condition.empty()) out_.Open(absl::StrCat("if (", condition, ") {"));
  if (one_access) {
    out_.Line(absl::StrCat(name, " = ", LoadCall(expr, {}, count), ";"));
  } else {
    const auto offsets = ElementOffsets(view);
    for (size_t e = 0; e < offsets.size(); ++e) {
      out_.Line(absl::StrCat(name, "[", e, "] = ", LoadCall(expr, offsets[e], 0), ";"));
    }
  }
  if (!condition.empty()) {
    out_.Middle("} else {");
    out_.Line(absl::StrCat(name, " = ", ArrayValue(expr.args[0], expr.type), ";"));
    out_.Close();
  }
  return {name};
}

// The value as a register array of `type`: a scalar goes to every element.
std::string KernelEmitter::ArrayValue(ir::ExprId value, const ir::Type& type) {
  const std::string code = Code(value);
  if (!program_[value].type.is_scalar()) return code;
  return absl::StrCat("cake::splat<", Absl(ir::Info(type.dtype).cuda), ", ", type.shape[0], ">(",
                      code, ")");
}

void KernelEmitter::Store(const ir::Stmt& stmt) {
  const ir::View& view = program_[stmt.destination];
  hint_ = BufferName(view);
  const std::string_view word = AccessWord(stmt.modifiers, view.space);
  const std::string function =
      word.empty() ? "cake::store" : absl::StrCat("cake::store_", Absl(word));
  const ir::Type& type = program_[stmt.value].type;
  const int64_t count = SliceElements(view);
  const auto put = [&](const std::vector<std::string>& offsets, const std::string& value) {
    const std::string place = Address(view, offsets);
    out_.Line(word.empty() ? absl::StrCat(place, " = ", value, ";")
                           : absl::StrCat(function, "(&", place, ", ", value, ");"));
  };
  if (count == 1 && type.is_scalar()) {
    put({}, Code(stmt.value));
    return;
  }
  const ir::Type array{.dtype = BufferType(view), .shape = {count}};
  const std::string value = ArrayValue(stmt.value, array);
  if (Contiguous(view)) {
    out_.Line(absl::StrCat(function, "(&", Address(view, {}), ", ", value, ");"));
    return;
  }
  const std::string name = Fresh(hint_ + "_out");
  out_.Line(absl::StrCat("const ", TypeText(array), " ", name, " = ", value, ";"));
  const auto offsets = ElementOffsets(view);
  for (size_t e = 0; e < offsets.size(); ++e) put(offsets[e], absl::StrCat(name, "[", e, "]"));
}

}  // namespace compiler::emit
