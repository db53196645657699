// Functions of bits.
#include <bit>
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/ops/example.h"
#include "compiler/ops/families.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/meaning.h"

namespace compiler::ops {
namespace {

// The operand as an unsigned value of its own width; f(value, width) is the result.
template <typename F>
std::string_view OfUnsigned(const MeaningArgs& args, F f) {
  const int width = ir::Info(args.operand_type).bits;
  const uint64_t low = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    args.out[0]->bits[at] = Extend(f(args.in[0]->bits[at] & low, width), args.result_type);
    return {};
  });
}

std::string_view LeadingZeros(const MeaningArgs& args) {
  return OfUnsigned(args, [](uint64_t x, int width) {
    return static_cast<uint64_t>(std::countl_zero(x) - (64 - width));
  });
}

std::string_view PopulationCount(const MeaningArgs& args) {
  return OfUnsigned(args, [](uint64_t x, int) { return static_cast<uint64_t>(std::popcount(x)); });
}

std::string_view Reverse(const MeaningArgs& args) {
  return OfUnsigned(args, [](uint64_t x, int width) {
    uint64_t r = 0;
    for (int i = 0; i < width; ++i) r |= ((x >> i) & 1) << (width - 1 - i);
    return r;
  });
}

std::string_view Lop3(const MeaningArgs& args) {
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto a = Get<uint32_t>(*args.in[0], lane);
    const auto b = Get<uint32_t>(*args.in[1], lane);
    const auto c = Get<uint32_t>(*args.in[2], lane);
    const auto table = Get<uint32_t>(*args.in[3], lane);
    if (table > 0xff) return "lop3 table outside 0..=255";
    uint32_t r = 0;
    for (uint32_t entry = 0; entry < 8; ++entry) {
      if ((table >> entry & 1) == 0) continue;
      r |= ((entry & 4) != 0 ? a : ~a) & ((entry & 2) != 0 ? b : ~b) & ((entry & 1) != 0 ? c : ~c);
    }
    const auto at = static_cast<size_t>(lane);
    args.out[0]->bits[at] = Extend(r, args.result_type);
    return {};
  });
}

// PTX ISA, prmt in its default mode: bit 3 of a nibble replicates the byte's sign.
std::string_view Permute(const MeaningArgs& args) {
  return EachLane(args, [&](int lane) -> std::string_view {
    const uint64_t pool =
        Get<uint32_t>(*args.in[0], lane) | uint64_t{Get<uint32_t>(*args.in[1], lane)} << 32;
    const auto selector = Get<uint32_t>(*args.in[2], lane);
    uint32_t r = 0;
    for (int i = 0; i < 4; ++i) {
      const uint32_t nibble = selector >> (4 * i) & 0xf;
      uint32_t byte = static_cast<uint32_t>(pool >> (8 * (nibble & 7))) & 0xff;
      if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      r |= byte << (8 * i);
    }
    const auto at = static_cast<size_t>(lane);
    args.out[0]->bits[at] = Extend(r, args.result_type);
    return {};
  });
}

bool Is64(DType dtype) { return ir::Info(dtype).bits == 64; }

std::string LowerClz(const ir::LowerArgs& args) {
  return CallText(Is64(args.operand_type) ? "__clzll" : "__clz", args);
}
std::string LowerPopc(const ir::LowerArgs& args) {
  return CallText(Is64(args.operand_type) ? "__popcll" : "__popc", args);
}
std::string LowerBrev(const ir::LowerArgs& args) {
  const std::string call = CallText(Is64(args.operand_type) ? "__brevll" : "__brev", args);
  if (!ir::Info(args.operand_type).is_signed) return call;
  const std::string_view type = CudaType(args.operand_type);
  return absl::StrCat("(", absl::string_view(type.data(), type.size()), ")", call);
}
std::string LowerLop3(const ir::LowerArgs& args) {
  return absl::StrCat("cake::lop3<", args.args[3], ">(", args.args[0], ", ", args.args[1], ", ",
                      args.args[2], ")");
}
std::string LowerPrmt(const ir::LowerArgs& args) { return CallText("cake::prmt", args); }

constexpr std::string_view kItems = "in a: u32[N], b: u32[N]; out y: u32[N]";

OpDef OfBits(std::string_view name, std::string_view summary, size_t arity, DTypes dtypes,
             ir::Meaning meaning, ir::Lower lower) {
  return {.name = name,
          .form = Form::kFunction,
          .summary = summary,
          .args = std::vector<ArgKind>(arity, ArgKind::kInteger),
          .result = ResultRule::kSameAsArgs,
          .dtypes = dtypes,
          .cost = {.pipe = Pipe::kAlu, .issue_slots = 1},
          .meaning = meaning,
          .lower = lower};
}

OpDef Counting(std::string_view name, std::string_view summary, ir::Meaning meaning,
               ir::Lower lower) {
  OpDef op = OfBits(name, summary, 1, k32And64, meaning, lower);
  op.result = ResultRule::kI32;
  op.algebra = Algebra::kCountBits;
  op.source = "PTX ISA, integer arithmetic: clz, popc";
  op.example =
      ExampleOfExpression("in a: u32[N]; out y: i32[N]", std::string(name).append("(ld a[i])"));
  return op;
}

// Two 16-bit integers a word, signed as the word is.
template <bool kMax>
std::string_view Halves(const MeaningArgs& args) {
  const bool is_signed = ir::Info(args.operand_type).is_signed;
  const DType half = is_signed ? DType::kI16 : DType::kU16;
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    uint64_t r = 0;
    for (int shift = 0; shift < 32; shift += 16) {
      const auto a = static_cast<int64_t>(Extend(args.in[0]->bits[at] >> shift, half));
      const auto b = static_cast<int64_t>(Extend(args.in[1]->bits[at] >> shift, half));
      r |= (static_cast<uint64_t>((a < b) == kMax ? b : a) & 0xffff) << shift;
    }
    args.out[0]->bits[at] = Extend(r, args.result_type);
    return {};
  });
}

std::string_view MultiplyHigh(const MeaningArgs& args) {
  const bool is_signed = ir::Info(args.operand_type).is_signed;
  const int width = ir::Info(args.operand_type).bits;
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    const uint64_t a = args.in[0]->bits[at];
    const uint64_t b = args.in[1]->bits[at];
    const auto product =
        is_signed ? static_cast<unsigned __int128>(static_cast<__int128>(static_cast<int64_t>(a)) *
                                                   static_cast<int64_t>(b))
                  : static_cast<unsigned __int128>(a) * b;
    args.out[0]->bits[at] = Extend(static_cast<uint64_t>(product >> width), args.result_type);
    return {};
  });
}

std::string LowerHalves(const ir::LowerArgs& args) {
  return CallText(args.name == "vmin" ? "cake::vmin" : "cake::vmax", args);
}
std::string LowerMultiplyHigh(const ir::LowerArgs& args) {
  const bool wide = Is64(args.operand_type);
  if (ir::Info(args.operand_type).is_signed) return CallText(wide ? "__mul64hi" : "__mulhi", args);
  return CallText(wide ? "__umul64hi" : "__umulhi", args);
}

OpDef Packed(std::string_view name, std::string_view summary, ir::Meaning meaning) {
  OpDef op = OfBits(name, summary, 2, k32, meaning, LowerHalves);
  op.min_arch = "sm_90";
  op.source = "PTX ISA, integer arithmetic: min, max of .s16x2 and .u16x2";
  op.example = ExampleFor(
      "sm_90", ExampleOfExpression(kItems, std::string(name).append("(ld a[i], ld b[i])")));
  return op;
}

// PTX ISA, mul.wide and mad.wide: the product is exact, its sum with the addend wraps.
std::string_view MultiplyWide(const MeaningArgs& args) {
  const bool is_signed = ir::Info(args.operand_type).is_signed;
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    const uint64_t product = args.in[0]->bits[at] * args.in[1]->bits[at];
    const uint64_t addend = args.in.size() > 2 ? args.in[2]->bits[at] : 0;
    if (is_signed) {
      int64_t sum = 0;
      if (__builtin_add_overflow(static_cast<int64_t>(product), static_cast<int64_t>(addend),
                                 &sum)) {
        return kOverflow;
      }
    }
    args.out[0]->bits[at] = product + addend;
    return {};
  });
}
std::string LowerMultiplyWide(const ir::LowerArgs& args) {
  return CallText(args.args.size() > 2 ? "cake::mad_wide" : "cake::mul_wide", args);
}

OpDef MultiplyWideEntry(std::string_view name, std::string_view summary, size_t arity,
                        std::string_view example) {
  OpDef op = OfBits(name, summary, arity, k32, MultiplyWide, LowerMultiplyWide);
  op.result = ResultRule::kTwiceAsWide;
  op.algebra = Algebra::kMultiply;
  if (arity > 2) {
    op.args[2] = ArgKind::kTwiceAsWide;
    op.algebra = Algebra::kMultiplyAdd;
  }
  op.cost.issue_slots = 2;
  op.source = "PTX ISA, integer arithmetic: mul.wide, mad.wide";
  op.example = example;
  return op;
}

OpDef MultiplyHighEntry() {
  OpDef op = OfBits("mul.hi", "The high half of the whole product.", 2, k32And64, MultiplyHigh,
                    LowerMultiplyHigh);
  op.cost.issue_slots = 2;
  op.source = "PTX ISA, integer arithmetic: mul.hi";
  op.example = ExampleOfExpression(kItems, "mul.hi(ld a[i], ld b[i])");
  return op;
}

}  // namespace

std::vector<OpDef> BitFunctions() {
  OpDef brev = OfBits("brev", "The bits in reverse order.", 1, k32And64, Reverse, LowerBrev);
  brev.source = "PTX ISA, integer arithmetic: brev";
  brev.example = ExampleOfExpression("in a: u32[N]; out y: u32[N]", "brev(ld a[i])");
  OpDef lop3 = OfBits(
      "lop3", "lop3(a, b, c, t): bitwise function of three words; result bit: bit 4a+2b+c of t.", 4,
      k32, Lop3, LowerLop3);
  lop3.args[3] = ArgKind::kConstInteger;
  lop3.source = "PTX ISA, logic and shift: lop3";
  lop3.example = ExampleOfExpression(kItems, "lop3(ld a[i], ld b[i], 0xff00ff00, 0xe8)");
  OpDef prmt = OfBits("prmt",
                      "prmt(a, b, s): four bytes of the eight of a (0..3) and b (4..7), picked by "
                      "the nibbles of s; nibble bit 3 replicates the byte's sign.",
                      3, k32, Permute, LowerPrmt);
  prmt.source = "PTX ISA, data movement and conversion: prmt";
  prmt.example = ExampleOfExpression(kItems, "prmt(ld a[i], ld b[i], 0x5410)");
  return {
      Counting("clz", "Number of leading zero bits; the width for 0.", LeadingZeros, LowerClz),
      Counting("popc", "Number of one bits.", PopulationCount, LowerPopc),
      brev,
      lop3,
      prmt,
      MultiplyHighEntry(),
      MultiplyWideEntry("mul.wide", "The whole product of two words, exact, as 64 bits.", 2,
                        ExampleOfExpression("in a: i32[N], b: i32[N]; out y: i64[N]",
                                            "mul.wide(ld a[i], ld b[i])")),
      MultiplyWideEntry("mad.wide",
                        "mad.wide(a, b, c): the whole product of two words plus c of 64 bits.", 3,
                        ExampleOfExpression("in a: u32[N], b: u32[N]; out y: u64[N]",
                                            "mad.wide(ld a[i], ld b[i], 7)")),
      Packed("vmin",
             "Smaller of each half: a word is two 16-bit integers, signed as it is. One "
             "instruction.",
             Halves<false>),
      Packed("vmax",
             "Larger of each half: a word is two 16-bit integers, signed as it is. One "
             "instruction.",
             Halves<true>),
  };
}

}  // namespace compiler::ops
