#include "runner/contract/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace runner::contract {
namespace {

using compiler::ir::DType;

// Draws of a normal distribution lie so many deviations from its mean at most, in effect.
constexpr double kDeviations = 8;

struct Span {
  double low = 0, high = 0;
};

// What the generator may draw; specials and ties bring their own part.
Span Drawn(const Generator& g) {
  switch (g.dist) {
    case Dist::kNormal: return {g.first - kDeviations * g.second, g.first + kDeviations * g.second};
    case Dist::kUniform: return {g.first, g.second};
    case Dist::kConstant: return {g.first, g.first};
    case Dist::kSpecials: return {-kDeviations * g.second, kDeviations * g.second};
    case Dist::kTies: {
      const double last = (g.first - 1) * g.second;
      return {std::min(0.0, last), std::max(0.0, last)};
    }
    default: return {};
  }
}

Span Held(DType dtype) {
  const compiler::ir::DTypeInfo& info = compiler::ir::Info(dtype);
  if (info.is_float) return {-LargestFinite(dtype), LargestFinite(dtype)};
  const double all = std::ldexp(1.0, info.bits);
  return info.is_signed ? Span{-all / 2, all / 2 - 1} : Span{0, all - 1};
}

bool IsShare(double value) { return value >= 0 && value <= 1; }

}  // namespace

double LargestFinite(DType dtype) {
  switch (dtype) {
    case DType::kF32: return std::numeric_limits<float>::max();
    case DType::kF16: return 65504;
    case DType::kBF16: return std::ldexp(255.0, 120);
    case DType::kTF32: return std::ldexp(2047.0, 117);
    case DType::kE4M3: return 448;
    case DType::kE5M2: return 57344;
    default: return std::numeric_limits<double>::max();
  }
}

std::string NumbersFault(const Generator& g, DType dtype) {
  if (!std::isfinite(g.first) || !std::isfinite(g.second)) return "numbers are finite";
  const bool spread = g.dist == Dist::kNormal || g.dist == Dist::kSpecials;
  if (spread && !(g.second > 0)) return absl::StrCat("stddev ", g.second, " is not above 0");
  if (g.dist == Dist::kSpecials && !IsShare(g.first)) {
    return absl::StrCat("fraction ", g.first, " is outside 0..1");
  }
  const bool share = g.dist == Dist::kDistinct || g.dist == Dist::kOffsets;
  if (share && !IsShare(g.first)) return absl::StrCat("share ", g.first, " is outside 0..1");
  if (g.dist == Dist::kUniform && g.first > g.second) {
    return absl::StrCat("low ", g.first, " is above high ", g.second);
  }
  if (g.dist == Dist::kTies && (g.first < 1 || g.second == 0)) {
    return absl::StrCat(g.first, " levels of step ", g.second, " are one value or none");
  }
  const Span drawn = Drawn(g), held = Held(dtype);
  if (drawn.low >= held.low && drawn.high <= held.high) return "";
  return absl::StrCat("draws from ", drawn.low, " to ", drawn.high, "; ",
                      std::string(compiler::ir::ToString(dtype)), " holds ", held.low, " to ",
                      held.high);
}

}  // namespace runner::contract
