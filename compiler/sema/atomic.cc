// Atomics, and what all ordered accesses have in common: each happens once, in the order in which
// the program writes them, and but for additions of floats they are scalars.
#include <algorithm>

#include "compiler/ir/order.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Severity;

constexpr diag::Def<Name> kStoreToInput{
    "CK1046", Severity::kError, Category::kType, "`{0}` is an input of the program",
    "`in` tensors are only read; loads of them may go through the read-only path"};
constexpr diag::Def<Name, int64_t> kOrderedVector{
    "CK1220", Severity::kError, Category::kType, "`{0}` of {1} elements",
    "the hardware orders one word at a time: a vector would be several accesses without an order "
    "among them"};
constexpr diag::Def<Name, Name> kNoAtomicType{
    "CK1221", Severity::kError, Category::kType, "`{0}` has no form for `{1}`",
    "the memory system computes on words of 32 and 64 bits, on each in its own way"};
constexpr diag::Def<Name, int64_t, int64_t> kOperandCount{
    "CK1222", Severity::kError, Category::kType, "`{0}` takes a view and {1} values, {2} given",
    "the operands of each instruction are a fixed list"};
constexpr diag::Def<Name, int64_t, Name> kNoAtomicVector{
    "CK1210", Severity::kError, Category::kType, "`{0}` has no form for {1} neighbours of `{2}`",
    "PTX ISA, atom and red: `.add` takes 2 or 4 `f32`, or 2, 4 or 8 `f16` or `bf16`, `.min` and "
    "`.max` the latter; every other operation takes one word"};
constexpr diag::Def<Name, int64_t, int64_t> kSharedVector{
    "CK1211", Severity::kError, Category::kHardware,
    "`{0}` of {1} bytes of neighbours in shared memory, which takes at most {2} at once",
    "PTX ISA, atom and red: vector types are of global memory only"};
constexpr diag::Def<Name> kNotMemory{"CK1223", Severity::kError, Category::kType,
                                     "the first operand of `{0}` is the word in memory",
                                     "an atomic reads and writes memory in one step; registers are "
                                     "private anyway"};

}  // namespace

void Elaborator::WritesTensor(const ViewRef& view, Span span) {
  if (view.buffer->tensor == ir::TensorId::kNone) return;
  ir::Tensor& tensor = program_->tensors[static_cast<size_t>(view.buffer->tensor)];
  if (tensor.direction == ir::Direction::kIn) {
    report_.Add(kStoreToInput, span, Name{tensor.name}).Label(tensor.declared, "declared here");
  }
  if (b_.dead == 0) tensor.written_by_program = true;
}

bool Elaborator::OrderedScalar(const ir::OpDef& op, const ir::Type& type, Span span) {
  if (op.effects.order == ir::Order::kWeak || type.is_scalar() || op.effects.atomic) return true;
  report_.Add(kOrderedVector, span, Name{std::string(op.name)}, type.shape[0])
      .Fix("access one element, or pack several into one `u64`", {}, diag::Applicability::kManual);
  return false;
}

ExprId Elaborator::InOrder(ExprId access, std::string_view name) {
  const ir::Expr expr = b_[access];
  if (expr.op == nullptr || !ir::OrderingOf(*expr.op, expr.modifiers).strong || !CanHoist()) {
    return access;
  }
  const Span span = expr.source.span;
  std::string local_name(name);
  std::replace(local_name.begin(), local_name.end(), '.', '_');
  const ir::LocalId local = NewLocal(local_name + "_value", span, expr.type, false);
  Emit({.kind = ir::StmtKind::kLet, .source = {span, 0}, .local = local, .value = access});
  in_order_ = local;
  return b_.Add({.kind = ir::ExprKind::kLocal, .type = expr.type, .local = local}, span);
}

// `let v = ld.acquire ..`: the access has its let already, which takes the author's name.
bool Elaborator::NameInOrder(const text::Ident& name, ExprId value, bool is_var) {
  const ir::Expr& expr = b_[value];
  const bool fresh = expr.kind == ir::ExprKind::kLocal && expr.local == in_order_ &&
                     in_order_ != ir::LocalId::kNone;
  in_order_ = ir::LocalId::kNone;
  if (!fresh) return false;
  ir::Local& local = kernel_->locals[static_cast<size_t>(expr.local)];
  local.name = std::string(name.text);
  local.declared = name.span;
  local.is_var = is_var;
  Declare(name, EntityKind::kLocal).local = expr.local;
  return true;
}

// An atomic computes on each element by itself; its entry says how many it takes at once.
bool Elaborator::AtomicElements(const ir::OpDef& op, const ViewRef& view, const ir::Type& type,
                                Span span) {
  constexpr int64_t kSharedBytes = 4;
  const auto needs_of = [&](int64_t elements) {
    return op.capability({.operand_type = type.dtype,
                          .result_type = type.dtype,
                          .modifiers = {},
                          .elements = elements});
  };
  const bool one_by_one = needs_of(1).refused.empty();
  if (type.is_scalar()) {
    if (one_by_one) return true;
    report_.Add(kNoAtomicType, span, Name{std::string(op.name)},
                Name{std::string(ir::ToString(type.dtype))});
    return false;
  }
  const int64_t elements = type.shape.size() == 1 ? type.shape[0] : 0;
  const ir::Needs needs = needs_of(elements);
  const bool power = elements >= 2 && (elements & (elements - 1)) == 0;
  if (!power || !needs.refused.empty()) {
    report_
        .Add(kNoAtomicVector, span, Name{std::string(op.name)}, elements,
             Name{std::string(ir::ToString(type.dtype))})
        .Fix("one access an element, in a loop", {}, diag::Applicability::kManual);
    return false;
  }
  const int64_t bytes = elements * ir::Info(type.dtype).bits / 8;
  const int64_t most = one_by_one ? kSharedBytes : 0;  // what has no form of one is a vector
  if (view.buffer->tensor != ir::TensorId::kNone || bytes <= most) return true;
  report_.Add(kSharedVector, span, Name{std::string(op.name)}, bytes, most)
      .Fix("access fewer neighbours at once, in a loop", {}, diag::Applicability::kManual);
  return false;
}

bool Elaborator::AtomicOperands(const ir::OpDef& op, const text::Postfix& call, Span span,
                                ViewRef& view, ir::Type& access, std::vector<ExprId>& values) {
  const std::string name(op.name);
  if (call.args.size() != op.args.size()) {
    for (const text::Expr* arg : call.args) {
      ir::Stmt outside;
      OutsideOperand(arg, outside);
    }
    report_.Add(kOperandCount, span, Name{name}, static_cast<int64_t>(op.args.size()) - 1,
                static_cast<int64_t>(call.args.size()) - 1);
    return false;
  }
  const text::Expr* place = call.args[0];
  const bool in_memory =
      place != nullptr && place->kind == text::Expr::Kind::kPath && NamesMemory(*place);
  ir::Type type;
  bool good = in_memory;
  if (in_memory) {
    view = View(*place);
    good = AccessType(view, place->span, type);
  } else if (place != nullptr && !b_.IsUnknown(Expr(place))) {
    report_.Add(kNotMemory, place->span, Name{name});
  }
  for (size_t i = 1; i < call.args.size(); ++i) {
    const ExprId value = Expr(call.args[i]);
    if (call.args[i] == nullptr || b_.IsUnknown(value)) {
      good = false;
      continue;
    }
    values.push_back(good ? CoerceTo(value, type, call.args[i]->span) : value);
    good = good && !b_.IsUnknown(values.back());
  }
  if (!good || !OrderedScalar(op, type, place->span)) return false;
  if (std::find(op.dtypes.begin(), op.dtypes.end(), type.dtype) == op.dtypes.end()) {
    report_.Add(kNoAtomicType, place->span, Name{name},
                Name{std::string(ir::ToString(type.dtype))});
    return false;
  }
  if (!AtomicElements(op, view, type, place->span)) return false;
  access = type;
  WritesTensor(view, place->span);
  return true;
}

ExprId Elaborator::Atomic(const text::Expr& expr, const ir::OpDef& op,
                          const std::vector<text::Ident>& words, const text::Postfix& call) {
  std::vector<std::string_view> modifiers = Modifiers(op, words, expr.span);
  ViewRef view;
  ir::Type type;
  std::vector<ExprId> values;
  if (!AtomicOperands(op, call, expr.span, view, type, values) || launch_only_) {
    return b_.Unknown(expr.span);
  }
  const ExprId atomic = b_.Add({.kind = ir::ExprKind::kAtomic,
                                .type = type,
                                .view = AddView(view, call.args[0]->span),
                                .op = &op,
                                .modifiers = std::move(modifiers),
                                .args = std::move(values)},
                               expr.span);
  return InOrder(atomic, view.buffer->name);
}

// `red.OP(..)`, or an atomic whose old value nobody wants.
void Elaborator::AtomicStatement(const text::Expr& call, const ir::OpDef& op) {
  if (op.form == ir::Form::kFunction) {
    Expr(&call);  // stands in its own let
    return;
  }
  std::vector<text::Ident> words;
  const text::Postfix* operands = nullptr;
  size_t parts = static_cast<size_t>(std::count(op.name.begin(), op.name.end(), '.'));
  for (const text::Postfix& postfix : call.postfixes) {
    if (postfix.kind == text::Postfix::Kind::kCall) operands = &postfix;
    if (postfix.kind != text::Postfix::Kind::kMember) continue;
    if (parts > 0) {
      --parts;
    } else {
      words.push_back(postfix.member);
    }
  }
  if (operands == nullptr) return;  // the parser has reported it
  ir::Stmt out{.kind = ir::StmtKind::kOp, .source = {call.span, 0}, .op = &op};
  out.modifiers = Modifiers(op, words, call.span);
  ViewRef view;
  ir::Type type;
  std::vector<ExprId> values;
  if (!AtomicOperands(op, *operands, call.span, view, type, values)) {
    b_.Unknown(call.span);
    return;
  }
  out.value = values[0];
  out.destination = AddView(view, operands->args[0]->span);
  Emit(std::move(out));
}

}  // namespace compiler::sema
