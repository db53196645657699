// Kernels and their items.
#include <array>

#include "compiler/text/codes.h"
#include "compiler/text/parse.h"
#include "compiler/text/parser.h"

namespace compiler::text {
namespace {

constexpr std::array<std::string_view, 17> kKernelWords = {
    "grid", "cluster", "ctas_per_sm", "numerics",  "const", "let",
    "fn",   "iter",    "dynamic",     "smem",      "tmem",  "either",
    "ring", "event",   "barrier",     "tensormap", "role"};
constexpr std::array<std::string_view, 8> kProgramOnly = {"alias", "dim",       "param", "in",
                                                          "out",   "workspace", "where", "arg"};
constexpr std::array<std::string_view, 5> kFieldWords = {"T", "row", "col", "rows", "cols"};

template <size_t N>
bool Among(const std::array<std::string_view, N>& words, std::string_view word) {
  for (std::string_view known : words) {
    if (known == word) return true;
  }
  return false;
}

}  // namespace

KernelItem* Parser::NewKernelItem(KernelItem::Kind kind) {
  KernelItem& item = file_.kernel_items.emplace_back();
  item.kind = kind;
  return &item;
}

// "kernel" ID ["pdl"] ["when" e] "{" items "}"
Kernel* Parser::ParseKernel() {
  Kernel& kernel = file_.kernels.emplace_back();
  const size_t first = pos_++;
  kernel.name = ExpectName();
  kernel.pdl = Accept("pdl");
  if (Accept("when")) kernel.when = ParseExpr();
  kernel.items = ParseKernelItems("kernel", /*in_either=*/false);
  kernel.span = SpanFrom(first);
  return &kernel;
}

KernelItems Parser::ParseKernelItems(std::string_view owner, bool in_either) {
  KernelItems items;
  ParseBraces(owner, Level::kKernel, [&] { items.push_back(ParseKernelItem(in_either)); });
  return items;
}

bool Parser::AtKernelWord() const {
  const std::string_view word = Peek().text;
  const bool statement = word == "tensormap" && Peek(1).text == ".";
  return Peek().kind == TokenKind::kWord && (Among(kKernelWords, word) || word == "if") &&
         !NextAssigns() && !statement;
}

KernelItem* Parser::ParseKernelItem(bool in_either) {
  const size_t first = pos_;
  KernelItem* item = nullptr;
  const std::string_view word = Peek().text;
  if (Peek().kind != TokenKind::kWord) {
    if (!ReportForeign()) Fail(kUnknownKernelItem, Peek().span, Name{std::string(word)});
  } else if (AtKernelWord()) {
    loose_reported_ = false;
    const bool shares = word == "smem" || word == "tmem" || word == "ring" || word == "either";
    if (in_either && !shares) Complain(kNotInEither, Peek().span, Name{std::string(word)});
    item = ParseKernelWord(word);
  } else {
    item = ParseUnknownKernelItem();
  }
  if (item == nullptr) item = NewKernelItem(KernelItem::Kind::kError);
  if (panic_) item->kind = KernelItem::Kind::kError;
  const bool body = item->function != nullptr || item->kind == KernelItem::Kind::kRole ||
                    item->kind == KernelItem::Kind::kIf || item->kind == KernelItem::Kind::kEither;
  if (!body) EndDeclaration(*item);
  item->span = SpanFrom(first);
  return item;
}

KernelItem* Parser::ParseKernelWord(std::string_view word) {
  if (AtFunction()) {
    KernelItem* item = NewKernelItem(KernelItem::Kind::kFunction);
    item->function = ParseFunction();
    return item;
  }
  if (word == "let") {
    KernelItem* item = NewKernelItem(KernelItem::Kind::kLet);
    item->let = ParseStatement();
    return item;
  }
  if (word == "const") {
    KernelItem* item = NewKernelItem(KernelItem::Kind::kConst);
    ++pos_;
    item->name = ExpectName();
    Expect("=");
    item->value = ParseExpr();
    return item;
  }
  if (word == "cluster" || word == "ctas_per_sm") {
    const bool cluster = word == "cluster";
    KernelItem* item =
        NewKernelItem(cluster ? KernelItem::Kind::kCluster : KernelItem::Kind::kCtasPerSm);
    ++pos_;
    item->value = ParseExpr();
    return item;
  }
  if (word == "tensormap") {
    KernelItem* item = NewKernelItem(KernelItem::Kind::kTensorMaps);
    ++pos_;
    item->names = ExpectNames();
    return item;
  }
  if (word == "grid") return ParseGrid();
  if (word == "numerics") return ParseNumerics();
  if (word == "smem") return ParseShared();
  if (word == "tmem") return ParseTmem();
  if (word == "ring") return ParseRing();
  if (word == "event") return ParseEvent();
  if (word == "barrier") return ParseBarrier();
  if (word == "role") return ParseRole();
  if (word == "either") return ParseEither();
  if (word == "if") return ParseKernelIf();
  ++pos_;  // fn, iter or dynamic without a name
  UnexpectedName();
  return nullptr;
}

// A statement, an item of the program, or a misspelt item.
KernelItem* Parser::ParseUnknownKernelItem() {
  const Token& token = Peek();
  const Name name{std::string(token.text)};
  size_t taken = 0;
  const std::string nearest = Nearest(token.text, {kKernelWords.begin(), kKernelWords.end()});
  const bool statement = AtKeyword(token.text) || NextAssigns() || OpHere(&taken) != nullptr ||
                         (nearest.empty() && (Peek(1).text == "(" || Peek(1).text == "["));
  if (Among(kProgramOnly, token.text) && !NextAssigns()) {
    Fail(kItemInKernel, token.span, name);
    return nullptr;
  }
  if (statement) return ParseLooseStatement();
  Suggest(Fail(kUnknownKernelItem, token.span, name), token.span, nearest);
  for (std::string_view word : kKernelWords) {
    if (word != nearest) continue;
    panic_ = false;
    quiet_ = true;
    tokens_[pos_].text = word;
    return ParseKernelWord(word);
  }
  return nullptr;
}

// A role's body without its role: said once a run of statements, each still read.
KernelItem* Parser::ParseLooseStatement() {
  if (!loose_reported_) {
    Complain(kStatementInKernel, Peek().span, Name{std::string(Peek().text)})
        .Fix("put it in `role main: warps 4 { .. }`", {}, diag::Applicability::kManual);
  }
  loose_reported_ = true;
  functions_.push_back(nullptr);
  yields_.push_back(0);
  ParseStatement();
  functions_.pop_back();
  yields_.pop_back();
  return nullptr;
}

// "grid" "(" e,+ ")"
KernelItem* Parser::ParseGrid() {
  KernelItem* item = NewKernelItem(KernelItem::Kind::kGrid);
  ++pos_;
  if (!OpenBracket("(")) return item;
  item->values = ParseList();
  CloseBracket(")");
  return item;
}

// "numerics" {"contract" | "ftz"}
KernelItem* Parser::ParseNumerics() {
  KernelItem* item = NewKernelItem(KernelItem::Kind::kNumerics);
  ++pos_;
  do {
    const Token& word = Peek();
    bool* flag = word.text == "ftz" ? &item->ftz : &item->contract;
    if (!Accept("contract") && !Accept("ftz")) {
      UnexpectedToken("contract");
      return item;
    }
    if (*flag) Complain(kRepeatedClause, word.span, Name{std::string(word.text)});
    *flag = true;
  } while (AtWord());
  return item;
}

Expr* Parser::ParseExtent(bool required) {
  if (!required && !Is("[")) return nullptr;
  if (!panic_ && Is("[")) tokens_[pos_].tight_left = true;
  if (!OpenBracket("[")) return nullptr;
  Expr* extent = ParseExpr();
  CloseBracket("]");
  return extent;
}

// ["rows" | "swizzle" c | "padded" c]
FormSpec Parser::ParseForm() {
  FormSpec form;
  const size_t first = pos_;
  if (Accept("rows")) {
    form.kind = "rows";
  } else if (Accept("swizzle")) {
    form.kind = "swizzle";
    form.amount = ParseExpr();
  } else if (Accept("padded")) {
    form.kind = "padded";
    form.amount = ParseExpr();
  }
  form.span = SpanFrom(first);
  return form;
}

// "smem" ID ["[" c "]"] (":" type form | fields)
KernelItem* Parser::ParseShared() {
  KernelItem* item = NewKernelItem(KernelItem::Kind::kShared);
  ++pos_;
  item->name = ExpectName();
  item->extent = ParseExtent(/*required=*/false);
  if (!panic_ && Is("{")) {
    item->has_fields = true;
    item->fields = ParseFields("smem");
    return item;
  }
  Expect(":");
  item->type = ParseType();
  item->form = ParseForm();
  return item;
}

KernelItem* Parser::ParseTmem() {
  KernelItem* item = NewKernelItem(KernelItem::Kind::kTmem);
  ++pos_;
  item->name = ExpectName();
  if (!panic_ && Is("[")) Fail(kTmemStages, item->name.span, Name{std::string(item->name.text)});
  Expect(":");
  item->type = ParseType();
  return item;
}

Fields Parser::ParseFields(std::string_view owner) {
  Fields fields;
  ParseBraces(owner, Level::kStatement, [&] { fields.push_back(ParseField()); });
  return fields;
}

// ID ":" type form | "either" fields { "or" fields }
Field Parser::ParseField() {
  Field field;
  const size_t first = pos_;
  if (Is("either") && IsAt(1, "{")) {
    ++pos_;
    do {
      field.alternatives.push_back(ParseFields("either"));
    } while (!panic_ && Accept("or"));
  } else {
    field.name = ExpectName();
    if (Among(kFieldWords, field.name.text)) {
      Complain(kReservedField, field.name.span, Name{std::string(field.name.text)});
    }
    Expect(":");
    field.type = ParseType();
    field.form = ParseForm();
  }
  field.span = SpanFrom(first);
  return field;
}

// "ring" ID "[" c "]" fields "from" ID,+ "to" ID,+ ["cluster"] ["full" c] ["empty" c]
KernelItem* Parser::ParseRing() {
  KernelItem* item = NewKernelItem(KernelItem::Kind::kRing);
  ++pos_;
  item->name = ExpectName();
  item->extent = ParseExtent(/*required=*/true);
  item->has_fields = true;
  item->fields = ParseFields("ring");
  if (Expect("from")) item->from = ExpectNames();
  if (Expect("to")) item->to = ExpectNames();
  item->cluster_scope = Accept("cluster");
  if (Accept("full")) item->full = ParseExpr();
  if (Accept("empty")) item->empty = ParseExpr();
  return item;
}

// "event" ID "[" c "]" "count" c
KernelItem* Parser::ParseEvent() {
  KernelItem* item = NewKernelItem(KernelItem::Kind::kEvent);
  ++pos_;
  item->name = ExpectName();
  item->extent = ParseExtent(/*required=*/true);
  Expect("count");
  item->value = ParseExpr();
  return item;
}

// "barrier" ID ["[" c "]"] "threads" c
KernelItem* Parser::ParseBarrier() {
  KernelItem* item = NewKernelItem(KernelItem::Kind::kBarrier);
  ++pos_;
  item->name = ExpectName();
  item->extent = ParseExtent(/*required=*/false);
  Expect("threads");
  item->value = ParseExpr();
  return item;
}

// "role" ID ":" "warps" c ["regs" c] block
KernelItem* Parser::ParseRole() {
  KernelItem* item = NewKernelItem(KernelItem::Kind::kRole);
  ++pos_;
  item->name = ExpectName();
  Expect(":");
  Expect("warps");
  item->warps = ParseExpr();
  if (Accept("regs")) item->regs = ParseExpr();
  functions_.push_back(nullptr);
  yields_.push_back(0);
  item->body = ParseBlock("role");
  functions_.pop_back();
  yields_.pop_back();
  return item;
}

KernelItem* Parser::ParseKernelIf() {
  KernelItem* item = NewKernelItem(KernelItem::Kind::kIf);
  ++pos_;
  in_condition_ = true;
  item->value = ParseExpr();
  if (!panic_ && !Is("{")) ReportForeign();
  in_condition_ = false;
  item->items = ParseKernelItems("if", /*in_either=*/false);
  return item;
}

// "either" "{" items "}" { "or" "{" items "}" }
KernelItem* Parser::ParseEither() {
  KernelItem* item = NewKernelItem(KernelItem::Kind::kEither);
  ++pos_;
  do {
    item->alternatives.push_back(ParseKernelItems("either", /*in_either=*/true));
  } while (!panic_ && Accept("or"));
  return item;
}

}  // namespace compiler::text
