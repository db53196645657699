// Manual pages, from nothing but the entries.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ops/table.h"

namespace compiler::ops {
namespace {

using ir::ArgKind;
using ir::Form;
using ir::OpDef;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

std::string Joined(const std::vector<std::string_view>& words, absl::string_view by) {
  return absl::StrJoin(words, by,
                       [](std::string* out, std::string_view word) { out->append(word); });
}

std::string_view NameOf(ArgKind kind) {
  switch (kind) {
    case ArgKind::kAny: return "any";
    case ArgKind::kNumeric: return "number";
    case ArgKind::kInteger: return "integer";
    case ArgKind::kFloat: return "float";
    case ArgKind::kF32: return "f32";
    case ArgKind::kBool: return "bool";
    case ArgKind::kConstInteger: return "constant";
    case ArgKind::kView: return "view";
    case ArgKind::kTwiceAsWide: return "integer of twice the width";
  }
  return "";
}

std::string_view ResultOf(const OpDef& op) {
  switch (op.result) {
    case ir::ResultRule::kSameAsArgs: return "the type of the operands";
    case ir::ResultRule::kBool: return "bool";
    case ir::ResultRule::kFromModifier: return "the type named after the dot";
    case ir::ResultRule::kU32: return "u32";
    case ir::ResultRule::kI32: return "i32";
    case ir::ResultRule::kTwiceAsWide: return "i64 of i32, u64 of u32";
    case ir::ResultRule::kElementOfView: return "the element type of the view";
    case ir::ResultRule::kPair: return "a pair: value, index";
    case ir::ResultRule::kNone: return "";
  }
  return "";
}

std::string_view LevelOf(const OpDef& op) {
  switch (op.level) {
    case ir::LevelRule::kOfOperands: return "that of the operands";
    case ir::LevelRule::kLane: return "lane";
    case ir::LevelRule::kWarp: return "warp";
    case ir::LevelRule::kByWidth: return "warp if the group is the whole warp, else lane";
    case ir::LevelRule::kOfLoad:
      return "that of the index; lane for memory that the kernel writes; at most cta for shared";
  }
  return "";
}

std::string_view PipeOf(ir::Pipe pipe) {
  switch (pipe) {
    case ir::Pipe::kNone: return "none";
    case ir::Pipe::kAlu: return "alu";
    case ir::Pipe::kFma: return "fma";
    case ir::Pipe::kSfu: return "sfu";
    case ir::Pipe::kLsu: return "lsu";
    case ir::Pipe::kShuffle: return "shuffle";
    case ir::Pipe::kBarrier: return "barrier";
    case ir::Pipe::kConvert: return "convert";
  }
  return "";
}

// "name[.rn|.rz][.sat]"; required groups stand in angle brackets.
std::string WithModifiers(const OpDef& op) {
  std::string text(op.name);
  for (const ir::ModifierGroup& group : op.modifiers) {
    absl::StrAppend(&text, group.required ? "<." : "[.", Joined(group.words, "|."),
                    group.required ? ">" : "]");
  }
  return text;
}

std::string Arguments(const OpDef& op) {
  std::vector<std::string> names;
  for (size_t i = 0; i < op.args.size(); ++i) {
    const bool width = op.width_arg && i + 1 == op.args.size();
    const bool optional = i + static_cast<size_t>(op.optional_args) >= op.args.size();
    std::string name(width ? "width" : NameOf(op.args[i]));
    names.push_back(optional ? "[" + name + "]" : name);
  }
  return absl::StrJoin(names, ", ");
}

std::string SyncOperandText(const OpDef& op) {
  switch (op.sync_operand) {
    case ir::SyncOperand::kNone: return "";
    case ir::SyncOperand::kView: return " V";
    case ir::SyncOperand::kInteger: return " n";
    case ir::SyncOperand::kWord: return " " + Joined(op.words, "|");
    case ir::SyncOperand::kOptionalInteger: return " [n]";
  }
  return "";
}

std::string Syntax(const OpDef& op) {
  const std::string name = WithModifiers(op);
  switch (op.form) {
    case Form::kOperator:
      return op.args.size() == 1 ? absl::StrCat(Absl(op.name), "a")
                                 : absl::StrCat("a ", Absl(op.name), " b");
    case Form::kFunction: return absl::StrCat(name, "(", Arguments(op), ")");
    case Form::kLoad: return absl::StrCat(name, " V [else e]");
    case Form::kCopy:
      if (op.effects.copy == ir::CopyEffect::kMatrixLoad) return absl::StrCat(name, " F <- V");
      if (op.effects.copy == ir::CopyEffect::kMatrixStore) {
        return absl::StrCat(name, " V <- F|cvt.T(F)");
      }
      return absl::StrCat(name, " V <- e|V { on V | multicast e | cache word | else e }");
    case Form::kProduct:
      if (op.effects.product && op.effects.engine == ir::ProductEngine::kWarp) {
        return absl::StrCat(name, " F (=|+=) F * F [zero e]");
      }
      if (op.effects.product && op.effects.engine == ir::ProductEngine::kWarpgroup) {
        return absl::StrCat(name, " F (=|+=) V|F * V [zero e]");
      }
      return absl::StrCat(name, " F (=|+=) V * V [zero e] [scale V, V]");
    case Form::kSync: return absl::StrCat(name, SyncOperandText(op));
    case Form::kCallStatement: return absl::StrCat(name, "(", Arguments(op), ")");
  }
  return name;
}

std::string Types(const OpDef& op) {
  std::vector<std::string> names;
  for (const ir::DType type : op.dtypes) {
    if (ir::Info(type).in_this_build) names.emplace_back(ir::ToString(type));
  }
  return absl::StrJoin(names, " ");
}

std::string Precision(const OpDef& op) {
  if (op.meaning == nullptr) return "";
  std::string text = op.ulp == 0 ? "equal, bit by bit" : absl::StrCat("within ", op.ulp, " ulp");
  if (op.approx_ulp > 0) {
    absl::StrAppend(&text, "; `.approx` within ", op.approx_ulp, " ulp");
    if (op.approx_absolute > 0) absl::StrAppend(&text, " or ", op.approx_absolute);
    const ir::ApproxDomain& domain = op.approx_domain;
    if (!domain.Everywhere()) {
      absl::StrAppend(&text, " for operands in [", domain.low, ", ", domain.high,
                      "], outside a value in [", domain.least, ", ", domain.most, "]");
    }
  }
  if (op.packed_ulp > 0) {
    absl::StrAppend(&text, "; packed `.approx` within ", op.packed_ulp, " ulp of their type");
  }
  return text;
}

void Row(std::string& page, absl::string_view name, absl::string_view value) {
  if (!value.empty()) absl::StrAppend(&page, "| ", name, " | ", value, " |\n");
}

bool IsExpression(const OpDef& op) {
  return op.form == Form::kOperator || op.form == Form::kFunction || op.form == Form::kLoad;
}

}  // namespace

std::string ManualFileName(const OpDef& op) {
  struct Word {
    std::string_view token, word;
  };
  constexpr Word kWords[] = {{"+", "add"},          {"*", "multiply"},    {"/", "divide"},
                             {"%", "remainder"},    {"&", "and"},         {"|", "or"},
                             {"^", "xor"},          {"<<", "shift_left"}, {">>", "shift_right"},
                             {"==", "equal"},       {"!=", "not_equal"},  {"<", "less"},
                             {"<=", "less_equal"},  {">", "greater"},     {">=", "greater_equal"},
                             {"&&", "logical_and"}, {"||", "logical_or"}, {"!", "not"},
                             {"~", "complement"}};
  if (op.name == "-") return op.args.size() == 1 ? "negate" : "subtract";
  for (const Word& word : kWords) {
    if (word.token == op.name) return std::string(word.word);
  }
  std::string name(op.name);
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
}

std::string ManualPage(const OpDef& op) {
  std::string page = absl::StrCat("# ", "`", Absl(op.name), "`\n\n", Absl(op.summary), "\n\n");
  absl::StrAppend(&page, "```\n", Syntax(op), "\n```\n\n");
  if (!op.Available()) page += "Not in this build: programs that use it are told so.\n\n";
  page += "| | |\n|---|---|\n";
  Row(page, "executed by", Absl(ir::ToString(op.scope)));
  Row(page, "together", op.effects.collective ? "every thread of the scope" : "");
  Row(page, "operand types", Types(op));
  Row(page, "result", Absl(ResultOf(op)));
  Row(page, "level", IsExpression(op) ? Absl(LevelOf(op)) : "");
  Row(page, "from", Absl(op.min_arch));
  Row(page, "machine and GPU", Precision(op));
  if (op.Available()) {
    Row(page, "cost",
        absl::StrCat(op.cost.issue_slots, " issue slots a warp, pipe ",
                     op.effects.product ? "tensor" : Absl(PipeOf(op.cost.pipe))));
  }
  Row(page, "not in this build", Joined(op.words_outside, " "));
  Row(page, "source", Absl(op.source));
  if (!op.example.empty()) absl::StrAppend(&page, "\n```cake\n", Absl(op.example), "```\n");
  return page;
}

std::string ManualIndex() {
  std::string page =
      "# Instructions\n\nOne page an instruction, made from its entry in the table. Those without "
      "a mark\nare parsed and checked, but have no meaning in this build.\n\n";
  page += "| instruction | in this build | |\n|---|---|---|\n";
  for (const OpDef& op : Table().ops()) {
    std::string name(op.name);
    for (size_t at = name.find('|'); at != std::string::npos; at = name.find('|', at + 2)) {
      name.insert(at, "\\");
    }
    absl::StrAppend(&page, "| [`", name, "`](", ManualFileName(op), ".md) | ",
                    op.Available() ? "yes" : "", " | ", Absl(op.summary), " |\n");
  }
  return page;
}

}  // namespace compiler::ops
