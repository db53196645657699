// Which values of a program can matter to what the machine checks. A float that reaches no branch,
// no address and no number of trips can be anything: races, bounds and definedness are the same.
// A run that is given these sets moves and computes only what matters; what is undefined is
// followed through all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/program.h"

namespace compiler::machine {

// What is to be noted of an expression's values: which it had (Result::outcomes).
enum class Watch : uint8_t {
  kNothing,
  kTruth,  // of a bool
  kOrder,  // of the integers that an operation compares (Order)
};

// The integers on whose order it depends what an operation does: sides of a minimum, the sign of an
// absolute value, whether a quotient or a shift leaves anything, whether a mask has been passed.
struct Order {
  size_t left = 0;              // of the operands
  std::optional<size_t> right;  // of the operands; nothing: `number`
  int64_t number = 0;
};

// Nothing where the operation compares nothing.
std::optional<Order> OrderIn(const ir::Program& program, const ir::Expr& expr);

struct Values {
  std::vector<bool> exprs;                              // by ExprId
  std::vector<std::vector<bool>> locals, shared, tmem;  // by kernel; by LocalId, SharedId, TmemId
  std::vector<bool> tensors;                            // by TensorId
  std::vector<Watch> watched;                           // by ExprId; empty: none
  // Conditions of a `select` that compare floats are left out too, where the picked value does not
  // matter: a run in which one of them decides what is undefined says so (Result::open_pick).
  bool open_picks = false;

  bool Matters(const ir::View& view, size_t kernel) const;
};

Values ValuesThatMatter(const ir::Program& program, bool open_picks = false);

// Of a `select` whose result does not matter: whether Values::open_picks leaves its condition out.
bool ConditionIsOpen(const ir::Program& program, const ir::Expr& select);

// Whether a use of `op` whose result does not matter needs no computing: each lane is undefined
// where an operand is, and no value is an error.
bool OnlyPassesValuesOn(const ir::OpDef& op, ir::DType operand_type, ir::DType result_type);

}  // namespace compiler::machine
