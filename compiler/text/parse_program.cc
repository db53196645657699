// Programs and their items.
#include <array>

#include "compiler/text/codes.h"
#include "compiler/text/parse.h"
#include "compiler/text/parser.h"

namespace compiler::text {
namespace {

constexpr std::array<std::string_view, 14> kItemWords = {
    "alias", "dim",       "param", "const", "in",   "out",     "inout",
    "arg",   "workspace", "where", "fn",    "iter", "dynamic", "kernel"};
// Kernel items that no item of a program is spelled like.
constexpr std::array<std::string_view, 11> kKernelOnly = {
    "grid", "cluster", "ctas_per_sm", "numerics",  "smem", "tmem",
    "ring", "event",   "barrier",     "tensormap", "role"};

template <size_t N>
bool Among(const std::array<std::string_view, N>& words, std::string_view word) {
  for (std::string_view known : words) {
    if (known == word) return true;
  }
  return false;
}

}  // namespace

void Parser::ParseFile() {
  while (!AtEnd()) {
    if (Peek().text == ";") {
      ++pos_;
      continue;
    }
    first_ = pos_;
    ParseProgram();
  }
  if (file_.programs.empty() && errors_ == 0) report_.Add(kNoProgram, {0, 0});
}

bool Parser::AtProgram() const {
  return Peek().text == "program" && Peek().kind == TokenKind::kWord && !NextAssigns();
}

// "program" ID "target" ARCH { item }
void Parser::ParseProgram() {
  Program& program = file_.program_nodes.emplace_back();
  const size_t first = pos_;
  if (!AtProgram()) {
    const std::string nearest = Nearest(Peek().text, {"program"});
    const Name name{std::string(Peek().text)};
    if (!ReportForeign()) {
      Suggest(Fail(kItemBeforeProgram, Peek().span, name), Peek().span, nearest);
    }
    // What follows is read as a program without a name, so that its lines are still checked.
    const bool misspelt = !nearest.empty() && Peek(1).kind == TokenKind::kWord;
    const bool item = AtItemWord();
    if (!item || misspelt) {
      Recover(first);
    } else {
      panic_ = false;
    }
  } else {
    ++pos_;
    program.name = ExpectName();
    Expect("target");
    program.target = ExpectName();
    EndStatement(first);
  }
  file_.programs.push_back(&program);
  ParseItems(program);
  program.span = SpanFrom(first);
}

void Parser::ParseItems(Program& program) {
  while (true) {
    while (Peek().text == ";") ++pos_;
    if (AtEnd() || AtProgram()) return;
    const size_t first = first_ = pos_;
    if (Peek().text == "}") {
      Complain(kStrayClose, Peek().span);
      quiet_ = false;
      ++pos_;
      continue;
    }
    Item* item = ParseItem(program);
    program.items.push_back(item);
    // A `}` that closes nothing behind a bad item of its line is part of it.
    if (!EndStatement(first) && Peek().text == "}" && !Peek().line_break_before) Recover(pos_);
  }
}

Item* Parser::NewItem(Item::Kind kind) {
  Item& item = file_.items.emplace_back();
  item.kind = kind;
  return &item;
}

bool Parser::AtItemWord() const {
  return Peek().kind == TokenKind::kWord && Among(kItemWords, Peek().text);
}

Item* Parser::ParseItem(Program& program) {
  const size_t first = pos_;
  Item* item = nullptr;
  if (AtItemWord()) {
    item = ParseItemWord(Peek().text);
  } else if (Peek().kind != TokenKind::kWord) {
    if (!ReportForeign()) Fail(kUnknownItem, Peek().span, Name{std::string(Peek().text)});
  } else {
    item = ParseUnknownItem(program);
  }
  if (item == nullptr) item = NewItem(Item::Kind::kError);
  if (panic_) item->kind = Item::Kind::kError;
  if (item->function == nullptr && item->kernel == nullptr) EndDeclaration(*item);
  item->span = SpanFrom(first);
  return item;
}

Item* Parser::ParseItemWord(std::string_view word) {
  if (AtFunction()) {
    Item* item = NewItem(Item::Kind::kFunction);
    item->function = ParseFunction();
    return item;
  }
  if (word == "kernel") {
    Item* item = NewItem(Item::Kind::kKernel);
    item->kernel = ParseKernel();
    return item;
  }
  if (word == "in" || word == "out" || word == "inout") return ParseTensors(word);
  if (word == "alias") return ParseAlias();
  if (word == "dim") return ParseDim();
  if (word == "param") return ParseParam();
  if (word == "const") return ParseConst();
  if (word == "arg") return ParseArg();
  if (word == "workspace") return ParseWorkspace();
  if (word == "where") return ParseWhere();
  ++pos_;  // fn, iter or dynamic without a name
  UnexpectedName();
  return nullptr;
}

// An item of a kernel whose brace closed too early, a statement, or a misspelt item.
Item* Parser::ParseUnknownItem(Program& program) {
  const Token& token = Peek();
  const Name name{std::string(token.text)};
  if (Among(kKernelOnly, token.text) && !NextAssigns()) {
    Complain(kKernelItemInProgram, token.span, name);
    KernelItem* inner = ParseKernelItem(/*in_either=*/false);
    if (!program.items.empty() && program.items.back()->kernel != nullptr) {
      program.items.back()->kernel->items.push_back(inner);
    }
    return nullptr;
  }
  const std::string nearest = Nearest(token.text, {kItemWords.begin(), kItemWords.end()});
  Suggest(Fail(kUnknownItem, token.span, name), token.span, nearest);
  for (std::string_view word : kItemWords) {
    if (word != nearest || Peek(1).kind != TokenKind::kWord) continue;
    panic_ = false;
    quiet_ = true;
    tokens_[pos_].text = word;
    return ParseItemWord(word);
  }
  return nullptr;
}

// "alias" ID "," ID
Item* Parser::ParseAlias() {
  Item* item = NewItem(Item::Kind::kAlias);
  ++pos_;
  item->names.push_back(ExpectName());
  Expect(",");
  item->names.push_back(ExpectName());
  return item;
}

// "dim" (ID ["in" range]),+
Item* Parser::ParseDim() {
  Item* item = NewItem(Item::Kind::kDim);
  ++pos_;
  do {
    item->names.push_back(ExpectName());
    item->ranges.push_back(Accept("in") ? ParseRange() : Range{});
  } while (!panic_ && Accept(","));
  return item;
}

// "param" ID "in" (range | "{" c,+ "}") "=" c
Item* Parser::ParseParam() {
  Item* item = NewItem(Item::Kind::kParam);
  ++pos_;
  item->names.push_back(ExpectName());
  Expect("in");
  if (!panic_ && Is("{")) {
    ++pos_;
    item->has_values = true;
    item->values = ParseList();
    // Not Expect: a `}` ends a statement everywhere else.
    if (!panic_ && Peek().text == "}") {
      ++pos_;
    } else {
      UnexpectedToken("}");
    }
  } else {
    item->range = ParseRange();
  }
  Expect("=");
  item->value = ParseExpr();
  return item;
}

Item* Parser::ParseConst() {
  Item* item = NewItem(Item::Kind::kConst);
  ++pos_;
  item->names.push_back(ExpectName());
  Expect("=");
  item->value = ParseExpr();
  return item;
}

// ("in" | "out" | "inout") ["static"] tensor,+
Item* Parser::ParseTensors(std::string_view direction) {
  Item* item = NewItem(Item::Kind::kTensor);
  ++pos_;
  item->direction = direction;
  if (Is("static") && Peek(1).kind == TokenKind::kWord) item->is_static = Accept("static");
  do {
    item->tensors.push_back(ParseTensor());
  } while (!panic_ && Accept(","));
  return item;
}

// ID ":" dtype "[" e,+ "]" ["stride" "(" e,+ ")"] ["if" c]
TensorDecl Parser::ParseTensor() {
  TensorDecl tensor;
  const size_t first = pos_;
  tensor.name = ExpectName();
  Expect(":");
  tensor.dtype = ExpectName();
  if (!panic_ && Is("[")) tokens_[pos_].tight_left = true;
  if (OpenBracket("[")) {
    tensor.shape = ParseList();
    CloseBracket("]");
  }
  if (Accept("stride")) {
    tensor.has_strides = true;
    if (OpenBracket("(")) {
      tensor.strides = ParseList();
      CloseBracket(")");
    }
  }
  if (Accept("if")) tensor.condition = ParseExpr();
  tensor.span = SpanFrom(first);
  return tensor;
}

// "arg" (ID ":" dtype ["[" c "]"]),+
Item* Parser::ParseArg() {
  Item* item = NewItem(Item::Kind::kArg);
  ++pos_;
  do {
    item->names.push_back(ExpectName());
    Expect(":");
    item->types.push_back(ParseType());
  } while (!panic_ && Accept(","));
  return item;
}

// "workspace" tensor ["zero"]
Item* Parser::ParseWorkspace() {
  Item* item = NewItem(Item::Kind::kWorkspace);
  ++pos_;
  item->tensors.push_back(ParseTensor());
  item->zero = Accept("zero");
  if (!panic_ && Is(",")) SplitWorkspace(*item);
  return item;
}

// Further tensors of a list, read so that their names are known. Whether a `zero` at the end of the
// list was meant for all of it is a guess.
void Parser::SplitWorkspace(Item& item) {
  std::vector<diag::Edit> edits;
  const Span comma = Peek().span;
  while (Accept(",")) {
    const Span before = tokens_[pos_ - 1].span;
    edits.push_back({{before.begin, Peek().span.begin}, "\nworkspace "});
    item.tensors.push_back(ParseTensor());
    Accept("zero");
  }
  Complain(kOneWorkspace, comma)
      .Fix("write one `workspace` a tensor", std::move(edits), diag::Applicability::kMaybe);
}

// "where" (expr ["in" range] ["if" expr]),+
Item* Parser::ParseWhere() {
  Item* item = NewItem(Item::Kind::kWhere);
  ++pos_;
  in_condition_ = true;
  do {
    item->clauses.push_back(ParseWhereClause());
  } while (!panic_ && Accept(","));
  if (!panic_ && !AtSeparator()) ReportForeign();
  in_condition_ = false;
  return item;
}

WhereClause Parser::ParseWhereClause() {
  WhereClause clause;
  const size_t first = pos_;
  clause.value = ParseExpr();
  if (Accept("in")) {
    clause.has_range = true;
    clause.range = ParseRange();
  }
  if (Accept("if")) clause.condition = ParseExpr();
  clause.span = SpanFrom(first);
  return clause;
}

}  // namespace compiler::text
