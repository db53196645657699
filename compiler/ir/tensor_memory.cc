#include "compiler/ir/tensor_memory.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace compiler::ir {
namespace {

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

constexpr auto kF16 = DType::kF16, kBF16 = DType::kBF16, kF32 = DType::kF32, kTF32 = DType::kTF32,
               kE2M1x2 = DType::kE2M1x2, kUE8M0 = DType::kUE8M0, kUE4M3 = DType::kUE4M3,
               kE4M3 = DType::kE4M3, kE5M2 = DType::kE5M2, kE2M3 = DType::kE2M3,
               kE3M2 = DType::kE3M2, kE2M1 = DType::kE2M1, kI8 = DType::kI8, kU8 = DType::kU8,
               kI32 = DType::kI32;
// Every device of the family has these, integers the first one only.
constexpr std::string_view kFamily = "sm_100f", kFirst = "sm_100a";

// In the order of PTX ISA's table of tcgen05 kinds. Left out: f16 accumulators, sparse A, `.ws`.
constexpr UmmaShape kShapes[] = {
    {"f16", kF16, kF16, kF32, 16, kFamily, 0, 0, 1},
    {"f16", kBF16, kBF16, kF32, 16, kFamily, 1, 1, 1},
    {"tf32", kTF32, kTF32, kF32, 8, kFamily, 2, 2, 1},
    {"mxf4", kE2M1x2, kE2M1x2, kF32, 64, kFamily, 1, 1, 0, kUE8M0, 32},
    {"mxf4nvf4", kE2M1x2, kE2M1x2, kF32, 64, kFamily, 1, 1, 0, kUE8M0, 16},
    {"mxf4nvf4", kE2M1x2, kE2M1x2, kF32, 64, kFamily, 1, 1, 0, kUE4M3, 16},
    {"i8", kU8, kU8, kI32, 32, kFirst, 0, 0, 2},
    {"i8", kU8, kI8, kI32, 32, kFirst, 0, 1, 2},
    {"i8", kI8, kU8, kI32, 32, kFirst, 1, 0, 2},
    {"i8", kI8, kI8, kI32, 32, kFirst, 1, 1, 2},
};

// The codes of kind::f8f6f4 and kind::mxf8f6f4, which multiply any of these types by any other.
constexpr struct {
  DType dtype;
  uint32_t code;
} kSmallFloats[] = {{kE4M3, 0}, {kE5M2, 1}, {kE2M3, 3}, {kE3M2, 4}, {kE2M1, 5}};

const std::vector<UmmaShape>& Shapes() {
  static const std::vector<UmmaShape> all = [] {
    std::vector<UmmaShape> shapes(std::begin(kShapes), std::end(kShapes));
    for (const auto& a : kSmallFloats) {
      for (const auto& b : kSmallFloats) {
        shapes.push_back({"f8f6f4", a.dtype, b.dtype, kF32, 32, kFamily, a.code, b.code, 1});
        shapes.push_back(
            {"mxf8f6f4", a.dtype, b.dtype, kF32, 32, kFamily, a.code, b.code, 0, kUE8M0, 32});
      }
    }
    return shapes;
  }();
  return all;
}

bool HasColumns(const UmmaShape& shape, int64_t m, int64_t n) {
  if (n < 8 || n > kUmmaMaxColumns) return false;
  if (shape.d == kI32 && n > 32) return n % 16 == 0;
  return n % (m == kTmemLanes ? 16 : 8) == 0;
}

}  // namespace

int64_t TmemColumns(DType dtype, int64_t elements) {
  return (elements * Info(dtype).bits + kTmemColumnBits - 1) / kTmemColumnBits;
}

std::span<const UmmaShape> UmmaShapes() { return Shapes(); }

int64_t TmemColumns(const TmemBuffer& buffer) {
  if (IsScale(buffer.dtype)) return buffer.rows / kScaleRows * buffer.columns;
  return TmemColumns(buffer.dtype, buffer.columns);
}

int64_t ScaleColumn(const TmemBuffer& buffer, int64_t row, int64_t column) {
  return column / kScaleWord * (buffer.rows / kScaleLanes) + row / kScaleLanes;
}

const UmmaShape* FindUmma(DType a, DType b, DType d) {
  return FindScaledUmma(a, b, d, DType::kUnknown, 0);
}

const UmmaShape* FindScaledUmma(DType a, DType b, DType d, DType scale, int64_t block) {
  for (const UmmaShape& shape : Shapes()) {
    const bool types = shape.a == a && shape.b == b && shape.d == d;
    if (types && shape.scale == scale && shape.block == block) return &shape;
  }
  return nullptr;
}

const UmmaShape* UmmaOf(const Program& program, const Kernel& kernel, const Stmt& stmt) {
  const auto type = [&](ViewId id) {
    const View& view = program[id];
    return view.space == Space::kTmem ? kernel.tmem[static_cast<size_t>(view.tmem)].dtype
                                      : kernel.shared[static_cast<size_t>(view.shared)].dtype;
  };
  const DType a = type(stmt.left_view), b = type(stmt.right_view), d = type(stmt.accumulator_view);
  if (stmt.left_scale == ViewId::kNone) return FindUmma(a, b, d);
  const View& left = program[stmt.left_view];
  const size_t last = left.index.size() - 1;
  const ExprId k = left.index[left.transposed ? last - 1 : last].extent;
  const int64_t scales = program[program[stmt.left_scale].index[1].extent].int_value;
  const int64_t numbers = program[k].int_value * NumbersOf(a);
  return FindScaledUmma(a, b, d, type(stmt.left_scale), numbers / std::max<int64_t>(scales, 1));
}

std::string ScaledTypeList() {
  std::string text;
  for (const UmmaShape& shape : Shapes()) {
    if (shape.block == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", Absl(ToString(shape.a)), "*",
                    Absl(ToString(shape.b)), " by ", Absl(ToString(shape.scale)), " of ",
                    shape.block);
  }
  return text;
}

int64_t ScaleSteps(const UmmaShape& shape) { return kScaleWord * shape.block / shape.k; }

// PTX ISA, tcgen05 instruction descriptor: the data ids of scales count bytes of a word.
uint32_t ScaleStep(const UmmaShape& shape) {
  const auto bytes = static_cast<uint32_t>(shape.k / shape.block);
  return bytes << 29 | bytes << 4;
}

std::string UmmaTypeList(DType a) {
  std::string text;
  for (const UmmaShape& shape : Shapes()) {
    if (shape.a != a || shape.block > 0) continue;
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

bool FoldsColumns(const Program& program, const Stmt& stmt) {
  if (!OfPair(stmt) || stmt.left_view == ViewId::kNone) return false;
  const View& left = program[stmt.left_view];
  const size_t last = left.index.size() - 1;
  const ExprId rows = left.index[left.transposed ? last : last - 1].extent;
  return program[rows].int_value == kFoldedRows;
}

// PTX ISA, tcgen05 matrix shape: in steps of 16, of integers of 32.
bool PairHasColumns(const UmmaShape& shape, int64_t n) {
  return n > 0 && n <= kUmmaMaxColumns && n % (shape.d == kI32 ? 32 : 16) == 0;
}

uint32_t UmmaDescriptor(const UmmaShape& shape, int64_t m, int64_t n, bool a_transposed,
                        bool b_transposed) {
  if (shape.block > 0) {
    return shape.a_code << 7 | shape.b_code << 10 | static_cast<uint32_t>(a_transposed) << 15 |
           static_cast<uint32_t>(b_transposed) << 16 | static_cast<uint32_t>(n >> 3) << 17 |
           static_cast<uint32_t>(shape.scale == kUE8M0) << 23 | static_cast<uint32_t>(m >> 7) << 27;
  }
  return shape.d_code << 4 | shape.a_code << 7 | shape.b_code << 10 |
         static_cast<uint32_t>(a_transposed) << 15 | static_cast<uint32_t>(b_transposed) << 16 |
         static_cast<uint32_t>(n >> 3) << 17 | static_cast<uint32_t>(m >> 4) << 24;
}

}  // namespace compiler::ir
