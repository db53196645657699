// What an estimate takes the elements of index tensors to be, from what the program says of them:
// contents decide trip counts, and an estimate is made without them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "compiler/ir/program.h"

namespace costmodel {

class Contents {
 public:
  Contents(const compiler::ir::Program& program, const compiler::ir::LaunchValues& values);

  // The element of a one-dimensional tensor between two that are fixed (`off[0] == 0`,
  // `off[E] == T`): as if all steps were alike. Of another one the largest that the contracts
  // admit: sequences as long, pages as many as there may be. Nothing where they say neither.
  std::optional<int64_t> Element(compiler::ir::TensorId tensor,
                                 const std::vector<int64_t>& index) const;

 private:
  struct Known {
    std::map<int64_t, int64_t> fixed;  // by index
    std::optional<int64_t> most;
  };
  std::map<compiler::ir::TensorId, Known> tensors_;
};

}  // namespace costmodel
