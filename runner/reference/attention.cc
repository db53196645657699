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

// out[:] = sum over the first `keys` rows t of softmax(factor * q . k[t]) v[t, :]. An error of a
// score is a relative error of its weight, so terms count with the size of their scores.
void OneQuery(const double* q, const std::vector<double>& k, const std::vector<double>& v,
              int64_t keys, int64_t depth, double factor, double* out, double* bound) {
  std::vector<double> score(static_cast<size_t>(keys)), size(score.size());
  double top = -INFINITY, sum = 0;
  for (int64_t t = 0; t < keys; ++t) {
    double dot = 0, terms = 0;
    for (int64_t d = 0; d < depth; ++d) {
      const double term = q[d] * k[static_cast<size_t>(t * depth + d)] * factor;
      dot += term, terms += std::abs(term);
    }
    score[static_cast<size_t>(t)] = dot, size[static_cast<size_t>(t)] = 1 + terms;
    top = std::max(top, dot);
  }
  std::fill(out, out + depth, 0.0);
  std::fill(bound, bound + depth, 0.0);
  for (int64_t t = 0; t < keys; ++t) sum += std::exp(score[static_cast<size_t>(t)] - top);
  for (int64_t t = 0; t < keys; ++t) {
    const double p = std::exp(score[static_cast<size_t>(t)] - top) / sum;
    for (int64_t d = 0; d < depth; ++d) {
      const double term = p * v[static_cast<size_t>(t * depth + d)];
      out[d] += term, bound[d] += std::abs(term) * size[static_cast<size_t>(t)];
    }
  }
}

// One head of one batch.
void OneHead(const Inputs& inputs, const Shape& shape, bool causal, int64_t head, double* want,
             double* scale) {
  const int64_t depth = shape.depth, batch = head / shape.heads;
  const int64_t group = shape.heads / shape.key_heads;
  const int64_t key_head = batch * shape.key_heads + head % shape.heads / group;
  const auto q = Reader(inputs, "q").Row(head * shape.queries * depth, shape.queries * depth);
  const auto k = Reader(inputs, "k").Row(key_head * shape.keys * depth, shape.keys * depth);
  const auto v = Reader(inputs, "v").Row(key_head * shape.keys * depth, shape.keys * depth);
  for (int64_t s = 0; s < shape.queries; ++s) {
    const int64_t seen =
        causal ? std::clamp<int64_t>(s + 1 + shape.keys - shape.queries, 0, shape.keys)
               : shape.keys;
    OneQuery(q.data() + s * depth, k, v, seen, depth, inputs.args.at("scale"), want + s * depth,
             scale + s * depth);
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

int64_t GroupOfQueries(const Inputs& inputs, std::string_view) {
  return std::max<int64_t>(1, Extent(inputs, "q", 2) * Extent(inputs, "q", 3));
}

// The first `keys` rows of one key head of a paged cache [PAGES, PS, HK, D]: token t of a sequence
// is slot t % PS of page table[b, t / PS].
std::vector<double> Tokens(const Inputs& inputs, std::string_view cache, int64_t b, int64_t head,
                           int64_t keys) {
  const Reader pool(inputs, cache), table(inputs, "table");
  const int64_t slots = pool.extent(1), heads = pool.extent(2), depth = pool.extent(3);
  std::vector<double> out;
  out.reserve(static_cast<size_t>(keys * depth));
  for (int64_t t = 0; t < keys; ++t) {
    const int64_t page = table.Index(b * table.extent(1) + t / slots);
    const auto row = pool.Row(((page * slots + t % slots) * heads + head) * depth, depth);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

// q: [B, HK, G, D], one query a sequence and head, over its first lens[b] tokens. A sequence
// without tokens gives 0.
void PagedAttention(const Inputs& inputs, std::string_view, Piece piece) {
  const Reader q(inputs, "q"), lens(inputs, "lens");
  const int64_t heads = q.extent(1), group = q.extent(2), depth = q.extent(3);
  for (int64_t at = piece.begin; at < piece.end; at += group * depth) {
    const int64_t b = at / (heads * group * depth), head = at / (group * depth) % heads;
    const int64_t keys = lens.Index(b);
    const auto k = Tokens(inputs, "kc", b, head, keys), v = Tokens(inputs, "vc", b, head, keys);
    const auto queries = q.Row(at, group * depth);
    for (int64_t g = 0; g < group; ++g) {
      const int64_t to = at + g * depth - piece.begin;
      OneQuery(queries.data() + g * depth, k, v, keys, depth, inputs.args.at("scale"),
               piece.want + to, piece.scale + to);
    }
  }
}

}  // namespace

std::vector<Builtin> AttentionReferences() {
  return {
      {"paged_attention",
       {"o"},
       {"q", "kc", "vc", "table", "lens"},
       {"scale"},
       GroupOfQueries,
       PagedAttention},
      {"attention", {"o"}, {"q", "k", "v"}, {"scale"}, Heads, Attention<false>},
      {"attention_causal", {"o"}, {"q", "k", "v"}, {"scale"}, Heads, Attention<true>},
  };
}

}  // namespace runner::reference
