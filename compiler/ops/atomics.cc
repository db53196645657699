// Atomics, reductions in memory, and loads and stores with a memory order.
//
// The meaning of an atomic is the new value of its word: operand 0 is the old one, the others are
// the program's. What it gives back is the old value.
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/ops/convert.h"
#include "compiler/ops/example.h"
#include "compiler/ops/extreme.h"
#include "compiler/ops/families.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/meaning.h"
#include "compiler/ops/packed_meaning.h"

namespace compiler::ops {
namespace {

inline constexpr DTypes kAtomicWords = {DType::kI32, DType::kU32, DType::kI64, DType::kU64,
                                        DType::kF32};
inline constexpr DTypes kAtomicAdd = {DType::kI32, DType::kU32, DType::kI64, DType::kU64,
                                      DType::kF32, DType::kF16, DType::kBF16};
inline constexpr DTypes kAtomicExtreme = {DType::kI32, DType::kU32, DType::kI64,
                                          DType::kU64, DType::kF16, DType::kBF16};
inline constexpr DTypes kOrderedScalars = {DType::kBool, DType::kI8,  DType::kU8,   DType::kI16,
                                           DType::kU16,  DType::kI32, DType::kU32,  DType::kI64,
                                           DType::kU64,  DType::kF16, DType::kBF16, DType::kF32};

template <typename F>
std::string_view EachWord(const MeaningArgs& args, F f) {
  return WithInteger(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      Set<T>(*args.out[0], lane, f(Get<T>(*args.in[0], lane), Get<T>(*args.in[1], lane)));
      return {};
    });
  });
}

bool IsHalf(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }

// PTX ISA, atom: integer addition wraps; floats round to nearest even. f32 in global memory takes
// and gives subnormals as zero, 16-bit floats keep them (`.noftz`).
std::string_view AddWord(const MeaningArgs& args) {
  if (IsHalf(args.operand_type)) {
    return EachLane(args, [&](int lane) -> std::string_view {
      const auto at = static_cast<size_t>(lane);
      args.out[0]->bits[at] =
          AddHalves(args.operand_type, args.in[0]->bits[at], args.in[1]->bits[at]);
      return {};
    });
  }
  if (args.operand_type == DType::kF32) {
    return EachLane(args, [&](int lane) -> std::string_view {
      const float old = Operand(args, Get<float>(*args.in[0], lane));
      const float value = Operand(args, Get<float>(*args.in[1], lane));
      Set<float>(*args.out[0], lane, Rounded(args, old + value));
      return {};
    });
  }
  return EachWord(args, []<typename T>(T old, T value) {
    return static_cast<T>(static_cast<uint64_t>(old) + static_cast<uint64_t>(value));
  });
}
// PTX ISA, atom and red: `.min` and `.max` of 16-bit floats, which keep subnormals (`.noftz`).
template <bool kMax>
std::string_view ExtremeHalf(const MeaningArgs& args) {
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    const float extreme = Extreme<kMax>(Widen(args.in[0]->bits[at], args.operand_type),
                                        Widen(args.in[1]->bits[at], args.operand_type), false);
    args.out[0]->bits[at] =
        Narrow(extreme, args.operand_type, Rounding::kNearestEven, /*saturate=*/false);
    return {};
  });
}
std::string_view MaxWord(const MeaningArgs& args) {
  if (IsHalf(args.operand_type)) return ExtremeHalf<true>(args);
  return EachWord(args, []<typename T>(T old, T value) { return old < value ? value : old; });
}
std::string_view MinWord(const MeaningArgs& args) {
  if (IsHalf(args.operand_type)) return ExtremeHalf<false>(args);
  return EachWord(args, []<typename T>(T old, T value) { return value < old ? value : old; });
}
std::string_view AndWord(const MeaningArgs& args) {
  return EachWord(args, []<typename T>(T old, T value) { return static_cast<T>(old & value); });
}
std::string_view OrWord(const MeaningArgs& args) {
  return EachWord(args, []<typename T>(T old, T value) { return static_cast<T>(old | value); });
}
std::string_view XorWord(const MeaningArgs& args) {
  return EachWord(args, []<typename T>(T old, T value) { return static_cast<T>(old ^ value); });
}
// The old value does not reach the new one: it may be undefined.
std::string_view ExchangeWord(const MeaningArgs& args) {
  for (uint32_t rest = Begin(args, args.in[1]->undefined, *args.out[0]); rest != 0;
       rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    args.out[0]->bits[lane] = args.in[1]->bits[lane];
  }
  return {};
}
std::string_view CompareAndSwapWord(const MeaningArgs& args) {
  return WithInteger(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T old = Get<T>(*args.in[0], lane);
      const bool swaps = old == Get<T>(*args.in[1], lane);
      Set<T>(*args.out[0], lane, swaps ? Get<T>(*args.in[2], lane) : old);
      return {};
    });
  });
}

// cake::SPACE_NAME_MODIFIERS(address, values): args[0] is the space, as the emitter gives it.
std::string LowerAtomic(const ir::LowerArgs& args) {
  std::string name(args.name);
  for (char& c : name) c = c == '.' ? '_' : c;
  std::string text = absl::StrCat("cake::", args.args[0], "_", name);
  for (const std::string_view modifier : args.modifiers) {
    absl::StrAppend(&text, "_", absl::string_view(modifier.data(), modifier.size()));
  }
  for (size_t i = 1; i < args.args.size(); ++i) {
    absl::StrAppend(&text, i == 1 ? "(" : ", ", args.args[i]);
  }
  return text + ")";
}

// PTX ISA, atom, red, ld, st: scope `.cluster` needs sm_90.
ir::Needs ClusterNeeds(const ir::UseArgs& args) {
  for (const std::string_view modifier : args.modifiers) {
    if (modifier == "cluster") return {.min_arch = "sm_90"};
  }
  return {};
}

// PTX ISA, atom and red: `.add` of several f32, of 16-bit floats side by side, and of bf16 needs
// sm_90; the vectors are `.v2` and `.v4` of words of 32 bits.
ir::Needs AddNeeds(const ir::UseArgs& args) {
  constexpr int64_t kWordBits = 32;
  const int64_t bits = args.elements * ir::Info(args.operand_type).bits;
  if (args.elements > 1) {
    if (!ir::Info(args.operand_type).is_float) return {.refused = "vectors of floats only"};
    if (bits > 4 * kWordBits) return {.refused = "at most 16 bytes a thread"};
  }
  const bool newer = bits > kWordBits && args.elements > 1;
  if (newer || args.operand_type == DType::kBF16) return {.min_arch = "sm_90"};
  return ClusterNeeds(args);
}

// PTX ISA, atom and red: `.min` and `.max` of 16-bit floats are vectors of 2, 4 or 8, from sm_90
// on.
ir::Needs ExtremeNeeds(const ir::UseArgs& args) {
  constexpr int64_t kMostElements = 8;
  if (!IsHalf(args.operand_type)) {
    return args.elements > 1 ? ir::Needs{.refused = "one word at a time"} : ClusterNeeds(args);
  }
  if (args.elements == 1) return {.refused = "vectors only"};
  if (args.elements > kMostElements) return {.refused = "at most 16 bytes a thread"};
  return {.min_arch = "sm_90"};
}

ir::Needs WordNeeds(const ir::UseArgs& args) {
  if (args.elements > 1) return {.refused = "one word at a time"};
  return ClusterNeeds(args);
}

constexpr ir::Cost kAtomicCost = {.pipe = Pipe::kLsu, .issue_slots = 2};

OpDef Atomic(std::string_view name, std::string_view summary, DTypes dtypes, ir::Meaning meaning,
             std::string_view items, std::string_view body) {
  OpDef op{.name = name,
           .form = Form::kFunction,
           .summary = summary,
           .args = {ArgKind::kView, ArgKind::kNumeric},
           .modifiers = {{{"relaxed", "acquire", "release", "acq_rel"}, true}, MemoryScope()},
           .result = ResultRule::kElementOfView,
           .level = LevelRule::kLane,
           .dtypes = dtypes,
           .capability = meaning == AddWord                         ? AddNeeds
                         : meaning == MinWord || meaning == MaxWord ? ExtremeNeeds
                                                                    : WordNeeds,
           .effects = {.reads_memory = true,
                       .writes_memory = true,
                       .atomic = true,
                       .order = ir::Order::kAsWritten},
           .cost = kAtomicCost,
           .meaning = meaning,
           .lower = LowerAtomic};
  op.source = "PTX ISA, parallel synchronization: atom";
  op.example = Example(items, body);
  return op;
}

OpDef Red(std::string_view name, std::string_view summary, DTypes dtypes, ir::Meaning meaning,
          std::string_view items, std::string_view body) {
  OpDef op = Atomic(name, summary, dtypes, meaning, items, body);
  op.form = Form::kCallStatement;
  op.modifiers = {{{"relaxed", "release"}, true}, MemoryScope()};
  op.result = ResultRule::kNone;
  op.level = LevelRule::kOfOperands;
  op.source = "PTX ISA, parallel synchronization: red";
  return op;
}

// One warp hands a value to another through a flag in shared memory.
constexpr std::string_view kFlagInShared =
    "program example target sm_80\n"
    "in x: f32[32]; out y: f32[32]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  smem box: f32[32]; smem full: u32[1]\n"
    "  barrier ready threads 64\n"
    "  role produce: warps 1 {\n"
    "    once { st full[0] <- 0 }\n"
    "    bar.arrive ready\n"
    "    st box[lane] <- ld x[lane]\n"
    "    sync warp\n"
    "    once { st.release.cta full[0] <- 1 }\n"
    "  }\n"
    "  role consume: warps 1 {\n"
    "    bar.sync ready\n"
    "    once { while (ld.acquire.cta full[0]) == 0 {} }\n"
    "    sync warp\n"
    "    st y[lane] <- ld box[31 - lane]\n"
    "  }\n"
    "}\n";

// The same by fences: the accesses of the flag order nothing themselves.
constexpr std::string_view kFencedFlag =
    "program example target sm_80\n"
    "in x: f32[32]; out y: f32[32]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  smem box: f32[32]; smem full: u32[1]\n"
    "  barrier ready threads 64\n"
    "  role produce: warps 1 {\n"
    "    once { st full[0] <- 0 }\n"
    "    bar.arrive ready\n"
    "    st box[lane] <- ld x[lane]\n"
    "    sync warp\n"
    "    once { fence cta; st.relaxed.cta full[0] <- 1 }\n"
    "  }\n"
    "  role consume: warps 1 {\n"
    "    bar.sync ready\n"
    "    once {\n"
    "      while (ld.relaxed.cta full[0]) == 0 {}\n"
    "      fence cta\n"
    "    }\n"
    "    sync warp\n"
    "    st y[lane] <- ld box[31 - lane]\n"
    "  }\n"
    "}\n";

// What is loaded may change under it: two lanes of one address may get different values.
OpDef OrderedLoad(std::string_view name, std::string_view summary, ir::Order order) {
  OpDef op{.name = name,
           .form = Form::kLoad,
           .summary = summary,
           .args = {ArgKind::kView},
           .modifiers = {MemoryScope()},
           .result = ResultRule::kElementOfView,
           .level = LevelRule::kLane,
           .dtypes = kOrderedScalars,
           .capability = ClusterNeeds,
           .effects = {.reads_memory = true, .order = order},
           .cost = {.pipe = Pipe::kLsu, .issue_slots = 1}};
  op.source = "PTX ISA, data movement and conversion: ld";
  op.example = order == ir::Order::kRelaxed ? kFencedFlag : kFlagInShared;
  return op;
}

OpDef OrderedStore(std::string_view name, std::string_view summary, ir::Order order) {
  OpDef op{.name = name,
           .form = Form::kCopy,
           .summary = summary,
           .modifiers = {MemoryScope()},
           .dtypes = kOrderedScalars,
           .capability = ClusterNeeds,
           .effects = {.writes_memory = true, .copy = ir::CopyEffect::kStore, .order = order},
           .cost = {.pipe = Pipe::kLsu, .issue_slots = 1}};
  op.source = "PTX ISA, data movement and conversion: st";
  op.example = order == ir::Order::kRelaxed ? kFencedFlag : kFlagInShared;
  return op;
}

std::vector<OpDef> Reductions() {
  std::vector<OpDef> ops;
  constexpr std::string_view kHistogram = "in x: i32[N]; inout n: i32[32]; out y: i32[N]";
  constexpr std::string_view kBits = "in x: u32[N]; inout n: u32[32]; out y: u32[N]";
  ops.push_back(Red(
      "red.add",
      "Adds to memory, gives nothing back; integers wrap. Floats also by several neighbours, each "
      "added by itself.",
      kAtomicAdd, AddWord, kHistogram,
      "if i < N {\n  red.add.relaxed.gpu(n[lane], ld x[i])\n  st y[i] <- ld x[i]\n}"));
  ops.push_back(
      Red("red.max",
          "Stores the larger, gives nothing back. Of 16-bit floats several neighbours, each by "
          "itself.",
          kAtomicExtreme, MaxWord, kHistogram,
          "if i < N {\n  red.max.relaxed.gpu(n[lane], ld x[i])\n  st y[i] <- ld x[i]\n}"));
  ops.push_back(
      Red("red.min",
          "Stores the smaller, gives nothing back. Of 16-bit floats several neighbours, each by "
          "itself.",
          kAtomicExtreme, MinWord, kHistogram,
          "if i < N {\n  red.min.relaxed.gpu(n[lane], ld x[i])\n  st y[i] <- ld x[i]\n}"));
  ops.push_back(
      Red("red.and", "Stores the bitwise and, gives nothing back.", k32And64, AndWord, kBits,
          "if i < N {\n  red.and.relaxed.gpu(n[lane], ld x[i])\n  st y[i] <- ld x[i]\n}"));
  ops.push_back(Red("red.or", "Stores the bitwise or, gives nothing back.", k32And64, OrWord, kBits,
                    "if i < N {\n  red.or.relaxed.gpu(n[lane], ld x[i])\n  st y[i] <- ld x[i]\n}"));
  ops.push_back(
      Red("red.xor", "Stores the bitwise exclusive or, gives nothing back.", k32And64, XorWord,
          kBits, "if i < N {\n  red.xor.relaxed.gpu(n[lane], ld x[i])\n  st y[i] <- ld x[i]\n}"));
  return ops;
}

}  // namespace

std::vector<OpDef> OrderedAccess() {
  constexpr std::string_view kCount = "in x: i32[N]; inout n: i32[N]; out y: i32[N]";
  constexpr std::string_view kFlags = "in x: u32[N]; inout n: u32[N]; out y: u32[N]";
  std::vector<OpDef> ops = {
      OrderedLoad("ld.relaxed",
                  "Load that other threads of the scope may store to at the same time; orders "
                  "nothing.",
                  ir::Order::kRelaxed),
      OrderedLoad("ld.acquire",
                  "Load after which the writes before the release that it reads are visible.",
                  ir::Order::kAcquire),
      OrderedStore("st.relaxed",
                   "Store that other threads of the scope may load at the same time; orders "
                   "nothing.",
                   ir::Order::kRelaxed),
      OrderedStore("st.release",
                   "Store that makes the writes before it visible to who acquires it.",
                   ir::Order::kRelease),
      Atomic("atomic.add",
             "Adds and gives the old value; integers wrap. Floats also by several neighbours, each "
             "added by itself.",
             kAtomicAdd, AddWord, kCount,
             "if i < N { st y[i] <- atomic.add.relaxed.gpu(n[i], ld x[i]) }"),
      Atomic("atomic.max",
             "Stores the larger and gives the old value. Of 16-bit floats several neighbours, each "
             "by itself.",
             kAtomicExtreme, MaxWord, kCount,
             "if i < N { st y[i] <- atomic.max.relaxed.gpu(n[i], ld x[i]) }"),
      Atomic("atomic.min",
             "Stores the smaller and gives the old value. Of 16-bit floats several neighbours, "
             "each by itself.",
             kAtomicExtreme, MinWord, kCount,
             "if i < N { st y[i] <- atomic.min.relaxed.gpu(n[i], ld x[i]) }"),
      Atomic("atomic.and", "Stores the bitwise and, and gives the old value.", k32And64, AndWord,
             kFlags, "if i < N { st y[i] <- atomic.and.relaxed.gpu(n[i], ld x[i]) }"),
      Atomic("atomic.or", "Stores the bitwise or, and gives the old value.", k32And64, OrWord,
             kFlags, "if i < N { st y[i] <- atomic.or.relaxed.gpu(n[i], ld x[i]) }"),
      Atomic("atomic.xor", "Stores the bitwise exclusive or, and gives the old value.", k32And64,
             XorWord, kFlags, "if i < N { st y[i] <- atomic.xor.relaxed.gpu(n[i], ld x[i]) }"),
      Atomic("atomic.exch", "Stores the value and gives the old one.", kAtomicWords, ExchangeWord,
             kCount, "if i < N { st y[i] <- atomic.exch.acq_rel.gpu(n[i], ld x[i]) }"),
      Atomic("atomic.cas",
             "`atomic.cas(v, expected, new)`: stores new where the old value is as expected; gives "
             "the old value.",
             k32And64, CompareAndSwapWord, kCount,
             "if i < N { st y[i] <- atomic.cas.acq_rel.gpu(n[i], 0, ld x[i]) }"),
  };
  ops.back().args.push_back(ArgKind::kNumeric);
  for (OpDef& op : Reductions()) ops.push_back(std::move(op));
  return ops;
}

}  // namespace compiler::ops
