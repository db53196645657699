#include "compiler/device/vector_atomic.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace compiler::device {
namespace {

struct Form {
  std::string space, operation, type, order, scope;
  bool reduction = false;
  int elements = 1;

  bool half() const { return type != "f32"; }
  // Whether two 16-bit floats share a register. One such word is an operand of `.add` alone.
  bool packed() const { return half() && elements > (operation == "add" ? 1 : 2); }
  int registers() const { return packed() ? elements / 2 : elements; }
  std::string element() const { return half() ? type : "float"; }
  std::string value() const {
    return elements == 1 ? element() : absl::StrCat("array<", element(), ", ", elements, ">");
  }
};

bool ParseType(const std::string& word, Form& form) {
  const std::vector<std::string> parts = absl::StrSplit(word, 'x');
  form.type = parts[0];
  if (parts.size() > 2 || (form.type != "f32" && form.type != "f16" && form.type != "bf16")) {
    return false;
  }
  if (parts.size() == 1) return form.half();
  if (!absl::SimpleAtoi(parts[1], &form.elements)) return false;
  return form.elements == 2 || form.elements == 4 || (form.half() && form.elements == 8);
}

bool Parse(std::string_view name, Form& form) {
  std::vector<std::string> words = absl::StrSplit(absl::string_view(name.data(), name.size()), '_');
  if (words.size() < 6 || !ParseType(words[3], form)) return false;
  form.operation = words[2];
  const bool extreme = form.operation == "min" || form.operation == "max";
  if (form.operation != "add" && !(extreme && form.half() && form.elements > 1)) return false;
  form.space = words[0];
  form.reduction = words[1] == "red";
  form.scope = words.back();
  form.order = absl::StrJoin(words.begin() + 4, words.end() - 1, "_");
  return true;
}

// PTX ISA, atom and red: `.noftz` of 16-bit floats; `.v2` and `.v4` of words of 32 bits.
std::string Instruction(const Form& form) {
  const std::string space = form.space == "remote" ? "" : absl::StrCat(".", form.space);
  std::string type = form.type;
  if (form.packed()) type += "x2";
  return absl::StrCat(form.reduction ? "red" : "atom", ".", form.order, ".", form.scope, space, ".",
                      form.operation, form.half() ? ".noftz" : "",
                      form.registers() > 1 ? absl::StrCat(".v", form.registers()) : "", ".", type);
}

std::string Address(const Form& form) {
  if (form.space == "remote") return "\"l\"(p)";
  return form.space == "shared" ? "\"r\"((unsigned int)__cvta_generic_to_shared(p))"
                                : "\"l\"(__cvta_generic_to_global(p))";
}

// Operand `%first` and those after it, braced where they are several.
std::string Operands(const Form& form, int first) {
  std::vector<std::string> names;
  names.reserve(static_cast<size_t>(form.registers()));
  for (int i = 0; i < form.registers(); ++i) names.push_back(absl::StrCat("%", first + i));
  const std::string text = absl::StrJoin(names, ", ");
  return names.size() == 1 ? text : absl::StrCat("{", text, "}");
}

std::string Registers(const Form& form, absl::string_view prefix, absl::string_view variable) {
  if (form.elements == 1) return absl::StrCat("\"", prefix, "h\"(", variable, ".bits)");
  std::vector<std::string> texts;
  for (int i = 0; i < form.registers(); ++i) {
    if (form.half() && !form.packed()) {
      texts.push_back(absl::StrCat("\"", prefix, "h\"(", variable, "[", i, "].bits)"));
      continue;
    }
    texts.push_back(form.half() ? absl::StrCat("\"", prefix, "r\"(", variable, "_words[", i, "])")
                                : absl::StrCat("\"", prefix, "f\"(", variable, "[", i, "])"));
  }
  return absl::StrJoin(texts, ", ");
}

}  // namespace

std::string VectorAtomicPart(std::string_view name, std::vector<std::string>& needs) {
  Form form;
  if (!Parse(name, form)) return "";
  if (form.elements > 1) needs.push_back("array");
  if (form.half()) needs.push_back(form.type);
  const bool words = form.packed();
  std::string text = absl::StrCat("namespace cake {\n__device__ __forceinline__ ",
                                  form.reduction ? "void" : form.value(), " ",
                                  absl::string_view(name.data(), name.size()), "(", form.element(),
                                  "* p, ", form.value(), " x) {\n");
  if (words) text += "  const auto* x_words = reinterpret_cast<const unsigned int*>(&x);\n";
  if (form.reduction) {
    absl::StrAppend(&text, "  asm volatile(\"", Instruction(form), " [%0], ", Operands(form, 1),
                    ";\" ::", Address(form), ",\n               ", Registers(form, "", "x"),
                    "\n               : \"memory\");\n");
  } else {
    const int results = form.registers();
    absl::StrAppend(&text, "  ", form.value(), " old;\n");
    if (words) text += "  auto* old_words = reinterpret_cast<unsigned int*>(&old);\n";
    absl::StrAppend(&text, "  asm volatile(\"", Instruction(form), " ", Operands(form, 0), ", [%",
                    results, "], ", Operands(form, results + 1),
                    ";\"\n               : ", Registers(form, "=", "old"),
                    "\n               : ", Address(form), ",\n                 ",
                    Registers(form, "", "x"), "\n               : \"memory\");\n  return old;\n");
  }
  return text + "}\n}  // namespace cake\n\n";
}

}  // namespace compiler::device
