#include "runner/oracle/precision.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runner/reference/numbers.h"

namespace runner::oracle {
namespace {

constexpr int64_t kPieceElements = 1 << 14;
constexpr double kRandomFactor = 8;   // standard deviations of a random walk of roundings
constexpr double kCutFactor = 0.125;  // of a unit roundoff a term, where cutting off adds up

constexpr size_t kTrimmedPart = 64;              // the worst of so many elements is left out
constexpr double kAccumulatorErrorMax = 0x1p-8;  // of an accumulator that anybody would use

// Roundings of factors that are as coarse as a half accumulator hide it.
constexpr double kOperandRoundoffMax = 0x1p-13;

double Limit(const OutputView& output) {
  const auto terms = static_cast<double>(output.reduction);
  const double sums = std::min(terms, kRandomFactor * std::sqrt(terms) + kCutFactor * terms);
  return (sums + output.compare->operations) * reference::UnitRoundoff(output.compare->accumulator);
}

// Elements a piece: whole granules.
int64_t PieceOf(int64_t granule) {
  return std::max<int64_t>(1, kPieceElements / granule) * granule;
}

}  // namespace

int64_t PrecisionElements(const reference::Builtin& builtin, const reference::Inputs& inputs,
                          const OutputView& output) {
  const int64_t granule = builtin.granule(inputs, output.at->tensor->name);
  const int64_t piece = PieceOf(granule);
  const int64_t wanted = std::max(granule, kPrecisionElementsMax);
  return std::min(output.at->elements, (wanted + piece - 1) / piece * piece);
}

Precision MeasurePrecision(const reference::Builtin& builtin, const reference::Inputs& inputs,
                           const OutputView& output) {
  Precision out;
  const auto dtype = output.at->tensor->dtype;
  const contract::Compare& compare = *output.compare;
  if (compare.metric != contract::Metric::kScaled || output.reduction == 0) {
    out.why_not = "no output is a sum with a bound";
    return out;
  }
  if (reference::UnitRoundoff(compare.operand) > kOperandRoundoffMax) {
    out.why_not = "factors may be rounded as coarsely as a narrow accumulator rounds";
    return out;
  }
  if (output.at->elements < kPrecisionElementsMin) {
    out.why_not = "too few elements";
    return out;
  }
  out.limit = Limit(output);
  const int64_t granule = builtin.granule(inputs, output.at->tensor->name);
  const int64_t piece = PieceOf(granule);
  std::vector<double> want(static_cast<size_t>(piece)), scale(want.size());
  std::vector<double> errors;
  const int64_t elements = PrecisionElements(builtin, inputs, output);
  for (int64_t begin = 0; begin < elements; begin += piece) {
    const int64_t end = std::min(elements, begin + piece);
    builtin.evaluate(inputs, output.at->tensor->name, {begin, end, want.data(), scale.data()});
    for (int64_t i = begin; i < end; ++i) {
      const double right = want[static_cast<size_t>(i - begin)];
      const double size = std::max(std::abs(right), scale[static_cast<size_t>(i - begin)]);
      const double got =
          reference::LoadElement(dtype, output.memory.data() + reference::OffsetOf(*output.at, i) *
                                                                   reference::ElementBytes(dtype));
      if (!std::isfinite(got) || !std::isfinite(right) || !(size > 0)) continue;
      const double rounding =
          compare.output_ulps * reference::UnitRoundoff(dtype) * std::abs(right) +
          reference::SmallestNormal(dtype);
      const double beyond = std::max(0.0, std::abs(got - right) - rounding) / size;
      errors.push_back(beyond);
    }
  }
  out.elements = static_cast<int64_t>(errors.size());
  if (out.elements < kPrecisionElementsMin) {
    out.why_not = "too few finite elements";
    return out;
  }
  // A few elements that are wrong for another reason are not the accumulator's.
  const auto kept = static_cast<ptrdiff_t>(errors.size() - errors.size() / kTrimmedPart);
  std::nth_element(errors.begin(), errors.begin() + kept - 1, errors.end());
  double squares = 0;
  for (ptrdiff_t i = 0; i < kept; ++i)
    squares += errors[static_cast<size_t>(i)] * errors[static_cast<size_t>(i)];
  out.measured = std::sqrt(squares / static_cast<double>(kept));
  out.measurable = out.measured <= kAccumulatorErrorMax;
  if (!out.measurable) out.why_not = "no accumulator is as far off as the outputs are";
  return out;
}

}  // namespace runner::oracle
