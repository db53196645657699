#include "compiler/ir/fragment.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"

namespace compiler::ir {
namespace {

constexpr int64_t kRegisterBits = 32;
constexpr int64_t kQuads = 8;      // groups of four lanes of a warp
constexpr int64_t kQuadLanes = 4;  // lanes of a group
constexpr int64_t kLanesOfWarp = 32;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

int64_t Packed(int64_t bits) { return std::max<int64_t>(kRegisterBits / bits, 1); }

// PTX ISA, "Matrix Fragments for mma": a row of the tile belongs to the four lanes of one group,
// which is `groupID = lane / 4` in the first 8 rows and again in the second 8.
AxisMap RowsOfGroups(int64_t) {
  return {.tile = 16, .repeats = 2, .repeat_stride = 8, .lane_divisor = 4, .lane_values = kQuads};
}
AxisMap ShortRowsOfGroups(int64_t) {
  return {.tile = kQuads, .lane_divisor = 4, .lane_values = kQuads};
}
AxisMap ColumnsOfGroups(int64_t) {
  return {.tile = kQuads, .lane_divisor = 4, .lane_values = kQuads};
}

// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16": each warp of the warpgroup holds a
// band of 16 rows as an mma does.
AxisMap RowsOfWarpgroup(int64_t) {
  return {.tile = 64,
          .repeats = 2,
          .repeat_stride = 8,
          .lane_divisor = 4,
          .lane_values = kQuads,
          .warp_stride = 16};
}

// The lanes of a group hold neighbouring elements, one register each.
AxisMap WithinGroup(int64_t bits) {
  const int64_t pack = Packed(bits);
  return {.tile = kQuadLanes * pack, .pack = pack, .lane_values = kQuadLanes};
}

// An accumulator has two neighbouring columns a lane whatever its type.
AxisMap AccumulatorColumns(int64_t) { return {.tile = 8, .pack = 2, .lane_values = kQuadLanes}; }

// PTX ISA, tcgen05 access restrictions: warp w of a warpgroup reaches lanes 32w..32w+31 of tensor
// memory. Of a tile of 64 rows, which takes the first 16 of them (layout F), these are 16 rows.
constexpr int64_t kTensorMemoryRows = 128;

AxisMap OneRowAThread(int64_t) {
  return {.tile = kTensorMemoryRows, .lane_values = kLanesOfWarp, .warp_stride = kLanesOfWarp};
}
AxisMap WholeRow(int64_t) { return {.tile = 8, .pack = 8}; }

// PTX ISA, matrix fragments for shapes .16x128b and .16x256b: the second 8 lanes of 16 are in a
// register of their own; one instruction for lanes 0..15 and one for 16..31 make 32.
AxisMap TensorRows(int64_t) {
  return {.tile = kTensorMemoryRows,
          .repeats = 4,
          .repeat_stride = 8,
          .lane_divisor = 4,
          .lane_values = kQuads,
          .warp_stride = kLanesOfWarp};
}
AxisMap TensorShortRows(int64_t) {
  return {.tile = kTensorMemoryRows / 2,
          .repeats = 2,
          .repeat_stride = 8,
          .lane_divisor = 4,
          .lane_values = kQuads,
          .warp_stride = kLanesOfWarp / 2};
}
// Shape .16x64b: odd lanes hold the second 8 rows, pairs of lanes the two columns.
AxisMap AlternateRows(int64_t) {
  return {.tile = kTensorMemoryRows,
          .repeats = 2,
          .repeat_stride = 16,
          .lane_divisor = 4,
          .lane_values = kQuads,
          .warp_stride = kLanesOfWarp,
          .other_values = 2,
          .other_stride = 8};
}
AxisMap AlternateShortRows(int64_t) {
  return {.tile = kTensorMemoryRows / 2,
          .lane_divisor = 4,
          .lane_values = kQuads,
          .warp_stride = kLanesOfWarp / 2,
          .other_values = 2,
          .other_stride = 8};
}
AxisMap PairColumns(int64_t bits) {
  const int64_t pack = Packed(bits);
  return {.tile = 2 * pack, .pack = pack, .lane_divisor = 2, .lane_values = 2};
}
AxisMap DoubleColumns(int64_t bits) {
  const int64_t pack = 2 * Packed(bits);
  return {.tile = kQuadLanes * pack, .pack = pack, .lane_values = kQuadLanes};
}

FragmentForm TensorForm(std::string_view name, std::string_view summary, AxisMap (*rows)(int64_t),
                        AxisMap (*short_rows)(int64_t), AxisMap (*columns)(int64_t),
                        TmemMovement movement, std::string_view source) {
  return {.name = name,
          .summary = summary,
          .scope = Scope::kWg,
          .dtypes = {DType::kF32, DType::kI32, DType::kTF32, DType::kF16, DType::kBF16,
                     DType::kE4M3, DType::kE5M2, DType::kI8, DType::kU8},
          .rows = rows,
          .short_rows = short_rows,
          .columns = columns,
          .movement = movement,
          .source = source};
}

const std::vector<FragmentForm>& Table() {
  static const std::vector<FragmentForm> table = {
      {.name = "mma",
       .summary = "accumulator of `mma`, rows by columns of the product",
       .dtypes = {DType::kF32, DType::kF16, DType::kI32},
       .rows = RowsOfGroups,
       .short_rows = ShortRowsOfGroups,
       .columns = AccumulatorColumns,
       .source = "PTX ISA, matrix fragments for mma.m16n8k8, m16n8k16, m16n8k32: accumulators"},
      {.name = "mma.a",
       .summary = "left operand of `mma`, rows of the product by K",
       .dtypes = {DType::kF16, DType::kBF16, DType::kTF32, DType::kE4M3, DType::kE5M2, DType::kI8,
                  DType::kU8, DType::kI4x2, DType::kU4x2, DType::kB1x8},
       .rows = RowsOfGroups,
       .short_rows = ShortRowsOfGroups,
       .columns = WithinGroup,
       .source = "PTX ISA, matrix fragments for mma: multiplicand A"},
      {.name = "mma.b",
       .summary = "right operand of `mma`, K by columns of the product",
       .dtypes = {DType::kF16, DType::kBF16, DType::kTF32, DType::kE4M3, DType::kE5M2, DType::kI8,
                  DType::kU8, DType::kI4x2, DType::kU4x2, DType::kB1x8},
       .rows = WithinGroup,
       .columns = ColumnsOfGroups,
       .packs_rows = true,
       .source = "PTX ISA, matrix fragments for mma: multiplicand B"},
      {.name = "wgmma",
       .summary = "accumulator of `wgmma`, rows by columns of the product, over a warpgroup",
       .scope = Scope::kWg,
       .dtypes = {DType::kF32, DType::kF16, DType::kI32},
       .rows = RowsOfWarpgroup,
       .columns = AccumulatorColumns,
       .source = "PTX ISA, register fragments for wgmma.mma_async: accumulator D"},
      {.name = "wgmma.a",
       .summary = "left operand of `wgmma` in registers, rows of the product by K",
       .scope = Scope::kWg,
       .dtypes = {DType::kF16, DType::kBF16, DType::kTF32, DType::kE4M3, DType::kE5M2, DType::kI8,
                  DType::kU8},
       .rows = RowsOfWarpgroup,
       .columns = WithinGroup,
       .source = "PTX ISA, register fragments for wgmma.mma_async: multiplicand A"},
      TensorForm("tmem.32x32b", "tile of tensor memory, one row a thread", OneRowAThread, nullptr,
                 WholeRow, {1, 1, 128, false},
                 "PTX ISA, tcgen05 matrix fragments for shape .32x32b"),
      TensorForm("tmem.16x64b", "tile of tensor memory, two words of a row in two threads",
                 AlternateRows, AlternateShortRows, PairColumns, {1, 2, 128, false},
                 "PTX ISA, tcgen05 matrix fragments for shape .16x64b"),
      TensorForm("tmem.16x128b", "tile of tensor memory, four words of a row in four threads",
                 TensorRows, TensorShortRows, WithinGroup, {1, 4, 64, true},
                 "PTX ISA, tcgen05 matrix fragments for shape .16x128b"),
      TensorForm("tmem.16x256b", "tile of tensor memory, eight words of a row in four threads",
                 TensorRows, TensorShortRows, DoubleColumns, {2, 8, 32, true},
                 "PTX ISA, tcgen05 matrix fragments for shape .16x256b"),
  };
  return table;
}

// In the order of PTX ISA's table of mma shapes. Left out: m8n8k4 (f16 of sm_70, f64), sparse A,
// and the block-scaled kinds of sm_120a. Four-bit and one-bit operands lie in the registers as the
// bytes that hold them do.
constexpr auto kF16 = DType::kF16, kBF16 = DType::kBF16, kF32 = DType::kF32, kTF32 = DType::kTF32,
               kE4M3 = DType::kE4M3, kE5M2 = DType::kE5M2, kI8 = DType::kI8, kU8 = DType::kU8,
               kI32 = DType::kI32, kI4x2 = DType::kI4x2, kU4x2 = DType::kU4x2, kB1x8 = DType::kB1x8;
constexpr MmaShape kShapes[] = {
    {kF16, kF16, kF16, 16, "sm_80"},      {kF16, kF16, kF16, 8, "sm_80"},
    {kF16, kF16, kF32, 16, "sm_80"},      {kF16, kF16, kF32, 8, "sm_80"},
    {kBF16, kBF16, kF32, 16, "sm_80"},    {kBF16, kBF16, kF32, 8, "sm_80"},
    {kTF32, kTF32, kF32, 8, "sm_80"},     {kTF32, kTF32, kF32, 4, "sm_80"},
    {kE4M3, kE4M3, kF32, 32, "sm_89"},    {kE4M3, kE4M3, kF32, 16, "sm_89"},
    {kE4M3, kE5M2, kF32, 32, "sm_89"},    {kE4M3, kE5M2, kF32, 16, "sm_89"},
    {kE5M2, kE4M3, kF32, 32, "sm_89"},    {kE5M2, kE4M3, kF32, 16, "sm_89"},
    {kE5M2, kE5M2, kF32, 32, "sm_89"},    {kE5M2, kE5M2, kF32, 16, "sm_89"},
    {kE4M3, kE4M3, kF16, 32, "sm_89"},    {kE4M3, kE4M3, kF16, 16, "sm_89"},
    {kE4M3, kE5M2, kF16, 32, "sm_89"},    {kE4M3, kE5M2, kF16, 16, "sm_89"},
    {kE5M2, kE4M3, kF16, 32, "sm_89"},    {kE5M2, kE4M3, kF16, 16, "sm_89"},
    {kE5M2, kE5M2, kF16, 32, "sm_89"},    {kE5M2, kE5M2, kF16, 16, "sm_89"},
    {kI8, kI8, kI32, 32, "sm_80"},        {kI8, kI8, kI32, 16, "sm_80"},
    {kI8, kU8, kI32, 32, "sm_80"},        {kI8, kU8, kI32, 16, "sm_80"},
    {kU8, kI8, kI32, 32, "sm_80"},        {kU8, kI8, kI32, 16, "sm_80"},
    {kU8, kU8, kI32, 32, "sm_80"},        {kU8, kU8, kI32, 16, "sm_80"},
    {kI8, kI8, kI32, 16, "sm_80", 8},     {kI8, kU8, kI32, 16, "sm_80", 8},
    {kU8, kI8, kI32, 16, "sm_80", 8},     {kU8, kU8, kI32, 16, "sm_80", 8},
    {kI4x2, kI4x2, kI32, 32, "sm_80"},    {kI4x2, kI4x2, kI32, 16, "sm_80"},
    {kI4x2, kU4x2, kI32, 32, "sm_80"},    {kI4x2, kU4x2, kI32, 16, "sm_80"},
    {kU4x2, kI4x2, kI32, 32, "sm_80"},    {kU4x2, kI4x2, kI32, 16, "sm_80"},
    {kU4x2, kU4x2, kI32, 32, "sm_80"},    {kU4x2, kU4x2, kI32, 16, "sm_80"},
    {kB1x8, kB1x8, kI32, 32, "sm_80"},    {kB1x8, kB1x8, kI32, 16, "sm_80"},
    {kI4x2, kI4x2, kI32, 16, "sm_80", 8}, {kI4x2, kU4x2, kI32, 16, "sm_80", 8},
    {kU4x2, kI4x2, kI32, 16, "sm_80", 8}, {kU4x2, kU4x2, kI32, 16, "sm_80", 8},
    {kB1x8, kB1x8, kI32, 16, "sm_80", 8},
};

// In the order of PTX ISA's table of wgmma shapes, 1-bit operands left out.
constexpr WgmmaShape kWgmmaShapes[] = {
    {kF16, kF16, kF32, 16},   {kF16, kF16, kF16, 16},   {kBF16, kBF16, kF32, 16},
    {kTF32, kTF32, kF32, 8},  {kE4M3, kE4M3, kF32, 32}, {kE4M3, kE5M2, kF32, 32},
    {kE5M2, kE4M3, kF32, 32}, {kE5M2, kE5M2, kF32, 32}, {kE4M3, kE4M3, kF16, 32},
    {kE4M3, kE5M2, kF16, 32}, {kE5M2, kE4M3, kF16, 32}, {kE5M2, kE5M2, kF16, 32},
    {kI8, kI8, kI32, 32},     {kI8, kU8, kI32, 32},     {kU8, kI8, kI32, 32},
    {kU8, kU8, kI32, 32},
};

// The products of `shapes` that have `a` on the left.
template <typename Shape>
std::string TypeList(std::span<const Shape> shapes, DType a) {
  std::string text;
  std::string last;
  for (const Shape& shape : shapes) {
    if (shape.a != a) continue;
    const std::string one = absl::StrCat(Absl(ToString(shape.a)), "*", Absl(ToString(shape.b)),
                                         " -> ", Absl(ToString(shape.d)));
    if (one == last) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", one);
    last = one;
  }
  return text;
}

}  // namespace

int64_t AxisMap::OfIndex(int64_t index) const {
  const int64_t block = index / (repeats * pack);
  const int64_t repeat = index / pack % repeats;
  return block * tile + repeat * repeat_stride + index % pack;
}

int64_t AxisMap::OfThread(int64_t thread) const {
  const int64_t warp = thread / kLanesOfWarp % kWarpgroupWarps;
  return warp * warp_stride + thread / lane_divisor % lane_values * pack +
         thread / other_divisor % other_values * other_stride;
}

AxisMap AxisMap::Band() const {
  AxisMap band = *this;
  if (warp_stride != 0) band.tile = tile / kWarpgroupWarps;
  band.warp_stride = 0;
  return band;
}

bool FragmentForm::Holds(DType dtype) const {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

AxisMap FragmentForm::RowsOf(int64_t element_bits, int64_t extent) const {
  const AxisMap whole = rows(element_bits);
  return short_rows != nullptr && extent % whole.tile != 0 ? short_rows(element_bits) : whole;
}

const FragmentForm* FindForm(std::string_view name) {
  for (const FragmentForm& form : Table()) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

std::span<const FragmentForm> Forms() { return Table(); }

FragmentMap MapOf(const Type& type) {
  const FragmentForm* form = FindForm(type.form);
  if (form == nullptr || type.shape.size() != 2) return {};
  const int64_t bits = Info(type.dtype).bits;
  FragmentMap map{.rows = form->RowsOf(bits, type.shape[0]),
                  .columns = form->columns(bits),
                  .pack = Packed(bits),
                  .packs_rows = form->packs_rows};
  map.row_count = map.rows.PerThread(type.shape[0]);
  map.column_count = map.columns.PerThread(type.shape[1]);
  return map;
}

namespace {

// The thread's index along the axis, and the parts of warp and lane that hold `coordinate`.
struct AxisHolder {
  int64_t index = 0, lane_part = 0, warp = 0, other_part = 0;
};

AxisHolder HolderOf(const AxisMap& axis, int64_t coordinate) {
  const int64_t block = coordinate / axis.tile;
  int64_t rest = coordinate % axis.tile;
  const int64_t warp = axis.warp_stride > 0 ? rest / axis.warp_stride : 0;
  rest -= warp * axis.warp_stride;
  const int64_t repeat = axis.repeats > 1 ? rest / axis.repeat_stride : 0;
  rest -= repeat * axis.repeat_stride;
  const int64_t other = axis.other_stride > 0 ? rest / axis.other_stride : 0;
  rest -= other * axis.other_stride;
  return {(block * axis.repeats + repeat) * axis.pack + rest % axis.pack, rest / axis.pack, warp,
          other * axis.other_divisor};
}

}  // namespace

Holder HolderOf(const FragmentMap& map, int64_t row, int64_t column) {
  const AxisHolder r = HolderOf(map.rows, row);
  const AxisHolder c = HolderOf(map.columns, column);
  return {r.warp * kLanesOfWarp + r.lane_part * map.rows.lane_divisor +
              c.lane_part * map.columns.lane_divisor + r.other_part,
          r.index, c.index};
}

bool SameRegisters(const FragmentForm& a, const FragmentForm& b, DType dtype) {
  const int64_t bits = Info(dtype).bits;
  return a.scope == b.scope && a.rows(bits) == b.rows(bits) && a.columns(bits) == b.columns(bits) &&
         a.packs_rows == b.packs_rows;
}

std::string_view ConvertedForm(std::string_view from, DType from_dtype, DType dtype) {
  const FragmentForm* source = FindForm(from);
  if (source == nullptr) return {};
  const int64_t from_bits = Info(from_dtype).bits;
  const int64_t bits = Info(dtype).bits;
  const auto same_elements = [&](const FragmentForm& form) {
    return form.Holds(dtype) && form.scope == source->scope &&
           form.rows(bits) == source->rows(from_bits) &&
           form.columns(bits) == source->columns(from_bits);
  };
  if (same_elements(*source)) return source->name;
  for (const FragmentForm& form : Table()) {
    if (same_elements(form)) return form.name;
  }
  return {};
}

MatrixBlock BlockOf(int64_t matrix_rows, int64_t matrix_columns, bool transposed) {
  constexpr int64_t kMost = 4, kSide = 2;
  const auto largest = [](int64_t count, int64_t most) {
    while (count % most != 0) most /= 2;
    return most;
  };
  MatrixBlock block{.columns_first = transposed};
  int64_t& first = transposed ? block.columns : block.rows;
  int64_t& second = transposed ? block.rows : block.columns;
  const int64_t first_count = transposed ? matrix_columns : matrix_rows;
  second = largest(transposed ? matrix_rows : matrix_columns, kMost / largest(first_count, kSide));
  first = largest(first_count, kMost / second);
  return block;
}

std::span<const MmaShape> MmaShapes() { return kShapes; }

int64_t MmaRowsOf(int64_t rows) { return rows % kMmaRows == 0 ? kMmaRows : kMmaShortRows; }

std::string MmaName(const MmaShape& shape) {
  return absl::StrCat("mma.m", shape.m, "n", kMmaColumns, "k", shape.k * NumbersOf(shape.a));
}

std::vector<const MmaShape*> MmaSteps(DType a, DType b, DType d, int64_t k, int64_t rows) {
  std::vector<const MmaShape*> steps;
  const int64_t m = MmaRowsOf(rows);
  for (const MmaShape& shape : kShapes) {  // longer ones stand before shorter ones
    if (shape.a != a || shape.b != b || shape.d != d || shape.m != m) continue;
    for (; k >= shape.k; k -= shape.k) steps.push_back(&shape);
  }
  if (k != 0) steps.clear();
  return steps;
}

std::string MmaTypeList(DType a) { return TypeList(MmaShapes(), a); }

std::span<const WgmmaShape> WgmmaShapes() { return kWgmmaShapes; }

const WgmmaShape* FindWgmma(DType a, DType b, DType d) {
  for (const WgmmaShape& shape : kWgmmaShapes) {
    if (shape.a == a && shape.b == b && shape.d == d) return &shape;
  }
  return nullptr;
}

// PTX ISA, wgmma.mma_async: .n8, .n16 .. .n256; of integers .n8, .n16, .n24, .n32 and from there on
// multiples of 16.
bool WgmmaHasColumns(const WgmmaShape& shape, int64_t n) {
  if (n < 8 || n > 256 || n % 8 != 0) return false;
  return shape.d != DType::kI32 || n <= 32 || n % 16 == 0;
}

std::string WgmmaTypeList(DType a) { return TypeList(WgmmaShapes(), a); }

}  // namespace compiler::ir
