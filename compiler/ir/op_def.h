// The shape of an instruction entry. One entry describes one instruction completely: parser, type
// check, machine, gates, cost model, emitter and manual read it and nothing else knows its name.
//
// Every instruction of the language has at least a *syntax row* (name, form, operands, scope); an
// entry without `meaning` or `effect` is "not in this build" and Available() is false.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/algebra.h"
#include "compiler/ir/types.h"

namespace compiler::ir {

constexpr int kLanes = 32;

// One register of one warp: 32 lanes of raw bits (f32 in the low 32, bf16 in the low 16, bool 0/1,
// .., signed integers sign-extended, unsigned zero-extended to 64) and the lanes whose value is
// undefined.
struct LaneVector {
  std::array<uint64_t, kLanes> bits{};
  uint32_t undefined = 0;
};

// How a statement or expression of this instruction is written.
enum class Form : uint8_t {
  kOperator,       // binary or unary operator: a + b, -a
  kFunction,       // name.mod(args), an expression
  kLoad,           // ld.mod V [else e], an expression
  kCopy,           // op V <- e|V { on V | multicast e | cache w | else e }
  kProduct,        // op F = V * V, F += V * V [zero e] [scale V, V]
  kSync,           // op [operand]
  kCallStatement,  // red.add.relaxed.gpu(V, e): a call that stands alone
};

enum class SyncOperand : uint8_t { kNone, kView, kInteger, kWord, kOptionalInteger };

// What an argument of an expression may be.
enum class ArgKind : uint8_t {
  kAny,
  kNumeric,
  kInteger,
  kFloat,
  kF32,
  kBool,
  kConstInteger,
  kView,
  kTwiceAsWide  // an integer of twice the width of the first operand, signed as it is
};

// Result type of an expression entry.
enum class ResultRule : uint8_t {
  kSameAsArgs,
  kBool,
  kFromModifier /*cvt.T, bitcast.T*/,
  kU32,
  kI32,
  kElementOfView,
  kPair /*argmax: (v, i)*/,
  kTwiceAsWide /*i32: i64, u32: u64*/,
  kNone
};

// Result level: minimum of the operands, or what the instruction itself makes of it.
enum class LevelRule : uint8_t {
  kOfOperands,
  kLane,
  kWarp,
  kByWidth /*lanes.*(x, 32): warp, else lane*/,
  kOfLoad
};

// What a collective or synchronising statement does, as data; the machine's engine interprets it.
enum class SyncEffect : uint8_t {
  kNone,
  kWarpSync,          // converge the warp, join its lanes' clocks
  kScopeSync,         // barrier over wg, role or cta: contributes and blocks, all-to-all join
  kNamedSync,         // bar.sync: contributes and blocks on a declared barrier
  kNamedArrive,       // bar.arrive: contributes only
  kAcquire,           // ring: wait until the slot of this use is free
  kCommit,            // ring: hand the slot over, with the bytes of the loads into it
  kWait,              // ring or event: wait until the generation of this use is complete
  kRelease,           // ring: give the slot back
  kArrive,            // event: one arrival for the warp, after a warp sync
  kArriveThread,      // event: one arrival a thread
  kExpect,            // event: one arrival, with the bytes of this warp's loads on it
  kAsyncCommit,       // cp.async: close the thread's group
  kAsyncWait,         // cp.async: wait for all but the newest n groups
  kAsyncArrive,       // cp.async: arrive on an event when the thread's copies are complete
  kBulkCommit,        // bulk stores: close the thread's group
  kBulkWait,          // bulk stores: wait for all but the newest n groups; `.read`: their sources
  kFence,             // `async`: the proxy fence; else a memory fence of the scope in the word
  kFenceSc,           // sequentially consistent fence
  kPrefetch,          // asks for the lines of a view; orders nothing
  kGridSync,          // barrier over a cooperative grid
  kLaunchWait,        // pdl.wait: the kernels before this one are complete
  kLaunchDependents,  // pdl.launch
  kProductCommit,     // wgmma: close the warpgroup's group of products
  kProductWait,       // wgmma: wait for all but the newest n groups
  kTensorCommit,      // umma: one arrival on an event when all products issued before are complete
  kTensorMemoryWait,  // tmem: wait for this thread's loads or stores
  kClusterArrive,     // barrier over the cluster: contributes
  kClusterWait,       // blocks until all threads of the cluster have contributed
  kClusterSync        // both
};

// Whether it adds an arrival to a generation of an mbarrier.
bool Arrives(SyncEffect effect);

// What a copy statement moves, and who moves it. The machine, the layout, the launcher and the
// lowering interpret it.
enum class CopyEffect : uint8_t {
  kNone,
  kStore,         // registers to memory by the thread
  kAsyncCopy,     // cp.async: global to shared memory beside the thread, generic proxy
  kTensorLoad,    // tma.load: a box of a tensor to shared memory, async proxy
  kTensorStore,   // tma.store
  kTensorReduce,  // tma.reduce
  kBulkLoad,      // bulk.load: contiguous bytes, async proxy
  kBulkStore,     // bulk.store
  kBulkReduce,    // bulk.reduce
  kMatrixLoad,    // ldmatrix: 8x8 tiles of shared memory to a fragment
  kMatrixStore,   // stmatrix
  kRemoteStore,   // st.async: registers to shared memory of a cluster member, bytes on its event
  kGatherLoad,    // tma.gather4: four rows of a tensor to shared memory
  kMapUpdate,     // tensormap.set: a field of a tensor map
  kTensorMemoryLoad,   // tmem.ld: tensor memory to a fragment
  kTensorMemoryStore,  // tmem.st
  kTensorMemoryCopy,   // tmem.cp: shared memory to tensor memory
  kLaunchCancel,       // clc.try_cancel: the answer to a request, to shared memory
};

// What an access of memory orders. All but kWeak are strong: threads of its scope may make them at
// the same time.
enum class Order : uint8_t { kWeak, kRelaxed, kAcquire, kRelease, kAcqRel, kAsWritten };

// Who multiplies, and where the accumulator is.
enum class ProductEngine : uint8_t {
  kWarp,          // mma.sync: registers, complete when the statement ends
  kWarpgroup,     // wgmma: registers of four warps, asynchronous
  kTensorMemory,  // umma: tensor memory, asynchronous
};

struct Effects {
  bool reads_memory = false;
  bool writes_memory = false;
  bool collective = false;  // every thread of `scope` must execute it together
  bool atomic = false;      // reads and writes memory in one step, ordered by its modifiers
  bool product = false;     // multiplies tiles into an accumulator: `tile` says what
  ProductEngine engine = ProductEngine::kWarp;  // of a product
  SyncEffect sync = SyncEffect::kNone;
  CopyEffect copy = CopyEffect::kNone;
  Order order = Order::kWeak;  // kAsWritten: a modifier of the use says it (ir/order.h reads both)
};

// Cost terms of one warp-wide execution per scalar element: issue slots and the pipe
// used.
enum class Pipe : uint8_t { kNone, kAlu, kFma, kSfu, kLsu, kShuffle, kBarrier, kConvert };
struct Cost {
  Pipe pipe = Pipe::kNone;
  double issue_slots = 0;  // warp instructions issued per scalar operation of a warp
  double flops_per_lane = 0;
};

// Value semantics: `in[i]` are the operands, `width` the aligned group of lanes.* (32 if none),
// `mask` the active lanes. Must write all active lanes of out[0] (out[1] for pairs). Returns "" or
// the step error in words ("division by zero"), which the machine turns into a diagnostic at the
// statement.
struct MeaningArgs {
  std::span<const LaneVector* const> in;
  std::span<LaneVector* const> out;
  DType operand_type;  // dtype of the first operand
  DType result_type;
  std::span<const std::string_view> modifiers;
  int width;
  uint32_t mask;
  bool ftz = false;  // `numerics ftz`: f32 arithmetic takes and gives subnormals as zero
};
using Meaning = std::string_view (*)(const MeaningArgs&);

// Value semantics of a product of tiles: d[i, j] = (accumulate ? d[i, j] : 0) + the sum over k of
// a[i, k] * b[j, k]. Elements are raw bits as in LaneVector, row-major: a is m x k, b is n x k, d
// is m x n. Sums are in the order of k, rounded to the accumulator's type by the entry's rule.
struct TileArgs {
  int64_t m, n, k;
  std::span<const uint64_t> a, b;
  std::span<uint64_t> d;
  DType a_type, b_type, d_type;
  bool accumulate;
  bool saturate = false;  // `.sat`: integer sums end at the ends of their type, else they wrap
  bool differ = false;    // of bits, `.xor`: counts where they differ, else where both are set
  // Block scaling: each factor a[i, k] is multiplied by a_scales[i, k / block], m x k / block of
  // them, and b likewise. Empty: none.
  std::span<const uint64_t> a_scales = {}, b_scales = {};
  DType scale_type = DType::kUnknown;
  int64_t block = 0;
};
using TileMeaning = void (*)(const TileArgs&);

// C++ text of an expression: `args` are already emitted operands, parenthesised where needed.
struct LowerArgs {
  std::string_view name;  // of the entry
  std::span<const std::string> args;
  DType operand_type;
  DType result_type;
  std::span<const std::string_view> modifiers;
  int width;
  bool ftz;
};
using Lower = std::string (*)(const LowerArgs&);

// What one use of an instruction needs beyond its entry: types and modifiers decide.
struct UseArgs {
  DType operand_type, result_type;
  std::span<const std::string_view> modifiers;
  int64_t elements;  // of the first operand: 1 of a scalar
};
struct Needs {
  std::string_view min_arch;  // as OpDef::min_arch; empty: no more than that
  std::string_view refused;   // why no architecture has it; empty: some has
};
using Capability = Needs (*)(const UseArgs&);

struct ModifierGroup {
  std::vector<std::string_view> words;
  bool required = false;
};

// Where the bounds of `.approx` are promised. Of finite operands outside, no more than where the
// result lies.
struct ApproxDomain {
  double low = -std::numeric_limits<double>::infinity(), high = -low;      // operands
  double least = -std::numeric_limits<double>::infinity(), most = -least;  // results outside
  bool Everywhere() const { return std::isinf(low) && std::isinf(high); }
};

struct OpDef {
  std::string_view name;  // as written, dotted, without modifiers: "lanes.sum", "bar.sync", "+"
  Form form;
  std::string_view summary;  // one sentence for the manual
  Scope scope = Scope::kThread;
  std::vector<ArgKind> args;  // expressions: operand kinds
  int optional_args = 0;      // how many of the last ones may be missing
  bool width_arg = false;     // the last of `args` is the lane group: Expr::width, not an operand
  // The operands of the kinds kAny, kNumeric, kInteger, kFloat and kF32 have one dtype (i32 widens
  // to i64); false: each keeps its own and the result follows the first.
  bool one_type = true;
  SyncOperand sync_operand = SyncOperand::kNone;
  std::vector<std::string_view> words;  // kWord: the words allowed ("warp", "wg", "role", "cta")
  std::vector<std::string_view> words_outside;  // kWord: of the language, not in this build
  std::vector<ModifierGroup> modifiers;         // in order, each group at most once
  ResultRule result = ResultRule::kNone;
  LevelRule level = LevelRule::kOfOperands;
  std::vector<DType> dtypes;  // operand dtypes it computes on; empty: any that `args` admit
  std::string_view min_arch = "sm_80";
  Capability capability = nullptr;  // what a use needs beyond `min_arch`
  Effects effects;
  Cost cost;
  double ulp = 0;              // bound between `meaning` and the GPU; 0 is bitwise
  double approx_ulp = 0;       // the same with `.approx`
  double approx_absolute = 0;  // `.approx`: or this absolute error, whichever is wider
  ApproxDomain approx_domain;
  double packed_ulp = 0;               // packed 16-bit operands: in ulps of their type
  Meaning meaning = nullptr;           // value semantics (expressions)
  TileMeaning tile = nullptr;          // value semantics (products)
  Algebra algebra = Algebra::kOpaque;  // what proofs may conclude from `meaning`, on integers
  Lower lower =
      nullptr;  // C++ text (expressions); statements are lowered by their SyncEffect or form
  std::string_view source;  // where the facts come from: PTX ISA section or documentation
  std::string_view
      example;  // a whole tiny program that uses it; parsed, verified, run and emitted by a test

  bool Available() const {
    return meaning != nullptr || tile != nullptr || effects.sync != SyncEffect::kNone ||
           effects.copy != CopyEffect::kNone || effects.reads_memory || effects.writes_memory;
  }
};

// Joined table. Lookup is by longest match of the dotted name: "lanes.sum.f32" finds "lanes.sum"
// and leaves "f32".
class OpTable {
 public:
  explicit OpTable(std::vector<OpDef> ops);
  std::span<const OpDef> ops() const { return ops_; }
  // `parts` is the dotted path; returns the entry with the longest prefix and how many parts it
  // took, or null.
  const OpDef* FindLongest(std::span<const std::string_view> parts, size_t* taken) const;
  const OpDef* Find(std::string_view name) const;  // exact
  const OpDef* FindOperator(std::string_view token, int arity) const;

 private:
  std::vector<OpDef> ops_;  // sorted by name
};

}  // namespace compiler::ir
