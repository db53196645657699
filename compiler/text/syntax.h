// The syntax tree: what was written, nothing resolved. Nodes live in the arenas of their File and
// are linked by plain pointers, so no destructor recurses. Every node has the span of its source
// bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/op_def.h"

namespace compiler::text {

using diag::Span;

struct Ident {
  std::string_view text;  // points into the source
  Span span;
};

struct Expr;

// One index of a view: x[i], x[m:+BM], x[:].
struct Index {
  enum class Kind : uint8_t { kScalar, kSlice, kAll };
  Kind kind = Kind::kScalar;
  Expr* offset = nullptr;  // kScalar, kSlice
  Expr* extent = nullptr;  // kSlice
  Span span;
};

// A postfix of a name: .field, @use, [indices], (arguments), .T
struct Postfix {
  enum class Kind : uint8_t { kMember, kUse, kIndex, kCall, kTranspose };
  Kind kind = Kind::kMember;
  Ident member;                // kMember
  Expr* use = nullptr;         // kUse
  std::vector<Index> indices;  // kIndex
  std::vector<Expr*> args;     // kCall
  Span span;
};

struct Expr {
  enum class Kind : uint8_t {
    kInt,     // int_value
    kFloat,   // float_value; also inf, nan
    kBool,    // true false (int_value)
    kPath,    // name + postfixes [at remote]: variables, views, calls cvt.f32(x), lanes.sum(x, 32),
              // x.row(r)
    kUnary,   // token: - ! ~
    kBinary,  // token: || && | ^ & == != < <= > >= << >> + - * / %
    kArray,   // [a, b, ..]
    kLoad,    // ld{.mod} path [else e]
    kError,   // could not be parsed; a diagnostic has been reported; sema gives it type unknown
  };
  Kind kind = Kind::kError;
  uint16_t depth = 1;  // of the tree below, at most Limits::nesting_levels
  Span span;
  uint64_t int_value = 0;
  double float_value = 0;
  std::string_view literal;  // kInt, kFloat: as written
  std::string_view token;    // kUnary, kBinary
  Span token_span;
  bool parenthesized = false;
  Ident name;                      // kPath
  std::vector<Postfix> postfixes;  // kPath
  Expr* remote = nullptr;          // kPath: `at r`
  std::vector<Expr*> operands;     // kUnary 1, kBinary 2, kArray n, kLoad {path [, else]}
  std::vector<Ident> modifiers;    // kLoad
};

struct Range {
  Expr* low = nullptr;
  Expr* high = nullptr;
  bool inclusive = false;
  Span span;
};

// A written type: dtype [c, ..] or form dtype [c, c]. `frag` and unknown words are kept as written.
struct TypeExpr {
  std::string_view form;  // "" | "wgmma" | "wgmma.a" | "mma.b" | "tmem.32x32b" .. | "frag"
  Ident dtype;            // empty text for `frag`
  std::vector<Expr*> shape;
  bool has_shape = false;
  Span span;
};

struct Stmt;
using Block = std::vector<Stmt*>;

struct Parameter {
  Ident name;
  std::string_view passing /* "" | "inout" | "const" */;
  TypeExpr type;
};

// fn and iter: at file, kernel, role and block level.
struct Function {
  bool is_iter = false, is_dynamic = false;
  bool unread_head = false;  // parameters or results are bad: it stands for nothing
  Ident name;
  std::vector<Parameter> parameters;
  std::vector<TypeExpr> results;
  Block body;
  Span span;
};

struct Stmt {
  enum class Kind : uint8_t {
    kFunction,  // function
    kLet,
    kVar,     // names [: type] [= value]
    kAssign,  // target token value; token: = += -= *=
    kFor,     // names in range|iterable [step] [unroll] body
    kWhile,   // value body
    kIf,      // value body else_body (else if: else_body holds one kIf)
    kElect,
    kOnce,
    kReturn,
    kYield,  // values
    kOp,     // an instruction: op, modifiers, and by its Form the operands below;
             // a kCallStatement has its call in `value`, a kPath
    kCall,   // a call that stands alone: value is a kPath ending in kCall
    kError,
  };
  Kind kind = Kind::kError;
  Span span;
  Function* function = nullptr;
  std::vector<Ident> names;  // kLet, kVar, kFor patterns
  bool has_type = false;
  TypeExpr type;
  Expr* target = nullptr;  // kAssign lhs
  std::string_view token;
  Expr* value = nullptr;      // initialiser, condition, assigned value, call
  std::vector<Expr*> values;  // kReturn, kYield
  Range range;                // kFor over a range (range.low set)
  Expr* iterable = nullptr;   // kFor over iter(..) or a fragment
  Expr* step = nullptr;
  Expr* unroll = nullptr;
  Block body, else_body;
  bool has_else = false;
  // kOp
  const ir::OpDef* op = nullptr;  // never null for kOp
  Ident op_name;                  // the whole dotted text as written
  std::vector<Ident> modifiers;
  Expr* destination = nullptr;  // kCopy: view; kProduct: fragment or tmem
  Expr* source = nullptr;       // kCopy: e or view (null for a bare `op V`)
  bool accumulate = false;      // kProduct: +=
  Expr* left = nullptr;
  Expr* right = nullptr;  // kProduct
  Expr* zero = nullptr;   // kProduct: zero e
  Expr* scale_a = nullptr;
  Expr* scale_b = nullptr;  // kProduct: scale SA, SB
  Expr* on_event = nullptr;
  Expr* multicast = nullptr;
  Expr* else_value = nullptr;  // kCopy
  Ident cache_hint;            // kCopy: cache WORD
  Expr* operand = nullptr;     // kSync: view or integer
  Ident word;                  // kSync: word
  Expr* bytes = nullptr;       // kSync: bytes e
};

struct TensorDecl {
  Ident name;
  Ident dtype;
  std::vector<Expr*> shape;
  std::vector<Expr*> strides;
  bool has_strides = false;
  Expr* condition = nullptr;  // `if c`
  Span span;
};

struct WhereClause {
  Expr* value = nullptr;
  bool has_range = false;
  Range range;
  Expr* condition = nullptr;
  Span span;
};

struct FormSpec {
  std::string_view kind; /* "" | "rows" | "swizzle" | "padded" */
  Expr* amount = nullptr;
  Span span;
};

struct Field;
using Fields = std::vector<Field>;
// `name: type form`, or `either {..} or {..}` (alternatives non-empty).
struct Field {
  Ident name;
  TypeExpr type;
  FormSpec form;
  std::vector<Fields> alternatives;
  Span span;
};

struct KernelItem;
using KernelItems = std::vector<KernelItem*>;

struct KernelItem {
  enum class Kind : uint8_t {
    kGrid,
    kCluster,
    kCtasPerSm,
    kNumerics,
    kConst,
    kLet,
    kFunction,
    kRole,
    kShared,
    kTmem,
    kRing,
    kEvent,
    kBarrier,
    kTensorMaps,
    kIf,
    kEither,
    kError
  };
  Kind kind = Kind::kError;
  Span span;
  Ident name;
  std::vector<Expr*> values;  // kGrid extents
  // kCluster, kCtasPerSm, kConst, kIf condition, kEvent count, kBarrier threads
  Expr* value = nullptr;
  bool contract = false, ftz = false;  // kNumerics
  Stmt* let = nullptr;                 // kLet
  Function* function = nullptr;        // kFunction
  Expr* extent = nullptr;              // stages: smem X[n], ring R[n], event E[n], barrier B[n]
  bool has_fields = false;             // kShared with { fields }
  TypeExpr type;
  FormSpec form;                // kShared: type form, kTmem
  Fields fields;                // kShared, kRing
  std::vector<Ident> from, to;  // kRing
  std::vector<Ident> names;     // kTensorMaps
  bool cluster_scope = false;   // kRing .. cluster
  Expr* full = nullptr;
  Expr* empty = nullptr;
  Expr* warps = nullptr;
  Expr* regs = nullptr;
  Block body;                             // kRole
  KernelItems items;                      // kIf body
  std::vector<KernelItems> alternatives;  // kEither
};

struct Kernel {
  Ident name;
  bool pdl = false;
  Expr* when = nullptr;
  KernelItems items;
  Span span;
};

struct Item {
  enum class Kind : uint8_t {
    kAlias,
    kDim,
    kParam,
    kConst,
    kTensor,
    kArg,
    kWorkspace,
    kWhere,
    kFunction,
    kKernel,
    kError
  };
  Kind kind = Kind::kError;
  Span span;
  std::vector<Ident> names;   // kAlias {a, b}, kParam, kConst; kDim one per declared dim; kArg
  std::vector<Range> ranges;  // kDim (low null: no range)
  Range range;
  std::vector<Expr*> values;
  bool has_values = false;           // kParam domain: range or {values}
  Expr* value = nullptr;             // kParam default, kConst
  std::string_view direction;        // kTensor: "in" | "out" | "inout"
  bool is_static = false;            // kTensor
  std::vector<TensorDecl> tensors;   // kTensor, kWorkspace (one)
  bool zero = false;                 // kWorkspace
  std::vector<TypeExpr> types;       // kArg
  std::vector<WhereClause> clauses;  // kWhere
  Function* function = nullptr;
  Kernel* kernel = nullptr;
};

struct Program {
  Ident name;
  Ident target;
  std::vector<Item*> items;
  Span span;
};

// One parsed text. Owns the source copy and every node.
struct File {
  std::string source;
  std::vector<Program*> programs;
  // Words of statements that could not be read: what they declare is not known, so that nothing is
  // said of their uses.
  std::set<std::string_view> unread;
  std::deque<Expr> exprs;
  std::deque<Stmt> stmts;
  std::deque<Function> functions;
  std::deque<Item> items;
  std::deque<KernelItem> kernel_items;
  std::deque<Kernel> kernels;
  std::deque<Program> program_nodes;
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

}  // namespace compiler::text
