#include "compiler/ir/fragment.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>

namespace compiler::ir {
namespace {

using Coordinates = std::pair<int64_t, int64_t>;

Type Fragment(std::string_view form, DType dtype, int64_t rows, int64_t columns) {
  return {.dtype = dtype, .shape = {rows, columns}, .form = form};
}

// Every fragment type of one instruction tile, and a tile of several of them.
std::vector<Type> SomeTypes() {
  std::vector<Type> types;
  for (const FragmentForm& form : Forms()) {
    for (const DType dtype : form.dtypes) {
      const int64_t bits = Info(dtype).bits;
      const int64_t rows = form.rows(bits).tile;
      const int64_t columns = form.columns(bits).tile;
      types.push_back(Fragment(form.name, dtype, rows, columns));
      types.push_back(Fragment(form.name, dtype, 3 * rows, 5 * columns));
      if (form.short_rows == nullptr) continue;
      types.push_back(Fragment(form.name, dtype, form.short_rows(bits).tile, 2 * columns));
    }
  }
  return types;
}

TEST(Fragment, EachElementOfATileHasOneHolder) {
  for (const Type& type : SomeTypes()) {
    const FragmentMap map = MapOf(type);
    const int64_t threads = FindForm(type.form)->scope == Scope::kWg ? 128 : 32;
    EXPECT_EQ(map.Elements() * threads, type.shape[0] * type.shape[1]) << ToString(type);
    std::set<Coordinates> seen;
    for (int64_t lane = 0; lane < threads; ++lane) {
      for (int64_t r = 0; r < map.row_count; ++r) {
        for (int64_t e = 0; e < map.column_count; ++e) {
          const int64_t row = map.rows.Coordinate(r, lane);
          const int64_t column = map.columns.Coordinate(e, lane);
          ASSERT_LT(row, type.shape[0]) << ToString(type);
          ASSERT_LT(column, type.shape[1]) << ToString(type);
          EXPECT_TRUE(seen.emplace(row, column).second) << ToString(type);
          EXPECT_EQ(HolderOf(map, row, column), (Holder{lane, r, e})) << ToString(type);
        }
      }
    }
  }
}

// What PTX ISA 9.0 says of the fragments of mma, section by section, with
// groupID = lane / 4 and tig = lane % 4; `i` numbers a thread's elements.
struct Figure {
  std::string_view form;
  DType dtype;
  int64_t rows, columns;
  std::function<int64_t(int64_t i, int64_t group, int64_t tig)> row, column;
};

// Of integers of less than 8 bits, several of which are one element.
std::vector<Figure> FiguresOfBits() {
  const auto group = [](int64_t, int64_t g, int64_t) { return g; };
  return {
      // m16n8k32 and m16n8k64, 4-bit integers: column t * 8 + (i & 7) is nibble i & 7 of bytes
      {"mma.a", DType::kI4x2, 16, 16,
       [](int64_t i, int64_t g, int64_t) { return i * 2 < 8 ? g : g + 8; },
       [](int64_t i, int64_t, int64_t t) { return (t * 8 + (i * 2 & 7)) / 2; }},
      {"mma.a", DType::kU4x2, 16, 32,
       [](int64_t i, int64_t g, int64_t) {
         return i * 2 < 8 || (i * 2 >= 16 && i * 2 < 24) ? g : g + 8;
       },
       [](int64_t i, int64_t, int64_t t) {
         return (t * 8 + (i * 2 & 7) + (i * 2 < 16 ? 0 : 32)) / 2;
       }},
      {"mma.b", DType::kI4x2, 32, 8,
       [](int64_t i, int64_t, int64_t t) {
         return (t * 8 + (i * 2 & 7) + (i * 2 < 8 ? 0 : 32)) / 2;
       },
       group},
      // m16n8k256, bits
      {"mma.a", DType::kB1x8, 16, 32,
       [](int64_t i, int64_t g, int64_t) {
         return i * 8 < 32 || (i * 8 >= 64 && i * 8 < 96) ? g : g + 8;
       },
       [](int64_t i, int64_t, int64_t t) {
         return (t * 32 + (i * 8 & 31) + (i * 8 < 64 ? 0 : 128)) / 8;
       }},
      // m8n8k32 and m8n8k128
      {"mma.a", DType::kI4x2, 8, 16, group,
       [](int64_t i, int64_t, int64_t t) { return (t * 8 + i * 2) / 2; }},
      {"mma.a", DType::kB1x8, 8, 16, group,
       [](int64_t i, int64_t, int64_t t) { return (t * 32 + i * 8) / 8; }},
      {"mma", DType::kI32, 8, 8, group, [](int64_t i, int64_t, int64_t t) { return t * 2 + i; }},
  };
}

std::vector<Figure> Figures() {
  const auto group_row_low_pair = [](int64_t i, int64_t g, int64_t) { return i < 2 ? g : g + 8; };
  const auto group = [](int64_t, int64_t g, int64_t) { return g; };
  return {
      // m16n8k8, .f16 and .bf16
      {"mma.a", DType::kBF16, 16, 8, group_row_low_pair,
       [](int64_t i, int64_t, int64_t t) { return t * 2 + (i & 1); }},
      {"mma.b", DType::kBF16, 8, 8, [](int64_t i, int64_t, int64_t t) { return t * 2 + i; }, group},
      // m16n8k16, .f16 and .bf16
      {"mma.a", DType::kF16, 16, 16,
       [](int64_t i, int64_t g, int64_t) { return i < 2 || (i >= 4 && i < 6) ? g : g + 8; },
       [](int64_t i, int64_t, int64_t t) { return t * 2 + (i & 1) + (i < 4 ? 0 : 8); }},
      {"mma.b", DType::kF16, 16, 8,
       [](int64_t i, int64_t, int64_t t) { return t * 2 + (i & 1) + (i < 2 ? 0 : 8); }, group},
      // m16n8k4, .tf32
      {"mma.a", DType::kTF32, 16, 4,
       [](int64_t i, int64_t g, int64_t) { return i == 0 ? g : g + 8; },
       [](int64_t, int64_t, int64_t t) { return t; }},
      {"mma.b", DType::kTF32, 4, 8, [](int64_t, int64_t, int64_t t) { return t; }, group},
      // m16n8k8, .tf32
      {"mma.a", DType::kTF32, 16, 8,
       [](int64_t i, int64_t g, int64_t) { return i == 0 || i == 2 ? g : g + 8; },
       [](int64_t i, int64_t, int64_t t) { return i < 2 ? t : t + 4; }},
      {"mma.b", DType::kTF32, 8, 8,
       [](int64_t i, int64_t, int64_t t) { return i == 0 ? t : t + 4; }, group},
      // m16n8k16, 8-bit integers
      {"mma.a", DType::kU8, 16, 16, [](int64_t i, int64_t g, int64_t) { return i < 4 ? g : g + 8; },
       [](int64_t i, int64_t, int64_t t) { return t * 4 + (i & 3); }},
      {"mma.b", DType::kU8, 16, 8, [](int64_t i, int64_t, int64_t t) { return t * 4 + (i & 3); },
       group},
      // m16n8k32, 8-bit integers and floats
      {"mma.a", DType::kE4M3, 16, 32,
       [](int64_t i, int64_t g, int64_t) { return i < 4 || (i >= 8 && i < 12) ? g : g + 8; },
       [](int64_t i, int64_t, int64_t t) { return t * 4 + (i & 3) + (i < 8 ? 0 : 16); }},
      {"mma.b", DType::kI8, 32, 8,
       [](int64_t i, int64_t, int64_t t) { return t * 4 + (i & 3) + (i < 4 ? 0 : 16); }, group},
      // Accumulators of all of them
      {"mma", DType::kF32, 16, 8, group_row_low_pair,
       [](int64_t i, int64_t, int64_t t) { return t * 2 + (i & 1); }},
      {"mma", DType::kF16, 16, 8, group_row_low_pair,
       [](int64_t i, int64_t, int64_t t) { return t * 2 + (i & 1); }},
  };
}

// Element number `i` of the ISA as the thread's (r, e): registers go down the rows of a tile first
// (a0 of row group, a1 of row group + 8, a2 the next columns), and then the elements of one.
Coordinates ElementOf(const FragmentMap& map, int64_t i) {
  const bool accumulator_of_words = map.pack == 1 && map.columns.pack == 2;
  if (accumulator_of_words) return {i / 2, i % 2};
  const int64_t reg = i / map.pack;
  const int64_t inner = i % map.pack;
  if (map.packs_rows) return {reg * map.pack + inner, 0};
  const int64_t rows = map.row_count;
  return {reg % rows, reg / rows * map.pack + inner};
}

TEST(Fragment, MapsAreThoseOfThePtxIsa) {
  std::vector<Figure> figures = Figures();
  for (const Figure& figure : FiguresOfBits()) figures.push_back(figure);
  for (const Figure& figure : figures) {
    const FragmentMap map = MapOf(Fragment(figure.form, figure.dtype, figure.rows, figure.columns));
    for (int64_t i = 0; i < map.Elements(); ++i) {
      const auto [r, e] = ElementOf(map, i);
      for (int64_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(map.rows.Coordinate(r, lane), figure.row(i, lane / 4, lane % 4))
            << figure.form << " " << ToString(figure.dtype) << " element " << i << " lane " << lane;
        EXPECT_EQ(map.columns.Coordinate(e, lane), figure.column(i, lane / 4, lane % 4))
            << figure.form << " " << ToString(figure.dtype) << " element " << i << " lane " << lane;
      }
    }
  }
}

TEST(Fragment, TheFreeReinterpretationsAreTheseAndNoOthers) {
  std::set<std::string> free;
  for (const FragmentForm& a : Forms()) {
    for (const FragmentForm& b : Forms()) {
      if (a.name == b.name) continue;
      for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kTF32, DType::kE4M3,
                                DType::kI8, DType::kI32}) {
        if (!SameRegisters(a, b, dtype)) continue;
        free.insert(std::string(a.name) + "=" + std::string(b.name) + " " +
                    std::string(ToString(dtype)));
      }
    }
  }
  EXPECT_EQ(free,
            (std::set<std::string>{"mma=mma.a f16", "mma=mma.a bf16", "mma.a=mma f16",
                                   "mma.a=mma bf16", "wgmma=wgmma.a f16", "wgmma=wgmma.a bf16",
                                   "wgmma.a=wgmma f16", "wgmma.a=wgmma bf16"}));
}

TEST(Fragment, AConversionOfAnAccumulatorTakesTheFormThatDealsItOutAlike) {
  EXPECT_EQ(ConvertedForm("mma", DType::kF32, DType::kBF16), "mma.a");
  EXPECT_EQ(ConvertedForm("mma", DType::kF32, DType::kF16), "mma");
  EXPECT_EQ(ConvertedForm("mma", DType::kI32, DType::kF32), "mma");
  EXPECT_EQ(ConvertedForm("mma.a", DType::kBF16, DType::kF32), "mma");
  EXPECT_EQ(ConvertedForm("mma.b", DType::kE4M3, DType::kE5M2), "mma.b");
  EXPECT_EQ(ConvertedForm("mma", DType::kF32, DType::kE4M3), "");
  EXPECT_EQ(ConvertedForm("mma", DType::kF32, DType::kTF32), "");
  EXPECT_EQ(ConvertedForm("mma.b", DType::kBF16, DType::kF32), "");
}

TEST(Fragment, InstructionsCoverKLongestFirst) {
  const auto lengths = [](DType a, DType b, DType d, int64_t k) {
    std::vector<int64_t> out;
    for (const MmaShape* shape : MmaSteps(a, b, d, k, 32)) out.push_back(shape->k);
    return out;
  };
  using List = std::vector<int64_t>;
  EXPECT_EQ(lengths(DType::kBF16, DType::kBF16, DType::kF32, 40), (List{16, 16, 8}));
  EXPECT_EQ(lengths(DType::kTF32, DType::kTF32, DType::kF32, 12), (List{8, 4}));
  EXPECT_EQ(lengths(DType::kE4M3, DType::kE5M2, DType::kF32, 48), (List{32, 16}));
  EXPECT_EQ(lengths(DType::kI8, DType::kU8, DType::kI32, 64), (List{32, 32}));
  EXPECT_EQ(lengths(DType::kI4x2, DType::kU4x2, DType::kI32, 48), (List{32, 16}));
  EXPECT_EQ(lengths(DType::kI4x2, DType::kI8, DType::kI32, 32), List{});
  EXPECT_EQ(lengths(DType::kBF16, DType::kBF16, DType::kF16, 16), List{});
  EXPECT_EQ(lengths(DType::kF16, DType::kBF16, DType::kF32, 16), List{});
}

// Each operand's K is a multiple of its form's tile, which the shortest instruction must serve.
TEST(Fragment, EveryKThatTheFormsAdmitHasInstructions) {
  for (const MmaShape& shape : MmaShapes()) {
    const int64_t unit = FindForm("mma.a")->columns(Info(shape.a).bits).tile;
    for (int64_t k = unit; k <= 8 * unit; k += unit) {
      EXPECT_FALSE(MmaSteps(shape.a, shape.b, shape.d, k, shape.m).empty()) << k;
    }
  }
}

TEST(Fragment, OnlyIntegersHaveInstructionsOfEightRows) {
  for (const MmaShape& shape : MmaShapes()) {
    const auto steps = MmaSteps(shape.a, shape.b, shape.d, 2 * shape.k, 24);
    EXPECT_EQ(steps.empty(), shape.d != DType::kI32) << ToString(shape.a);
    for (const MmaShape* step : steps) EXPECT_EQ(step->m, 8);
  }
}

// Where element (row, column) of a fragment of matrices lies in an instruction's registers.
TEST(Fragment, MatrixCopiesFillRegistersInTheOrderOfProducts) {
  for (const bool transposed : {false, true}) {
    for (const int64_t rows : {1, 2, 3, 4, 6, 8}) {
      for (const int64_t columns : {1, 2, 3, 4, 5, 8}) {
        const MatrixBlock block =
            transposed ? BlockOf(columns, rows, true) : BlockOf(rows, columns, false);
        const auto row_of = [&](int64_t i) {
          return transposed ? block.ColumnOfMatrix(i) : block.RowOfMatrix(i);
        };
        const auto column_of = [&](int64_t i) {
          return transposed ? block.RowOfMatrix(i) : block.ColumnOfMatrix(i);
        };
        EXPECT_LE(block.count(), 4);
        for (int64_t i = 0; i < block.count(); ++i) {
          for (int64_t lane = 8 * i; lane < 8 * i + 8; ++lane) {
            EXPECT_EQ(block.RowOf(lane), 8 * block.RowOfMatrix(i) + lane % 8);
            EXPECT_EQ(block.ColumnOf(lane), block.ColumnOfMatrix(i));
          }
        }
        if (rows % 2 != 0) continue;
        // B's pair of one column, and A's four where there are two columns.
        for (int64_t i = 0; i + 1 < block.count(); i += 2) {
          EXPECT_EQ(column_of(i), column_of(i + 1));
          EXPECT_EQ(row_of(i) + 1, row_of(i + 1));
        }
        if (columns % 2 != 0) continue;
        ASSERT_EQ(block.count(), 4);
        EXPECT_EQ(column_of(2), column_of(0) + 1);
        EXPECT_EQ(row_of(2), row_of(0));
      }
    }
  }
}

}  // namespace
}  // namespace compiler::ir
