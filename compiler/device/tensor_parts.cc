#include "compiler/device/tensor_parts.h"

#include <charconv>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace compiler::device {
namespace {

struct Shape {
  absl::string_view name;
  int rows, registers;  // of a thread: rows of registers, and registers of each for .x1
};
// PTX ISA, tcgen05 data movement shape.
constexpr Shape kShapes[] = {
    {"32x32b", 1, 1}, {"16x64b", 1, 1}, {"16x128b", 2, 1}, {"16x256b", 2, 2}};

// The registers in the order of the instruction, eight a line.
std::string Operands(const Shape& shape, int count, absl::string_view constraint) {
  std::string text;
  int number = 0;
  for (int repeat = 0; repeat < count; ++repeat) {
    for (int row = 0; row < shape.rows; ++row) {
      for (int r = 0; r < shape.registers; ++r, ++number) {
        if (number > 0) text += number % 8 == 0 ? ",\n        " : ", ";
        absl::StrAppend(&text, "\"", constraint, "\"(", row == 0 ? "low" : "high", "[",
                        repeat * shape.registers + r, "])");
      }
    }
  }
  return text;
}

std::string Slots(int first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const absl::string_view gap = i % 16 == 0 ? ", \"\n      \"" : ", ";
    absl::StrAppend(&text, i == 0 ? "" : gap, "%", first + i);
  }
  return text;
}

std::string Copy(absl::string_view name, bool load, const Shape& shape, int count,
                 absl::string_view type) {
  const bool floats = type == "f32";
  const absl::string_view word = floats ? "float" : type == "s32" ? "int" : "unsigned";
  const std::string constraint = absl::StrCat(load ? "=" : "", floats ? "f" : "r");
  const int registers = count * shape.rows * shape.registers;
  std::string text = absl::StrCat("namespace cake {\n__device__ __forceinline__ void ", name,
                                  "(unsigned int address, ", load ? "" : "const ", word, "* low");
  if (shape.rows > 1) absl::StrAppend(&text, ", ", load ? "" : "const ", word, "* high");
  const std::string list = absl::StrCat("{", Slots(load ? 0 : 1, registers), "}");
  const std::string operands = Operands(shape, count, constraint);
  const std::string opcode = absl::StrCat("tcgen05.", load ? "ld" : "st", ".sync.aligned.",
                                          shape.name, ".x", count, ".b32 ");
  if (load) {
    absl::StrAppend(&text, ") {\n  asm volatile(\n      \"", opcode, "\"\n      \"", list, ", [%",
                    registers, "];\"\n      : ", operands, "\n      : \"r\"(address));\n}\n");
  } else {
    absl::StrAppend(&text, ") {\n  asm volatile(\n      \"", opcode, "[%0], \"\n      \"", list,
                    ";\" ::\"r\"(address),\n        ", operands, "\n      : \"memory\");\n}\n");
  }
  return text + "}  // namespace cake\n\n";
}

// PTX ISA, tcgen05.mma: by one thread; `accumulate` false: the old value counts as zero.
std::string Product(absl::string_view name, bool pair, absl::string_view kind, bool from_tmem) {
  const absl::string_view left = from_tmem ? "unsigned int a" : "unsigned long long a";
  return absl::StrCat("namespace cake {\n__device__ __forceinline__ void ", name,
                      "(unsigned int d, ", left,
                      ",\n    unsigned long long b, unsigned int shape, bool accumulate) {\n"
                      "  asm volatile(\n      \"{\\n\"\n      \"  .reg .pred p;\\n\"\n"
                      "      \"  setp.ne.b32 p, %4, 0;\\n\"\n      \"  tcgen05.mma.cta_group::",
                      pair ? "2" : "1", ".kind::", kind, " [%0], ", from_tmem ? "[%1]" : "%1",
                      ", %2, %3, p;\\n\"\n      \"}\" ::\"r\"(d), \"", from_tmem ? "r" : "l",
                      "\"(a), \"l\"(b), \"r\"(shape), \"r\"((int)accumulate)\n",
                      "      : \"memory\");\n}\n}  // namespace cake\n\n");
}

// The same of block-scaled kinds: scales of both sides in tensor memory.
std::string ScaledProduct(absl::string_view name, bool pair, absl::string_view kind,
                          absl::string_view block, bool from_tmem) {
  const absl::string_view left = from_tmem ? "unsigned int a" : "unsigned long long a";
  return absl::StrCat(
      "namespace cake {\n__device__ __forceinline__ void ", name, "(unsigned int d, ", left,
      ",\n    unsigned long long b, unsigned int shape, unsigned int a_scale, unsigned int "
      "b_scale,\n"
      "    bool accumulate) {\n"
      "  asm volatile(\n      \"{\\n\"\n      \"  .reg .pred p;\\n\"\n"
      "      \"  setp.ne.b32 p, %4, 0;\\n\"\n      \"  tcgen05.mma.cta_group::",
      pair ? "2" : "1", ".kind::", kind, ".block_scale.", block, " [%0], ",
      from_tmem ? "[%1]" : "%1", ", %2, %3, [%5], [%6], p;\\n\"\n      \"}\" ::\"r\"(d), \"",
      from_tmem ? "r" : "l",
      "\"(a), \"l\"(b), \"r\"(shape), \"r\"((int)accumulate), \"r\"(a_scale), \"r\"(b_scale)\n",
      "      : \"memory\");\n}\n}  // namespace cake\n\n");
}

// PTX ISA, tcgen05.cp: 128 rows of 32 bytes that a matrix descriptor describes to eight columns.
// `bits` of a number: those of 6 and 4 bits are padded in shared memory by 16, and in tensor memory
// each.
std::string Tile(absl::string_view name, bool pair, absl::string_view bits) {
  const absl::string_view format = bits == "b6"   ? ".b8x16.b6x16_p32"
                                   : bits == "b4" ? ".b8x16.b4x16_p64"
                                                  : "";
  return absl::StrCat("namespace cake {\n__device__ __forceinline__ void ", name,
                      "(unsigned int address, unsigned long long tile) {\n"
                      "  asm volatile(\"tcgen05.cp.cta_group::",
                      pair ? "2" : "1", ".128x256b", format,
                      " [%0], %1;\" ::\"r\"(address), \"l\"(tile)\n"
                      "               : \"memory\");\n}\n}  // namespace cake\n\n");
}

}  // namespace

std::string TensorPart(std::string_view name) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(absl::string_view(name.data(), name.size()), '_');
  const bool pair = words[0] == "umma2";
  if (words.size() == 3 && (pair || words[0] == "umma") && (words[2] == "ss" || words[2] == "ts")) {
    const absl::string_view whole = {name.data(), name.size()};
    if (words[1].substr(0, 2) != "mx") return Product(whole, pair, words[1], words[2] == "ts");
    return ScaledProduct(whole, pair, words[1], words[1] == "mxf4nvf4" ? "block16" : "block32",
                         words[2] == "ts");
  }
  if (words.size() == 3 && words[0] == "tmem" && words[1].substr(0, 4) == "tile") {
    return Tile({name.data(), name.size()}, words[1] == "tile2", words[2]);
  }
  if (words.size() != 5 || words[0] != "tmem" || (words[1] != "ld" && words[1] != "st")) return "";
  for (const Shape& shape : kShapes) {
    if (shape.name != words[2] || words[3].empty()) continue;
    int count = 0;
    std::from_chars(words[3].data() + 1, words[3].data() + words[3].size(), count);
    return Copy({name.data(), name.size()}, words[1] == "ld", shape, count, words[4]);
  }
  return "";
}

}  // namespace compiler::device
