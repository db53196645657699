#include "compiler/ops/operator_meaning.h"

#include <array>
#include <functional>
#include <limits>

#include "compiler/ir/packed.h"
#include "compiler/ops/convert.h"
#include "compiler/ops/packed_meaning.h"

namespace compiler::ops {
namespace {

using ir::DType;

constexpr std::string_view kShiftCount = "shift count outside 0..width";

struct AddOp {
  template <typename T>
  static bool Overflows(T a, T b, T* r) {
    return __builtin_add_overflow(a, b, r);
  }
  static uint64_t Wide(uint64_t a, uint64_t b) { return a + b; }
  static float Of(float a, float b) { return a + b; }
};
struct SubtractOp {
  template <typename T>
  static bool Overflows(T a, T b, T* r) {
    return __builtin_sub_overflow(a, b, r);
  }
  static uint64_t Wide(uint64_t a, uint64_t b) { return a - b; }
  static float Of(float a, float b) { return a - b; }
};
struct MultiplyOp {
  template <typename T>
  static bool Overflows(T a, T b, T* r) {
    return __builtin_mul_overflow(a, b, r);
  }
  static uint64_t Wide(uint64_t a, uint64_t b) { return a * b; }
  static float Of(float a, float b) { return a * b; }
};

// Whether all lanes are active and none has an undefined operand.
bool IsWhole(const MeaningArgs& args) {
  return args.mask == ~uint32_t{0} && UndefinedOperands(args) == 0;
}

constexpr uint64_t kSign32 = uint64_t{1} << 31;

bool IsUniform(const LaneVector& vector) {
  uint64_t differing = 0;
  for (const uint64_t bits : vector.bits) differing |= bits ^ vector.bits[0];
  return differing == 0;
}

// i32 in all lanes at once; false, and nothing done, where some lane overflows. In 64 bits no lane
// does, and the compiler takes several lanes in one step.
template <typename Op>
bool SumOfWhole(const MeaningArgs& args) {
  const auto extended = [](uint64_t bits) {
    return ((bits & (2 * kSign32 - 1)) ^ kSign32) - kSign32;
  };
  std::array<uint64_t, kLanes> results;
  uint64_t overflows = 0;
  for (size_t lane = 0; lane < results.size(); ++lane) {
    results[lane] = Op::Wide(extended(args.in[0]->bits[lane]), extended(args.in[1]->bits[lane]));
    overflows |= (results[lane] + kSign32) >> 32;
  }
  if (overflows != 0) return false;
  args.out[0]->bits = results;
  args.out[0]->undefined = 0;
  return true;
}

// i32 where all lanes have the same operands, of the first lane; false, and nothing done, where
// they have not or it overflows.
template <typename Op>
bool SumOfUniform(const MeaningArgs& args) {
  if (!IsUniform(*args.in[0]) || !IsUniform(*args.in[1])) return false;
  int32_t result = 0;
  if (Op::Overflows(Get<int32_t>(*args.in[0], 0), Get<int32_t>(*args.in[1], 0), &result)) {
    return false;
  }
  args.out[0]->bits.fill(static_cast<uint64_t>(static_cast<int64_t>(result)));
  args.out[0]->undefined = 0;
  return true;
}

// Of one lane for all of them, where the operands of all are the same.
template <typename F>
std::string_view EachOrAll(const MeaningArgs& args, const F& of_lane) {
  if (!IsWhole(args) || !IsUniform(*args.in[0]) || !IsUniform(*args.in[1])) {
    return EachLane(args, of_lane);
  }
  const std::string_view error = of_lane(0);
  if (!error.empty()) return EachLane(args, of_lane);
  args.out[0]->bits.fill(args.out[0]->bits[0]);
  args.out[0]->undefined = 0;
  return {};
}

// + - *: unsigned results keep the low bits.
template <typename Op>
std::string_view Sum(const MeaningArgs& args) {
  if (args.operand_type == DType::kI32 && IsWhole(args)) {
    if (std::is_same_v<Op, MultiplyOp> && SumOfUniform<Op>(args)) return {};
    if (SumOfWhole<Op>(args)) return {};
  }
  return WithNumber(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      const T b = Get<T>(*args.in[1], lane);
      T r{};
      if constexpr (std::is_same_v<T, float>) {
        r = Rounded(args, Op::Of(Operand(args, a), Operand(args, b)));
      } else if (Op::Overflows(a, b, &r) && std::is_signed_v<T>) {
        return kOverflow;
      }
      Set<T>(*args.out[0], lane, r);
      return {};
    });
  });
}

template <typename T>
std::string_view CheckDivision(T a, T b) {
  if (b == 0) return kDivisionByZero;
  if constexpr (std::is_signed_v<T>) {
    if (a == std::numeric_limits<T>::min() && b == -1) return kOverflow;
  }
  return {};
}

// Works on the extended bits: and, or, xor of two equally extended values are extended alike.
template <typename Op>
std::string_view Bitwise(const MeaningArgs& args) {
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    args.out[0]->bits[at] = Op()(args.in[0]->bits[at], args.in[1]->bits[at]);
    return {};
  });
}

template <typename Op>
std::string_view Compare(const MeaningArgs& args) {
  if (args.operand_type == DType::kI32 && IsWhole(args)) {
    ir::LaneVector& out = *args.out[0];
    for (size_t lane = 0; lane < out.bits.size(); ++lane) {
      out.bits[lane] = Op()(static_cast<int32_t>(args.in[0]->bits[lane]),
                            static_cast<int32_t>(args.in[1]->bits[lane]))
                           ? 1
                           : 0;
    }
    out.undefined = 0;
    return {};
  }
  if (args.operand_type == DType::kF16 || args.operand_type == DType::kBF16) {
    return EachLane(args, [&](int lane) -> std::string_view {
      const float a = Widen(args.in[0]->bits[static_cast<size_t>(lane)], args.operand_type);
      const float b = Widen(args.in[1]->bits[static_cast<size_t>(lane)], args.operand_type);
      Set<bool>(*args.out[0], lane, Op()(a, b));
      return {};
    });
  }
  return WithScalar(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      Set<bool>(*args.out[0], lane, Op()(Get<T>(*args.in[0], lane), Get<T>(*args.in[1], lane)));
      return {};
    });
  });
}

struct And {
  uint64_t operator()(uint64_t a, uint64_t b) const { return a & b; }
};
struct Or {
  uint64_t operator()(uint64_t a, uint64_t b) const { return a | b; }
};
struct Xor {
  uint64_t operator()(uint64_t a, uint64_t b) const { return a ^ b; }
};

}  // namespace

std::string_view Add(const MeaningArgs& args) {
  return ir::IsPacked(args.operand_type) ? PackedAdd(args) : Sum<AddOp>(args);
}
std::string_view Subtract(const MeaningArgs& args) {
  return ir::IsPacked(args.operand_type) ? PackedSubtract(args) : Sum<SubtractOp>(args);
}
std::string_view Multiply(const MeaningArgs& args) {
  return ir::IsPacked(args.operand_type) ? PackedMultiply(args) : Sum<MultiplyOp>(args);
}

std::string_view BitAnd(const MeaningArgs& args) { return Bitwise<And>(args); }
std::string_view BitOr(const MeaningArgs& args) { return Bitwise<Or>(args); }
std::string_view BitXor(const MeaningArgs& args) { return Bitwise<Xor>(args); }

std::string_view Equals(const MeaningArgs& args) { return Compare<std::equal_to<>>(args); }
std::string_view Differs(const MeaningArgs& args) { return Compare<std::not_equal_to<>>(args); }
std::string_view Less(const MeaningArgs& args) { return Compare<std::less<>>(args); }
std::string_view LessOrEqual(const MeaningArgs& args) { return Compare<std::less_equal<>>(args); }
std::string_view Greater(const MeaningArgs& args) { return Compare<std::greater<>>(args); }
std::string_view GreaterOrEqual(const MeaningArgs& args) {
  return Compare<std::greater_equal<>>(args);
}

std::string_view Divide(const MeaningArgs& args) {
  return WithNumber(args.operand_type, [&]<typename T>() {
    return EachOrAll(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      const T b = Get<T>(*args.in[1], lane);
      if constexpr (std::is_same_v<T, float>) {
        Set<T>(*args.out[0], lane, Rounded(args, Operand(args, a) / Operand(args, b)));
      } else {
        const std::string_view error = CheckDivision(a, b);
        if (!error.empty()) return error;
        Set<T>(*args.out[0], lane, static_cast<T>(a / b));
      }
      return {};
    });
  });
}

std::string_view Remainder(const MeaningArgs& args) {
  return WithInteger(args.operand_type, [&]<typename T>() {
    return EachOrAll(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      const T b = Get<T>(*args.in[1], lane);
      const std::string_view error = CheckDivision(a, b);
      if (error.empty()) Set<T>(*args.out[0], lane, static_cast<T>(a % b));
      return error;
    });
  });
}

std::string_view ShiftLeft(const MeaningArgs& args) {
  return WithInteger(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      const auto count = Get<int64_t>(*args.in[1], lane);
      if (count < 0 || count >= std::numeric_limits<std::make_unsigned_t<T>>::digits) {
        return kShiftCount;
      }
      const T r = static_cast<T>(static_cast<uint64_t>(a) << count);
      if (std::is_signed_v<T> && static_cast<T>(r >> count) != a) return kOverflow;
      Set<T>(*args.out[0], lane, r);
      return {};
    });
  });
}

std::string_view ShiftRight(const MeaningArgs& args) {
  return WithInteger(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const auto count = Get<int64_t>(*args.in[1], lane);
      if (count < 0 || count >= std::numeric_limits<std::make_unsigned_t<T>>::digits) {
        return kShiftCount;
      }
      Set<T>(*args.out[0], lane, static_cast<T>(Get<T>(*args.in[0], lane) >> count));
      return {};
    });
  });
}

std::string_view Negate(const MeaningArgs& args) {
  if (ir::IsPacked(args.operand_type)) return PackedNegate(args);
  return WithNumber(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      if constexpr (std::is_same_v<T, float>) {
        Set<T>(*args.out[0], lane, -a);
      } else {
        T r{};
        if (__builtin_sub_overflow(T{0}, a, &r) && std::is_signed_v<T>) return kOverflow;
        Set<T>(*args.out[0], lane, r);
      }
      return {};
    });
  });
}

std::string_view Not(const MeaningArgs& args) {
  return EachLane(args, [&](int lane) -> std::string_view {
    Set<bool>(*args.out[0], lane, !Get<bool>(*args.in[0], lane));
    return {};
  });
}

std::string_view Complement(const MeaningArgs& args) {
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    args.out[0]->bits[at] = Extend(~args.in[0]->bits[at], args.operand_type);
    return {};
  });
}

}  // namespace compiler::ops
