// Elements of an input as doubles, quickly: references read them billions of times.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "runner/reference/numbers.h"
#include "runner/reference/reference.h"

namespace runner::reference {

class Reader {
 public:
  Reader(const Inputs& inputs, std::string_view name)
      : tensor_(inputs.tensors.at(std::string(name))),
        dtype_(tensor_.at.tensor->dtype),
        bytes_(ElementBytes(dtype_)),
        dense_(tensor_.at.tensor->strides.empty()) {}

  int64_t extent(int dimension) const { return tensor_.at.shape[static_cast<size_t>(dimension)]; }
  int64_t elements() const { return tensor_.at.elements; }

  // The i-th element in row-major order.
  double operator[](int64_t element) const {
    const int64_t offset = dense_ ? element : OffsetOf(tensor_.at, element);
    const std::byte* at = tensor_.memory.data() + offset * bytes_;
    if (dtype_ == compiler::ir::DType::kF32) return Raw<float>(at);
    if (dtype_ == compiler::ir::DType::kBF16) {  // the upper half of a float
      return std::bit_cast<float>(static_cast<uint32_t>(Raw<uint16_t>(at)) << 16);
    }
    return LoadElement(dtype_, at);
  }
  int64_t Index(int64_t element) const { return static_cast<int64_t>((*this)[element]); }

  // Elements begin .. begin+count as doubles.
  std::vector<double> Row(int64_t begin, int64_t count) const {
    std::vector<double> row(static_cast<size_t>(count));
    const std::byte* const at = tensor_.memory.data() + begin * bytes_;
    if (dense_ && dtype_ == compiler::ir::DType::kF32) {
      for (size_t i = 0; i < row.size(); ++i) row[i] = Raw<float>(at + i * sizeof(float));
    } else if (dense_ && dtype_ == compiler::ir::DType::kBF16) {
      for (size_t i = 0; i < row.size(); ++i) {
        row[i] = std::bit_cast<float>(static_cast<uint32_t>(Raw<uint16_t>(at + 2 * i)) << 16);
      }
    } else {
      for (size_t i = 0; i < row.size(); ++i) row[i] = (*this)[begin + static_cast<int64_t>(i)];
    }
    return row;
  }

 private:
  template <typename T>
  static T Raw(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
  }

  const Inputs::Tensor& tensor_;
  const compiler::ir::DType dtype_;
  const int64_t bytes_;
  const bool dense_;
};

// Shape of an input; for outputs that references size their pieces by.
inline int64_t Extent(const Inputs& inputs, std::string_view name, int dimension) {
  return inputs.tensors.at(std::string(name)).at.shape[static_cast<size_t>(dimension)];
}

inline int64_t OneElement(const Inputs&, std::string_view) { return 1; }

}  // namespace runner::reference
