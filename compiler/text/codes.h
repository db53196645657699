// The diagnostics of lexing and parsing (CK0xxx) and the limits of the text (CK600x). They stand in
// one place because most of them are reported from several grammar functions.
#pragma once

#include "compiler/diag/diagnostic.h"

namespace compiler::text {

using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

// Bytes and tokens.
constexpr Def<int64_t> kInvalidUtf8{
    "CK0001", Severity::kError, Category::kSyntax,
    "the source is not valid UTF-8; bytes that do not decode: {0}",
    "names and numbers are ASCII; other characters may stand in comments, as UTF-8"};
constexpr Def<Name> kUnexpectedCharacter{
    "CK0002", Severity::kError, Category::kSyntax, "`{0}` starts no token",
    "names and numbers are ASCII; other characters may stand in comments"};
constexpr Def<Name> kMalformedNumber{
    "CK0003", Severity::kError, Category::kSyntax, "`{0}` is not a number",
    "numbers are `12`, `0xff`, `0b101`, `1_000`, `1.0` and `1e-6`; a digit follows the point and "
    "no letter follows the number: types are written with `cvt` or on the declaration"};
constexpr Def<Name> kIntTooLarge{"CK0004", Severity::kError, Category::kSyntax,
                                 "integer `{0}` does not fit in 64 bits", ""};
constexpr Def<Name> kFloatOutOfRange{"CK0005", Severity::kError, Category::kSyntax,
                                     "`{0}` is outside the range of a 64-bit float",
                                     "infinity is written `inf`"};
constexpr Def<> kNoProgram{"CK0006", Severity::kError, Category::kSyntax,
                           "the source holds no program",
                           "a source is one or more `program NAME target ARCH` with their items"};
constexpr Def<> kForeignComment{"CK0007", Severity::kError, Category::kSyntax,
                                "comments start with `//`", ""};

// What was expected and what stands there instead.
constexpr Def<Name, Name> kExpectedToken{"CK0010", Severity::kError, Category::kSyntax,
                                         "expected `{0}`, found `{1}`", ""};
constexpr Def<Name> kExpectedTokenAtEnd{
    "CK0011", Severity::kError, Category::kSyntax, "expected `{0}` before the end of the line",
    "a line break ends a statement, except inside ( ) and [ ] and after an operator or `,`"};
constexpr Def<Name> kExpectedExpression{"CK0012", Severity::kError, Category::kSyntax,
                                        "expected an expression, found `{0}`", ""};
constexpr Def<> kExpectedExpressionAtEnd{
    "CK0013", Severity::kError, Category::kSyntax,
    "expected an expression before the end of the line",
    "a line break ends a statement, except inside ( ) and [ ] and after an operator or `,`"};
constexpr Def<Name> kExpectedName{"CK0014", Severity::kError, Category::kSyntax,
                                  "expected a name, found `{0}`", ""};
constexpr Def<> kExpectedNameAtEnd{"CK0015", Severity::kError, Category::kSyntax,
                                   "expected a name before the end of the line", ""};
constexpr Def<Name> kExpectedEnd{"CK0016", Severity::kError, Category::kSyntax,
                                 "expected the end of the statement, found `{0}`",
                                 "statements are separated by a line break or `;`"};

// Words that begin nothing.
constexpr Def<Name> kUnknownStatement{"CK0020", Severity::kError, Category::kSyntax,
                                      "`{0}` begins no statement and names no instruction", ""};
constexpr Def<Name> kUnknownItem{
    "CK0021", Severity::kError, Category::kSyntax, "`{0}` begins no item of a program",
    "items are alias, dim, param, const, in, out, inout, arg, workspace, where, fn, iter, kernel"};
constexpr Def<Name> kUnknownKernelItem{
    "CK0022", Severity::kError, Category::kSyntax, "`{0}` begins no item of a kernel",
    "items are grid, cluster, ctas_per_sm, numerics, const, let, fn, iter, smem, tmem, either, "
    "ring, event, barrier, tensormap, role, if"};
constexpr Def<Name, Name> kUnknownModifier{"CK0023", Severity::kError, Category::kSyntax,
                                           "`{0}` is no modifier of `{1}`", ""};
constexpr Def<Name, Name> kMissingModifier{"CK0024", Severity::kError, Category::kSyntax,
                                           "`{0}` needs a modifier such as `{1}`", ""};
constexpr Def<Name, Name> kModifierOrder{
    "CK0025", Severity::kError, Category::kSyntax,
    "modifier `{0}` of `{1}` is repeated or out of order",
    "one instruction has one spelling: its modifiers come in the order of its manual page"};
constexpr Def<Name, Name> kUnknownWord{"CK0026", Severity::kError, Category::kSyntax,
                                       "`{1}` does not take `{0}`", ""};

// Spellings that mean something else here.
constexpr Def<> kArrowInExpression{"CK0030", Severity::kError, Category::kSyntax,
                                   "`<-` stands inside an expression",
                                   "`<-` is one token: it stores into a view"};
constexpr Def<Name> kUseArithmetic{"CK0031", Severity::kError, Category::kSyntax,
                                   "`@{0}` ends before the operator",
                                   "`@` takes a name, an integer or an expression in parentheses"};
constexpr Def<> kStoreWithoutInstruction{
    "CK0032", Severity::kError, Category::kSyntax,
    "`<-` needs an instruction at the start of its statement",
    "how memory is written is part of the program: st, tma.store, cp.async, .."};
constexpr Def<> kAssignInCondition{"CK0033", Severity::kError, Category::kSyntax,
                                   "`=` stands inside a condition",
                                   "assignment is a statement; equality is `==`"};
constexpr Def<> kUnusedValue{
    "CK0034", Severity::kError, Category::kSyntax, "nothing uses this value",
    "a statement is an assignment, a call, an instruction or control flow"};
constexpr Def<Name> kForeignOperator{
    "CK0035", Severity::kError, Category::kSyntax, "`{0}` is no operator of the language",
    "operators are + - * / % & | ^ << >> ~ ! && || == != < <= > >=; assignments are = += -= *="};
constexpr Def<> kForeignSlice{"CK0036", Severity::kError, Category::kSyntax,
                              "a slice is written `start:+extent`",
                              "an extent is a constant, so that every access has a known width"};

// Blocks and brackets.
constexpr Def<Name> kMissingBlock{"CK0040", Severity::kError, Category::kSyntax,
                                  "expected `{` to open the body of `{0}`",
                                  "every body stands in braces, also a single statement"};
constexpr Def<> kUnclosedBlock{"CK0041", Severity::kError, Category::kSyntax, "`{` is never closed",
                               ""};
constexpr Def<> kStrayClose{"CK0042", Severity::kError, Category::kSyntax, "`}` closes nothing",
                            ""};
constexpr Def<Name> kMissingCloseBefore{"CK0043", Severity::kError, Category::kSyntax,
                                        "missing `}` before `{0}`", ""};
constexpr Def<Name> kUnclosedBracket{"CK0044", Severity::kError, Category::kSyntax,
                                     "`{0}` is not closed", ""};
constexpr Def<Name> kStatementInKernel{
    "CK0045", Severity::kError, Category::kSyntax, "`{0}` is a statement outside a role",
    "a kernel holds declarations; its threads run the bodies of its roles"};
constexpr Def<Name> kKernelItemInProgram{"CK0046", Severity::kError, Category::kSyntax,
                                         "`{0}` stands outside a kernel", ""};
constexpr Def<Name> kItemInKernel{"CK0047", Severity::kError, Category::kSyntax,
                                  "`{0}` stands inside a kernel",
                                  "it is an item of the program, shared by all its kernels"};
constexpr Def<Name> kItemBeforeProgram{
    "CK0048", Severity::kError, Category::kSyntax, "`{0}` stands before the first `program`",
    "a source is one or more `program NAME target ARCH` with their items"};
constexpr Def<Name> kNotInEither{"CK0049", Severity::kError, Category::kSyntax,
                                 "`{0}` cannot share bytes",
                                 "`either` holds smem, tmem, ring and either"};
constexpr Def<Name> kKernelItemInRole{
    "CK0050", Severity::kError, Category::kSyntax, "`{0}` is declared inside a role",
    "memory, events and barriers belong to the kernel, where all its roles see them"};

// Statements that are read whole but break a rule of the grammar.
constexpr Def<Name> kRepeatedClause{"CK0052", Severity::kError, Category::kSyntax,
                                    "`{0}` is given twice", ""};
constexpr Def<> kAssignTarget{"CK0053", Severity::kError, Category::kSyntax,
                              "only a name with indices can be assigned",
                              "memory is written by an instruction such as `st V <- e`"};
constexpr Def<Name> kReservedField{
    "CK0054", Severity::kError, Category::kSyntax, "`{0}` cannot name a field",
    "T, row, col, rows and cols follow any view or fragment after a point"};
constexpr Def<Name> kUnknownForm{
    "CK0055", Severity::kError, Category::kSyntax, "`{0}` is no fragment form",
    "forms are wgmma, wgmma.a, mma, mma.a, mma.b, tmem.32x32b, tmem.16x64b, tmem.16x128b, "
    "tmem.16x256b"};
constexpr Def<Name, int64_t> kYieldCount{
    "CK0056", Severity::kError, Category::kSyntax, "iter `{0}` has {1} yields; it needs exactly 1",
    "the body of the `for` that uses an iter takes the place of its yield"};
constexpr Def<> kYieldOutside{"CK0057", Severity::kError, Category::kSyntax,
                              "`yield` stands outside an iter", ""};
constexpr Def<> kReturnOutside{"CK0058", Severity::kError, Category::kSyntax,
                               "`return` stands outside a fn",
                               "roles run to their end: work is skipped by `if`"};
constexpr Def<> kStrayElse{"CK0059", Severity::kError, Category::kSyntax, "`else` follows no `if`",
                           ""};
constexpr Def<> kElseOfCopy{
    "CK0060", Severity::kError, Category::kSyntax, "`else` needs a view before it",
    "it gives the value of elements outside the view; a computed value has none"};

// Lists and stages where a declaration has none.
constexpr Def<Name> kTmemStages{
    "CK0061", Severity::kError, Category::kSyntax, "tensor memory has no stages: `{0}[..]`",
    "its buffers are columns of one declaration: `tmem acc: f32[128, 2*BN]`, used as "
    "`acc[:, k % 2 * BN:+BN]`"};
constexpr Def<> kOneWorkspace{"CK0062", Severity::kError, Category::kSyntax,
                              "a `workspace` declares one tensor",
                              "its `zero` stands behind the tensor that it clears"};

// Limits (ir::Limits); both numbers are named.
constexpr Def<int64_t, int64_t> kSourceTooLarge{"CK6001", Severity::kError, Category::kLimit,
                                                "the source has {0} bytes; the limit is {1}", ""};
constexpr Def<int64_t, int64_t> kTooDeep{"CK6002", Severity::kError, Category::kLimit,
                                         "nests {0} levels deep; the limit is {1}",
                                         "blocks, brackets and chains of operators count"};
constexpr Def<int64_t> kTooManyErrors{
    "CK6003", Severity::kError, Category::kLimit,
    "the text has more than {0} syntax errors; the rest of it is not read", ""};

}  // namespace compiler::text
