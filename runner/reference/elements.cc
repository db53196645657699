// Element-wise references: sums, copies, transposes.
#include <cmath>

#include "runner/reference/families.h"
#include "runner/reference/reader.h"

namespace runner::reference {
namespace {

// c[i] = a[i] + b[i]. The double sum of two floats is exact or off by far less than float's
// roundoff.
void VectorAdd(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader a(inputs, "a"), b(inputs, "b");
  for (int64_t i = piece.begin; i < piece.end; ++i) {
    const double sum = a[i] + b[i];
    piece.want[i - piece.begin] = sum;
    piece.scale[i - piece.begin] = std::abs(sum);
  }
}

void Copy(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader x(inputs, "x");
  for (int64_t i = piece.begin; i < piece.end; ++i) {
    piece.want[i - piece.begin] = x[i];
    piece.scale[i - piece.begin] = std::abs(x[i]);
  }
}

// y[n, m] = x[m, n].
void Transpose(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader x(inputs, "x");
  const int64_t rows = x.extent(0), columns = x.extent(1);
  for (int64_t i = piece.begin; i < piece.end; ++i) {
    const double value = x[i % rows * columns + i / rows];
    piece.want[i - piece.begin] = value;
    piece.scale[i - piece.begin] = std::abs(value);
  }
}

}  // namespace

std::vector<Builtin> ElementReferences() {
  return {
      {"copy", {"y"}, {"x"}, {}, OneElement, Copy},
      {"transpose", {"y"}, {"x"}, {}, OneElement, Transpose},
      {"vector_add", {"c"}, {"a", "b"}, {}, OneElement, VectorAdd},
  };
}

}  // namespace runner::reference
