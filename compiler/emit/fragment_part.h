// Fragments as operands of products and copies. Only compiler/emit includes this.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/emit/kernel_emitter.h"

namespace compiler::emit {

inline std::string Sum(const std::string& a, const std::string& b) {
  if (a == "0") return b;
  return b == "0" ? a : absl::StrCat(a, " + ", b);
}

// A fragment or some of its columns: the name and the first register column of the part.
struct KernelEmitter::FragmentPart {
  std::string name;
  std::string first = "0";
  ir::Type type;  // of the part
  ir::FragmentMap map;

  std::string Register(const std::string& row, const std::string& column) const {
    return absl::StrCat(name, ".reg[", row, "][", Sum(column, first), "]");
  }
};

// An open unrolled loop, or a single pass under the number it stands for.
struct KernelEmitter::Unrolled {
  std::string index;
  bool is_loop = false;
};

}  // namespace compiler::emit
