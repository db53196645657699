// Instruction statements, read by the form of their table entry.
#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "compiler/text/codes.h"
#include "compiler/text/parse.h"
#include "compiler/text/parser.h"

namespace compiler::text {
namespace {

using diag::Applicability;
using ir::Form;
using ir::SyncOperand;

bool IsStatementForm(Form form) {
  return form == Form::kCopy || form == Form::kProduct || form == Form::kSync ||
         form == Form::kCallStatement;
}

// The group of `op` that `modifier` belongs to, or -1.
int GroupOf(const ir::OpDef& op, std::string_view modifier) {
  for (size_t i = 0; i < op.modifiers.size(); ++i) {
    const auto& words = op.modifiers[i].words;
    if (std::find(words.begin(), words.end(), modifier) != words.end()) return static_cast<int>(i);
  }
  return -1;
}

bool Contains(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

// The instruction whose statement begins here. A name followed by an index or a call is a variable
// or a fn of the program, unless the instruction itself is written as a call or takes an integer.
const ir::OpDef* Parser::OpHere(size_t* taken) const {
  const size_t length = DottedLength();
  const ir::OpDef* op = ops_.FindLongest(DottedParts(length), taken);
  if (op == nullptr || !IsStatementForm(op->form)) return nullptr;
  const Token& after = Peek(length);
  if (after.separated) return op;
  if (after.text == "(") {
    const bool integer =
        op->form == Form::kSync && (op->sync_operand == SyncOperand::kInteger ||
                                    op->sync_operand == SyncOperand::kOptionalInteger);
    return integer || op->form == Form::kCallStatement ? op : nullptr;
  }
  return after.text == "[" ? nullptr : op;
}

Stmt* Parser::ParseOp(const ir::OpDef& op, size_t taken) {
  Stmt* s = NewStmt(Stmt::Kind::kOp);
  s->op = &op;
  if (op.form == Form::kCallStatement) {
    const size_t first = pos_;
    const size_t length = DottedLength();
    for (size_t i = 2 * taken; i < length; i += 2) {
      s->modifiers.push_back({Peek(i).text, Peek(i).span});
    }
    s->value = ParsePath();
    const auto& postfixes = s->value->postfixes;
    if (!panic_ && (postfixes.empty() || postfixes.back().kind != Postfix::Kind::kCall)) {
      UnexpectedToken("(");
    }
    s->op_name = {std::string_view(file_.source)
                      .substr(tokens_[first].span.begin,
                              tokens_[first + length - 1].span.end - tokens_[first].span.begin),
                  {tokens_[first].span.begin, tokens_[first + length - 1].span.end}};
    if (!panic_) CheckModifiers(*s);
    return s;
  }
  ParseModifiers(*s, taken);
  CheckModifiers(*s);
  switch (op.form) {
    case Form::kCopy: ParseCopy(*s); break;
    case Form::kProduct: ParseProduct(*s); break;
    default: ParseSync(*s); break;
  }
  return s;
}

void Parser::ParseModifiers(Stmt& s, size_t taken) {
  const size_t length = DottedLength();
  for (size_t i = 2 * taken; i < length; i += 2) {
    s.modifiers.push_back({Peek(i).text, Peek(i).span});
  }
  s.op_name = DottedWord();
}

// Each modifier belongs to a group of the entry; groups come in order, each at most once.
void Parser::CheckModifiers(const Stmt& s) {
  const ir::OpDef& op = *s.op;
  const Name op_name{std::string(op.name)};
  std::vector<bool> seen(op.modifiers.size(), false);
  int last = -1;
  for (const Ident& modifier : s.modifiers) {
    const Name name{std::string(modifier.text)};
    const int group = GroupOf(op, modifier.text);
    if (group < 0) {
      const std::vector<std::string> words = StatementWords();
      const std::string nearest = Nearest(s.op_name.text, {words.begin(), words.end()});
      Suggest(Complain(kUnknownModifier, modifier.span, name, op_name), s.op_name.span, nearest);
      // `wgmma.comit` is not a `wgmma`: what follows is not held against it.
      quiet_ = ops_.Find(nearest) != nullptr;
      return;
    }
    if (group <= last) {
      Complain(kModifierOrder, modifier.span, name, op_name);
      return;
    }
    last = group;
    seen[static_cast<size_t>(group)] = true;
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] || !op.modifiers[i].required) continue;
    Complain(kMissingModifier, s.op_name.span, op_name,
             Name{absl::StrCat(".", std::string(op.modifiers[i].words[0]))});
    return;
  }
}

// COPY view "<-" e { clause }
void Parser::ParseCopy(Stmt& s) {
  s.destination = ParsePath();
  Expect("<-");
  s.source = ParseExpr();
  ParseCopyClauses(s);
}

void Parser::ParseCopyClauses(Stmt& s) {
  while (!panic_ && AtWord()) {
    if (!ParseCopyClause(s)) return;
  }
}

// "on" view | "multicast" e | "cache" WORD | "else" e
bool Parser::ParseCopyClause(Stmt& s) {
  const Token& word = Peek();
  const auto twice = [&](bool given) {
    if (given) Fail(kRepeatedClause, word.span, Name{std::string(word.text)});
    return given;
  };
  if (Accept("on")) {
    if (!twice(s.on_event != nullptr)) s.on_event = ParsePath();
  } else if (Accept("multicast")) {
    if (!twice(s.multicast != nullptr)) s.multicast = ParseExpr();
  } else if (Accept("cache")) {
    if (!twice(!s.cache_hint.text.empty())) s.cache_hint = ExpectName();
  } else if (Accept("else")) {
    if (twice(s.else_value != nullptr)) return false;
    const bool of_copy = s.source != nullptr && s.source->kind == Expr::Kind::kPath;
    if (!of_copy) Complain(kElseOfCopy, word.span);
    s.else_value = ParseExpr();
  } else {
    return false;
  }
  return true;
}

// PRODUCT frag ("=" | "+=") view "*" view { clause }
void Parser::ParseProduct(Stmt& s) {
  s.destination = ParsePath();
  if (Accept("+=")) {
    s.accumulate = true;
  } else {
    Expect("=");
  }
  s.left = ParsePath();
  Expect("*");
  s.right = ParsePath();
  ParseProductClauses(s);
}

// "zero" e | "scale" view "," view
void Parser::ParseProductClauses(Stmt& s) {
  while (!panic_ && AtWord()) {
    const Token& word = Peek();
    const bool zero = word.text == "zero";
    if (!zero && word.text != "scale") return;
    if (zero ? s.zero != nullptr : s.scale_a != nullptr) {
      Fail(kRepeatedClause, word.span, Name{std::string(word.text)});
      return;
    }
    ++pos_;
    if (zero) {
      s.zero = ParseExpr();
    } else {
      s.scale_a = ParsePath();
      Expect(",");
      s.scale_b = ParsePath();
    }
  }
}

// SYNC [view | e | word] ["bytes" e] { clause of a copy, where it fills memory }
void Parser::ParseSync(Stmt& s) {
  switch (s.op->sync_operand) {
    case SyncOperand::kNone: break;
    case SyncOperand::kView: s.operand = ParsePath(); break;
    case SyncOperand::kInteger: s.operand = ParseExpr(); break;
    case SyncOperand::kOptionalInteger:
      if (!AtSeparator()) s.operand = ParseExpr();
      break;
    case SyncOperand::kWord: ParseSyncWord(s); break;
  }
  if (Accept("bytes")) s.bytes = ParseExpr();
  if (s.op->effects.copy != ir::CopyEffect::kNone) ParseCopyClauses(s);
}

void Parser::ParseSyncWord(Stmt& s) {
  s.word = ExpectName();
  const ir::OpDef& op = *s.op;
  if (panic_ || Contains(op.words, s.word.text) || Contains(op.words_outside, s.word.text)) return;
  std::vector<std::string_view> words = op.words;
  words.insert(words.end(), op.words_outside.begin(), op.words_outside.end());
  std::string list;
  for (std::string_view word : words) {
    absl::StrAppend(&list, list.empty() ? "" : ", ", std::string(word));
  }
  Builder builder = Complain(kUnknownWord, s.word.span, Name{std::string(s.word.text)},
                             Name{std::string(op.name)});
  const std::string nearest = Nearest(s.word.text, words);
  Suggest(builder, s.word.span, nearest);
  if (nearest.empty()) {
    builder.Fix(absl::StrCat("write one of ", list), {}, Applicability::kManual);
  }
}

// What can begin a statement, for the nearest spelling of a word that does not.
std::vector<std::string> Parser::StatementWords() const {
  std::vector<std::string> words = {"let",  "var",    "for",   "while", "if",  "elect",
                                    "once", "return", "yield", "fn",    "iter"};
  for (const ir::OpDef& op : ops_.ops()) {
    if (!IsStatementForm(op.form)) continue;
    const std::string name(op.name);
    words.push_back(name);
    for (const ir::ModifierGroup& group : op.modifiers) {
      for (std::string_view word : group.words) {
        words.push_back(absl::StrCat(name, ".", std::string(word)));
      }
    }
  }
  return words;
}

}  // namespace compiler::text
