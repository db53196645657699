// Tensor memory: its allocation, the copies between it and fragments, products, and the fences that
// the hand-overs of roles need.
#include "compiler/facts/tmem.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/loaded.h"
#include "compiler/emit/require.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/tensor_memory.h"

namespace compiler::emit {
namespace {

constexpr int64_t kWarpgroupWarps = 4;
constexpr int64_t kDescriptorUnit = 16;  // bytes of an address in a matrix descriptor
constexpr int kLaneShift = 16;           // PTX ISA, tensor memory addressing

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

std::string Sum(const std::string& a, const std::string& b) {
  if (a == "0") return b;
  return b == "0" ? a : absl::StrCat(a, " + ", b);
}

// Hands over what this thread did; tcgen05.commit speaks for its products alone.
bool Contributes(ir::SyncEffect effect) {
  return (ir::Arrives(effect) && effect != ir::SyncEffect::kTensorCommit) ||
         effect == ir::SyncEffect::kNamedArrive || effect == ir::SyncEffect::kClusterArrive;
}
bool Waits(ir::SyncEffect effect) {
  return effect == ir::SyncEffect::kAcquire || effect == ir::SyncEffect::kWait ||
         effect == ir::SyncEffect::kClusterWait;
}
bool Meets(ir::SyncEffect effect) {
  return effect == ir::SyncEffect::kWarpSync || effect == ir::SyncEffect::kScopeSync ||
         effect == ir::SyncEffect::kNamedSync || effect == ir::SyncEffect::kClusterSync ||
         effect == ir::SyncEffect::kGridSync;
}

bool Asks(const ir::Program& program, const ir::Stmt& stmt) {
  if (stmt.kind != ir::StmtKind::kWhile) return false;
  const ir::Expr& condition = program[stmt.value];
  return condition.kind == ir::ExprKind::kOp && !condition.args.empty() &&
         program[condition.args[0]].kind == ir::ExprKind::kTest;
}

}  // namespace

// By the CTA's first warp; the first synchronisation of the CTA stands before every use.
void KernelEmitter::AllocateTmem(Writer& out) {
  if (facts_.tmem_columns == 0) return;
  const bool pairs = facts::MultipliesInPairs(program_, kernel_);
  // PTX ISA, tcgen05.alloc .cta_group::2: both CTAs of the pair have begun, and allocate together.
  if (pairs) out.Line("cake::cluster_sync();");
  out.Line(absl::StrCat("if (threadIdx.x < 32) cake::tmem_alloc", pairs ? "_pair" : "",
                        "(cake::shared_address(cake_smem + ", facts_.tmem_word_offset_bytes, "), ",
                        facts_.tmem_columns, ");"));
}

void KernelEmitter::DeclareTmem(Writer& out) {
  if (facts_.tmem_columns == 0) return;
  if (facts_.mbarriers == 0) {
    out.Line("cake::tmem_fence_before();");
    out.Line("__syncthreads();");
  }
  out.Line("cake::tmem_fence_after();");
  out.Line(absl::StrCat("const unsigned int ", tmem_base_,
                        " = *reinterpret_cast<const volatile unsigned int*>(cake_smem + ",
                        facts_.tmem_word_offset_bytes, ");"));
  for (size_t i = 0; i < kernel_.tmem.size(); ++i) {
    out.Line(absl::StrCat("const unsigned int ", tmem_[i], " = ",
                          Sum(tmem_base_, absl::StrCat(facts_.tmem[i].first_column)), ";"));
  }
}

void KernelEmitter::FreeTmem() {
  if (facts_.tmem_columns == 0) return;
  out_.Line("// All roles are done with tensor memory.");
  out_.Line("cake::tmem_fence_before();");
  out_.Line("__syncthreads();");
  out_.Open("if (threadIdx.x < 32) {");
  out_.Line("cake::tmem_fence_after();");
  out_.Line(absl::StrCat("cake::tmem_free",
                         facts::MultipliesInPairs(program_, kernel_) ? "_pair(" : "(", tmem_base_,
                         ", ", facts_.tmem_columns, ");"));
  out_.Close();
}

// PTX ISA, tcgen05.fence: one before every arrival and one after every wait of a role that uses
// tensor memory, whatever it hands over.
void KernelEmitter::TensorFence(const ir::Stmt& stmt, bool before) {
  if (facts_.tmem_columns == 0 || role_ == nullptr) return;
  const ir::SyncEffect effect = stmt.op != nullptr ? stmt.op->effects.sync : ir::SyncEffect::kNone;
  const bool needed =
      Meets(effect) || (before ? Contributes(effect) : Waits(effect) || Asks(program_, stmt));
  if (!needed || !facts::UsesTensorMemory(program_, *role_)) return;
  out_.Line(before ? "cake::tmem_fence_before();" : "cake::tmem_fence_after();");
}

// The address of a view: the buffer's, and its first column.
std::string KernelEmitter::TmemAddress(const ir::View& view) {
  const auto number = static_cast<size_t>(view.tmem);
  const ir::TmemBuffer& buffer = kernel_.tmem[number];
  const int64_t bits = ir::Info(buffer.dtype).bits;
  const bool scales = ir::IsScale(buffer.dtype);
  const ir::Expr& column = program_[view.index[1].offset];
  if (column.kind == ir::ExprKind::kInt) {
    return Sum(tmem_[number], absl::StrCat(scales ? ir::ScaleColumn(buffer, 0, column.int_value)
                                                  : column.int_value * bits / ir::kTmemColumnBits));
  }
  // A word of four scales is four columns of 128 rows.
  const int64_t wide = scales ? buffer.rows / ir::kScaleRows : 1;
  if (wide > 1) {
    return absl::StrCat(tmem_[number], " + ", Operand(view.index[1].offset, kMultiplicative), " * ",
                        wide);
  }
  if (scales || bits == ir::kTmemColumnBits) {
    return Sum(tmem_[number], Operand(view.index[1].offset, kAdditive));
  }
  return absl::StrCat(tmem_[number], " + ", Operand(view.index[1].offset, kMultiplicative), " / ",
                      ir::kTmemColumnBits / bits);
}

bool KernelEmitter::TensorStatement(const ir::Stmt& stmt) {
  const ir::Effects& effects = stmt.op->effects;
  if (effects.copy == ir::CopyEffect::kTensorMemoryLoad ||
      effects.copy == ir::CopyEffect::kTensorMemoryStore) {
    TensorCopyStatement(stmt);
    return true;
  }
  if (effects.copy == ir::CopyEffect::kTensorMemoryCopy) {
    const ir::View& to = program_[stmt.destination];
    const bool scales = ir::IsScale(kernel_.tmem[static_cast<size_t>(to.tmem)].dtype);
    scales ? FillScales(stmt) : FillTile(stmt);
    return true;
  }
  if (effects.product && effects.engine == ir::ProductEngine::kTensorMemory) {
    TensorProduct(stmt);
    return true;
  }
  if (effects.sync == ir::SyncEffect::kTensorMemoryWait) {
    out_.Line(absl::StrCat("cake::tmem_wait_", Absl(stmt.word), "();"));
    if (stmt.word != "ld") return true;
    for (const ir::LocalId local : LoadedAt(program_, role_->body, stmt)) {
      out_.Line(absl::StrCat("cake::tmem_loaded(", locals_.at(local), ");"));
    }
    return true;
  }
  if (effects.sync != ir::SyncEffect::kTensorCommit) return false;
  const std::string elected =
      single_thread_ > 0 ? ""
                         : absl::StrCat("if (", Builtin(ir::BuiltinValue::kLane).code, " == 0) ");
  const std::string mbarrier = FullMbarrier(stmt.ring, stmt.event, stmt.use);
  if (ir::OfPair(stmt)) {
    out_.Line(absl::StrCat(elected, "cake::umma_commit_both(", mbarrier, ", 3 << (",
                           Builtin(ir::BuiltinValue::kClusterRank).code, " & ~1));"));
    return true;
  }
  const bool pairs = facts::MultipliesInPairs(program_, kernel_);
  out_.Line(absl::StrCat(elected, "cake::umma_commit", pairs ? "_pair(" : "(", mbarrier, ");"));
  return true;
}

// The lanes of tensor memory that this warp reaches, as part of an address.
std::string KernelEmitter::WarpLanes() {
  const std::string warp = Builtin(ir::BuiltinValue::kWarp).code;
  const bool whole = role_->warps == kWarpgroupWarps;
  return absl::StrCat("(", warp, whole ? "" : " % 4", " << ", kLaneShift + 5, ")");
}

// As few instructions as there are: the repeats of one are a power of two.
void KernelEmitter::TensorCopyStatement(const ir::Stmt& stmt) {
  const bool load = stmt.op->effects.copy == ir::CopyEffect::kTensorMemoryLoad;
  const ir::View& view = program_[load ? stmt.source_view : stmt.destination];
  ir::Type type = FragmentType(stmt.fragment.local);
  const ir::TmemMovement& movement = ir::FindForm(type.form)->movement;
  const std::string name = locals_.at(stmt.fragment.local);
  const int64_t per_word = ir::MapOf(type).pack;
  std::string first = "0";
  if (stmt.fragment.column != ir::ExprId::kNone) {
    const ir::AxisMap& axis = ir::MapOf(type).columns;
    const int64_t per_register = axis.tile / axis.pack * per_word;  // columns of the tile
    const ir::Expr& column = program_[stmt.fragment.column];
    first = column.kind == ir::ExprKind::kInt
                ? absl::StrCat(column.int_value / per_register)
                : absl::StrCat(Operand(stmt.fragment.column, kMultiplicative), " / ", per_register);
    type.shape[1] = stmt.fragment.columns;
  }
  const ir::FragmentMap map = ir::MapOf(type);
  const std::string word = !IsTile(type) ? "b32" : type.dtype == ir::DType::kF32 ? "f32" : "s32";
  const std::string base = Sum(TmemAddress(view), WarpLanes());
  const int64_t step = movement.two_rows ? 2 : 1;
  Mark(stmt);
  for (int64_t row = 0; row < map.row_count; row += step) {
    int64_t left = map.RegisterColumns() / movement.registers;
    for (int64_t done = 0; left > 0;) {
      const auto count = std::min<int64_t>(
          movement.most, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(left))));
      const std::string at = Sum(first, absl::StrCat(done * movement.registers));
      const auto registers = [&](int64_t r) {
        const std::string array = absl::StrCat(name, ".reg[", r, "]");
        return at == "0" ? array : absl::StrCat("&", array, "[", at, "]");
      };
      // The second 16 lanes of the warp's 32.
      const int64_t lanes = row / step * (int64_t{16} << kLaneShift);
      const std::string address = Sum(base, absl::StrCat(lanes + done * movement.columns));
      out_.Line(absl::StrCat("cake::tmem_", load ? "ld_" : "st_", Absl(type.form.substr(5)), "_x",
                             count, "_", word, "(", address, ", ", registers(row),
                             movement.two_rows ? absl::StrCat(", ", registers(row + 1)) : "",
                             ");"));
      done += count;
      left -= count;
    }
  }
}

// An operand of a product: where it begins, and how far it is from one K or one block of its side
// to the next, in units of a descriptor or columns of tensor memory.
struct KernelEmitter::TensorOperand {
  std::string name;
  bool in_tmem = false, along_k = true;
  int64_t swizzle = 0, panel = 0;  // bytes
  int64_t row_bytes = 0;           // of the tile in memory
  int64_t bits = 0;
};

KernelEmitter::TensorOperand KernelEmitter::DeclareOperand(ir::ViewId id, bool left) {
  const ir::View& view = program_[id];
  TensorOperand operand;
  if (view.space == ir::Space::kTmem) {
    operand.in_tmem = true;
    operand.name = TmemAddress(view);
    return operand;
  }
  const ir::SharedBuffer& buffer = kernel_.shared[static_cast<size_t>(view.shared)];
  operand.bits = ir::Info(buffer.dtype).bits;
  operand.along_k = left != view.transposed;
  operand.swizzle = buffer.form_amount;
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < buffer.shape.size(); ++d) rows *= buffer.shape[d];
  operand.panel = rows * operand.swizzle;
  operand.row_bytes = program_[view.index.back().extent].int_value * operand.bits / 8;
  operand.name = Fresh(left ? "left" : "right");
  // Panels of an operand whose rows run along K follow each other by address, not by descriptor.
  const int64_t leading = operand.along_k ? kDescriptorUnit : operand.panel;
  out_.Line(absl::StrCat("const unsigned long long ", operand.name, " = cake::umma_tile<",
                         operand.swizzle, ", ", leading, ">(", SharedBase(view, 0), ");"));
  return operand;
}

std::string KernelEmitter::OperandAt(const TensorOperand& operand, const std::string& k,
                                     const std::string& block, int64_t block_extent) {
  const auto times = [](const std::string& index, int64_t factor) -> std::string {
    if (index == "0" || factor == 0) return "0";
    return factor == 1 ? index : absl::StrCat(index, " * ", factor);
  };
  if (operand.in_tmem) {
    return Sum(operand.name, times(k, ir::kUmmaKBytes * 8 / ir::kTmemColumnBits));
  }
  const int64_t step = ir::kUmmaKBytes / kDescriptorUnit;
  std::string along;
  int64_t side = 0;
  if (operand.along_k) {
    const int64_t steps = operand.swizzle / ir::kUmmaKBytes;  // of one panel
    along = operand.row_bytes <= operand.swizzle ? times(k, step)
            : steps == 1                         ? times(k, operand.panel / kDescriptorUnit)
                         : absl::StrCat(k, " % ", steps, " * ", step, " + ", k, " / ", steps, " * ",
                                        operand.panel / kDescriptorUnit);
    if (k == "0") along = "0";
    side = block_extent * operand.swizzle / kDescriptorUnit;
  } else {
    const int64_t rows = ir::kUmmaKBytes * 8 / operand.bits;
    along = times(k, rows * operand.swizzle / kDescriptorUnit);
    side = block_extent * operand.bits / 8 / operand.swizzle * operand.panel / kDescriptorUnit;
  }
  return Sum(operand.name, Sum(along, times(block, side)));
}

// One instruction for every 32 bytes of the rows, as a product takes them. Numbers of 6 and 4 bits
// come padded, 16 of them to 16 bytes, and get a byte each.
void KernelEmitter::FillTile(const ir::Stmt& stmt) {
  const ir::View& to = program_[stmt.destination];
  const ir::DType dtype = kernel_.tmem[static_cast<size_t>(to.tmem)].dtype;
  const ir::DType packed = ir::PackedTypeOf(dtype);
  const int64_t bits =
      packed == ir::DType::kUnknown ? 8 : ir::Info(packed).bits / ir::NumbersOf(packed);
  const int64_t steps =
      program_[to.index[1].extent].int_value * ir::Info(dtype).bits / 8 / ir::kUmmaKBytes;
  Mark(stmt);
  out_.Open(single_thread_ == 0
                ? absl::StrCat("if (", Builtin(ir::BuiltinValue::kLane).code, " == 0) {")
                : "{");
  names_.Open();
  const TensorOperand source = DeclareOperand(stmt.source_view, true);
  const TensorOperand tile{.name = TmemAddress(to), .in_tmem = true};
  const std::string k = steps == 1 ? "0" : Fresh("k");
  if (steps > 1) {
    out_.Line("#pragma unroll");
    out_.Open(absl::StrCat("for (int ", k, " = 0; ", k, " < ", steps, "; ++", k, ") {"));
  }
  out_.Line(absl::StrCat("cake::tmem_tile", ir::OfPair(stmt) ? "2" : "", "_b", bits, "(",
                         OperandAt(tile, k, "0", 0), ", ", OperandAt(source, k, "0", 0), ");"));
  if (steps > 1) out_.Close();
  names_.Close();
  out_.Close();
}

void KernelEmitter::TensorProduct(const ir::Stmt& stmt) {
  const ir::View& d = program_[stmt.accumulator_view];
  const ir::TmemBuffer& buffer = kernel_.tmem[static_cast<size_t>(d.tmem)];
  const ir::View& left = program_[stmt.left_view];
  const ir::UmmaShape* shape = ir::UmmaOf(program_, kernel_, stmt);
  Require(shape != nullptr, "product of the table");
  const int64_t n = program_[d.index[1].extent].int_value;
  const bool pair = ir::OfPair(stmt);
  const bool folds = ir::FoldsColumns(program_, stmt);
  const int64_t columns = folds ? 2 * n : pair ? n : ir::UmmaColumns(*shape, buffer.rows, n);
  const size_t k_index = left.transposed ? left.index.size() - 2 : left.index.size() - 1;
  const int64_t k_extent = program_[left.index[k_index].extent].int_value * ir::NumbersOf(shape->a);
  const bool elected = single_thread_ == 0;
  Mark(stmt);
  if (elected && StoresTmem()) {
    // Stores of the other lanes come before the product of one only by a meeting of the warp.
    out_.Line("cake::tmem_fence_before();");
    out_.Line("__syncwarp();");
    out_.Line("cake::tmem_fence_after();");
  }
  out_.Open(elected ? absl::StrCat("if (", Builtin(ir::BuiltinValue::kLane).code, " == 0) {")
                    : "{");
  names_.Open();
  const TensorOperand a = DeclareOperand(stmt.left_view, true);
  const TensorOperand b = DeclareOperand(stmt.right_view, false);
  std::string start;  // whether the first K accumulates; "": never
  if (stmt.accumulate) start = "true";
  if (stmt.zero != ir::ExprId::kNone && stmt.accumulate) {
    start = Fresh("accumulate");
    out_.Line(absl::StrCat("const bool ", start, " = !", Operand(stmt.zero, kPrefix), ";"));
  }
  const int64_t rows = pair && !folds ? ir::kPairRows : buffer.rows;
  ProductSteps(stmt, {rows, columns}, pair ? 1 : n / columns, k_extent / shape->k, a, b, start,
               *shape);
  names_.Close();
  out_.Close();
}

void KernelEmitter::ProductSteps(const ir::Stmt& stmt, const std::pair<int64_t, int64_t>& size,
                                 int64_t blocks, int64_t steps, const TensorOperand& a,
                                 const TensorOperand& b, const std::string& start,
                                 const ir::UmmaShape& shape) {
  const auto& [m, columns] = size;
  out_.Line(absl::StrCat("// m", m, "n", columns, "k", shape.k, ", ", Absl(ir::ToString(shape.a)),
                         " by ", Absl(ir::ToString(shape.b))));
  const auto open = [&](std::string_view wanted, int64_t count) -> std::string {
    if (count == 1) return "0";
    const std::string name = Fresh(wanted);
    out_.Line("#pragma unroll");
    out_.Open(absl::StrCat("for (int ", name, " = 0; ", name, " < ", count, "; ++", name, ") {"));
    return name;
  };
  const std::string n = open("n", blocks);
  const std::string k = open("k", steps);
  std::string accumulate = start.empty() ? "false" : start;
  if (k != "0" && accumulate != "true") {
    accumulate = start.empty() ? absl::StrCat(k, " > 0") : absl::StrCat(k, " > 0 || ", start);
  }
  const uint32_t descriptor = ir::UmmaDescriptor(shape, m, columns, !a.along_k, !b.along_k);
  const std::string block = n == "0" ? n : absl::StrCat(n, " * ", columns);
  out_.Line(absl::StrCat(
      "cake::umma", ir::OfPair(stmt) ? "2_" : "_", Absl(shape.kind), a.in_tmem ? "_ts(" : "_ss(",
      Sum(TmemAddress(program_[stmt.accumulator_view]), block), ", ", OperandAt(a, k, "0", 0), ", ",
      OperandAt(b, k, n, columns), ", ", absl::StrFormat("0x%x", descriptor),
      ScaleOperands(stmt, shape, k), ", ", accumulate, ");"));
  if (k != "0") out_.Close();
  if (n != "0") out_.Close();
}

bool KernelEmitter::StoresTmem() const {
  bool stores = false;
  facts::ForEachStmt(program_, role_->body, [&](ir::StmtId, const ir::Stmt& stmt) {
    stores = stores ||
             (stmt.op != nullptr && stmt.op->effects.copy == ir::CopyEffect::kTensorMemoryStore);
  });
  return stores;
}

// Row or column of an element of a tile of tensor memory.
Text KernelEmitter::TensorCoordinate(const ir::Expr& expr) {
  const ir::FragmentMap map = ir::MapOf(FragmentType(expr.local));
  const bool row = expr.kind == ir::ExprKind::kRow;
  const ir::AxisMap& axis = row ? map.rows : map.columns;
  const std::string warp = role_->warps == kWarpgroupWarps
                               ? Builtin(ir::BuiltinValue::kWarp).code
                               : absl::StrCat(Builtin(ir::BuiltinValue::kWarp).code, " % 4");
  std::string text = "0";
  if (row) text = absl::StrCat(warp, " * ", axis.warp_stride);
  if (axis.lane_values > 1) {
    std::string lane = Builtin(ir::BuiltinValue::kLane).code;
    if (axis.other_stride > 0) {
      text = Sum(text, absl::StrCat(lane, " % ", axis.other_values, " * ", axis.other_stride));
    }
    if (axis.lane_divisor > 1) absl::StrAppend(&lane, " / ", axis.lane_divisor);
    if (axis.lane_divisor * axis.lane_values < ir::kLanes) {
      absl::StrAppend(&lane, " % ", axis.lane_values);
    }
    text = Sum(text, axis.pack == 1 ? lane : absl::StrCat(lane, " * ", axis.pack));
  }
  const ir::Expr& index = program_[expr.args[0]];
  if (index.kind == ir::ExprKind::kInt) {
    return {Sum(text, absl::StrCat(axis.Coordinate(index.int_value, 0))), kAdditive};
  }
  const std::string i = Operand(expr.args[0], kPrefix);
  if (axis.repeats * axis.pack == 1 || axis.pack == axis.tile) return {Sum(text, i), kAdditive};
  if (axis.repeats > 1) return {absl::StrCat(text, " + ", i, " * ", axis.repeat_stride), kAdditive};
  return {
      absl::StrCat(text, " + ", i, " / ", axis.pack, " * ", axis.tile, " + ", i, " % ", axis.pack),
      kAdditive};
}

}  // namespace compiler::emit
