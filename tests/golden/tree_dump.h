// A syntax tree as text: one line a statement or item, expressions as (operator operand ..). Two
// sources that differ in blanks and comments alone have the same dump.
#pragma once

#include <string>

#include "compiler/text/syntax.h"

namespace golden {

std::string Dump(const compiler::text::File& file);
std::string Dump(const compiler::text::Expr& expr);

}  // namespace golden
