#include <algorithm>
#include <utility>

#include "compiler/facts/launch.h"
#include "compiler/ir/constant.h"
#include "compiler/machine/role_compiler.h"

namespace compiler::machine {

uint64_t IntegerBits(ir::DType type, int64_t value) {
  const ir::DTypeInfo& info = ir::Info(type);
  if (info.is_float) return ir::EncodeFloat(type, static_cast<double>(value));
  const auto bits = static_cast<uint64_t>(value);
  if (info.is_signed || info.bits == 64 || type == ir::DType::kUnknown) return bits;
  return bits & ((uint64_t{1} << info.bits) - 1);
}

// Symbols hold numbers, or the raw bits of a float argument.
uint64_t SymbolBits(ir::DType type, int64_t value) {
  return ir::Info(type).is_float ? static_cast<uint64_t>(value) & 0xffffffffu
                                 : IntegerBits(type, value);
}

Watch RoleCompiler::WatchOf(ir::ExprId id) const {
  if (matter_ == nullptr || matter_->watched.empty()) return Watch::kNothing;
  return matter_->watched[static_cast<size_t>(id)];
}

Registers RoleCompiler::Expression(ir::ExprId id, const Registers* hint) {
  if (!status_.ok()) return {ConstantRegister(0)};
  Registers value = Unwatched(id, hint);
  if (WatchOf(id) == Watch::kTruth) {
    Emit({.code = Code::kWatchTruth, .a = value[0], .c = static_cast<int32_t>(id)});
  }
  return value;
}

Registers RoleCompiler::Unwatched(ir::ExprId id, const Registers* hint) {
  const ir::Expr& expr = program_[id];
  switch (expr.kind) {
    case ir::ExprKind::kInt:
      return {ConstantRegister(IntegerBits(expr.type.dtype, expr.int_value))};
    case ir::ExprKind::kFloat:
      return {ConstantRegister(ir::EncodeFloat(expr.type.dtype, expr.float_value))};
    case ir::ExprKind::kSymbol: {
      if (expr.type.is_array()) return ArgArray(expr);
      return {SymbolRegister(static_cast<size_t>(expr.symbol), expr.type.dtype)};
    }
    case ir::ExprKind::kBuiltin: return {BuiltinOf(expr.builtin)};
    case ir::ExprKind::kLocal: return LocalRegisters(expr.local);
    case ir::ExprKind::kElement: return Element(expr, hint);
    case ir::ExprKind::kArray: {
      Registers elements;
      for (ir::ExprId arg : expr.args) elements.push_back(Expression(arg)[0]);
      return elements;
    }
    case ir::ExprKind::kOp: return Operator(expr, id, hint);
    case ir::ExprKind::kAnd:
    case ir::ExprKind::kOr: return ShortCircuit(expr);
    case ir::ExprKind::kLoad: return Load(expr, id, hint);
    case ir::ExprKind::kTest: return Test(expr);
    case ir::ExprKind::kAtomic: return Atomic(expr, hint);
    case ir::ExprKind::kPair: {
      const Registers both = PairCall(program_[expr.args[0]], expr.args[0], nullptr);
      return {both[expr.int_value == 0 ? 0 : 1]};
    }
    case ir::ExprKind::kRow:
    case ir::ExprKind::kColumn: return Coordinate(expr);
  }
  return {ConstantRegister(0)};
}

bool RoleCompiler::Opaque(ir::ExprId id) const {
  return matter_ != nullptr && !matter_->exprs[static_cast<size_t>(id)];
}

bool RoleCompiler::Opaque(ir::LocalId local) const {
  const auto kernel = static_cast<size_t>(&kernel_ - program_.kernels.data());
  return matter_ != nullptr && !matter_->locals[kernel][static_cast<size_t>(local)];
}

bool RoleCompiler::Opaque(ir::ViewId view) const {
  const auto kernel = static_cast<size_t>(&kernel_ - program_.kernels.data());
  return matter_ != nullptr && !matter_->Matters(program_[view], kernel);
}

void RoleCompiler::AddCall(Call call) {
  call.opaque =
      Opaque(call.expr) && OnlyPassesValuesOn(*call.op, call.operand_type, call.result_type);
  call.open_pick = Opaque(call.expr) && matter_->open_picks &&
                   ConditionIsOpen(program_, program_[call.expr]);
  code_.calls.push_back(std::move(call));
  Emit({.code = Code::kCall, .a = static_cast<int32_t>(code_.calls.size() - 1)});
}

// An arg array: its elements as constants, which a run-time index picks from.
Registers RoleCompiler::ArgArray(const ir::Expr& expr) {
  Registers elements;
  kernel_code_.of_one_launch = true;
  for (const int64_t value : facts::ArrayOf(values_, static_cast<size_t>(expr.symbol))) {
    elements.push_back(ConstantRegister(SymbolBits(expr.type.dtype, value)));
  }
  if (elements.empty()) elements.push_back(ConstantRegister(0));
  return elements;
}

Registers RoleCompiler::Operator(const ir::Expr& expr, ir::ExprId id, const Registers* hint) {
  if (expr.op == nullptr || expr.op->meaning == nullptr) {
    Fail(expr.op == nullptr ? "unresolved operation" : std::string(expr.op->name));
    return {ConstantRegister(0)};
  }
  size_t operands = expr.args.size();
  if (expr.op->width_arg && operands == expr.op->args.size()) --operands;
  std::vector<Registers> args;
  size_t elements = ElementCount(expr.type);
  for (size_t i = 0; i < operands; ++i) args.push_back(Expression(expr.args[i]));
  if (expr.op->result == ir::ResultRule::kFromModifier && args.size() == 1 &&
      args[0].size() != elements) {
    return Regroup(expr, id, args[0], elements);
  }
  for (const Registers& arg : args) {
    if (arg.size() == 1 || arg.size() == elements) continue;
    Fail("operands of several widths");
    return {ConstantRegister(0)};
  }
  if (WatchOf(id) == Watch::kOrder) {
    const Order order = *OrderIn(program_, expr);
    const Register right = order.right ? args[*order.right][0]
                                       : ConstantRegister(static_cast<uint64_t>(order.number));
    Emit({.code = Code::kWatchOrder,
          .a = args[order.left][0],
          .b = right,
          .c = static_cast<int32_t>(id)});
  }
  // A step error is judged lane by lane on intact operands, so no result overwrites an operand.
  bool in_place = hint != nullptr && hint->size() == elements;
  for (const Registers& arg : args) in_place = in_place && !Overlap(arg, *hint);
  const Registers out = in_place ? *hint : Temporaries(elements);
  // Arrays compute element by element; a scalar operand serves all of them.
  for (size_t e = 0; e < elements; ++e) {
    Call call{.op = expr.op,
              .expr = id,
              .result_type = expr.type.dtype,
              .modifiers = expr.modifiers,
              .width = expr.width};
    for (const Registers& arg : args) call.in.push_back(arg.size() == 1 ? arg[0] : arg[e]);
    call.operand_type = operands == 0 ? expr.type.dtype : program_[expr.args[0]].type.dtype;
    call.out = {out[e]};
    AddCall(std::move(call));
    if (expr.op->effects.copy == ir::CopyEffect::kLaunchCancel) {
      Emit({.code = Code::kAnswer, .dst = out[e]});
    }
  }
  return out;
}

// A conversion between numbers of registers: packing, unpacking, bits cut anew. Each call takes or
// gives one register.
Registers RoleCompiler::Regroup(const ir::Expr& expr, ir::ExprId id, const Registers& from,
                                size_t elements) {
  const size_t calls = std::min(from.size(), elements);
  const size_t in = from.size() / calls;
  const size_t out = elements / calls;
  const Registers to = Temporaries(elements);
  for (size_t c = 0; c < calls; ++c) {
    Call call{.op = expr.op,
              .expr = id,
              .operand_type = program_[expr.args[0]].type.dtype,
              .result_type = expr.type.dtype,
              .modifiers = expr.modifiers,
              .width = expr.width};
    for (size_t i = 0; i < in; ++i) call.in.push_back(from[c * in + i]);
    for (size_t o = 0; o < out; ++o) call.out.push_back(to[c * out + o]);
    AddCall(std::move(call));
  }
  return to;
}

Registers RoleCompiler::PairCall(const ir::Expr& expr, ir::ExprId id, const Registers* hint) {
  Registers both = hint != nullptr ? *hint : Temporaries(2);
  if (expr.op == nullptr || expr.op->meaning == nullptr) {
    Fail("such a pair");
    return both;
  }
  size_t operands = expr.args.size();
  if (expr.op->width_arg && operands == expr.op->args.size()) --operands;
  Call call{.op = expr.op,
            .expr = id,
            .result_type = expr.type.dtype,
            .modifiers = expr.modifiers,
            .width = expr.width};
  for (size_t i = 0; i < operands; ++i) call.in.push_back(Expression(expr.args[i])[0]);
  call.operand_type = operands == 0 ? expr.type.dtype : program_[expr.args[0]].type.dtype;
  call.out = both;
  AddCall(std::move(call));
  return both;
}

Registers RoleCompiler::ShortCircuit(const ir::Expr& expr) {
  const Register result = Temporary();
  Emit({.code = Code::kMove, .dst = result, .a = Expression(expr.args[0])[0]});
  const Code code = expr.kind == ir::ExprKind::kAnd ? Code::kWhereTrue : Code::kWhereFalse;
  const size_t enter = Emit({.code = code, .a = result});
  Emit({.code = Code::kMove, .dst = result, .a = Expression(expr.args[1])[0]});
  PatchHere(enter);
  Emit({.code = Code::kEndFrame});
  return {result};
}

Registers RoleCompiler::Element(const ir::Expr& expr, const Registers* hint) {
  if (expr.args.size() == 3) return FragmentElement(expr);
  const Registers array = Expression(expr.args[0]);
  const ir::Expr& index = program_[expr.args[1]];
  if (index.kind == ir::ExprKind::kInt && index.int_value >= 0 &&
      index.int_value < static_cast<int64_t>(array.size())) {
    return {array[static_cast<size_t>(index.int_value)]};
  }
  const Register at = Expression(expr.args[1])[0];
  const Registers out = hint != nullptr && hint->size() == 1 ? *hint : Temporaries(1);
  const ir::Expr& whole = program_[expr.args[0]];
  Emit({.code = Code::kGetElement,
        .dst = out[0],
        .a = AddList(array, whole.kind == ir::ExprKind::kLocal && Opaque(whole.local)),
        .b = at});
  return out;
}

Registers RoleCompiler::Load(const ir::Expr& expr, ir::ExprId id, const Registers* hint) {
  const int32_t index = MakeAccess(expr.view);
  const size_t elements = code_.accesses[static_cast<size_t>(index)].element_offsets.size();
  const Registers out = hint != nullptr && hint->size() == elements ? *hint : Temporaries(elements);
  const bool has_else = !expr.args.empty();
  const Register outside = has_else ? Temporary() : kNoRegister;
  Access& access = code_.accesses[static_cast<size_t>(index)];
  access.values = out;
  access.outside = outside;
  access.opaque = Opaque(id);
  if (expr.op != nullptr) access.ordering = ir::OrderingOf(*expr.op, expr.modifiers);
  access.origin = AddOrigin({.kind = OriginKind::kMemory, .stmt = stmt_, .view = expr.view});
  Emit({.code = Code::kLoad, .a = index});
  if (!has_else) return out;
  // The other value is computed only where it is needed: it may itself load.
  const size_t enter = Emit({.code = Code::kWhereTrue, .a = outside});
  MoveTo(out, Expression(expr.args[0]));
  PatchHere(enter);
  Emit({.code = Code::kEndFrame});
  return out;
}

int32_t RoleCompiler::AtomicAccess(const ir::OpDef& op,
                                   const std::vector<std::string_view>& modifiers, ir::ViewId view,
                                   const std::vector<ir::ExprId>& values) {
  std::vector<Registers> operands;
  for (const ir::ExprId value : values) operands.push_back(Expression(value));
  const int32_t index = MakeAccess(view);
  Access& access = code_.accesses[static_cast<size_t>(index)];
  const size_t elements = access.element_offsets.size();
  for (Registers& operand : operands) {
    // A scalar goes to every element of a vector.
    if (operand.size() == 1) operand.resize(elements, operand[0]);
    if (operand.size() != elements) Fail("an atomic of another width");
    access.operands.insert(access.operands.end(), operand.begin(), operand.end());
  }
  access.ordering = ir::OrderingOf(op, modifiers);
  access.atomic = &op;
  access.modifiers = modifiers;
  access.origin = AddOrigin({.kind = OriginKind::kMemory, .stmt = stmt_, .view = view});
  return index;
}

Registers RoleCompiler::Atomic(const ir::Expr& expr, const Registers* hint) {
  const int32_t index = AtomicAccess(*expr.op, expr.modifiers, expr.view, expr.args);
  Access& access = code_.accesses[static_cast<size_t>(index)];
  const size_t count = access.element_offsets.size();
  const Registers out = hint != nullptr && hint->size() == count ? *hint : Temporaries(count);
  // Lanes take turns, so the result must not overwrite what a later one still reads.
  const Registers old = Overlap(out, access.operands) ? Temporaries(count) : out;
  access.values = old;
  Emit({.code = Code::kAtomic, .a = index});
  return old;
}

void RoleCompiler::AtomicStatement(const ir::Stmt& stmt) {
  const int32_t index = AtomicAccess(*stmt.op, stmt.modifiers, stmt.destination, {stmt.value});
  Emit({.code = Code::kAtomic, .a = index});
}

int64_t RoleCompiler::ConstantExtent(ir::ExprId id) {
  const ir::Expr& expr = program_[id];
  if (expr.kind == ir::ExprKind::kInt) return expr.int_value;
  kernel_code_.of_one_launch = true;
  const absl::StatusOr<int64_t> value = facts::EvaluateLaunch(program_, id, values_);
  if (value.ok()) return *value;
  Fail("slice of run-time extent");
  return 1;
}

Access RoleCompiler::AccessOf(ir::ViewId id) {
  const ir::View& view = program_[id];
  const bool shared = view.space == ir::Space::kShared;
  Access access{.space = view.space, .view = id};
  const bool tmem = view.space == ir::Space::kTmem;
  access.buffer = tmem     ? static_cast<int32_t>(view.tmem)
                  : shared ? static_cast<int32_t>(view.shared)
                           : static_cast<int32_t>(view.tensor);
  const auto buffer = static_cast<size_t>(access.buffer);
  access.dtype = tmem     ? kernel_.tmem[buffer].dtype
                 : shared ? kernel_.shared[buffer].dtype
                          : program_.tensors[buffer].dtype;
  for (const ir::ViewIndex& index : view.index) {
    AccessDimension dimension;
    dimension.offset =
        index.offset == ir::ExprId::kNone ? ConstantRegister(0) : Expression(index.offset)[0];
    if (index.is_slice) dimension.extent = ConstantExtent(index.extent);
    access.dimensions.push_back(dimension);
  }
  if (view.stage != ir::ExprId::kNone) access.stage = Expression(view.stage)[0];
  if (view.remote != ir::ExprId::kNone) access.remote = Expression(view.remote)[0];
  access.site = static_cast<int32_t>(kernel_code_.sites.size());
  kernel_code_.sites.push_back({.stmt = stmt_, .view = id});
  return access;
}

int32_t RoleCompiler::MakeAccess(ir::ViewId id) {
  // A vector access is at most this long; longer ones are bulk copies, which are other
  // instructions.
  constexpr int64_t kMaxElements = 4096;
  const ir::View& view = program_[id];
  const bool shared = view.space == ir::Space::kShared;
  if (view.space != ir::Space::kGlobal && !shared) Fail("access to this memory");
  Access access = AccessOf(id);
  const auto buffer = static_cast<size_t>(access.buffer);
  const std::vector<int64_t>& strides = shared ? layouts_.shared[buffer] : layouts_.tensors[buffer];
  access.element_offsets = {0};
  int slices = 0;
  for (size_t d = 0; d < view.index.size() && status_.ok(); ++d) {
    if (!view.index[d].is_slice) continue;
    const int64_t extent = access.dimensions[d].extent;
    ++slices;
    if (extent < 1 || extent * static_cast<int64_t>(access.element_offsets.size()) > kMaxElements) {
      Fail("access of this size");
      break;
    }
    access.contiguous = access.contiguous && strides[d] == 1;
    if (!shared) kernel_code_.strides.push_back({buffer, d, strides[d]});
    std::vector<int64_t> offsets;
    for (int64_t base : access.element_offsets) {
      for (int64_t e = 0; e < extent; ++e) offsets.push_back(base + e * strides[d]);
    }
    access.element_offsets = std::move(offsets);
  }
  access.contiguous = access.contiguous && slices <= 1;
  if (view.transposed && slices > 1) Fail("transposed access");
  code_.accesses.push_back(std::move(access));
  return static_cast<int32_t>(code_.accesses.size() - 1);
}

Register RoleCompiler::NextFixed() const {
  return static_cast<Register>(-1 - static_cast<int>(code_.constants.size() + builtins_.size()));
}

Register RoleCompiler::ConstantRegister(uint64_t bits) {
  const auto [it, inserted] = constants_.try_emplace(bits, NextFixed());
  if (inserted) code_.constants.push_back({it->second, bits});
  return it->second;
}

Register RoleCompiler::SymbolRegister(size_t symbol, ir::DType type) {
  const auto [it, inserted] = symbols_.try_emplace({symbol, type}, NextFixed());
  if (inserted) {
    code_.symbols.push_back({code_.constants.size(), symbol, type});
    code_.constants.push_back({it->second, SymbolBits(type, values_.values[symbol])});
  }
  return it->second;
}

Register RoleCompiler::BuiltinOf(ir::BuiltinValue value) {
  const auto [it, inserted] = builtins_.try_emplace(value, NextFixed());
  if (inserted) code_.builtins.push_back({it->second, value});
  return it->second;
}

}  // namespace compiler::machine
