// The recursive-descent parser. Its grammar functions lie in parse_*.cc, one file a level of the
// grammar; this class is what they share: cursor, errors, recovery, nesting.
//
// Errors: a grammar function that meets something unexpected calls Unexpected or Fail, which
// reports once and enters panic; every other function then returns at once. The statement loop
// leaves panic in Recover, which skips to the end of the bad statement. So one bad line gives one
// diagnostic and its neighbours are read as if it were not there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/op_def.h"
#include "compiler/text/syntax.h"
#include "compiler/text/token.h"

namespace compiler::text {

class Parser {
 public:
  // Fills `file` from `tokens`, whose texts point into file.source, and notes on the tokens what
  // the formatter needs.
  Parser(File& file, std::vector<Token>& tokens, const ir::OpTable& ops, diag::Report& report)
      : file_(file), tokens_(tokens), ops_(ops), report_(report) {}

  void ParseFile();

 private:
  using Builder = diag::Report::Builder;
  enum class Level : uint8_t { kProgram, kKernel, kStatement };

  // Cursor (parser.cc). Is, Accept and Expect see only tokens of the current statement.
  const Token& Peek(size_t ahead = 0) const;
  bool AtEnd() const { return Peek().kind == TokenKind::kEnd; }
  bool AtSeparator() const;  // the current statement ends before this token
  bool AtWord() const { return !AtSeparator() && Peek().kind == TokenKind::kWord; }
  bool Is(std::string_view text) const;
  bool IsAt(size_t ahead, std::string_view text) const;
  bool Accept(std::string_view text);
  bool Expect(std::string_view text);
  Ident TakeWord();
  Ident ExpectName();
  std::vector<Ident> ExpectNames();  // ID {"," ID}
  bool OpenBracket(std::string_view text);
  bool CloseBracket(std::string_view text);
  Span SpanFrom(size_t first_token) const;

  // Errors (errors.cc).
  template <typename... Args>
  Builder Fail(const diag::Def<Args...>& def, Span span, std::type_identity_t<Args>... args) {
    scratch_ = {};
    if (!MayReport()) return Builder(scratch_);
    return report_.Add(def, span, std::move(args)...);
  }
  // Reports like Fail, but the statement is read on; what else is wrong with it stays unsaid.
  template <typename... Args>
  Builder Complain(const diag::Def<Args...>& def, Span span, std::type_identity_t<Args>... args) {
    const bool was = panic_;
    Builder builder = Fail(def, span, std::move(args)...);
    panic_ = was;
    quiet_ = true;
    return builder;
  }
  bool MayReport();
  void UnexpectedToken(std::string_view wanted);
  void UnexpectedExpression();
  void UnexpectedName();
  void UnexpectedEnd();
  bool ReportForeign();  // what stands here is a known mistake, now reported
  bool ReportFault();
  bool ReportForeignWord(size_t at, std::string_view word, std::string_view symbol,
                         diag::Applicability applicability);
  bool ReportForeignOperator();
  bool ReportOperatorAt(size_t first);
  static void Suggest(Builder builder, Span span, const std::string& nearest);

  // Recovery (errors.cc).
  bool EndStatement(size_t first_token);  // false: it was bad, and is skipped
  template <typename Node>
  void EndDeclaration(Node& node) {
    if (!panic_ && !AtSeparator()) UnexpectedEnd();
    if (panic_) node.kind = Node::Kind::kError;
  }
  void Recover(size_t first_token);
  bool RecoverToBlock();
  size_t AfterBracket(size_t open) const;  // 0 if it is not closed
  void SkipBraces();
  bool TooDeep();  // reports
  int64_t MeasureBrackets() const;
  int64_t MeasureChain() const;
  bool FailAtEnd() const;

  // Blocks: `{`, items by `each`, `}` (errors.cc).
  bool ParseBraces(std::string_view owner, Level level, const std::function<void()>& each);
  bool OpenBraces(std::string_view owner);
  bool AtBlockEnd(size_t open, Level level);
  bool BeginsOuter(Level level) const;

  // Expressions (parse_expr.cc).
  Expr* NewExpr(Expr::Kind kind, size_t first_token);
  Expr* Finish(Expr* e, size_t first_token);
  Expr* ErrorExpr();
  Expr* ParseExpr();
  Expr* ParseBinary(int min_precedence);
  bool AtBinaryOperator() const;
  Expr* ParseUnary();
  Expr* ParsePrimary();
  Expr* ParseNumber();
  Expr* ParseNameOrLoad();
  Expr* ParseLoad();
  Expr* ParseArray();
  Expr* ParsePath(bool loaded = false);  // `loaded`: the operand of ld
  bool ParsePostfix(Expr* path, bool loaded);
  void ParseUse(Postfix& use);
  bool AtLoad() const;
  void ParseIndices(Postfix& postfix);
  void ParseIndex(Index& index);
  void ParseArguments(Postfix& postfix);
  void CheckUseArithmetic(Expr& path, bool loaded);
  std::vector<Expr*> ParseList();  // e {"," e}
  Range ParseRangeFrom(Expr* low);
  Range ParseRange();
  void Deepen(Expr* parent, const Expr* child);

  // Types (parse_type.cc).
  TypeExpr ParseType();
  Ident DottedWord();
  size_t DottedLength(size_t ahead = 0) const;  // tokens of the dotted name here
  std::vector<std::string_view> DottedParts(size_t tokens) const;

  // Statements (parse_stmt.cc).
  Stmt* NewStmt(Stmt::Kind kind);
  Stmt* ParseStatement();
  Stmt* ParseStatementInner();
  Stmt* ParseKeyword(std::string_view word);
  bool AtKeyword(std::string_view word) const;
  Stmt* ParseLet();
  Stmt* ParseFor();
  Stmt* ParseWhile();
  Stmt* ParseIf();
  Stmt* ParseBlockStatement(Stmt::Kind kind, std::string_view word);
  Stmt* ParseReturn();
  Stmt* ParseYield();
  Stmt* ParsePathStatement();
  Stmt* ParseUnknownStatement();
  Stmt* FinishAssign(Stmt* s);
  std::vector<Ident> ParsePattern();
  Block ParseBlock(std::string_view owner);
  Function* ParseFunction();
  void ParseParameters(Function& f);
  void ParseResults(Function& f);
  bool AtFunction() const;
  bool LineBeginsStatement() const;
  bool NextAssigns() const;

  // Instructions (parse_op.cc).
  const ir::OpDef* OpHere(size_t* taken) const;
  Stmt* ParseOp(const ir::OpDef& op, size_t taken);
  void ParseModifiers(Stmt& s, size_t taken);
  void CheckModifiers(const Stmt& s);
  void ParseCopy(Stmt& s);
  void ParseCopyClauses(Stmt& s);
  bool ParseCopyClause(Stmt& s);
  void ParseProduct(Stmt& s);
  void ParseProductClauses(Stmt& s);
  void ParseSync(Stmt& s);
  void ParseSyncWord(Stmt& s);
  std::vector<std::string> StatementWords() const;

  // Kernels (parse_kernel.cc).
  KernelItem* NewKernelItem(KernelItem::Kind kind);
  Kernel* ParseKernel();
  KernelItems ParseKernelItems(std::string_view owner, bool in_either);
  KernelItem* ParseKernelItem(bool in_either);
  KernelItem* ParseKernelWord(std::string_view word);
  KernelItem* ParseUnknownKernelItem();
  KernelItem* ParseLooseStatement();
  KernelItem* ParseGrid();
  KernelItem* ParseNumerics();
  KernelItem* ParseShared();
  KernelItem* ParseTmem();
  KernelItem* ParseRing();
  KernelItem* ParseEvent();
  KernelItem* ParseBarrier();
  KernelItem* ParseRole();
  KernelItem* ParseKernelIf();
  KernelItem* ParseEither();
  Fields ParseFields(std::string_view owner);
  Field ParseField();
  FormSpec ParseForm();
  Expr* ParseExtent(bool required);  // "[" c "]"
  bool AtKernelWord() const;

  // Programs and their items (parse_program.cc).
  void ParseProgram();
  void ParseItems(Program& program);
  Item* NewItem(Item::Kind kind);
  Item* ParseItem(Program& program);
  Item* ParseItemWord(std::string_view word);
  Item* ParseUnknownItem(Program& program);
  Item* ParseAlias();
  Item* ParseDim();
  Item* ParseParam();
  Item* ParseConst();
  Item* ParseTensors(std::string_view direction);
  Item* ParseArg();
  Item* ParseWorkspace();
  void SplitWorkspace(Item& item);
  Item* ParseWhere();
  WhereClause ParseWhereClause();
  TensorDecl ParseTensor();
  bool AtItemWord() const;
  bool AtProgram() const;

  File& file_;
  std::vector<Token>& tokens_;
  const ir::OpTable& ops_;
  diag::Report& report_;

  size_t pos_ = 0;
  size_t first_ = 0;              // token at which the current statement begins
  std::vector<size_t> brackets_;  // open ( and [ of the current statement, by token
  int64_t nesting_ = 0;           // blocks and brackets open
  bool panic_ = false;            // reported; waiting for Recover
  bool quiet_ = false;            // the rest of a statement of which something has been said
  bool in_condition_ = false;     // `=` here means `==`
  bool stopped_ = false;          // too many errors: the rest is not read
  int64_t errors_ = 0;
  size_t unclosed_at_ = SIZE_MAX;     // where missing `}` have been reported
  bool loose_reported_ = false;       // statements of this run outside a role
  std::vector<Function*> functions_;  // being parsed, innermost last; null inside a role
  std::vector<int64_t> yields_;
  diag::Diagnostic scratch_;  // takes what is not reported
};

}  // namespace compiler::text
