#include "compiler/facts/copies.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/walk.h"

namespace compiler::facts {
namespace {

using diag::Category;
using diag::Name;
using diag::Severity;

constexpr int64_t kMaxBoxExtent = 256;  // CUDA driver API, cuTensorMapEncodeTiled: boxDim
constexpr int64_t kMaxParts = 64;       // instructions of one statement

constexpr diag::Def<Name> kPaddedForm{
    "CK3120", Severity::kError, Category::kHardware,
    "`{0}` is padded, and a tensor copy fills dense rows",
    "the hardware lays the rows of a box side by side, or swizzles them"};
constexpr diag::Def<Name, int64_t, int64_t> kPartOfRows{
    "CK3121", Severity::kError, Category::kHardware,
    "the box takes {1} of {2} elements of `{0}` and leaves gaps between its rows",
    "the hardware lays the rows of a box side by side: between them it leaves nothing out"};
constexpr diag::Def<Name, int64_t> kInnermostBytes{
    "CK3122", Severity::kError, Category::kHardware,
    "the rows of the box in `{0}` are {1} bytes, which is not a multiple of 16",
    "CUDA driver API, cuTensorMapEncodeTiled: the innermost box dimension is a multiple of 16 "
    "bytes"};
constexpr diag::Def<Name, int64_t, int64_t> kWideRows{
    "CK3123", Severity::kError, Category::kHardware,
    "the rows of the box in `{0}` have {1} elements; a box has at most {2} in each dimension",
    "wider rows are copied as column panels, which `swizzle` makes of the buffer"};
constexpr diag::Def<Name, int64_t, int64_t> kPartOfPanel{
    "CK3124", Severity::kError, Category::kHardware,
    "the columns of `{0}` in the box are {1} bytes from byte {2}, not whole column panels",
    "a swizzled buffer is made of column panels as wide as the swizzle; a box fills whole ones"};
constexpr diag::Def<Name, int64_t, int64_t> kManyParts{
    "CK3125", Severity::kError, Category::kLimit,
    "the copy of `{0}` takes {1} instructions; at most {2} are made of one statement",
    "an instruction copies one box of at most 256 elements in each dimension"};
constexpr diag::Def<Name> kNotContiguous{
    "CK3126", Severity::kError, Category::kHardware,
    "the bytes of `{0}` in a bulk copy are not contiguous",
    "a bulk copy moves one run of bytes; a tensor copy moves boxes"};
constexpr diag::Def<Name, int64_t> kBulkBytes{
    "CK3127", Severity::kError, Category::kHardware,
    "the bulk copy of `{0}` is {1} bytes, which is not a multiple of 16",
    "PTX ISA, cp.async.bulk: sizes and both addresses are multiples of 16"};
constexpr diag::Def<Name, int64_t> kPanelRows{
    "CK3129", Severity::kError, Category::kHardware,
    "the column panels of `{0}` have {1} rows, which is not a multiple of 8",
    "the swizzle's pattern repeats after eight rows, and every panel begins with it"};
constexpr diag::Def<Name> kSwizzledBulk{
    "CK3128", Severity::kError, Category::kHardware,
    "`{0}` is swizzled, and a bulk copy moves bytes as they are",
    "only tensor copies know the swizzle"};

constexpr diag::Def<Name> kGatherWritten{
    "CK1487", Severity::kError, Category::kData,
    "`tma.gather4` reads rows of `{0}`, which the same kernel writes",
    "which rows it reads is known when it runs: nothing can show that they are not just being "
    "written"};

int64_t ElementBytes(ir::DType type) { return std::max(1, ir::Info(type).bits / 8); }

int64_t ConstantOr(const ir::Program& program, ir::ExprId id, int64_t otherwise) {
  if (id == ir::ExprId::kNone) return otherwise;
  const ir::Expr& expr = program[id];
  return expr.kind == ir::ExprKind::kInt ? expr.int_value : otherwise;
}

// Extents of a view, a dimension each: 1 where one index is taken.
std::vector<int64_t> Extents(const ir::Program& program, const ir::View& view) {
  std::vector<int64_t> extents;
  for (const ir::ViewIndex& index : view.index) {
    extents.push_back(index.is_slice ? ConstantOr(program, index.extent, 1) : 1);
  }
  return extents;
}

int64_t Product(const std::vector<int64_t>& values) {
  int64_t product = 1;
  for (const int64_t value : values) product *= value;
  return product;
}

int64_t LargestDivisor(int64_t value, int64_t limit) {
  int64_t best = 1;
  for (int64_t d = 1; d <= std::min(value, limit); ++d) {
    if (value % d == 0) best = d;
  }
  return best;
}

class Deriver {
 public:
  Deriver(const ir::Program& program, diag::Report& report) : program_(program), report_(report) {}

  CopyFacts Run() {
    for (size_t k = 0; k < program_.kernels.size(); ++k) {
      kernel_ = k;
      for (const ir::Role& role : program_.kernels[k].roles) {
        ForEachStmt(program_, role.body, [&](ir::StmtId id, const ir::Stmt& stmt) {
          if (stmt.op == nullptr) return;
          if (IsTensorCopy(stmt.op->effects.copy)) Tensor(id, stmt);
          if (IsBulkCopy(stmt.op->effects.copy)) Bulk(id, stmt);
        });
      }
    }
    NameMaps();
    return std::move(facts_);
  }

 private:
  const ir::SharedBuffer& BufferOf(const ir::View& view) const {
    return program_.kernels[kernel_].shared[static_cast<size_t>(view.shared)];
  }

  // The box of one instruction over the extents of the copy: whole where the dimensions inside of
  // it are whole and it fits, so that what one instruction fills is contiguous. `inner` is given.
  static std::vector<int64_t> BoxOf(const std::vector<int64_t>& extents, int64_t inner) {
    std::vector<int64_t> box(extents.size(), 1);
    if (extents.empty()) return box;
    box.back() = inner;
    bool split = false;
    for (size_t d = extents.size() - 1; d-- > 0;) {
      if (split) continue;
      box[d] = LargestDivisor(extents[d], kMaxBoxExtent);
      split = box[d] != extents[d];
    }
    return box;
  }

  void Tensor(ir::StmtId id, const ir::Stmt& stmt) {
    const ir::View& shared = program_[SharedSide(program_, stmt)];
    const ir::View& global = program_[GlobalSide(program_, stmt)];
    const ir::SharedBuffer& buffer = BufferOf(shared);
    const diag::Span span = shared.source.span;
    const int64_t element = ElementBytes(buffer.dtype);
    if (buffer.form == ir::SharedForm::kPadded) {
      report_.Add(kPaddedForm, span, Name{buffer.name})
          .Label(buffer.declared, "`rows` and `swizzle` are what tensor copies fill")
          .Fix("declare it `rows` or `swizzle 128`", {}, diag::Applicability::kManual);
      return;
    }
    std::vector<int64_t> extents = Extents(program_, global);
    const ir::DType packed = program_[global.tensor].dtype;
    const int64_t numbers = NumbersExpanded(packed, buffer.dtype);
    extents.back() *= numbers;
    const int64_t columns = extents.back();
    const std::vector<int64_t> in_buffer = Extents(program_, shared);
    const bool swizzled = buffer.form == ir::SharedForm::kSwizzle;
    const int64_t panel = swizzled ? buffer.form_amount / element : columns;
    if (!(swizzled ? WholePanels(shared, buffer, in_buffer.back() * element)
                   : WholeRows(shared, buffer, in_buffer, columns))) {
      return;
    }
    if (columns * element % 16 != 0) {
      report_.Add(kInnermostBytes, span, Name{buffer.name}, columns * element);
      return;
    }
    const bool gather = stmt.op->effects.copy == ir::CopyEffect::kGatherLoad;
    std::vector<int64_t> box = BoxOf(extents, std::min(panel, columns));
    if (gather) Unwritten(stmt, global);
    CopyPlan plan{.bytes = Product(extents) / numbers * ElementBytes(packed)};
    int64_t rows = 1;  // of the whole buffer: panel stands after panel
    for (size_t d = 0; d + 1 < buffer.shape.size(); ++d) rows *= buffer.shape[d];
    if (!Parts(extents, box, rows * panel * element, element, buffer, span, plan)) return;
    // PTX ISA, .tile::gather4: the box of the map is one row.
    if (gather) box[0] = 1;
    plan.map = MapOf(global.tensor, buffer.dtype, box, swizzled ? buffer.form_amount : 0);
    facts_.plans[id] = std::move(plan);
  }

  // Rows that memory names may be any: those of a tensor that this kernel writes could be just
  // written.
  void Unwritten(const ir::Stmt& gather, const ir::View& view) {
    std::vector<ir::ViewId> written;
    for (const ir::Role& role : program_.kernels[kernel_].roles) {
      ForEachStmt(program_, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
        ir::AppendWrittenViews(program_, stmt, written);
      });
    }
    for (const ir::ViewId id : written) {
      if (program_[id].tensor != view.tensor || view.tensor == ir::TensorId::kNone) continue;
      report_.Add(kGatherWritten, gather.source.span, Name{program_[view.tensor].name})
          .Label(program_[id].source.span, "written here");
      return;
    }
  }

  // `panel_bytes` is the distance of two panels, where the innermost dimension is split.
  bool Parts(const std::vector<int64_t>& extents, const std::vector<int64_t>& box,
             int64_t panel_bytes, int64_t element, const ir::SharedBuffer& buffer, diag::Span span,
             CopyPlan& plan) {
    int64_t count = 1;
    for (size_t d = 0; d < extents.size(); ++d) {
      count *= (extents[d] + box[d] - 1) / box[d];
      if (count <= kMaxParts) continue;
      report_.Add(kManyParts, span, Name{buffer.name}, count, kMaxParts);
      return false;
    }
    std::vector<int64_t> at(extents.size(), 0);
    for (int64_t i = 0; i < count; ++i) {
      // Rows before this part, then the panel it is in.
      int64_t row = 0;
      for (size_t d = 0; d + 1 < extents.size(); ++d) row = row * extents[d] + at[d];
      const int64_t in_panel = row * box.back() * element;
      plan.parts.push_back({at, at.back() / box.back() * panel_bytes + in_panel});
      for (size_t d = extents.size(); d-- > 0;) {
        at[d] += box[d];
        if (at[d] < extents[d]) break;
        at[d] = 0;
      }
    }
    return true;
  }

  // Rows form: what the box fills must be the buffer's own rows, whole, unless it is one row.
  bool WholeRows(const ir::View& shared, const ir::SharedBuffer& buffer,
                 const std::vector<int64_t>& extents, int64_t columns) {
    const bool one_row = Product(extents) == extents.back();
    if (!one_row && extents.back() != buffer.shape.back()) {
      report_.Add(kPartOfRows, shared.source.span, Name{buffer.name}, extents.back(),
                  buffer.shape.back());
      return false;
    }
    if (!one_row && !Dense(buffer.shape, extents)) {
      report_.Add(kPartOfRows, shared.source.span, Name{buffer.name}, Product(extents),
                  Product(buffer.shape));
      return false;
    }
    if (columns <= kMaxBoxExtent) return true;
    auto added =
        report_.Add(kWideRows, shared.source.span, Name{buffer.name}, columns, kMaxBoxExtent);
    added.Label(buffer.declared, "declared here");
    added.Fix("declare it `swizzle 128`, or copy slices of it", {}, diag::Applicability::kManual);
    return false;
  }

  // Swizzled form: whole rows of whole panels.
  bool WholePanels(const ir::View& shared, const ir::SharedBuffer& buffer, int64_t bytes) {
    const int64_t element = ElementBytes(buffer.dtype);
    const int64_t first = ConstantOr(program_, shared.index.back().offset, 0) * element;
    const std::vector<int64_t> extents = Extents(program_, shared);
    if (!Dense({buffer.shape.begin(), buffer.shape.end() - 1},
               {extents.begin(), extents.end() - 1})) {
      report_.Add(kPartOfRows, shared.source.span, Name{buffer.name}, Product(extents),
                  Product(buffer.shape));
      return false;
    }
    const int64_t rows = Product(buffer.shape) / buffer.shape.back();
    if (buffer.shape.back() * element != buffer.form_amount && rows % 8 != 0) {
      report_.Add(kPanelRows, shared.source.span, Name{buffer.name}, rows)
          .Label(buffer.declared, "declared here");
      return false;
    }
    if (bytes % buffer.form_amount == 0 && first % buffer.form_amount == 0) return true;
    report_.Add(kPartOfPanel, shared.source.span, Name{buffer.name}, bytes, first)
        .Label(buffer.declared, absl::StrCat("panels of ", buffer.form_amount, " bytes"));
    return false;
  }

  // Whether the slice is one run of the row-major buffer: whole dimensions inside of the first one
  // that is more than a single index.
  static bool Dense(const std::vector<int64_t>& shape, const std::vector<int64_t>& extents) {
    size_t first = 0;
    while (first < extents.size() && extents[first] == 1) ++first;
    for (size_t d = first + 1; d < extents.size(); ++d) {
      if (extents[d] != shape[d]) return false;
    }
    return true;
  }

  void Bulk(ir::StmtId id, const ir::Stmt& stmt) {
    const ir::View& shared = program_[SharedSide(program_, stmt)];
    const ir::View& global = program_[GlobalSide(program_, stmt)];
    const ir::SharedBuffer& buffer = BufferOf(shared);
    const ir::Tensor& tensor = program_[global.tensor];
    if (buffer.form == ir::SharedForm::kSwizzle) {
      report_.Add(kSwizzledBulk, shared.source.span, Name{buffer.name})
          .Label(buffer.declared, "declared here");
      return;
    }
    const std::vector<int64_t> in_buffer = Extents(program_, shared);
    const bool one_row = Product(in_buffer) == in_buffer.back();
    const bool padded = buffer.form == ir::SharedForm::kPadded;
    if ((padded && !one_row) || !Dense(buffer.shape, in_buffer)) {
      report_.Add(kNotContiguous, shared.source.span, Name{buffer.name});
      return;
    }
    const std::vector<int64_t> extents = Extents(program_, global);
    std::vector<int64_t> shape;
    for (const ir::ExprId extent : tensor.shape) shape.push_back(ConstantOr(program_, extent, -1));
    const bool row =
        Product(extents) == extents.back() && ConstantOr(program_, tensor.strides.back(), 0) == 1;
    if (!row && (tensor.declared_strides || !Dense(shape, extents))) {
      report_.Add(kNotContiguous, global.source.span, Name{tensor.name});
      return;
    }
    const int64_t bytes = Product(extents) * ElementBytes(tensor.dtype);
    if (bytes % kBulkCopyAlignmentBytes != 0) {
      report_.Add(kBulkBytes, global.source.span, Name{tensor.name}, bytes);
      return;
    }
    facts_.plans[id] = {.bytes = bytes, .parts = {{std::vector<int64_t>(extents.size(), 0), 0}}};
  }

  // Equal uses share one map.
  int32_t MapOf(ir::TensorId tensor, ir::DType dtype, const std::vector<int64_t>& box,
                int64_t swizzle_bytes) {
    auto found = std::find_if(facts_.maps.begin(), facts_.maps.end(), [&](const TensorMap& map) {
      return map.tensor == tensor && map.dtype == dtype && map.box == box &&
             map.swizzle_bytes == swizzle_bytes;
    });
    if (found == facts_.maps.end()) {
      facts_.maps.push_back(
          {.tensor = tensor, .box = box, .swizzle_bytes = swizzle_bytes, .dtype = dtype});
      found = facts_.maps.end() - 1;
    }
    if (found->kernels.empty() || found->kernels.back() != kernel_) {
      found->kernels.push_back(kernel_);
    }
    return static_cast<int32_t>(found - facts_.maps.begin());
  }

  void NameMaps() {
    for (size_t i = 0; i < facts_.maps.size(); ++i) {
      int number = 1;
      for (size_t j = 0; j < i; ++j) number += facts_.maps[j].tensor == facts_.maps[i].tensor;
      facts_.maps[i].name = absl::StrCat(program_[facts_.maps[i].tensor].name, "_map",
                                         number == 1 ? "" : absl::StrCat("_", number));
    }
  }

  const ir::Program& program_;
  diag::Report& report_;
  size_t kernel_ = 0;
  CopyFacts facts_;
};

}  // namespace

int64_t NumbersExpanded(ir::DType global, ir::DType shared) {
  return global == shared ? 1 : ir::NumbersOf(global);
}

bool IsTensorCopy(ir::CopyEffect effect) {
  return effect == ir::CopyEffect::kTensorLoad || effect == ir::CopyEffect::kTensorStore ||
         effect == ir::CopyEffect::kTensorReduce || effect == ir::CopyEffect::kGatherLoad;
}

bool IsBulkCopy(ir::CopyEffect effect) {
  return effect == ir::CopyEffect::kBulkLoad || effect == ir::CopyEffect::kBulkStore ||
         effect == ir::CopyEffect::kBulkReduce;
}

bool IsMbarrierLoad(ir::CopyEffect effect) {
  return effect == ir::CopyEffect::kTensorLoad || effect == ir::CopyEffect::kBulkLoad ||
         effect == ir::CopyEffect::kLaunchCancel || effect == ir::CopyEffect::kGatherLoad;
}

ir::ViewId GlobalSide(const ir::Program& program, const ir::Stmt& stmt) {
  const bool to = program[stmt.destination].space == ir::Space::kGlobal;
  return to ? stmt.destination : stmt.source_view;
}

ir::ViewId SharedSide(const ir::Program& program, const ir::Stmt& stmt) {
  const bool to = program[stmt.destination].space == ir::Space::kShared;
  return to ? stmt.destination : stmt.source_view;
}

int64_t CopyBytes(const ir::Program& program, const ir::Kernel& kernel, const ir::Stmt& stmt) {
  const ir::View& shared = program[SharedSide(program, stmt)];
  const ir::DType type = kernel.shared[static_cast<size_t>(shared.shared)].dtype;
  const ir::DType packed = ir::PackedTypeOf(type);
  const int64_t elements = Product(Extents(program, shared));
  if (packed == ir::DType::kUnknown) return elements * ElementBytes(type);
  return elements / ir::NumbersOf(packed) * ElementBytes(packed);
}

bool HasTensorCopy(const ir::Program& program, const ir::Kernel& kernel, ir::SharedId buffer) {
  bool found = false;
  for (const ir::Role& role : kernel.roles) {
    ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
      if (found || stmt.op == nullptr || !IsTensorCopy(stmt.op->effects.copy)) return;
      found = program[SharedSide(program, stmt)].shared == buffer;
    });
  }
  return found;
}

bool FilledByAsyncCopies(const ir::Program& program, const ir::Kernel& kernel, size_t role,
                         ir::RingId ring) {
  bool found = false;
  ForEachStmt(program, kernel.roles[role].body, [&](ir::StmtId, const ir::Stmt& stmt) {
    if (stmt.op == nullptr || stmt.op->effects.copy != ir::CopyEffect::kAsyncCopy) return;
    const ir::SharedId shared = program[stmt.destination].shared;
    found = found || kernel.shared[static_cast<size_t>(shared)].ring == ring;
  });
  return found;
}

std::vector<PatchedMap> PatchedMaps(const ir::Program& program, const ir::Kernel& kernel,
                                    const CopyFacts& copies, int64_t* slots) {
  std::vector<PatchedMap> maps;
  *slots = 0;
  for (size_t role = 0; role < kernel.roles.size(); ++role) {
    ForEachStmt(program, kernel.roles[role].body, [&](ir::StmtId id, const ir::Stmt& stmt) {
      const CopyPlan* plan = copies.Find(id);
      if (stmt.end == ir::ExprId::kNone || plan == nullptr || plan->map < 0) return;
      const bool known = std::any_of(maps.begin(), maps.end(), [&](const PatchedMap& map) {
        return map.role == role && map.map == plan->map;
      });
      if (known) return;
      const ir::TensorId tensor = program[GlobalSide(program, stmt)].tensor;
      maps.push_back({.role = role, .tensor = tensor, .map = plan->map, .first_slot = *slots});
      *slots += kernel.roles[role].warps;
    });
  }
  return maps;
}

CopyFacts DeriveCopies(const ir::Program& program, diag::Report& report) {
  return Deriver(program, report).Run();
}

}  // namespace compiler::facts
