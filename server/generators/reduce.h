// Making a failing program small: what can be left out of a text, in an order that does not depend
// on anything else. Which of it may go without losing the failure is found by trying.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/generators/program_text.h"

namespace server::generators {

struct Reduction {
  bool found = false;  // another text than the given one
  std::string source;  // canonical, without comments and empty lines
  int64_t units = 0;   // of the given text
  std::string text;    // what was left out
};

// Leaves the units [from, from + count) out. Units, in this order: comments; domains of params
// (each becomes a constant of the binding's value); statements, outer ones first; loops and
// branches in favour of what they hold; items of kernels and of the program that nothing may need.
// Units within one that goes are gone with it. A text with errors has no units.
Reduction Reduce(std::string_view source, const Binding& binding, int64_t from, int64_t count);

}  // namespace server::generators
