// Attention of queries over keys and values, with groups of query heads that share a key head.
#include <algorithm>
#include <cmath>

#include "runner/reference/families.h"
#include "runner/reference/reader.h"

namespace runner::reference {
namespace {

// q: [B, HQ, SQ, D], k and v: [B, HK, SK, D]. Query s stands at key position s + SK - SQ.
struct Shape {
  int64_t heads, queries, depth, key_heads, keys;
  explicit Shape(const Inputs& inputs)
      : heads(Extent(inputs, "q", 1)),
        queries(Extent(inputs, "q", 2)),
        depth(Extent(inputs, "q", 3)),
        key_heads(Extent(inputs, "k", 1)),
        keys(Extent(inputs, "k", 2)) {}
};

int64_t Heads(const Inputs& inputs, std::string_view) {
  const Shape shape(inputs);
  return std::max<int64_t>(1, shape.queries * shape.depth);
}

// One head of one batch: o[s, :] = sum over keys t of softmax(scale * q . k[t]) v[t, :]. An error
// of a score is a relative error of its weight, so terms count with the size of their scores.
void OneHead(const Inputs& inputs, const Shape& shape, bool causal, int64_t head, double* want,
             double* scale) {
  const int64_t depth = shape.depth, batch = head / shape.heads;
  const int64_t group = shape.heads / shape.key_heads;
  const int64_t key_head = batch * shape.key_heads + head % shape.heads / group;
  const auto q = Reader(inputs, "q").Row(head * shape.queries * depth, shape.queries * depth);
  const auto k = Reader(inputs, "k").Row(key_head * shape.keys * depth, shape.keys * depth);
  const auto v = Reader(inputs, "v").Row(key_head * shape.keys * depth, shape.keys * depth);
  const double factor = inputs.args.at("scale");
  std::vector<double> score(static_cast<size_t>(shape.keys)), size(score.size());
  for (int64_t s = 0; s < shape.queries; ++s) {
    const int64_t seen =
        causal ? std::clamp<int64_t>(s + 1 + shape.keys - shape.queries, 0, shape.keys)
               : shape.keys;
    double top = -INFINITY, sum = 0;
    for (int64_t t = 0; t < seen; ++t) {
      double dot = 0, terms = 0;
      for (int64_t d = 0; d < depth; ++d) {
        const double term =
            q[static_cast<size_t>(s * depth + d)] * k[static_cast<size_t>(t * depth + d)] * factor;
        dot += term, terms += std::abs(term);
      }
      score[static_cast<size_t>(t)] = dot, size[static_cast<size_t>(t)] = 1 + terms;
      top = std::max(top, dot);
    }
    double* out = want + s * depth;
    double* bound = scale + s * depth;
    std::fill(out, out + depth, 0.0);
    std::fill(bound, bound + depth, 0.0);
    for (int64_t t = 0; t < seen; ++t) sum += std::exp(score[static_cast<size_t>(t)] - top);
    for (int64_t t = 0; t < seen; ++t) {
      const double p = std::exp(score[static_cast<size_t>(t)] - top) / sum;
      for (int64_t d = 0; d < depth; ++d) {
        const double term = p * v[static_cast<size_t>(t * depth + d)];
        out[d] += term, bound[d] += std::abs(term) * size[static_cast<size_t>(t)];
      }
    }
  }
}

template <bool kCausal>
void Attention(const Inputs& inputs, std::string_view, Piece piece) {
  const Shape shape(inputs);
  const int64_t head = shape.queries * shape.depth;
  for (int64_t at = piece.begin; at < piece.end; at += head) {
    OneHead(inputs, shape, kCausal, at / head, piece.want + (at - piece.begin),
            piece.scale + (at - piece.begin));
  }
}

}  // namespace

std::vector<Builtin> AttentionReferences() {
  return {
      {"attention", {"o"}, {"q", "k", "v"}, {"scale"}, Heads, Attention<false>},
      {"attention_causal", {"o"}, {"q", "k", "v"}, {"scale"}, Heads, Attention<true>},
  };
}

}  // namespace runner::reference
