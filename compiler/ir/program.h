// The elaborated program: one member of a family, params bound, fn and iter inlined, views resolved
// to declared buffers, constants folded, every expression typed and levelled. Immutable once built.
// Machine, gates, cost model, emitter and hashes all read this tree and no other.
//
// Loops stay loops: `unroll == kUnrollRegisters` marks those whose variable indexes registers; the
// machine indexes registers at run time, the emitter prints `#pragma unroll`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/op_def.h"
#include "compiler/ir/types.h"

namespace compiler::ir {

enum class ExprId : int32_t { kNone = -1 };
enum class StmtId : int32_t { kNone = -1 };
enum class LocalId : int32_t { kNone = -1 };
enum class SymbolId : int32_t { kNone = -1 };  // launch values: dims, args, strides, SMS
enum class TensorId : int32_t { kNone = -1 };  // global memory
enum class SharedId : int32_t { kNone = -1 };  // shared memory buffers of one kernel
enum class BarrierId : int32_t { kNone = -1 };
enum class EventId : int32_t { kNone = -1 };  // events of one kernel
enum class RingId : int32_t { kNone = -1 };   // rings of one kernel
enum class TmemId : int32_t { kNone = -1 };   // tensor memory buffers of one kernel
enum class ViewId : int32_t { kNone = -1 };

// Where a node comes from: the written bytes, and through which inlined calls (0: written in
// place).
struct SourceRef {
  diag::Span span;
  int32_t instance = 0;
};
struct Instance {
  int32_t parent = 0;
  diag::Span call;
  std::string function;
};

enum class BuiltinValue : uint8_t {
  kLane,
  kWarp /*in role*/,
  kWg /*in role*/,
  kThread /*in role*/,
  kCta /*linear, x fastest*/,
  kCtaX,
  kCtaY,
  kCtaZ,
  kCtas,
  kClusterId,
  kClusterRank,
  kClusters,
};

enum class ExprKind : uint8_t {
  kInt,      // int_value, also bool 0/1
  kFloat,    // float_value, already rounded once to type
  kSymbol,   // symbol
  kBuiltin,  // builtin
  kLocal,    // local: scalar, register array or fragment as a whole
  kElement,  // args = {array or fragment, index, ..}: one scalar
  kArray,    // args = the elements
  kOp,       // op applied to args; modifiers; width for lanes.*
  kAnd,      // args = {l, r}: r evaluated only where l is true, and carries l as a fact
  kOr,       // r only where l is false
  kLoad,     // view, op; args = {} or {else value}; else applies where the access is out of bounds
  kPair,     // args = {expr of kPair result}, int_value = 0|1: which half
  kAtomic,   // view, op, modifiers; args = the values; gives the old value
  kTest,     // event or ring, use: whether that generation is complete
  kRow,      // local (a fragment), args = {r}: row of the tile that this thread's row r is
  kColumn,   // local (a fragment), args = {e}: column of the tile that this thread's column e is
};

struct Expr {
  ExprKind kind = ExprKind::kInt;
  Type type;
  Level level = Level::kConst;
  SourceRef source;
  int64_t int_value = 0;
  double float_value = 0;
  SymbolId symbol = SymbolId::kNone;
  BuiltinValue builtin = BuiltinValue::kLane;
  LocalId local = LocalId::kNone;
  ViewId view = ViewId::kNone;
  RingId ring = RingId::kNone;     // kTest
  EventId event = EventId::kNone;  // kTest
  ExprId use = ExprId::kNone;      // kTest
  const OpDef* op = nullptr;
  std::vector<std::string_view> modifiers;
  int width = kLanes;
  std::vector<ExprId> args;
};

// One index per declared dimension of the buffer, in order. extent 1 with is_slice false drops the
// dimension.
struct ViewIndex {
  ExprId offset = ExprId::kNone;
  ExprId extent =
      ExprId::kNone;  // slices: a constant; whole dimensions of tensors may be launch values
  bool is_slice = false;
};

struct View {
  Space space = Space::kGlobal;
  TensorId tensor = TensorId::kNone;  // kGlobal
  SharedId shared = SharedId::kNone;  // kShared
  TmemId tmem = TmemId::kNone;        // kTmem
  ExprId stage = ExprId::kNone;       // @k on staged shared memory: stage k % stages
  std::vector<ViewIndex> index;
  bool transposed = false;
  ExprId remote = ExprId::kNone;  // at r
  SourceRef source;
};

enum class StmtKind : uint8_t {
  kLet,      // local <- value; the declaration of `local` (value kNone: uninitialised var)
  kAssign,   // local[indices] <- value (compound forms are already expanded to op expressions)
  kPairLet,  // locals pair_first, local <- value (a kPair-typed op)
  kFor,  // local in low .. high (exclusive) step, trips = ceildiv(high - low, step) fixed at entry
  kWhile,  // condition = value
  kIf,     // value, body, else_body
  kElect,
  kOnce,
  kOp,  // op with operands
};

// A fragment as an operand: whole, or some of its tile's columns `f[:, c:+n]`.
struct FragmentRef {
  LocalId local = LocalId::kNone;
  ExprId column = ExprId::kNone;  // first column of the tile; kNone: the whole fragment
  int64_t columns = 0;            // of the slice
};

constexpr int64_t kUnrollNone = 0;
constexpr int64_t kUnrollRegisters = -1;

struct Stmt {
  StmtKind kind = StmtKind::kLet;
  SourceRef source;
  LocalId local = LocalId::kNone;
  LocalId second_local = LocalId::kNone;  // kPairLet: the index half
  std::vector<ExprId> indices;            // kAssign to an element
  ExprId value = ExprId::kNone;
  ExprId low = ExprId::kNone, high = ExprId::kNone, step = ExprId::kNone;
  int64_t unroll = kUnrollNone;
  std::vector<StmtId> body, else_body;
  bool dead = false;  // under a constant-false condition: not gated, not lowered
  // kOp
  const OpDef* op = nullptr;
  std::vector<std::string_view> modifiers;
  ViewId destination = ViewId::kNone;    // st
  BarrierId barrier = BarrierId::kNone;  // bar.*
  ExprId barrier_index = ExprId::kNone;
  std::string_view word;  // sync WORD, fence WORD
  // acquire commit wait release arrive expect ..: one of a ring and an event, at use index `use`.
  RingId ring = RingId::kNone;
  EventId event = EventId::kNone;
  ExprId use = ExprId::kNone;
  ExprId bytes = ExprId::kNone;   // expect .. bytes e
  ExprId remote = ExprId::kNone;  // arrive E@k at r: the rank in the cluster whose event it is
  ExprId amount = ExprId::kNone;  // cp.async.wait n, tma.wait n: groups that may stay pending
  // Copies: memory to memory has source_view; ldmatrix and stmatrix have `fragment` on one side.
  ViewId source_view = ViewId::kNone;
  FragmentRef fragment;
  RingId on_ring = RingId::kNone;  // `on`: whose bytes the load completes
  EventId on_event = EventId::kNone;
  ExprId on_use = ExprId::kNone;
  ExprId multicast = ExprId::kNone;
  ExprId else_value = ExprId::kNone;
  std::string_view cache;           // cache WORD
  std::vector<ExprId> gather_rows;  // tma.gather4: the four rows of the tensor
  // tensormap.set, and copies through the map it has set: in this dimension of the tensor what is
  // not below `end` is outside.
  ExprId end = ExprId::kNone;
  int32_t end_dimension = 0;
  // Products: `fragment` (+)= left * right, each a fragment or a view.
  FragmentRef left, right;
  ViewId left_view = ViewId::kNone, right_view = ViewId::kNone;
  bool accumulate = false;
  ExprId zero = ExprId::kNone;              // `zero e`: where true, the accumulator starts from 0
  ViewId accumulator_view = ViewId::kNone;  // products into tensor memory
  ViewId left_scale = ViewId::kNone, right_scale = ViewId::kNone;  // scale SA, SB
};

struct Local {
  std::string name;  // the author's
  Type type;
  bool is_var = false;
  Level level = Level::kConst;  // after the fixpoint over assignments and control
  int role = -1;                // index in Kernel::roles; -1: kernel-level let
  diag::Span declared;
};

enum class SymbolKind : uint8_t { kDim, kArg, kStride, kSms };
struct Symbol {
  std::string name;
  SymbolKind kind = SymbolKind::kDim;
  DType dtype = DType::kI32;  // dims i32, strides i64, args as declared
  int64_t elements = 0;       // arg arrays: how many; an expression indexes the symbol (kElement)
  int64_t low = 0, high = 0;  // dims: declared range, inclusive; args: from `where` or the dtype's
  bool has_range = false;
  diag::Span declared;
};

enum class Direction : uint8_t { kIn, kOut, kInOut, kWorkspace };
struct Tensor {
  std::string name;
  Direction direction = Direction::kIn;
  DType dtype = DType::kF32;
  std::vector<ExprId> shape;    // launch level
  std::vector<ExprId> strides;  // elements, launch level; row-major unless declared
  bool declared_strides = false, is_static = false, zero = false;
  bool written_by_program = false;
  int64_t alignment = 16;  // of its first byte, in bytes: what the launcher checks
  diag::Span declared;
};

enum class SharedForm : uint8_t { kRows, kSwizzle, kPadded };

// Buffers in different branches of one `either` share their bytes.
struct Alternative {
  int32_t either = 0;  // number of the `either` in its kernel
  int32_t branch = 0;
};
struct SharedBuffer {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  int64_t stages = 1;
  bool staged = false;
  SharedForm form = SharedForm::kRows;
  int64_t form_amount = 0;      // swizzle bytes; padding elements a row
  RingId ring = RingId::kNone;  // the ring whose slots have this field
  int32_t group = -1;           // fields of one declaration have one number in their kernel
  std::vector<Alternative> alternatives;  // outermost first
  diag::Span declared;
};

// Tensor memory of one CTA: 128 lanes (rows) of 32-bit columns (PTX ISA, tensor memory).
struct TmemBuffer {
  std::string name;
  DType dtype = DType::kF32;
  int64_t rows = 0, columns = 0;          // elements
  std::vector<Alternative> alternatives;  // outermost first
  diag::Span declared;
};

struct Barrier {
  std::string name;
  int64_t count = 1;
  int64_t threads = 0;
  diag::Span declared;
};

// An array of mbarriers. Use k is generation k / stages of mbarrier k % stages.
struct Event {
  std::string name;
  int64_t stages = 1;
  int64_t count = 1;  // arrivals a generation
  diag::Span declared;
};

// Slots of shared memory that pass between roles; each slot has an mbarrier that says full and one
// that says empty.
struct Ring {
  std::string name;
  int64_t stages = 1;
  std::vector<SharedId> fields;
  std::vector<int> from, to;    // indices in Kernel::roles
  bool cluster = false;         // the slots of all CTAs of the cluster are handed over together
  int64_t full = 0, empty = 0;  // declared arrivals a generation; 0: derived from the roles' text
  diag::Span declared;
};

struct Role {
  std::string name;
  int64_t warps = 0;
  int64_t regs = 0;
  std::vector<StmtId> body;
  diag::Span declared;
};

struct Kernel {
  std::string name;
  std::vector<ExprId> grid;  // 1 to 3, launch level
  int64_t cluster = 1;
  int64_t ctas_per_sm = 1;  // that its registers leave room for at least: PTX .minnctapersm
  bool numerics_contract = false, numerics_ftz = false, pdl = false;
  ExprId when = ExprId::kNone;
  std::vector<StmtId> lets;  // kernel-level lets, computed by every thread before the roles
  std::vector<SharedBuffer> shared;
  std::vector<TmemBuffer> tmem;
  std::vector<Barrier> barriers;
  std::vector<Event> events;
  std::vector<Ring> rings;
  std::vector<Role> roles;
  std::vector<Local> locals;  // LocalId indexes this, per kernel
  diag::Span declared;
};

// `where` on dims, args and strides: a launch-level boolean the launcher enforces.
struct Guard {
  ExprId condition = ExprId::kNone;
  SourceRef source;
};
// `where` on tensor contents: an assumption, reported and checked on request.
// Its expressions may name launch values, loads of other tensors and bound indices: kLocal n is the
// index of dimension n of `tensor` for every value it can have.
struct ContentContract {
  std::string text;
  TensorId tensor = TensorId::kNone;
  diag::Span span;
  enum class Kind : uint8_t {
    kOpaque,    // listed, and no more
    kRange,     // low <= element <= high
    kSteps,     // low <= next element - element <= high, in a tensor of one dimension
    kDistinct,  // no two elements that are not negative are equal
  };
  Kind kind = Kind::kOpaque;
  std::vector<ExprId> index;  // kRange, by dimension: a value; kNone: every index (kLocal n)
  ExprId low = ExprId::kNone, high = ExprId::kNone;  // inclusive; kNone: no bound
  ExprId condition = ExprId::kNone;                  // where it holds; kNone: everywhere
};

struct BoundParam {
  std::string name;
  int64_t value = 0;
};

struct Program {
  std::string name;
  std::string target;  // "sm_90a"
  std::string source;  // the text the spans index
  std::vector<BoundParam> params;
  std::vector<Symbol> symbols;
  std::vector<Tensor> tensors;
  std::vector<Guard> guards;
  std::vector<ContentContract> contracts;
  std::vector<std::pair<TensorId, TensorId>> aliases;
  std::vector<Kernel> kernels;
  std::vector<Expr> exprs;
  std::vector<Stmt> stmts;
  std::vector<View> views;
  std::vector<Instance> instances{Instance{}};  // [0]: written in place

  const Expr& operator[](ExprId id) const { return exprs[static_cast<size_t>(id)]; }
  const Stmt& operator[](StmtId id) const { return stmts[static_cast<size_t>(id)]; }
  const View& operator[](ViewId id) const { return views[static_cast<size_t>(id)]; }
  const Symbol& operator[](SymbolId id) const { return symbols[static_cast<size_t>(id)]; }
  const Tensor& operator[](TensorId id) const { return tensors[static_cast<size_t>(id)]; }
};

// Launch values of one run: one number per symbol, in Program::symbols order. f32 args keep their
// bits in `bits`.
struct LaunchValues {
  std::vector<int64_t> values;
  std::vector<std::vector<int64_t>> arrays;  // of arg arrays, by symbol; empty without any
};

}  // namespace compiler::ir
