// References of recurrences whose state is corrected by what it already answers: the delta rule.
#include <cmath>

#include "runner/reference/families.h"
#include "runner/reference/reader.h"

namespace runner::reference {
namespace {

// Rows of a chunk, whose gates add up from its first row on.
constexpr int64_t kChunkRows = 32;
constexpr double kDeviations = 4;

int64_t SequenceOf(const Inputs& inputs, std::string_view) {
  return Extent(inputs, "v", 1) * Extent(inputs, "v", 2);
}

// One sequence: S = S diag(2^(gc - gc of the row before)), u = v - S k, S = S + u k^T, o = S q,
// with S = 0 at first and gates that begin anew in each chunk. Terms u k^T q and what is kept of
// the state are rounded one by one, either way: the scale of o is the root of the sum of their
// squares, so many times, and o itself for what goes one way.
class DeltaRule {
 public:
  DeltaRule(const Inputs& inputs, int64_t sequence)
      : q_(inputs, "q"),
        k_(inputs, "k"),
        v_(inputs, "v"),
        gc_(inputs, "gc"),
        rows_(v_.extent(1)),
        depth_(v_.extent(2)),
        base_(sequence * rows_ * depth_),
        state_(static_cast<size_t>(depth_ * depth_)),
        sizes_(state_.size()) {}

  void Run(double* want, double* scale) {
    for (int64_t row = 0; row < rows_; ++row) {
      const int64_t at = base_ + row * depth_;
      const std::vector<double> q = q_.Row(at, depth_), k = k_.Row(at, depth_);
      const std::vector<double> v = v_.Row(at, depth_), gate = Gate(row);
      for (int64_t i = 0; i < depth_; ++i) {
        double* const state = &state_[static_cast<size_t>(i * depth_)];
        double* const size = &sizes_[static_cast<size_t>(i * depth_)];
        double answer = 0;
        for (size_t d = 0; d < k.size(); ++d) {
          state[d] *= gate[d];
          size[d] *= gate[d] * gate[d];
          answer += state[d] * k[d];
        }
        const double u = v[static_cast<size_t>(i)] - answer;
        double o = 0, squares = 0;
        for (size_t d = 0; d < k.size(); ++d) {
          state[d] += u * k[d];
          size[d] += u * k[d] * (u * k[d]);
          o += state[d] * q[d];
          squares += (size[d] + state[d] * state[d]) * (q[d] * q[d]);
        }
        want[row * depth_ + i] = o;
        scale[row * depth_ + i] = std::abs(o) + kDeviations * std::sqrt(squares);
      }
    }
  }

 private:
  std::vector<double> Gate(int64_t row) const {
    std::vector<double> gate = gc_.Row(base_ + row * depth_, depth_);
    if (row % kChunkRows != 0) {
      const std::vector<double> before = gc_.Row(base_ + (row - 1) * depth_, depth_);
      for (size_t d = 0; d < gate.size(); ++d) gate[d] -= before[d];
    }
    for (double& value : gate) value = std::exp2(value);
    return gate;
  }

  const Reader q_, k_, v_, gc_;
  const int64_t rows_, depth_, base_;
  std::vector<double> state_, sizes_;  // S, and the same of squared terms
};

void KdaChunk(const Inputs& inputs, std::string_view output, Piece piece) {
  const int64_t sequence = SequenceOf(inputs, output);
  for (int64_t at = piece.begin; at < piece.end; at += sequence) {
    DeltaRule(inputs, at / sequence)
        .Run(piece.want + (at - piece.begin), piece.scale + (at - piece.begin));
  }
}

}  // namespace

std::vector<Builtin> DeltaReferences() {
  return {{"kda_chunk", {"o"}, {"q", "k", "v", "gc"}, {}, SequenceOf, KdaChunk}};
}

}  // namespace runner::reference
