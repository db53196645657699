#include "compiler/facts/algebra.h"

namespace compiler::facts {
namespace {

struct Named {
  std::string_view name;
  size_t arity;  // of operands; the token `-` is two operations
  Algebra algebra;
};

constexpr Named kTable[] = {
    {"+", 2, Algebra::kAdd},
    {"-", 2, Algebra::kSubtract},
    {"-", 1, Algebra::kNegate},
    {"*", 2, Algebra::kMultiply},
    {"/", 2, Algebra::kDivide},
    {"%", 2, Algebra::kModulo},
    {"ceildiv", 2, Algebra::kCeilDivide},
    {"min", 2, Algebra::kMin},
    {"max", 2, Algebra::kMax},
    {"abs", 1, Algebra::kAbs},
    {"select", 3, Algebra::kSelect},
    {"&", 2, Algebra::kAnd},
    {"|", 2, Algebra::kOr},
    {"^", 2, Algebra::kXor},
    {"<<", 2, Algebra::kShiftLeft},
    {">>", 2, Algebra::kShiftRight},
    {"cvt", 1, Algebra::kConvert},
    {"==", 2, Algebra::kEqual},
    {"!=", 2, Algebra::kNotEqual},
    {"<", 2, Algebra::kLess},
    {"<=", 2, Algebra::kLessEqual},
    {">", 2, Algebra::kGreater},
    {">=", 2, Algebra::kGreaterEqual},
    {"!", 1, Algebra::kNot},
    {"align", 1, Algebra::kAlign},
};

}  // namespace

Algebra AlgebraOf(const ir::OpDef& op) {
  for (const Named& named : kTable) {
    if (named.name == op.name && named.arity == op.args.size()) return named.algebra;
  }
  return Algebra::kOpaque;
}

}  // namespace compiler::facts
