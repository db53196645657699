// Addresses: the index of an element in its tensor or buffer.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"

namespace compiler::emit {
namespace {

using ir::DType;

constexpr int64_t kMaxInt = 2147483647;

int64_t BytesOf(DType type) { return std::max(1, ir::Info(type).bits / 8); }

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
  if (view.space == ir::Space::kTmem) return kernel_.tmem[static_cast<size_t>(view.tmem)].dtype;
  return program_[view.tensor].dtype;
}

std::string KernelEmitter::BufferName(const ir::View& view) {
  if (view.space == ir::Space::kShared) {
    used_shared_.insert(view.shared);
    return shared_[static_cast<size_t>(view.shared)];
  }
  return tensors_[static_cast<size_t>(view.tensor)];
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

std::string KernelEmitter::GlobalIndex(const ir::View& view) {
  const ir::Tensor& tensor = program_[view.tensor];
  const auto offset_of = [&](size_t d) {
    const ir::ExprId id = view.index[d].offset;
    return id == ir::ExprId::kNone ? std::string("0") : Operand(id, kAdditive);
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

std::string KernelEmitter::SharedIndex(const ir::View& view, bool swizzled_address) {
  std::vector<Text> offsets;
  for (const ir::ViewIndex& index : view.index) {
    offsets.push_back(index.offset == ir::ExprId::kNone ? Text{"0"} : Expression(index.offset));
  }
  return SharedIndexOf(view, offsets, swizzled_address);
}

// Elements of a row of a panel, where the buffer's rows are cut into several; otherwise 0.
int64_t KernelEmitter::PanelOf(const ir::SharedBuffer& buffer) {
  if (buffer.form != ir::SharedForm::kSwizzle) return 0;
  const int64_t panel = buffer.form_amount / BytesOf(buffer.dtype);
  return panel < buffer.shape.back() ? panel : 0;
}

// Elements between neighbours of dimension `d`, which is not the last one where there are panels.
int64_t KernelEmitter::SharedStride(const ir::View& view, size_t d) const {
  const auto number = static_cast<size_t>(view.shared);
  const ir::SharedBuffer& buffer = kernel_.shared[number];
  const int64_t stride = facts_.shared[number].strides[d];
  const int64_t panel = PanelOf(buffer);
  return panel == 0 ? stride : stride / buffer.shape.back() * panel;
}

// The index of the element at `offsets`, one a dimension. A swizzle repeats after 8 rows of a
// panel, and stages begin where it does: the stage stands inside, so that nothing but the lane's
// bits is left to keep from one stage to the next.
std::string KernelEmitter::SharedIndexOf(const ir::View& view, const std::vector<Text>& offsets,
                                         bool swizzled_address) {
  const auto number = static_cast<size_t>(view.shared);
  const ir::SharedBuffer& buffer = kernel_.shared[number];
  const facts::SharedPlacement& place = facts_.shared[number];
  const int64_t bytes = BytesOf(buffer.dtype);
  const bool swizzled = buffer.form == ir::SharedForm::kSwizzle;
  const int64_t panel = PanelOf(buffer);
  const bool panels = panel != 0;
  std::string index = "0";
  std::string column = "0";
  for (size_t d = 0; d < view.index.size(); ++d) {
    const bool last = d + 1 == view.index.size();
    const int64_t stride = panels && last ? 1 : SharedStride(view, d);
    std::string offset = offsets[d].code;
    if (offsets[d].precedence < (stride == 1 ? kAdditive : kMultiplicative)) {
      offset = absl::StrCat("(", offset, ")");
    }
    if (panels && last) {
      column = offset;
      continue;
    }
    if (stride != 1 && offset != "0") absl::StrAppend(&offset, " * ", stride);
    index = Sum(index, offset);
  }
  if (panels && column != "0") {
    const int64_t rows = place.strides[0] * buffer.shape[0] / buffer.shape.back();
    index = Sum(index, absl::StrCat("(", column, ") / ", panel, " * ", rows * panel, " + (", column,
                                    ") % ", panel));
  }
  const auto finish = [&](const std::string& whole) {
    if (!swizzled || !swizzled_address) return whole;
    return absl::StrCat("cake::swizzle<", buffer.form_amount, ", ", bytes, ">(", whole, ")");
  };
  if (view.stage == ir::ExprId::kNone || buffer.stages == 1) return finish(index);
  const Text which = StageOf(view.stage, buffer.stages);
  std::string stage = which.code == "0" ? which.code
                                        : absl::StrCat(which.precedence < kMultiplicative
                                                           ? absl::StrCat("(", which.code, ")")
                                                           : which.code,
                                                       " * ", place.stage_bytes / bytes);
  return finish(Sum(stage, index));
}

std::string KernelEmitter::Place(const ir::View& view) {
  const bool shared = view.space == ir::Space::kShared;
  const std::string place =
      absl::StrCat(BufferName(view), "[", shared ? SharedIndex(view) : GlobalIndex(view), "]");
  if (view.remote == ir::ExprId::kNone) return place;
  return absl::StrCat("*cake::at_rank(&", place, ", ", Code(view.remote), ")");
}

ir::ExprId KernelEmitter::Extent(const ir::View& view, size_t dimension) const {
  return program_[view.tensor].shape[dimension];
}

}  // namespace compiler::emit
