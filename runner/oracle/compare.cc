#include "runner/oracle/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "runner/oracle/generate.h"
#include "runner/reference/numbers.h"
#include "runner/reference/parallel.h"

namespace runner::oracle {
namespace {

// Of want and scale held at once, per thread. References of products read their right factor once a
// piece: many rows of the output share that.
constexpr int64_t kPieceElements = 1 << 18;
constexpr int64_t kPieceElementsMin = 1 << 10;
constexpr int64_t kPiecesPerThread = 4;  // so that threads end at about the same time

// Distance of one element in units of what is allowed: at most 1 passes.
double Ratio(const OutputView& output, double got, double want, double scale, double& allowed) {
  const auto dtype = output.at->tensor->dtype;
  allowed = Allowed(*output.compare, dtype, output.reduction, want, scale);
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (std::isnan(want)) return std::isnan(got) ? 0 : kWrong;
  if (std::isnan(got)) return kWrong;
  if (std::isinf(want)) return got == want ? 0 : kWrong;
  if (std::isinf(got)) {
    // Right where the exact value, pushed outwards by what is allowed, leaves the format.
    const double pushed = want + std::copysign(allowed, want);
    return std::signbit(got) == std::signbit(want) && std::isinf(reference::Rounded(dtype, pushed))
               ? 0
               : kWrong;
  }
  // Wrong where the exact value, pulled inwards by what is allowed, is still outside the format.
  const double pulled = std::copysign(std::max(0.0, std::abs(want) - allowed), want);
  if (std::isinf(reference::Rounded(dtype, pulled))) return kWrong;
  const double target =
      std::clamp(want, -reference::LargestFinite(dtype), reference::LargestFinite(dtype));
  const double error = std::abs(got - target);
  return error == 0 ? 0 : error / allowed;
}

// Exactly the same; every NaN is as good as another, since formats leave open which one comes out.
bool SameBytes(const OutputView& output, const std::byte* at, double want) {
  std::byte bytes[8];
  const auto dtype = output.at->tensor->dtype;
  if (std::isnan(want)) return std::isnan(reference::LoadElement(dtype, at));
  reference::StoreElement(dtype, want, bytes);
  return std::memcmp(at, bytes, static_cast<size_t>(reference::ElementBytes(dtype))) == 0;
}

// Row-major position of an element.
std::vector<int64_t> IndexOf(const contract::CaseTensor& at, int64_t element) {
  std::vector<int64_t> index(at.shape.size());
  for (size_t i = index.size(); i-- > 0;) {
    index[i] = element % at.shape[i];
    element /= at.shape[i];
  }
  return index;
}

struct Found {
  int64_t first = std::numeric_limits<int64_t>::max();
  Difference difference;

  void Wrong(int64_t element, double got, double want, double allowed, double ratio) {
    ++difference.wrong;
    difference.worst = std::max(difference.worst, ratio);
    if (element >= first) return;
    first = element;
    difference.got = got, difference.want = want, difference.allowed = allowed;
  }
  void Merge(const Found& other) {
    const int64_t wrong = difference.wrong + other.difference.wrong;
    const double worst = std::max(difference.worst, other.difference.worst);
    if (other.first < first) *this = other;
    difference.wrong = wrong, difference.worst = worst;
  }
};

const std::byte* ElementAt(const OutputView& output, int64_t element) {
  const auto dtype = output.at->tensor->dtype;
  return output.memory.data() +
         reference::OffsetOf(*output.at, element) * reference::ElementBytes(dtype);
}

// By what the chosen elements lose against the best ones.
Found CompareRegret(const reference::Builtin& builtin, const reference::Inputs& inputs,
                    const OutputView& output, const reference::Piece& piece) {
  const auto dtype = output.at->tensor->dtype;
  std::vector<int64_t> got(static_cast<size_t>(piece.end - piece.begin));
  std::vector<double> loss(got.size());
  for (size_t i = 0; i < got.size(); ++i) {
    got[i] = std::llround(
        reference::LoadElement(dtype, ElementAt(output, piece.begin + static_cast<int64_t>(i))));
  }
  builtin.regret(inputs, output.at->tensor->name, piece, got.data(), loss.data());
  Found found;
  for (size_t i = 0; i < got.size(); ++i) {
    const double allowed = Allowed(*output.compare, dtype, output.reduction, 0, piece.scale[i]);
    const double ratio = loss[i] == 0 ? 0 : loss[i] / allowed;
    if (ratio <= 1) continue;
    found.Wrong(piece.begin + static_cast<int64_t>(i), static_cast<double>(got[i]), piece.want[i],
                allowed, ratio);
  }
  return found;
}

Found ComparePiece(const OutputView& output, const reference::Piece& piece) {
  Found found;
  const auto dtype = output.at->tensor->dtype;
  for (int64_t i = piece.begin; i < piece.end; ++i) {
    const std::byte* at = ElementAt(output, i);
    const double want = piece.want[i - piece.begin];
    const double got = reference::LoadElement(dtype, at);
    double allowed = 0, ratio = 0;
    if (output.compare->metric == contract::Metric::kExact) {
      ratio = SameBytes(output, at, want) ? 0 : std::numeric_limits<double>::infinity();
    } else {
      ratio = Ratio(output, got, want, piece.scale[i - piece.begin], allowed);
    }
    if (ratio > 1) found.Wrong(i, got, want, allowed, ratio);
  }
  return found;
}

}  // namespace

double Allowed(const contract::Compare& compare, compiler::ir::DType output, int64_t reduction,
               double want, double scale) {
  if (compare.metric == contract::Metric::kExact) return 0;
  // What the sums lose is relative to their terms; a factor may be rounded before it is multiplied.
  const double terms = (static_cast<double>(reduction) + compare.operations) *
                           reference::UnitRoundoff(compare.accumulator) +
                       2 * reference::UnitRoundoff(compare.operand);
  if (compare.metric == contract::Metric::kRegret) return terms * scale;
  // Below the normal numbers the format itself is the limit: half its step for each rounding.
  const double floor = compare.flush ? reference::SmallestNormal(output)
                                     : 0.5 * std::max(1.0, compare.output_ulps) *
                                           reference::SmallestPositive(output);
  return compare.output_ulps * reference::UnitRoundoff(output) * std::abs(want) +
         terms * std::max(std::abs(want), scale) + floor;
}

absl::StatusOr<OutputView> OutputViewOf(const contract::Workload& workload,
                                        const contract::Case& at,
                                        const contract::CaseTensor& tensor) {
  const contract::Compare* compare = contract::FindCompare(workload, tensor.tensor->name);
  if (compare == nullptr) return absl::FailedPreconditionError("an output has no comparison");
  OutputView view{.at = &tensor, .compare = compare};
  if (!compare->reduction.empty()) {
    auto reduction = contract::EvaluateSize(compare->reduction, at.dims);
    if (!reduction.ok()) return reduction.status();
    view.reduction = *reduction;
  }
  return view;
}

bool Passes(const OutputView& output, const std::byte* at, double want, double scale) {
  if (output.compare->metric == contract::Metric::kExact) return SameBytes(output, at, want);
  double allowed = 0;
  const double got = reference::LoadElement(output.at->tensor->dtype, at);
  return !(Ratio(output, got, want, scale, allowed) > 1);
}

absl::StatusOr<DrawnInputs> DrawInputs(const contract::Workload& workload, const contract::Case& at,
                                       const std::vector<contract::CaseTensor>& tensors,
                                       uint64_t seed, int input_set, int threads) {
  DrawnInputs out;
  out.inputs.args = contract::ArgsOf(workload, at);
  for (const contract::CaseTensor& tensor : tensors) {
    if (tensor.tensor->role == contract::Role::kOut) {
      out.inputs.outputs[tensor.tensor->name] = tensor;
      continue;
    }
    auto& memory = out.memory[tensor.tensor->name];
    memory.resize(static_cast<size_t>(tensor.bytes));
    auto status = FillInput(workload, at, tensor, seed, input_set, memory, threads);
    if (!status.ok()) return status;
    out.inputs.tensors[tensor.tensor->name] = {.at = tensor, .memory = memory};
  }
  return out;
}

std::optional<Difference> CompareOutput(const reference::Builtin& builtin,
                                        const reference::Inputs& inputs, const OutputView& output,
                                        int threads) {
  const std::string& name = output.at->tensor->name;
  if (output.at->elements == 0) return std::nullopt;
  const int64_t granule = builtin.granule(inputs, name);
  const int64_t shares = kPiecesPerThread * reference::ThreadsOf(threads);
  const int64_t wanted =
      std::clamp(output.at->elements / shares, kPieceElementsMin, kPieceElements);
  const int64_t piece = std::max<int64_t>(1, wanted / granule) * granule;
  const bool regret = output.compare->metric == contract::Metric::kRegret;
  std::mutex mutex;
  Found all;
  reference::ParallelPieces(output.at->elements, piece, threads, [&](int64_t begin, int64_t end) {
    reference::Room<double> want(static_cast<size_t>(end - begin)), scale(want.size());
    const reference::Piece part{begin, end, want.data(), scale.data()};
    if (!regret) builtin.evaluate(inputs, name, part);  // else the regret's own
    const Found mine =
        regret ? CompareRegret(builtin, inputs, output, part) : ComparePiece(output, part);
    const std::scoped_lock lock(mutex);
    all.Merge(mine);
  });
  if (all.difference.wrong == 0) return std::nullopt;
  all.difference.output = name;
  all.difference.elements = output.at->elements;
  all.difference.index = IndexOf(*output.at, all.first);
  return all.difference;
}

}  // namespace runner::oracle
