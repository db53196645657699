#include "compiler/ir/tensor_memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace compiler::ir {
namespace {

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

constexpr auto kF16 = DType::kF16, kBF16 = DType::kBF16, kF32 = DType::kF32, kTF32 = DType::kTF32,
               kE4M3 = DType::kE4M3, kE5M2 = DType::kE5M2, kI8 = DType::kI8, kU8 = DType::kU8,
               kI32 = DType::kI32;
// Every device of the family has these, integers the first one only.
constexpr std::string_view kFamily = "sm_100f", kFirst = "sm_100a";

// In the order of PTX ISA's table of tcgen05 kinds. Left out: f16 accumulators, sparse A, `.ws`.
constexpr UmmaShape kShapes[] = {
    {"f16", kF16, kF16, kF32, 16, kFamily, 0, 0, 1},
    {"f16", kBF16, kBF16, kF32, 16, kFamily, 1, 1, 1},
    {"tf32", kTF32, kTF32, kF32, 8, kFamily, 2, 2, 1},
    {"f8f6f4", kE4M3, kE4M3, kF32, 32, kFamily, 0, 0, 1},
    {"f8f6f4", kE4M3, kE5M2, kF32, 32, kFamily, 0, 1, 1},
    {"f8f6f4", kE5M2, kE4M3, kF32, 32, kFamily, 1, 0, 1},
    {"f8f6f4", kE5M2, kE5M2, kF32, 32, kFamily, 1, 1, 1},
    {"i8", kU8, kU8, kI32, 32, kFirst, 0, 0, 2},
    {"i8", kU8, kI8, kI32, 32, kFirst, 0, 1, 2},
    {"i8", kI8, kU8, kI32, 32, kFirst, 1, 0, 2},
    {"i8", kI8, kI8, kI32, 32, kFirst, 1, 1, 2},
};

bool HasColumns(const UmmaShape& shape, int64_t m, int64_t n) {
  if (n < 8 || n > kUmmaMaxColumns) return false;
  if (shape.d == kI32 && n > 32) return n % 16 == 0;
  return n % (m == kTmemLanes ? 16 : 8) == 0;
}

}  // namespace

int64_t TmemColumns(DType dtype, int64_t elements) {
  return (elements * Info(dtype).bits + kTmemColumnBits - 1) / kTmemColumnBits;
}

std::span<const UmmaShape> UmmaShapes() { return kShapes; }

const UmmaShape* FindUmma(DType a, DType b, DType d) {
  for (const UmmaShape& shape : kShapes) {
    if (shape.a == a && shape.b == b && shape.d == d) return &shape;
  }
  return nullptr;
}

std::string UmmaTypeList(DType a) {
  std::string text;
  for (const UmmaShape& shape : kShapes) {
    if (shape.a != a) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", Absl(ToString(shape.a)), "*",
                    Absl(ToString(shape.b)), " -> ", Absl(ToString(shape.d)));
  }
  return text;
}

int64_t UmmaColumns(const UmmaShape& shape, int64_t m, int64_t n) {
  for (int64_t columns = kUmmaMaxColumns; columns >= 8; columns -= 8) {
    if (n % columns == 0 && HasColumns(shape, m, columns)) return columns;
  }
  return 0;
}

bool OfPair(const Stmt& stmt) {
  return std::find(stmt.modifiers.begin(), stmt.modifiers.end(), "2cta") != stmt.modifiers.end();
}

// PTX ISA, tcgen05 matrix shape: in steps of 16, of integers of 32.
bool PairHasColumns(const UmmaShape& shape, int64_t n) {
  return n > 0 && n <= kUmmaMaxColumns && n % (shape.d == kI32 ? 32 : 16) == 0;
}

uint32_t UmmaDescriptor(const UmmaShape& shape, int64_t m, int64_t n, bool a_transposed,
                        bool b_transposed) {
  return shape.d_code << 4 | shape.a_code << 7 | shape.b_code << 10 |
         static_cast<uint32_t>(a_transposed) << 15 | static_cast<uint32_t>(b_transposed) << 16 |
         static_cast<uint32_t>(n >> 3) << 17 | static_cast<uint32_t>(m >> 4) << 24;
}

}  // namespace compiler::ir
