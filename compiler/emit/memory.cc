// Addresses, loads and stores.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"

namespace compiler::emit {
namespace {

using ir::DType;

constexpr int64_t kMaxInt = 2147483647;

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

// a + b of index texts; "0" disappears.
std::string Sum(const std::string& a, const std::string& b) {
  if (a == "0") return b;
  if (b == "0") return a;
  return absl::StrCat(a, " + ", b);
}

}  // namespace

ir::DType KernelEmitter::BufferType(const ir::View& view) const {
  if (view.space == ir::Space::kShared)
    return kernel_.shared[static_cast<size_t>(view.shared)].dtype;
  return program_[view.tensor].dtype;
}

std::string KernelEmitter::BufferName(const ir::View& view) {
  if (view.space == ir::Space::kShared) {
    used_shared_.insert(view.shared);
    return shared_[static_cast<size_t>(view.shared)];
  }
  return tensors_[static_cast<size_t>(view.tensor)];
}

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

// Whether every element of the tensor has an index below 2^31, by the declared ranges.
bool KernelEmitter::Fits32(const ir::View& view) const {
  const ir::Tensor& tensor = program_[view.tensor];
  if (tensor.declared_strides) return false;
  int64_t elements = 1;
  for (const ir::ExprId extent : tensor.shape) {
    const auto range = Range(extent);
    if (!range || range->high < 0 || range->high > kMaxInt) return false;
    elements *= std::max<int64_t>(range->high, 1);
    if (elements > kMaxInt) return false;
  }
  return true;
}

std::string KernelEmitter::GlobalIndex(const ir::View& view,
                                       const std::vector<std::string>& offsets) {
  const ir::Tensor& tensor = program_[view.tensor];
  const auto offset_of = [&](size_t d) {
    const ir::ExprId id = view.index[d].offset;
    const std::string base = id == ir::ExprId::kNone ? "0" : Operand(id, kAdditive);
    return Sum(base, offsets[d]);
  };
  const bool narrow = Fits32(view);
  if (tensor.declared_strides) {
    std::string sum = "0";
    for (size_t d = 0; d < view.index.size(); ++d) {
      const std::string offset = offset_of(d);
      if (offset == "0") continue;
      const ir::Expr& stride = program_[tensor.strides[d]];
      const bool one = stride.kind == ir::ExprKind::kInt && stride.int_value == 1;
      sum = Sum(sum, one ? offset
                         : absl::StrCat("(long long)(", offset, ") * ",
                                        Operand(tensor.strides[d], kPrefix)));
    }
    return sum;
  }
  // ((i0 * n1 + i1) * n2 + i2): the first product widens to 64 bits, and all after it.
  std::string index = offset_of(0);
  bool wide = false;
  for (size_t d = 1; d < view.index.size(); ++d) {
    if (index != "0") {
      const bool simple = index.find(' ') == std::string::npos;
      std::string left = simple ? index : absl::StrCat("(", index, ")");
      if (!narrow && !wide) {
        left = absl::StrCat("(long long)", left);
        wide = true;
      }
      index = absl::StrCat(left, " * ", Operand(tensor.shape[d], kPrefix));
    }
    index = Sum(index, offset_of(d));
  }
  return index;
}

std::string KernelEmitter::SharedIndex(const ir::View& view,
                                       const std::vector<std::string>& offsets) {
  const auto number = static_cast<size_t>(view.shared);
  const ir::SharedBuffer& buffer = kernel_.shared[number];
  const facts::SharedPlacement& place = facts_.shared[number];
  const int64_t bytes = BytesOf(buffer.dtype);
  const bool swizzled = buffer.form == ir::SharedForm::kSwizzle;
  const int64_t panel = swizzled ? buffer.form_amount / bytes : 0;  // elements of a panel's row
  const bool panels = swizzled && panel < buffer.shape.back();
  std::string index = "0";
  std::string column = "0";
  for (size_t d = 0; d < view.index.size(); ++d) {
    const ir::ExprId id = view.index[d].offset;
    const bool last = d + 1 == view.index.size();
    int64_t stride = place.strides[d];
    if (panels) stride = last ? 1 : stride / buffer.shape.back() * panel;
    const std::string base =
        id == ir::ExprId::kNone ? "0" : Operand(id, stride == 1 ? kAdditive : kMultiplicative);
    std::string offset = Sum(base, offsets[d]);
    if (panels && last) {
      column = offset;
      continue;
    }
    if (stride != 1 && offset != "0") {
      const bool sum = base != "0" && offsets[d] != "0";
      offset = absl::StrCat(sum ? absl::StrCat("(", offset, ")") : offset, " * ", stride);
    }
    index = Sum(index, offset);
  }
  if (panels && column != "0") {
    const int64_t rows = place.strides[0] * buffer.shape[0] / buffer.shape.back();
    index = Sum(index, absl::StrCat("(", column, ") / ", panel, " * ", rows * panel, " + (", column,
                                    ") % ", panel));
  }
  if (swizzled) {
    index = absl::StrCat("cake::swizzle<", buffer.form_amount, ", ", bytes, ">(", index, ")");
  }
  if (view.stage == ir::ExprId::kNone) return index;
  std::string stage = Operand(view.stage, kMultiplicative);
  if (buffer.stages == 1) return index;
  stage = absl::StrCat(stage, " % ", buffer.stages, " * ", place.stage_bytes / bytes);
  return Sum(stage, index);
}

std::string KernelEmitter::Index(const ir::View& view, const std::vector<std::string>& offsets) {
  Require(view.remote == ir::ExprId::kNone, "access inside the CTA");
  return view.space == ir::Space::kShared ? SharedIndex(view, offsets) : GlobalIndex(view, offsets);
}

std::string KernelEmitter::Address(const ir::View& view, const std::vector<std::string>& offsets) {
  std::vector<std::string> all = offsets;
  all.resize(view.index.size(), "0");
  return absl::StrCat(BufferName(view), "[", Index(view, all), "]");
}

ir::ExprId KernelEmitter::Extent(const ir::View& view, size_t dimension) const {
  return program_[view.tensor].shape[dimension];
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
    const bool builtin = vector == 1 && type != DType::kBool && type != DType::kF16 &&
                         type != DType::kBF16;  // CUDA has the function for its own types
    function = builtin ? "__ldg" : "cake::load_nc";
  } else if (vector > 1) {
    function = "cake::load";
  } else {
    return place;
  }
  if (vector > 1) absl::StrAppend(&function, "<", vector, ">");
  return absl::StrCat(function, "(&", place, ")");
}

Text KernelEmitter::Load(const ir::Expr& expr) {
  const ir::View& view = program_[expr.view];
  if (expr.args.empty()) return {LoadCall(expr, {}, 1)};
  const std::string condition = InBounds(view);
  if (condition.empty()) return {LoadCall(expr, {}, 1)};
  // Only one arm of ?: is evaluated: the access is not made where it would be out of bounds.
  return {
      absl::StrCat(condition, " ? ", LoadCall(expr, {}, 1), " : ", Operand(expr.args[0], kTernary)),
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
  // One element makes an array too, but a word of it is the element itself.
  if (one_access && condition.empty() && count > 1) return {LoadCall(expr, {}, count)};
  const std::string name = Fresh(hint_ + "_in");
  out_.Line(absl::StrCat(TypeText(expr.type), " ", name, ";"));
  if (!condition.empty()) out_.Open(absl::StrCat("if (", condition, ") {"));
  if (one_access && count > 1) {
    out_.Line(absl::StrCat(name, " = ", LoadCall(expr, {}, count), ";"));
  } else {
    const auto offsets = ElementOffsets(view);
    for (size_t e = 0; e < offsets.size(); ++e) {
      out_.Line(absl::StrCat(name, "[", e, "] = ", LoadCall(expr, offsets[e], 1), ";"));
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
  if (count == 1) {
    const std::string value = Code(stmt.value);
    put({}, type.is_array() ? absl::StrCat("(", value, ")[0]") : value);
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
