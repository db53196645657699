#include "verifier/filling.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "compiler/ir/constant.h"

namespace verifier {
namespace {

// Small deterministic values: exact in every float type, valid indices into anything but tiny
// tensors.
uint64_t Hash(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t ValueBits(ir::DType dtype, uint64_t hash) {
  const float real = static_cast<float>(static_cast<int>(hash % 17) - 8) / 8.0f;
  switch (dtype) {
    case ir::DType::kF32: return std::bit_cast<uint32_t>(real);
    case ir::DType::kBF16: return std::bit_cast<uint32_t>(real) >> 16;
    case ir::DType::kF16: return hash % 2 == 0 ? 0x3800 : 0xbc00;  // 0.5, -1
    case ir::DType::kTF32:
    case ir::DType::kE4M3:
    case ir::DType::kE5M2: return ir::EncodeFloat(dtype, static_cast<double>(real));
    case ir::DType::kBool: return hash & 1;
    default: return hash % 3;
  }
}

// Which of `count` values an element has: the first elements all of them in turn, later ones so
// that rows of any length begin with different ones.
size_t TurnOf(size_t element, size_t count) {
  return (element < count ? element : Hash(element)) % count;
}

// An element as the conditions of the program name it; nothing for one of so many values, and where
// the type has no such value.
std::optional<uint64_t> NamedBits(ir::DType dtype, const Cells& cells, size_t element) {
  const ir::DTypeInfo& info = ir::Info(dtype);
  if (info.is_float) {
    const size_t turn = TurnOf(element, cells.reals.size() + 1);
    if (turn == cells.reals.size()) return std::nullopt;
    if (dtype == ir::DType::kF32) {
      return std::bit_cast<uint32_t>(static_cast<float>(cells.reals[turn]));
    }
    return ir::EncodeFloat(dtype, cells.reals[turn]);
  }
  const size_t turn = TurnOf(element, cells.integers.size() + 1);
  if (turn == cells.integers.size() || dtype == ir::DType::kBool) return std::nullopt;
  const Interval range = RangeOfDType(dtype);
  const int64_t value = cells.integers[turn];
  if (value < range.low || value > range.high) return std::nullopt;
  return static_cast<uint64_t>(value);
}

}  // namespace

void FillTensor(const compiler::facts::TensorPlan& tensor, size_t index, const Cells* cells,
                std::vector<std::byte>& bytes) {
  const auto element = static_cast<size_t>(std::max(1, ir::Info(tensor.dtype).bits / 8));
  for (size_t i = 0; i + element <= bytes.size(); i += element) {
    const auto named =
        cells != nullptr ? NamedBits(tensor.dtype, *cells, i / element) : std::nullopt;
    const uint64_t bits =
        named ? *named : ValueBits(tensor.dtype, Hash(i / element + (index << 40)));
    std::memcpy(&bytes[i], &bits, element);
  }
}

void Fillings::Fill(const compiler::facts::TensorPlan& tensor, size_t index, const Cells* cells,
                    std::vector<std::byte>& bytes) {
  if (cells != nullptr) return FillTensor(tensor, index, cells, bytes);
  if (made_.size() <= index) made_.resize(index + 1);
  std::vector<std::byte>& made = made_[index];
  if (made.size() < bytes.size()) {
    made.resize(bytes.size());
    FillTensor(tensor, index, nullptr, made);
  }
  std::copy_n(made.begin(), bytes.size(), bytes.begin());
}

}  // namespace verifier
