// Atomics, ordered accesses, fences, the barrier of the grid, dependent launches.
#include "absl/strings/str_cat.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"
#include "compiler/ir/order.h"

namespace compiler::emit {
namespace {

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

std::string_view SpaceWord(const ir::View& view) {
  if (view.remote != ir::ExprId::kNone) return "remote";
  return view.space == ir::Space::kShared ? "shared" : "global";
}

}  // namespace

// cake::SPACE_NAME_MODIFIERS: the wrapper of one instruction with the order and scope as written.
std::string KernelEmitter::OrderedName(const ir::OpDef& op,
                                       const std::vector<std::string_view>& modifiers,
                                       const ir::View& view) {
  std::string name = absl::StrCat("cake::", Absl(SpaceWord(view)), "_", Absl(op.name));
  for (char& c : name) c = c == '.' ? '_' : c;
  for (const std::string_view modifier : modifiers) absl::StrAppend(&name, "_", Absl(modifier));
  return name;
}

std::string KernelEmitter::AtomicCall(const ir::OpDef& op,
                                      const std::vector<std::string_view>& modifiers,
                                      ir::ViewId view_id, const std::vector<ir::ExprId>& values) {
  const ir::View& view = program_[view_id];
  std::vector<std::string> args{std::string(SpaceWord(view)), absl::StrCat("&", Place(view))};
  const ir::DType dtype = BufferType(view);
  const int64_t elements = SliceElements(view);
  // Words of integers and f32 are overloads of one name; other forms have the type in theirs.
  std::string name(op.name);
  if (elements > 0 || (ir::Info(dtype).is_float && dtype != ir::DType::kF32)) {
    absl::StrAppend(&name, ".", Absl(ir::ToString(dtype)));
  }
  if (elements > 0) absl::StrAppend(&name, "x", elements);
  // The operand's own type picks the overload: a literal of another type would be ambiguous.
  for (const ir::ExprId value : values) {
    if (elements > 0) {
      args.push_back(ArrayValue(value, {.dtype = dtype, .shape = {elements}}));
      continue;
    }
    const bool literal = program_[value].kind == ir::ExprKind::kInt;
    args.push_back(literal && dtype != ir::DType::kI32
                       ? absl::StrCat("(", Absl(ir::Info(dtype).cuda), ")", Code(value))
                       : Code(value));
  }
  return op.lower({.name = name,
                   .args = args,
                   .operand_type = dtype,
                   .result_type = dtype,
                   .modifiers = modifiers,
                   .width = ir::kLanes,
                   .ftz = false});
}

Text KernelEmitter::Atomic(const ir::Expr& expr) {
  return {LoggedTicket(expr, AtomicCall(*expr.op, expr.modifiers, expr.view, expr.args))};
}

void KernelEmitter::AtomicStatement(const ir::Stmt& stmt) {
  hint_ = BufferName(program_[stmt.destination]);
  out_.Line(
      absl::StrCat(AtomicCall(*stmt.op, stmt.modifiers, stmt.destination, {stmt.value}), ";"));
}

void KernelEmitter::Volatile(const ir::Stmt& stmt, std::string_view instruction) {
  out_.Line(absl::StrCat("asm volatile(\"", Absl(instruction), ";  ", SpanMarker(stmt),
                         "\" ::: \"memory\");"));
}

// PTX ISA, membar/fence.
void KernelEmitter::Fence(const ir::Stmt& stmt) {
  const bool sc = stmt.op->effects.sync == ir::SyncEffect::kFenceSc;
  Volatile(stmt, absl::StrCat("fence.", sc ? "sc" : "acq_rel", ".", Absl(stmt.word)));
}

void KernelEmitter::GridSync(const ir::Stmt& stmt) {
  Require(facts_.grid_word != ir::TensorId::kNone, "word of the grid's barrier");
  LogBarrier(EventVerb::kGridSync, stmt, "0");
  out_.Line(absl::StrCat("cake::grid_sync(", tensors_[static_cast<size_t>(facts_.grid_word)], ", ",
                         Builtin(ir::BuiltinValue::kCta).code, " == 0, ",
                         Builtin(ir::BuiltinValue::kCtas).code, ");"));
  LogPassed();
}

bool KernelEmitter::LaunchOrFence(const ir::Stmt& stmt) {
  switch (stmt.op->effects.sync) {
    case ir::SyncEffect::kFence:
    case ir::SyncEffect::kFenceSc: Fence(stmt); return true;
    case ir::SyncEffect::kGridSync: GridSync(stmt); return true;
    // PTX ISA, griddepcontrol.
    case ir::SyncEffect::kLaunchWait: Volatile(stmt, "griddepcontrol.wait"); return true;
    case ir::SyncEffect::kLaunchDependents:
      Volatile(stmt, "griddepcontrol.launch_dependents");
      return true;
    default: return false;
  }
}

}  // namespace compiler::emit
