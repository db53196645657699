// What a product of tensor memory has read. Internal to compiler/machine.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/tensor_memory.h"
#include "compiler/machine/cta.h"

namespace compiler::machine {

// An operand as a matrix of `rows` x `columns` as the meaning reads it, row by row: side by K.
struct Cta::TensorOperand {
  std::vector<uint64_t> bits;    // empty where its contents do not matter
  std::vector<int32_t> origins;  // by row: of something undefined in it, 0: none
  std::vector<uint64_t> scales;  // by row, of block-scaled kinds
};

// Of copies of scales among the accumulators of WarpTensor: products that come after them in the
// same thread come after them in the tensor cores (PTX ISA, pipelined tcgen05 instructions).
constexpr uint64_t kFillKey = 1;

// Calls visit(row, count) for rows of the buffer in neighbouring lanes as long as they are alike.
template <typename Alike, typename Visit>
void Cta::ForRowsTogether(const Access& access, int64_t rows, const Alike& alike,
                          const Visit& visit) const {
  const ir::TmemBuffer& buffer = kernel_.tmem[static_cast<size_t>(access.buffer)];
  for (int64_t row = 0; row < rows;) {
    const int64_t lane = ir::TmemLane(buffer, row);
    int64_t count = 1;
    while (row + count < rows && ir::TmemLane(buffer, row + count) == lane + count &&
           alike(row, row + count)) {
      ++count;
    }
    visit(row, count);
    row += count;
  }
}

}  // namespace compiler::machine
