#include "runner/oracle/accepted.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "runner/oracle/fingerprint.h"
#include "runner/reference/numbers.h"
#include "runner/reference/parallel.h"

namespace runner::oracle {
namespace {

using compiler::ir::DType;

// Rounding to the format and back is off by so many codes at most, at a bound.
constexpr int kStepsMax = 4;

uint64_t AllBits(DType dtype) {
  const int bits = compiler::ir::Info(dtype).bits;
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

uint64_t SignBit(DType dtype) { return AllBits(dtype) ^ (AllBits(dtype) >> 1); }

struct Bounds {
  uint64_t low = kNothingPasses, high = 0;
};

// Finds the bounds of single elements.
class Finder {
 public:
  explicit Finder(const OutputView& output)
      : output_(output), dtype_(output.at->tensor->dtype), most_(AllBits(dtype_)) {}

  // False: what passes has no such bounds.
  bool Find(double want, double scale, Bounds& out) const {
    const bool exact = output_.compare->metric == contract::Metric::kExact;
    if (std::isnan(want)) {
      out = {kAnyNan, 0};
      return true;
    }
    const uint64_t at = Code(want);
    if (exact || std::isinf(want)) {
      out = Pass(at, want, scale) ? Bounds{at, at} : Bounds{};
      return true;
    }
    if (!Pass(at, want, scale)) return false;
    const double allowed = Allowed(*output_.compare, dtype_, output_.reduction, want, scale);
    out.low = Code(want - allowed);
    out.high = Code(want + allowed);
    return Settle(out.low, -1, want, scale) && Settle(out.high, 1, want, scale);
  }

 private:
  uint64_t Code(double value) const {
    uint64_t bits = 0;
    std::byte bytes[8];
    reference::StoreElement(dtype_, value, bytes);
    std::memcpy(&bits, bytes, static_cast<size_t>(reference::ElementBytes(dtype_)));
    return CodeOf(dtype_, bits);
  }

  bool Pass(uint64_t code, double want, double scale) const {
    const uint64_t bits = BitsOf(dtype_, code);
    std::byte bytes[8];
    std::memcpy(bytes, &bits, sizeof(bits));
    return Passes(output_, bytes, want, scale);
  }

  // Moves a bound to the last code that passes, outwards being `step`.
  bool Settle(uint64_t& code, int step, double want, double scale) const {
    const uint64_t end = step < 0 ? 0 : most_;
    const auto next = [&](uint64_t from, bool outwards) {
      return (step > 0) == outwards ? from + 1 : from - 1;
    };
    int steps = 0;
    for (; !Pass(code, want, scale); code = next(code, false)) {
      if (++steps > kStepsMax || code == (step < 0 ? most_ : 0)) return false;
    }
    for (; code != end && Pass(next(code, true), want, scale); code = next(code, true)) {
      if (++steps > kStepsMax) return false;
    }
    return true;
  }

  const OutputView& output_;
  const DType dtype_;
  const uint64_t most_;
};

}  // namespace

Order OrderOf(DType dtype) {
  const auto& info = compiler::ir::Info(dtype);
  if (info.is_float) return Order::kFloat;
  return info.is_signed ? Order::kSigned : Order::kUnsigned;
}

uint64_t CodeOf(DType dtype, uint64_t bits) {
  const uint64_t sign = SignBit(dtype);
  switch (OrderOf(dtype)) {
    case Order::kUnsigned: return bits;
    case Order::kSigned: return bits ^ sign;
    case Order::kFloat: return (bits & sign) != 0 ? bits ^ AllBits(dtype) : bits ^ sign;
  }
  return bits;
}

uint64_t BitsOf(DType dtype, uint64_t code) {
  const uint64_t sign = SignBit(dtype);
  switch (OrderOf(dtype)) {
    case Order::kUnsigned: return code;
    case Order::kSigned: return code ^ sign;
    case Order::kFloat: return (code & sign) != 0 ? code ^ sign : code ^ AllBits(dtype);
  }
  return code;
}

uint64_t LargestMagnitude(DType dtype) {
  switch (dtype) {
    case DType::kF32: return 0x7F800000;
    case DType::kBF16: return 0x7F80;
    case DType::kF16: return 0x7C00;
    case DType::kE4M3: return 0x7E;
    default: return AllBits(dtype);
  }
}

std::optional<Accepted> AcceptedOf(const OutputView& output, std::span<const double> want,
                                   std::span<const double> scale, int threads) {
  const contract::CaseTensor& at = *output.at;
  const DType dtype = at.tensor->dtype;
  const bool plain_float = dtype == DType::kF32 || dtype == DType::kBF16 || dtype == DType::kF16 ||
                           dtype == DType::kE4M3;
  const bool strided = !at.tensor->strides.empty();
  if (output.compare->metric == contract::Metric::kRegret ||
      (compiler::ir::Info(dtype).is_float && !plain_float) ||
      // Between the elements of such a tensor lies what was there before.
      (strided && at.tensor->role != contract::Role::kOut))
    return std::nullopt;
  Accepted out{.places = at.bytes / reference::ElementBytes(dtype),
               .width = reference::ElementBytes(dtype)};
  out.bounds.resize(static_cast<size_t>(2 * at.bytes));
  const auto put = [&](int64_t place, const Bounds& bounds) {
    std::byte* low = out.bounds.data() + place * out.width;
    std::memcpy(low, &bounds.low, static_cast<size_t>(out.width));
    std::memcpy(low + at.bytes, &bounds.high, static_cast<size_t>(out.width));
  };
  for (int64_t place = 0; strided && place < out.places; ++place) put(place, {kBetweenElements, 0});
  const Finder finder(output);
  std::atomic<bool> whole = true;
  reference::ParallelFor(at.elements, 1, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end && whole; ++i) {
      Bounds bounds;
      if (!finder.Find(want[static_cast<size_t>(i)], scale[static_cast<size_t>(i)], bounds))
        whole = false;
      put(reference::OffsetOf(at, i), bounds);
    }
  });
  if (!whole) return std::nullopt;
  return out;
}

uint64_t FingerprintOf(const Accepted& accepted, uint64_t key, int threads) {
  std::atomic<uint64_t> sum = 0;
  const auto width = static_cast<size_t>(accepted.width);
  const std::byte* low = accepted.bounds.data();
  const std::byte* high = low + accepted.bounds.size() / 2;
  reference::ParallelFor(accepted.places, 1, threads, [&](int64_t begin, int64_t end) {
    uint64_t mine = 0;
    for (int64_t i = begin; i < end; ++i) {
      const size_t at = static_cast<size_t>(i) * width;
      uint64_t one = 0, other = 0;
      std::memcpy(&one, low + at, width);
      std::memcpy(&other, high + at, width);
      mine += FingerprintTerm(key, 2 * static_cast<uint64_t>(i), one) +
              FingerprintTerm(key, 2 * static_cast<uint64_t>(i) + 1, other);
    }
    sum += mine;
  });
  return sum;
}

}  // namespace runner::oracle
