// What holds before a thread runs, and the values of locals.
#include "verifier/evaluator.h"

namespace verifier {

using ir::ExprId;

namespace {

bool IsIntegerScalar(const ir::Type& type) {
  return type.is_scalar() && ir::Info(type.dtype).is_integer;
}

}  // namespace

void Evaluator::Forget(ir::LocalId local) {
  if (local == ir::LocalId::kNone) return;
  LocalValue& at = locals[static_cast<size_t>(local)];
  at = {.version = at.version + 1};
  const ir::Local& declared = kernel.locals[static_cast<size_t>(local)];
  if (IsIntegerScalar(declared.type)) {
    at.value = Fresh(declared.name, RangeOfDType(declared.type.dtype));
  }
}

void Evaluator::Set(ir::LocalId local, ExprId value) {
  const auto index = static_cast<size_t>(local);
  const ir::Local& declared = kernel.locals[index];
  LocalValue now{.version = locals[index].version + 1};
  if (value != ExprId::kNone && declared.type.is_scalar()) {
    if (declared.type.dtype == ir::DType::kBool) {
      now.if_true = Conditions(value, true);
      now.if_false = Conditions(value, false);
    } else if (IsIntegerScalar(declared.type)) {
      const bool address = !address_locals.empty() && address_locals[index];
      now.value = address ? IndexValue(value) : Value(value);
    }
  } else if (IsIntegerScalar(declared.type)) {
    now.value = Fresh(declared.name, RangeOfDType(declared.type.dtype));
  }
  locals[index] = std::move(now);
}

void Evaluator::BeginLaunch() {
  // Until the grid is known, `ctas` in a let is any positive number.
  analysis.grid.assign(3, Fresh("grid", {.low = 1}));
  analysis.coordinates.assign(3, Linear::Constant(0));
  ++dry;  // the launcher refuses a guard whose numbers leave their types
  for (const ir::Guard& guard : program.guards) AssumeGuard(guard.condition);
  --dry;
  for (const ir::Tensor& tensor : program.tensors) {
    std::vector<Linear> limits, strides;
    for (const ExprId extent : tensor.shape) limits.push_back(Value(extent));
    for (const ExprId stride : tensor.strides) strides.push_back(Value(stride));
    analysis.limits.push_back(std::move(limits));
    analysis.strides.push_back(std::move(strides));
  }
  // Launch-level lets are part of the grid; the others need coordinates and run with a role.
  for (const ir::StmtId id : kernel.lets) {
    const ir::Stmt& let = program[id];
    if (let.kind == ir::StmtKind::kLet && let.value != ExprId::kNone &&
        program[let.value].level <= ir::Level::kLaunch) {
      Set(let.local, let.value);
    }
  }
  ReadGrid();
  if (kernel.when != ExprId::kNone) Assume(kernel.when, true);
  analysis.launch = facts;
}

void Evaluator::ReadGrid() {
  analysis.grid.assign(3, Linear::Constant(1));
  constexpr const char* kNames[] = {"cta.x", "cta.y", "cta.z"};
  for (size_t d = 0; d < kernel.grid.size(); ++d) {
    const Linear extent = Value(kernel.grid[d]);
    analysis.grid[d] = extent;
    if (extent.is_constant() && extent.constant == 1) continue;
    const Interval range = analysis.atoms.RangeOf(extent);
    const AtomId id =
        analysis.atoms.Add({.kind = AtomKind::kThread,
                            .name = kNames[d],
                            .range = {0, range.has_high() ? range.high - 1 : range.high}});
    if (const std::optional<Linear> room = Minus(extent, Linear::Atom(id))) {
      analysis.atoms.Mutable(id).facts.push_back(Shift(*room, -1));
    }
    analysis.coordinates[d] = Linear::Atom(id);
    facts.push_back(Shift(extent, -1));  // a kernel with an empty grid does not run
  }
}

}  // namespace verifier
