// C++ names for the author's names: kept as they are where C++ allows it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace compiler::emit {

// Scopes of one emitted function. A name is taken in a scope if any open scope has it, so nothing
// shadows: inlined bodies may declare the same name many times.
class Names {
 public:
  Names() { Open(); }
  void Open() { scopes_.emplace_back(); }
  void Close() { scopes_.pop_back(); }
  // Declares `wanted`, with a number after it if it is taken or means something in CUDA C++.
  std::string Declare(std::string_view wanted);

 private:
  bool Taken(const std::string& name) const;
  std::vector<std::set<std::string>> scopes_;
};

}  // namespace compiler::emit
