// What tensors hold when the machine runs a program for the gates.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/facts/launch.h"
#include "verifier/cells.h"

namespace verifier {

// Fills the elements of a tensor, which is number `index` of its plan, with small deterministic
// values: exact in every float type, valid indices into anything but tiny tensors. With `cells`
// most elements are what the conditions of the program name.
void FillTensor(const compiler::facts::TensorPlan& tensor, size_t index, const Cells* cells,
                std::vector<std::byte>& bytes);

// The same for tensors of one program at one shape after the other: what an element is does not
// depend on the shape, so that it is made once.
class Fillings {
 public:
  void Fill(const compiler::facts::TensorPlan& tensor, size_t index, const Cells* cells,
            std::vector<std::byte>& bytes);

 private:
  std::vector<std::vector<std::byte>> made_;  // without cells, by number of the tensor
};

}  // namespace verifier
