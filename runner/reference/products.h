// Products of matrices in double precision, for references: what a contract's output is compared
// with has to be right, and must not take longer than what it judges.
#pragma once

#include <cstdint>

namespace runner::reference {

// Rows of a times columns of b. Element (i, d) of a is a[i * depth + d]; element (d, j) of b is
// b[d * b_step + j * b_column].
struct Factors {
  const double* a = nullptr;
  // Of the sizes: what stands for a there; null: a itself.
  const double* a_size = nullptr;
  const double* b = nullptr;
  int64_t rows = 0, columns = 0, depth = 0;
  int64_t b_step = 1, b_column = 0;
};

// sums[i * columns + j] = sum over d of a(i, d) * b(d, j), and sizes the sum of the absolute terms:
// each sum in the order of d, every term and every addition rounded to double, on every machine.
void Multiply(const Factors& factors, double* sums, double* sizes);

}  // namespace runner::reference
