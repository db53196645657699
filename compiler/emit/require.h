// What the gates have shown is relied on here; a breach is a bug of this program and ends it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace compiler::emit {

[[noreturn]] inline void Unreachable(std::string_view what) {
  std::fprintf(stderr, "cake: bug in emit: unexpected %.*s\n", static_cast<int>(what.size()),
               what.data());
  std::abort();
}

inline void Require(bool condition, std::string_view what) {
  if (!condition) Unreachable(what);
}

}  // namespace compiler::emit
