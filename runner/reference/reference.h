// Built-in references: what a contract's outputs should be, in double precision, piece by piece, so
// that a gigabyte of output is never held twice. Written from the definition of each operation, not
// from any kernel.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/contract/workload.h"
#include "runner/reference/room.h"

namespace runner::reference {

// What a reference reads: the inputs of one case by tensor name, and the args.
struct Inputs {
  struct Tensor {
    contract::CaseTensor at;
    std::span<const std::byte> memory;
  };
  std::map<std::string, Tensor> tensors;
  std::map<std::string, contract::CaseTensor> outputs;  // for what only their shapes tell
  std::map<std::string, double> args;
  // By output, where a program outside computed them: Piece's want and scale of every element.
  struct Given {
    Room<double> want, scale;
  };
  std::map<std::string, Given> given;
};

// One piece of an output: elements [begin, end) in row-major order. want: the exact value; scale:
// the size that errors are relative to (sum of the absolute terms where terms can cancel).
struct Piece {
  int64_t begin = 0, end = 0;
  double* want = nullptr;
  double* scale = nullptr;
};

struct Builtin {
  std::string_view name;
  // The outputs that it defines and the inputs and args that it reads, by name.
  std::vector<std::string_view> outputs, inputs, args;
  // Pieces begin at multiples of this many elements (a row of a row-wise operation).
  int64_t (*granule)(const Inputs& inputs, std::string_view output);
  void (*evaluate)(const Inputs& inputs, std::string_view output, Piece piece);
  // For outputs that name elements: how far what `got` names scores below the best, infinite for an
  // index out of range or one that the same row names before. `piece.scale` is evaluate's. Null: no
  // such output.
  void (*regret)(const Inputs& inputs, std::string_view output, Piece piece, const int64_t* got,
                 double* loss) = nullptr;
};

// Hands out what Inputs::given holds, for contracts whose reference is a command.
const Builtin& GivenReference();

// What is expected of an output, handed out where it is known and else computed.
void EvaluateUnlessGiven(void (*evaluate)(const Inputs&, std::string_view, Piece),
                         const Inputs& inputs, std::string_view output, Piece piece);

// NotFound lists the known ones.
absl::StatusOr<const Builtin*> FindBuiltin(std::string_view name);
const std::vector<Builtin>& Builtins();

// InvalidArgument unless the contract has every tensor and arg that the reference names, and
// compares by regret only what the reference scores.
absl::Status CheckBuiltin(const Builtin& builtin, const contract::Workload& workload);

// Offset in elements of the i-th element (row-major order) of a tensor.
int64_t OffsetOf(const contract::CaseTensor& tensor, int64_t element);

}  // namespace runner::reference
