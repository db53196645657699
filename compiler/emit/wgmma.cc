// Products of warpgroups: descriptors of operands, fences before them, waits behind them.
//
// A fixed rule for each statement: the first product of a run is preceded by pins of the run's
// registers and a `wgmma.fence`; a wait is followed by pins of all fragments in sight that products
// use. So no access of theirs moves into the time in which the tensor cores use them, and ptxas
// finds the fence that it would else insert, serialising the products (C7519).
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "compiler/emit/fragment_part.h"
#include "compiler/emit/require.h"
#include "compiler/facts/walk.h"

namespace compiler::emit {
namespace {

constexpr int64_t kDescriptorUnitBytes = 16;
constexpr int64_t kPatternRows = 8;

bool IsProduct(const ir::Stmt& stmt) {
  return stmt.op != nullptr && stmt.op->effects.product &&
         stmt.op->effects.engine == ir::ProductEngine::kWarpgroup;
}

std::string PtxType(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kI8: return "s8";
    case ir::DType::kI32: return "s32";
    default: return std::string(ir::ToString(dtype));
  }
}

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();  // all steps are of one group

// "k / 4 * 1024 + k % 4 * 2"; of a number what it comes to.
std::string Stepped(const std::string& index, int64_t group, int64_t group_units, int64_t units) {
  if (index.find_first_not_of("0123456789") == std::string::npos) {
    const int64_t i = std::stoll(index);
    return absl::StrCat(i / group * group_units + i % group * units);
  }
  if (group == 1) return absl::StrCat(index, " * ", group_units);
  if (group == kAll) return absl::StrCat(index, " * ", units);
  if (group * units == group_units) return absl::StrCat(index, " * ", units);
  return absl::StrCat(index, " / ", group, " * ", group_units, " + ", index, " % ", group, " * ",
                      units);
}

}  // namespace

// An operand in shared memory. Steps along K and along blocks of 64 rows are added to one
// descriptor, in its units of 16 bytes, where the operand begins at a panel or lies inside of one;
// else each step makes its own.
struct KernelEmitter::SharedOperand {
  const ir::View* view = nullptr;
  ir::DType dtype = ir::DType::kUnknown;
  bool transposed = false;  // K is not the contiguous dimension
  bool left = false;
  int64_t depth = 0;        // K
  int64_t width = 0;        // bytes of a row of a panel
  int64_t panel_bytes = 0;  // of all rows of a panel
  bool one_descriptor = false;
  std::string name;  // of the descriptor
};

void KernelEmitter::FindProducts(const std::vector<ir::StmtId>& body) {
  in_products_.clear();
  pins_.clear();
  facts::ForEachStmt(program_, body, [&](ir::StmtId, const ir::Stmt& stmt) {
    if (!IsProduct(stmt)) return;
    in_products_.insert(stmt.fragment.local);
    if (stmt.left.local != ir::LocalId::kNone) in_products_.insert(stmt.left.local);
  });
  std::vector<ir::LocalId> visible;
  if (!in_products_.empty()) FindPins(body, visible);
}

void KernelEmitter::FindPins(const std::vector<ir::StmtId>& body,
                             std::vector<ir::LocalId>& visible) {
  const size_t before = visible.size();
  std::vector<ir::LocalId>* run = nullptr;  // of the products that follow each other here
  for (const ir::StmtId id : body) {
    const ir::Stmt& stmt = program_[id];
    if (stmt.dead) continue;
    if (stmt.kind == ir::StmtKind::kLet && in_products_.contains(stmt.local)) {
      visible.push_back(stmt.local);
    }
    if (!IsProduct(stmt)) {
      run = nullptr;
    } else {
      if (run == nullptr) run = &pins_[id];
      for (const ir::LocalId local : {stmt.fragment.local, stmt.left.local}) {
        const bool known = std::find(run->begin(), run->end(), local) != run->end();
        if (local != ir::LocalId::kNone && !known) run->push_back(local);
      }
    }
    if (stmt.op != nullptr && stmt.op->effects.sync == ir::SyncEffect::kProductWait) {
      pins_[id] = visible;
    }
    FindPins(stmt.body, visible);
    FindPins(stmt.else_body, visible);
  }
  visible.resize(before);
}

void KernelEmitter::Pin(ir::StmtId id) {
  const auto pins = pins_.find(id);
  if (pins == pins_.end()) return;
  for (const ir::LocalId local : pins->second) {
    out_.Line(absl::StrCat("cake::pin(", locals_.at(local), ");"));
  }
}

bool KernelEmitter::ProductGroup(ir::StmtId id, const ir::Stmt& stmt) {
  const ir::SyncEffect effect = stmt.op->effects.sync;
  if (effect == ir::SyncEffect::kProductCommit) {
    out_.Line("cake::wgmma_commit();");
    return true;
  }
  if (effect != ir::SyncEffect::kProductWait) return false;
  Mark(stmt);
  out_.Line(absl::StrCat("cake::wgmma_wait<", program_[stmt.amount].int_value, ">();"));
  Pin(id);
  return true;
}

KernelEmitter::SharedOperand KernelEmitter::OperandInShared(ir::ViewId id, bool left) {
  const ir::View& view = program_[id];
  const auto number = static_cast<size_t>(view.shared);
  const ir::SharedBuffer& buffer = kernel_.shared[number];
  Require(buffer.form == ir::SharedForm::kSwizzle, "swizzled operand");
  SharedOperand operand{.view = &view, .dtype = buffer.dtype, .left = left};
  operand.transposed = left == view.transposed;
  operand.width = buffer.form_amount;
  const int64_t element = ir::Info(buffer.dtype).bits / 8;
  const int64_t rows = facts_.shared[number].strides[0] * buffer.shape[0] / buffer.shape.back();
  operand.panel_bytes = rows * operand.width;
  const ir::ViewIndex& column = view.index.back();
  const ir::ViewIndex& row = view.index[view.index.size() - 2];
  operand.depth = program_[(operand.transposed ? row : column).extent].int_value;
  const ir::Expr& offset = program_[column.offset];
  const int64_t extent_bytes = program_[column.extent].int_value * element;
  if (offset.kind == ir::ExprKind::kInt) {
    const int64_t inside = offset.int_value * element % operand.width;
    operand.one_descriptor = inside == 0 || inside + extent_bytes <= operand.width;
  }
  // Along M and N a tile begins at a panel or lies inside of one, wherever that is.
  operand.one_descriptor |= operand.transposed;
  return operand;
}

// Distances of core matrices: 8 rows of a panel, and for operands along M or N its next panel.
void KernelEmitter::DeclareDescriptor(SharedOperand& operand, std::string_view wanted) {
  if (!operand.one_descriptor) return;
  const std::string first = DescriptorAt(operand, "0", "0");
  operand.name = Fresh(wanted);
  out_.Line(absl::StrCat("const unsigned long long ", operand.name, " = ", first, ";"));
}

std::string KernelEmitter::DescriptorAt(const SharedOperand& operand, const std::string& k,
                                        const std::string& block) {
  const int64_t width_units = operand.width / kDescriptorUnitBytes;
  const int64_t panel_units = operand.panel_bytes / kDescriptorUnitBytes;
  const int64_t steps = operand.width / ir::kWgmmaKBytes;  // of a panel
  if (!operand.name.empty()) {
    constexpr int64_t kBlockBytes = ir::kWgmmaRows * 2;  // along M, 16-bit elements
    std::string text = operand.name;
    if (operand.transposed) {
      const int64_t k_units = ir::kWgmmaKBytes / 2 * width_units;
      text = Sum(text, Stepped(k, 1, k_units, 0));
      return Sum(text, Stepped(block, 1, kBlockBytes / operand.width * panel_units, 0));
    }
    const bool one_panel = operand.depth * ir::Info(operand.dtype).bits / 8 <= operand.width;
    text = Sum(text, Stepped(k, one_panel ? kAll : steps, panel_units,
                             ir::kWgmmaKBytes / kDescriptorUnitBytes));
    return Sum(text, Stepped(block, 1, ir::kWgmmaRows * width_units, 0));
  }
  const ir::View& view = *operand.view;
  const int64_t step = ir::kWgmmaKBytes * 8 / ir::Info(operand.dtype).bits;
  std::vector<Text> offsets;
  for (size_t d = 0; d < view.index.size(); ++d) {
    Text offset = Expression(view.index[d].offset);
    const bool last = d + 1 == view.index.size();
    const bool moves = last ? k != "0" : d + 2 == view.index.size() && block != "0";
    if (moves) {
      offset = {Sum(Operand(view.index[d].offset, kAdditive),
                    absl::StrCat(last ? k : block, " * ", last ? step : ir::kWgmmaRows)),
                kAdditive};
    }
    offsets.push_back(offset);
  }
  const std::string index = SharedIndexOf(view, offsets, /*swizzled_address=*/false);
  const std::string buffer = BufferName(view);
  const std::string place = index == "0" ? buffer : absl::StrCat("&", buffer, "[", index, "]");
  const int64_t leading = operand.transposed ? operand.panel_bytes : kDescriptorUnitBytes;
  return absl::StrCat("cake::matrix_descriptor<", operand.width, ", ", leading, ", ",
                      kPatternRows * operand.width, ">(cake::shared_address(", place, "))");
}

void KernelEmitter::WarpgroupProduct(ir::StmtId id, const ir::Stmt& stmt) {
  const FragmentPart d = PartOf(stmt.fragment);
  const bool in_registers = stmt.left_view == ir::ViewId::kNone;
  SharedOperand b = OperandInShared(stmt.right_view, false);
  SharedOperand a;
  FragmentPart left;
  if (in_registers) {
    left = PartOf(stmt.left);
    a.dtype = left.type.dtype;
  } else {
    a = OperandInShared(stmt.left_view, true);
  }
  const ir::WgmmaShape* shape = ir::FindWgmma(a.dtype, b.dtype, d.type.dtype);
  Require(shape != nullptr, "product of the table");
  out_.Open("{");
  names_.Open();
  if (!in_registers) DeclareDescriptor(a, "left");
  DeclareDescriptor(b, "right");
  std::string fresh;  // whether the accumulator starts from 0
  if (stmt.zero != ir::ExprId::kNone) {
    fresh = Fresh("zero");
    out_.Line(absl::StrCat("const bool ", fresh, " = ", Code(stmt.zero), ";"));
  }
  if (pins_.contains(id)) {
    Pin(id);
    out_.Line("cake::wgmma_fence();");
  }
  Mark(stmt);
  const Unrolled k = OpenUnrolled("k", 0, b.depth / shape->k, 1);
  const Unrolled m = OpenUnrolled("m", 0, d.type.shape[0] / ir::kWgmmaRows, 1);
  std::string accumulate = "true";
  if (!stmt.accumulate || !fresh.empty()) {
    const std::string later = k.is_loop ? absl::StrCat(k.index, " > 0") : "";
    const std::string first = stmt.accumulate ? absl::StrCat("!", fresh) : "";
    accumulate = later.empty() ? first : first.empty() ? later : absl::StrCat(later, " || ", first);
    if (accumulate.empty()) accumulate = "false";
  }
  const int64_t registers =
      in_registers ? left.map.RegisterColumns() * shape->k / left.type.shape[1] : 0;
  const std::string from =
      in_registers
          ? absl::StrCat(left.name, ", ", Sum(left.first, Stepped(k.index, 1, registers, 0)))
          : DescriptorAt(a, k.index, m.index);
  out_.Line(absl::StrCat("cake::wgmma_m64n", d.type.shape[1], "k", shape->k, "_", PtxType(shape->d),
                         "_", PtxType(shape->a), "_", PtxType(shape->b), in_registers ? "_ra" : "",
                         !in_registers && a.transposed ? "_ta" : "", b.transposed ? "_tb" : "", "(",
                         d.name, ", ", Stepped(m.index, 1, 2, 0), ", ", d.first, ", ", from, ", ",
                         DescriptorAt(b, k.index, "0"), ", ", accumulate, ");"));
  for (const Unrolled* loop : {&m, &k}) {
    if (loop->is_loop) out_.Close();
  }
  names_.Close();
  out_.Close();
}

}  // namespace compiler::emit
