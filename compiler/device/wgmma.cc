#include "compiler/device/wgmma.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace compiler::device {
namespace {

constexpr int kMaxColumns = 256;

struct Shape {
  int n = 0, k = 0;
  std::string d, a, b;  // as PTX spells them
  bool registers = false, transposed_a = false, transposed_b = false;

  bool packed() const { return d == "f16"; }
  int accumulators() const { return packed() ? n / 4 : n / 2; }
  bool integers() const { return d == "s32"; }
  bool halves() const { return k == 16; }
};

bool Parse(absl::string_view name, Shape& shape) {
  if (!absl::ConsumePrefix(&name, "wgmma_m64n")) return false;
  const std::vector<std::string> words = absl::StrSplit(name, '_');
  const std::vector<std::string> sizes = absl::StrSplit(words[0], 'k');
  if (words.size() < 4 || sizes.size() != 2) return false;
  if (!absl::SimpleAtoi(sizes[0], &shape.n) || !absl::SimpleAtoi(sizes[1], &shape.k)) return false;
  if (shape.n <= 0 || shape.n > kMaxColumns || shape.n % 8 != 0) return false;
  shape.d = words[1];
  shape.a = words[2];
  shape.b = words[3];
  for (size_t i = 4; i < words.size(); ++i) {
    shape.registers |= words[i] == "ra";
    shape.transposed_a |= words[i] == "ta";
    shape.transposed_b |= words[i] == "tb";
  }
  return true;
}

// PTX ISA, register fragments for wgmma: two neighbouring columns of row lane / 4, the same of the
// row 8 below, then the next 8 columns. 16-bit ones share a register.
std::string Accumulators(const Shape& shape) {
  const int neighbours = shape.packed() ? 1 : 2;
  std::vector<std::string> lines;
  for (int group = 0; group < shape.n / 8; ++group) {
    std::vector<std::string> registers;
    for (int half = 0; half < 2; ++half) {
      for (int e = 0; e < neighbours; ++e) {
        registers.push_back(absl::StrCat(shape.packed() || shape.integers() ? "\"+r\"" : "\"+f\"",
                                         "(d.reg[row", half == 0 ? "" : " + 1", "][column + ",
                                         group * neighbours + e, "])"));
      }
    }
    lines.push_back(absl::StrJoin(registers, ", "));
  }
  return absl::StrJoin(lines, ",\n        ");
}

std::string Numbered(int first, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(absl::StrCat("%", first + i));
  std::string text;
  constexpr int kALine = 16;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : i % kALine == 0 ? ", \"\n      \"" : ", ", names[i]);
  }
  return text;
}

}  // namespace

std::string WgmmaPart(std::string_view name) {
  Shape shape;
  if (!Parse(absl::string_view(name.data(), name.size()), shape)) return {};
  const int registers = shape.accumulators();
  const int left = shape.registers ? 4 : 1;
  const int accumulate = registers + left + 1;
  const std::string a = shape.registers ? absl::StrCat("{", Numbered(registers, left), "}")
                                        : absl::StrCat("%", registers);
  // Scales of the operands, of floats; which operands are transposed, of 16-bit floats.
  std::string immediates = shape.integers() ? "" : ", 1, 1";
  if (shape.halves() && !shape.registers) {
    absl::StrAppend(&immediates, ", ", shape.transposed_a ? 1 : 0);
  }
  if (shape.halves()) absl::StrAppend(&immediates, ", ", shape.transposed_b ? 1 : 0);
  const char* from = shape.registers
                         ? "\"r\"(a.reg[row][k]), \"r\"(a.reg[row + 1][k]), \"r\"(a.reg[row][k + "
                           "1]), \"r\"(a.reg[row + 1][k + 1])"
                         : "\"l\"(a)";
  return absl::StrCat(
      "namespace cake {\ntemplate <typename Tile", shape.registers ? ", typename Left" : "",
      ">\n__device__ __forceinline__ void ", std::string(name), "(Tile& d, int row, int column, ",
      shape.registers ? "const Left& a, int k" : "unsigned long long a",
      ", unsigned long long b, bool accumulate) {\n  asm volatile(\n      \"{\\n\"\n"
      "      \".reg .pred p;\\n\"\n      \"setp.ne.b32 p, %",
      accumulate, ", 0;\\n\"\n      \"wgmma.mma_async.sync.aligned.m64n", shape.n, "k", shape.k,
      ".", shape.d, ".", shape.a, ".", shape.b, " \"\n      \"{", Numbered(0, registers),
      "}, \"\n      \"", a, ", %", registers + left, ", p", immediates, ";\\n\"\n      \"}\"\n",
      "      : ", Accumulators(shape), "\n      : ", from,
      ", \"l\"(b), \"r\"((int)accumulate));\n}\n", "}  // namespace cake\n\n");
}

}  // namespace compiler::device
