#include "tests/device/ops/programs.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace device::ops {
namespace {

using compiler::ir::ArgKind;
using compiler::ir::DType;
using compiler::ir::Form;
using compiler::ir::OpDef;
using compiler::ir::ResultRule;

constexpr int kLastDType = static_cast<int>(compiler::ir::kLastValue);

std::vector<DType> OperandTypes(const OpDef& op) {
  if (!op.dtypes.empty()) return op.dtypes;
  std::vector<DType> all;
  for (int i = static_cast<int>(DType::kBool); i <= kLastDType; ++i) {
    if (compiler::ir::Info(static_cast<DType>(i)).in_this_build)
      all.push_back(static_cast<DType>(i));
  }
  return all;
}

// ".rn.sat": every choice of one word a group, and none where the group may be left out.
std::vector<std::string> ModifierChoices(const OpDef& op) {
  std::vector<std::string> out = {""};
  for (const auto& group : op.modifiers) {
    std::vector<std::string> longer;
    for (const std::string& prefix : out) {
      if (!group.required) longer.push_back(prefix);
      for (const auto word : group.words) {
        longer.push_back(absl::StrCat(prefix, ".", std::string(word)));
      }
    }
    out = std::move(longer);
    if (out.size() > kProgramsMax) out.resize(kProgramsMax);
  }
  return out;
}

std::string Operand(ArgKind kind, int index) {
  const std::string load =
      absl::StrCat("ld ", std::string(1, static_cast<char>('a' + index)), "[i]");
  if (kind == ArgKind::kConstInteger) return "1";
  if (kind == ArgKind::kBool) return absl::StrCat("(", load, ") > 0");
  return load;
}

std::string TwiceAsWide(DType operand) {
  return operand == DType::kI32 ? "i64" : operand == DType::kU32 ? "u64" : "";
}

// The type of what comes out, as far as the entry says; "" : it takes more than an expression.
std::string ResultType(const OpDef& op, DType operand, const std::string& modifiers) {
  switch (op.result) {
    case ResultRule::kSameAsArgs: return std::string(compiler::ir::ToString(operand));
    case ResultRule::kU32: return "u32";
    case ResultRule::kI32: return "i32";
    case ResultRule::kBool: return "u32";
    case ResultRule::kTwiceAsWide: return TwiceAsWide(operand);
    case ResultRule::kFromModifier: {
      for (const auto& group : op.modifiers) {
        for (const auto word : group.words) {
          const std::string dotted = absl::StrCat(".", std::string(word));
          const size_t at = modifiers.find(dotted);
          const size_t end = at + dotted.size();
          const bool whole =
              at != modifiers.npos && (end == modifiers.size() || modifiers[end] == '.');
          if (whole && compiler::ir::ParseDType(word)) return std::string(word);
        }
      }
      return "";
    }
    default: return "";
  }
}

std::string Expression(const OpDef& op, const std::string& modifiers) {
  std::vector<std::string> operands;
  int next = 0;
  for (const ArgKind kind : op.args) operands.push_back(Operand(kind, next++));
  const std::string name(op.name);
  std::string text;
  if (op.form == Form::kFunction) {
    if (op.width_arg) operands.back() = "32";
    text = absl::StrCat(name, modifiers, "(", absl::StrJoin(operands, ", "), ")");
  } else if (operands.size() == 1) {
    text = absl::StrCat(name, "(", operands[0], ")");
  } else {
    text = absl::StrCat("(", operands[0], ") ", name, " (", operands[1], ")");
  }
  return op.result == ResultRule::kBool ? absl::StrCat("select(", text, ", u32(1), u32(0))") : text;
}

// Lane exchanges need every lane: the last CTA is whole then, so nothing is guarded.
std::string ExpressionProgram(const OpDef& op, DType operand, const std::string& modifiers) {
  const std::string result = ResultType(op, operand, modifiers);
  if (result.empty()) return "";
  std::vector<std::string> inputs;
  for (size_t i = 0; i < op.args.size(); ++i) {
    const std::string type = op.args[i] == ArgKind::kTwiceAsWide
                                 ? TwiceAsWide(operand)
                                 : std::string(compiler::ir::ToString(operand));
    inputs.push_back(absl::StrCat(std::string(1, static_cast<char>('a' + i)), ": ", type, "[N]"));
  }
  return absl::StrCat(
      "program use target ", std::string(op.min_arch),
      "\ndim N in 1..=4096\nwhere N % 128 == 0\nin ", absl::StrJoin(inputs, ", "),
      "\nout y: ", result, "[N]\nkernel run {\n  grid (ceildiv(N, 128))\n  role main: warps 4 {\n",
      "    let i = cta*128 + thread\n    st y[i] <- ", Expression(op, modifiers), "\n  }\n}\n");
}

// The example over another dtype: the one that its first input has becomes the other everywhere.
std::string ExampleOver(const OpDef& op, DType operand) {
  const std::string example(op.example);
  const size_t colon = example.find(": ", example.find("\nin "));
  const size_t bracket = example.find('[', colon);
  if (colon == example.npos || bracket == example.npos) return "";
  const std::string old = example.substr(colon + 2, bracket - colon - 2);
  if (!compiler::ir::ParseDType(old)) return "";
  const std::string fresh(compiler::ir::ToString(operand));
  return absl::StrReplaceAll(example, {{absl::StrCat(old, "["), absl::StrCat(fresh, "[")},
                                       {absl::StrCat(".", old), absl::StrCat(".", fresh)}});
}

}  // namespace

std::vector<UseProgram> ProgramsOf(const OpDef& op) {
  std::vector<UseProgram> out = {{std::string(op.example), "", "", true}};
  std::set<std::string> known = {out.front().source};
  const auto add = [&](std::string source, DType dtype, const std::string& modifiers) {
    if (source.empty() || out.size() >= kProgramsMax || !known.insert(source).second) return;
    out.push_back({std::move(source), std::string(compiler::ir::ToString(dtype)), modifiers});
  };
  const bool expression = op.form == Form::kOperator || op.form == Form::kFunction;
  for (const DType dtype : OperandTypes(op)) {
    add(ExampleOver(op, dtype), dtype, "");
    if (!expression || op.args.empty()) continue;
    for (const std::string& modifiers : ModifierChoices(op)) {
      add(ExpressionProgram(op, dtype, modifiers), dtype, modifiers);
    }
  }
  return out;
}

}  // namespace device::ops
