#include "compiler/device/mma.h"

#include <map>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace compiler::device {
namespace {

constexpr int kRegisterBits = 32, kLanes = 32, kColumns = 8;

struct Shape {
  std::string size;  // "m16n8k32"
  int m = 0, k = 0, bits = 0;
  std::string a, b;        // as PTX spells them
  std::string saturation;  // ".satfinite"
  std::string operation;   // ".and.popc"

  int accumulators() const { return m * kColumns / kLanes; }
  int left() const { return m * k * bits / kRegisterBits / kLanes; }
  int right() const { return kColumns * k * bits / kRegisterBits / kLanes; }
};

bool Parse(absl::string_view name, Shape& shape) {
  if (!absl::ConsumePrefix(&name, "mma_")) return false;
  const std::vector<std::string> words = absl::StrSplit(name, '_');
  if (words.size() < 4 || words.size() > 5 || words[1] != "s32") return false;
  const std::map<std::string, int> bits = {{"s8", 8}, {"u8", 8}, {"s4", 4}, {"u4", 4}, {"b1", 1}};
  if (bits.count(words[2]) == 0 || bits.count(words[3]) == 0) return false;
  shape.size = words[0];
  shape.a = words[2];
  shape.b = words[3];
  shape.bits = bits.at(shape.a);
  if (words.size() == 5 && words[4] == "sat") shape.saturation = ".satfinite";
  if (words.size() == 5 && words[4] != "sat")
    shape.operation = absl::StrCat(".", words[4], ".popc");
  absl::string_view size = shape.size;
  const size_t k = size.find('k');
  return absl::ConsumePrefix(&size, "m") && k != absl::string_view::npos &&
         absl::SimpleAtoi(absl::string_view(shape.size).substr(k + 1), &shape.k) &&
         absl::SimpleAtoi(size.substr(0, size.find('n')), &shape.m);
}

// "{%4, %5}"
std::string Operands(int first, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(absl::StrCat("%", first + i));
  return absl::StrCat("{", absl::StrJoin(names, ", "), "}");
}

std::string Listed(absl::string_view before, absl::string_view name, int count,
                   absl::string_view after) {
  std::vector<std::string> items;
  for (int i = 0; i < count; ++i) items.push_back(absl::StrCat(before, name, i, after));
  return absl::StrJoin(items, ", ");
}

}  // namespace

std::string IntegerMmaPart(std::string_view name) {
  Shape shape;
  if (!Parse(absl::string_view(name.data(), name.size()), shape)) return {};
  const int d = shape.accumulators(), a = shape.left(), b = shape.right();
  return absl::StrCat(
      "namespace cake {\n__device__ __forceinline__ void ", std::string(name), "(\n    ",
      Listed("int& ", "d", d, ""), ",\n    ", Listed("unsigned ", "a", a, ""), ", ",
      Listed("unsigned ", "b", b, ""), ") {\n  asm volatile(\n      \"mma.sync.aligned.",
      shape.size, ".row.col", shape.saturation, ".s32.", shape.a, ".", shape.b, ".s32",
      shape.operation, " \"\n      \"", Operands(0, d), ", ", Operands(d, a), ", ",
      Operands(d + a, b), ", ", Operands(0, d), ";\"\n      : ", Listed("\"+r\"(", "d", d, ")"),
      "\n      : ", Listed("\"r\"(", "a", a, ")"), ", ", Listed("\"r\"(", "b", b, ")"),
      ");\n}\n}  // namespace cake\n\n");
}

}  // namespace compiler::device
