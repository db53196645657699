// The form in which a kernel runs: one flat list of instructions per role over registers of 32
// lanes. It adds nothing to the tree: values come from OpDef::meaning, synchronisation from
// Effects::sync; flattening only makes a warp resumable at any instruction without a native stack.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/ir/fragment.h"
#include "compiler/ir/order.h"
#include "compiler/ir/program.h"

namespace compiler::machine {

// Constants and built-in values, equal in every CTA or set once for it, have negative numbers; the
// author's values and temporaries count from 0.
using Register = int32_t;
constexpr Register kNoRegister = INT32_MIN;
using Registers = std::vector<Register>;  // one per element of a value; scalars have one

enum class Code : uint8_t {
  kStatement,      // a statement begins: counted, and the place of every finding until the next one
  kMove,           // dst <- a in active lanes; b: 1 where only what is undefined does
  kUndefine,       // dst becomes undefined; b: origin; a: 1 where nobody asks for its bits
  kCall,           // calls[a]: a value operation
  kAnswer,         // dst: what clc.cta has just given, to be noted
  kWatchTruth,     // outcomes of expression c: whether a is true in active lanes
  kWatchOrder,     // outcomes of expression c: how a lies to b in active lanes
  kGetElement,     // dst <- element number [b] of lists[a]
  kSetElement,     // element number [b] of lists[a] <- c
  kLoad,           // accesses[a]
  kStore,          // accesses[a]
  kPrefetch,       // accesses[a]: its address
  kAtomic,         // accesses[a]
  kCopy,           // copies[a]
  kIf,             // frame; mask &= a; to `target` (the else part or its end) when empty
  kElse,           // mask becomes the other half; to `target` when empty
  kElect,          // frame; one lane of the warp; to `target` where none is left
  kOnce,           // frame; one lane of the role
  kWhereTrue,      // frame of `&&`: only lanes where a is true go on; to `target` when empty
  kWhereFalse,     // frame of `||`
  kEndFrame,       // mask before the frame
  kFor,            // frame; dst = a; c = trips: ceildiv(b - a, step in c+1); to `target` when empty
  kForNext,        // dst += step in c+1; next iteration at `target`, or the frame ends
  kWhile,          // frame
  kWhileTest,      // mask &= a; leaves to `target` when empty
  kJump,           // to `target`
  kSync,           // syncs[a]
  kTest,           // dst <- whether the generation that syncs[a] names is complete
  kGetFragment,    // dst <- element ([b], [c]) of lists[a], which has `target` columns
  kSetFragment,    // element ([b], [c]) of lists[a], which has `target` columns, <- dst
  kCoordinate,     // dst <- coordinate along axes[a] of the lane's index [b]
  kProduct,        // products[a]
  kMatrixCopy,     // matrix_copies[a]
  kTensorCopy,     // tensor_copies[a]
  kTensorProduct,  // tensor_products[a]
  kTensorFill,     // tensor_fills[a]
  kEnd,
};

struct Instruction {
  Code code = Code::kEnd;
  Register dst = kNoRegister;
  int32_t a = -1, b = -1, c = -1;
  int32_t target = -1;
};

// One call of OpDef::meaning.
struct Call {
  const ir::OpDef* op = nullptr;
  ir::ExprId expr = ir::ExprId::kNone;
  ir::DType operand_type = ir::DType::kUnknown, result_type = ir::DType::kUnknown;
  std::vector<std::string_view> modifiers;
  int width = ir::kLanes;
  bool opaque = false;     // only what is undefined passes on
  bool open_pick = false;  // and a condition that is not computed picks it
  Registers in, out;
};

struct AccessDimension {
  Register offset = kNoRegister;
  int64_t extent = 1;  // elements covered from the offset
};

// One load or store of a view. The buffer's limits and strides are of the launch, not of the code.
struct Access {
  ir::Space space = ir::Space::kGlobal;
  int32_t buffer = -1;  // TensorId, SharedId or TmemId
  ir::ViewId view = ir::ViewId::kNone;
  ir::DType dtype = ir::DType::kUnknown;
  std::vector<AccessDimension> dimensions;
  std::vector<int64_t> element_offsets;  // of each element of the slice from the first, in elements
  bool contiguous = true;                // one vector access; else one access an element
  Register stage = kNoRegister;
  Register remote = kNoRegister;   // rank in the cluster whose shared memory it is
  int32_t site = -1;               // in KernelCode::sites
  Registers values;                // loaded into, or stored from
  Register outside = kNoRegister;  // loads with `else`: lanes whose access is out of bounds
  int32_t origin = 0;              // of undefined values this load brings in
  bool opaque = false;             // no values move, only what is undefined
  bool same_for_all = false;       // stores of a launch-level value: idempotent duplicates
  ir::Ordering ordering;
  // Atomics: `values` is where the old value goes, empty where nobody wants it.
  const ir::OpDef* atomic = nullptr;
  std::vector<std::string_view> modifiers;
  Registers operands;
};

// A copy between memories. `to` and `from` are accesses of the role.
struct Copy {
  ir::StmtId stmt = ir::StmtId::kNone;
  ir::CopyEffect effect = ir::CopyEffect::kNone;
  int32_t to = -1, from = -1;
  bool opaque = false;            // no values move, only what is undefined
  std::string_view reduction;     // reductions: what is done with the old element
  int32_t ring = -1, event = -1;  // loads: whose bytes they complete, at this use index
  Register use = kNoRegister;
  Register multicast = kNoRegister;  // mask of the ranks that a load reaches
  std::vector<Register> rows;        // tma.gather4: the four rows of the tensor
  Register end = kNoRegister;        // of the patched map: where the tensor ends in a dimension
  size_t end_dimension = 0;
};

struct Sync {
  ir::StmtId stmt = ir::StmtId::kNone;
  ir::SyncEffect effect = ir::SyncEffect::kNone;
  ir::Scope scope = ir::Scope::kWarp;  // kWarpSync, kScopeSync
  int32_t barrier = -1;                // kNamed*
  Register index = kNoRegister;
  // Rings and events: one of both, at this use index.
  int32_t ring = -1, event = -1;
  Register use = kNoRegister;
  Register bytes = kNoRegister;                     // expect .. bytes e
  Register remote = kNoRegister;                    // arrive .. at r
  bool relaxed = false;                             // a wait that learns nothing
  bool cluster = false;                             // a wait that learns of other CTAs
  bool spins = false;                               // a test in a loop that does nothing but ask
  bool pair = false;                                // a commit that arrives in both CTAs of a pair
  bool with_copies = false;                         // a commit that the role's cp.async arrive on
  ir::SyncScope fence_scope = ir::SyncScope::kCta;  // kFence*
};

// An array of mbarriers: of a ring being full, of it being empty, of an event.
struct EventArray {
  int32_t ring = -1, event = -1;
  bool empty = false;
  bool remote = false;  // also, or only, in other CTAs of the cluster
  bool operator==(const EventArray&) const = default;
};

// What each lane adds to a coordinate of its elements: the same for all of its registers.
using LaneParts = std::array<int32_t, ir::kLanes>;

struct Axis {
  ir::AxisMap map;
  LaneParts lanes{};
  std::vector<int64_t> parts;  // what the first indices add

  int64_t OfIndex(int64_t index) const {
    const auto at = static_cast<uint64_t>(index);  // of negative ones beyond all parts
    return at < parts.size() ? parts[at] : map.OfIndex(index);
  }
};

// A fragment, or some of its columns, as an operand: the registers of the whole fragment, row by
// row, and the map of the part that is meant.
struct FragmentOperand {
  Registers registers;
  LaneParts lane_rows{}, lane_columns{};         // of the tile's coordinates
  std::vector<int64_t> row_parts, column_parts;  // what a thread's row and column indices add
  ir::DType dtype = ir::DType::kUnknown;
  ir::FragmentMap map;
  int64_t columns = 0;                  // of the tile; the part has map.column_count of a thread's
  int64_t row_length = 0;               // registers of one row of the whole fragment
  Register first_column = kNoRegister;  // of the tile; kNoRegister: the whole fragment
};

// An operand of a product that lies in shared memory: its first element with the bounds of the
// whole tile, and the distances between its neighbours along both axes, in elements.
struct SharedOperand {
  int32_t access = -1;  // in RoleCode::accesses; -1: the operand lies in registers
  int64_t outer_stride = 0, k_stride = 0;
};

// d (+)= a * b over a warp, or over the warp's band of a warpgroup's tile: then m counts its rows.
// `steps`: the K of each instruction it takes.
struct Product {
  const ir::OpDef* op = nullptr;
  bool warpgroup = false;
  SharedOperand a_shared, b_shared;
  FragmentOperand d, a, b;
  int64_t m = 0, n = 0, k = 0;
  std::vector<int64_t> steps;
  bool accumulate = false, saturate = false;
  bool differ = false;  // of bits: counts those that differ
  bool opaque = false;
  Register zero = kNoRegister;
};

// A fragment and a tile of shared memory. `groups`: the rows of 16 bytes that the lanes of each
// instruction name, as distances from the tile's first element.
struct MatrixCopy {
  struct Group {
    std::array<int64_t, ir::kLanes> offset{};
    std::array<int32_t, ir::kLanes> byte{};  // the same in bytes
    uint32_t lanes = 0;
  };
  const ir::OpDef* op = nullptr;
  int64_t warp_distance = 0;  // between the bands of a warpgroup's warps, in elements
  Access tile;  // its first element, bounds of the whole tile, and the elements of one row
  FragmentOperand fragment;
  bool store = false, opaque = false;
  int64_t row_stride = 0, column_stride = 0;  // of the fragment's rows and columns, in elements
  std::vector<Group> groups;
  int32_t begin = 0, end = 0;  // of the bytes of all groups
};

// A fragment and a tile of tensor memory. `in_flight`: the origin of what a load brings before the
// warp has waited for it.
struct TensorCopy {
  const ir::OpDef* op = nullptr;
  Access tile;
  FragmentOperand fragment;
  bool store = false;
  int32_t in_flight = 0;
};

// d (+)= a * b into tensor memory, by one thread. `.._k_rows`: the rows of the operand's memory are
// those of K. `columns`: of one instruction.
struct TensorProduct {
  const ir::OpDef* op = nullptr;
  Access d, a, b;
  Access a_scale, b_scale;  // of block-scaled kinds
  int64_t block = 0;        // factors that one scale is for; 0: there are none
  bool a_k_rows = false, b_k_rows = false;
  int64_t m = 0, n = 0, k = 0, columns = 0;  // of one CTA: m rows of its own, all n columns
  bool pair = false;   // both CTAs of the pair bring operands and have a part of d
  bool folds = false;  // d has m rows in the lanes from 64 on too, for the second half of n
  bool accumulate = false;
  Register zero = kNoRegister;
};

// Scales from shared to tensor memory, by one thread.
struct TensorFill {
  const ir::OpDef* op = nullptr;
  Access to, from;
  bool pair = false;  // both CTAs of the pair, each from its own shared memory
};

enum class OriginKind : uint8_t { kNone, kReported, kRegister, kMemory, kInFlight, kReadInFlight };

// Where an undefined value comes from. Numbers 0 (defined) and 1 (already reported) are fixed.
struct Origin {
  OriginKind kind = OriginKind::kNone;
  ir::StmtId stmt = ir::StmtId::kNone;
  ir::LocalId local = ir::LocalId::kNone;
  ir::ViewId view = ir::ViewId::kNone;
};
constexpr int32_t kOriginReported = 1;

struct Constant {
  Register reg = kNoRegister;
  uint64_t bits = 0;
};
// A constant whose value is that of a symbol.
struct SymbolConstant {
  size_t constant = 0;  // in RoleCode::constants
  size_t symbol = 0;
  ir::DType dtype = ir::DType::kUnknown;
};
struct BuiltinRegister {
  Register reg = kNoRegister;
  ir::BuiltinValue value = ir::BuiltinValue::kLane;
};

struct RoleCode {
  std::vector<Instruction> code;
  std::vector<Call> calls;
  std::vector<Access> accesses;
  std::vector<Copy> copies;
  std::vector<Sync> syncs;
  std::vector<Registers> lists;
  std::vector<bool> opaque_lists;  // by list: no values move, only what is undefined
  std::vector<Axis> axes;
  std::vector<Product> products;
  std::vector<MatrixCopy> matrix_copies;
  std::vector<TensorCopy> tensor_copies;
  std::vector<TensorProduct> tensor_products;
  std::vector<TensorFill> tensor_fills;
  std::vector<Constant> constants;
  std::vector<SymbolConstant> symbols;
  std::vector<BuiltinRegister> builtins;
  std::vector<int32_t> barriers;    // named barriers this role touches, for the wait-for graph
  std::vector<EventArray> arrives;  // where this role arrives, for the same
  Register registers = 0;           // from 0 up
  Register fixed_registers = 0;     // constants and built-in values, from -1 down
};

// Where an access stands in the program.
struct Site {
  ir::StmtId stmt = ir::StmtId::kNone;
  ir::ViewId view = ir::ViewId::kNone;
};

// A distance between elements of a tensor that the code was made for.
struct StrideUsed {
  size_t tensor = 0, dimension = 0;
  int64_t stride = 0;
};

struct KernelCode {
  std::vector<RoleCode> roles;
  std::vector<Site> sites;
  std::vector<Origin> origins{Origin{}, Origin{OriginKind::kReported}};
  // What of the launch is in the code beside the constants that symbols are.
  std::vector<StrideUsed> strides;
  bool of_one_launch = false;      // more of it
  bool orders_ctas = false;        // OrdersCtas of the kernel
  std::vector<ir::StmtId> parent;  // by StmtId: the enclosing statement, for fixes
};

}  // namespace compiler::machine
