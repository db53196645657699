// Attention of queries over keys and values, with groups of query heads that share a key head.
#include <algorithm>
#include <cmath>

#include "runner/reference/families.h"
#include "runner/reference/products.h"
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

// Queries that meet the keys at a time.
constexpr int64_t kQueryBlock = 32;

// Unit roundoffs of f32 in the unit of a bound: twice the unit roundoff of bf16, 2^-7.
constexpr double kF32Unit = 0x1p-17;

// Scores to weights, of the first `seen` keys; the others get 0. Sizes become what f32 arithmetic
// may lose of each weight: an error of a score is a relative one of its weight, and one of their
// sum.
void Weigh(int64_t seen, int64_t keys, int64_t depth, double factor, double* scores,
           double* sizes) {
  constexpr double kWalk = 16;
  const double walk = kWalk * std::sqrt(static_cast<double>(depth)) * kF32Unit;
  const double adding = static_cast<double>(seen) * kF32Unit;
  double top = -INFINITY, sum = 0, all = 0;
  for (int64_t t = 0; t < seen; ++t) {
    scores[t] *= factor;
    top = std::max(top, scores[t]);
  }
  for (int64_t t = 0; t < seen; ++t) sum += scores[t] = std::exp(scores[t] - top);
  for (int64_t t = 0; t < seen; ++t) {
    scores[t] /= sum;
    sizes[t] = walk * (1 + sizes[t] * std::abs(factor));
    all += scores[t] * sizes[t];
  }
  for (int64_t t = 0; t < seen; ++t) sizes[t] = scores[t] * (sizes[t] + all + adding);
  std::fill(scores + seen, scores + keys, 0.0);
  std::fill(sizes + seen, sizes + keys, 0.0);
}

// Roundings of many weights go either way: so many deviations of their sum are allowed, in halves
// of a unit each, but never more than all of them together.
constexpr double kDeviations = 2;

// out[s, :] = sum over the first `seen(s)` rows t of softmax(factor * q[s] . k[t]) v[t, :].
// bound: what the result may lose where weights are rounded to bf16, in its units of 2^-7. All of
// them the same way is a unit of the result itself; else what squares say. q, k and v are exact.
template <typename Seen>
void Attend(const double* q, int64_t queries, const std::vector<double>& k,
            const std::vector<double>& v, int64_t keys, int64_t depth, double factor, Seen seen,
            double* out, double* bound) {
  const auto block = static_cast<size_t>(std::min(kQueryBlock, queries));
  std::vector<double> scores(block * static_cast<size_t>(keys)), sizes(scores.size());
  std::vector<double> squares(block * static_cast<size_t>(depth)), unused(squares.size());
  std::vector<double> v_squares(v.size());
  for (size_t i = 0; i < v.size(); ++i) v_squares[i] = v[i] * v[i];
  for (int64_t s = 0; s < queries; s += kQueryBlock) {
    const int64_t rows = std::min(kQueryBlock, queries - s);
    Multiply({.a = q + s * depth,
              .b = k.data(),
              .rows = rows,
              .columns = keys,
              .depth = depth,
              .b_column = depth},
             scores.data(), sizes.data());
    for (int64_t r = 0; r < rows; ++r) {
      Weigh(seen(s + r), keys, depth, factor, scores.data() + r * keys, sizes.data() + r * keys);
    }
    Factors weighed = {.a = scores.data(),
                       .a_size = sizes.data(),
                       .b = v.data(),
                       .rows = rows,
                       .columns = depth,
                       .depth = keys,
                       .b_step = depth,
                       .b_column = 1};
    Multiply(weighed, out + s * depth, bound + s * depth);
    for (int64_t i = 0; i < rows * keys; ++i)
      scores[static_cast<size_t>(i)] *= scores[static_cast<size_t>(i)];
    weighed.a_size = nullptr;
    weighed.b = v_squares.data();
    Multiply(weighed, squares.data(), unused.data());
    for (int64_t r = 0; r < rows; ++r) {
      const double deviations = std::min(kDeviations, std::sqrt(static_cast<double>(seen(s + r))));
      for (int64_t i = r * depth; i < (r + 1) * depth; ++i) {
        bound[s * depth + i] +=
            std::abs(out[s * depth + i]) + deviations * std::sqrt(squares[static_cast<size_t>(i)]);
      }
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
  const auto seen = [&](int64_t s) {
    const int64_t last = s + 1 + shape.keys - shape.queries;
    return causal ? std::clamp<int64_t>(last, 0, shape.keys) : shape.keys;
  };
  Attend(q.data(), shape.queries, k, v, shape.keys, depth, inputs.args.at("scale"), seen, want,
         scale);
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
    const int64_t to = at - piece.begin;
    Attend(
        queries.data(), group, k, v, keys, depth, inputs.args.at("scale"),
        [&](int64_t) { return keys; }, piece.want + to, piece.scale + to);
  }
}

// Packed sequences: q [TQ, HQ, D], k and v [TK, HK, D]; sequence b has queries cuq[b] .. cuq[b+1]
// and keys cuk[b] .. cuk[b+1], of which query s of lq sees those up to s + lk - lq.
struct Sequence {
  int64_t query, queries, key, keys;
  int64_t Seen(int64_t row) const {
    return std::clamp<int64_t>(row - query + 1 + keys - queries, 0, keys);
  }
};

Sequence SequenceOf(const Inputs& inputs, int64_t row) {
  const Reader cuq(inputs, "cuq"), cuk(inputs, "cuk");
  int64_t b = 0;
  while (cuq.Index(b + 1) <= row) ++b;
  return {cuq.Index(b), cuq.Index(b + 1) - cuq.Index(b), cuk.Index(b),
          cuk.Index(b + 1) - cuk.Index(b)};
}

// Rows begin .. begin+count of one head of [T, H, D].
std::vector<double> HeadRows(const Reader& from, int64_t begin, int64_t count, int64_t head) {
  const int64_t heads = from.extent(1), depth = from.extent(2);
  std::vector<double> out;
  out.reserve(static_cast<size_t>(count * depth));
  for (int64_t t = begin; t < begin + count; ++t) {
    const auto row = from.Row((t * heads + head) * depth, depth);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

// lse: [HQ, TQ], the logarithm of the sum of the exponentials of the scores that a query sees. An
// error of a score is one of the logarithm.
void LogSums(const Inputs& inputs, Piece piece) {
  const Reader q(inputs, "q"), k(inputs, "k");
  const int64_t rows = q.extent(0), heads = q.extent(1), depth = q.extent(2);
  const int64_t group = heads / k.extent(1);
  for (int64_t at = piece.begin; at < piece.end; ++at) {
    const int64_t head = at / rows, row = at % rows;
    const Sequence sequence = SequenceOf(inputs, row);
    const int64_t seen = sequence.Seen(row);
    const auto query = HeadRows(q, row, 1, head);
    const auto keys = HeadRows(k, sequence.key, seen, head / group);
    std::vector<double> scores(static_cast<size_t>(seen)), sizes(scores.size());
    if (seen > 0) {
      Multiply({.a = query.data(),
                .b = keys.data(),
                .rows = 1,
                .columns = seen,
                .depth = depth,
                .b_column = depth},
               scores.data(), sizes.data());
    }
    double top = -INFINITY, sum = 0, size = 1;
    const double factor = inputs.args.at("scale");
    for (double& score : scores) top = std::max(top, score *= factor);
    for (const double score : scores) sum += std::exp(score - top);
    for (const double one : sizes) size = std::max(size, one * std::abs(factor));
    piece.want[at - piece.begin] = seen > 0 ? top + std::log(sum) : -INFINITY;
    piece.scale[at - piece.begin] = size;
  }
}

int64_t Packed(const Inputs& inputs, std::string_view output) {
  return output == "lse" ? 1 : Extent(inputs, "q", 1) * Extent(inputs, "q", 2);
}

void PackedAttention(const Inputs& inputs, std::string_view output, Piece piece) {
  if (output == "lse") return LogSums(inputs, piece);
  const Reader q(inputs, "q"), k(inputs, "k"), v(inputs, "v");
  const int64_t heads = q.extent(1), depth = q.extent(2), group = heads / k.extent(1);
  const int64_t end = piece.end / (heads * depth), first = piece.begin / (heads * depth);
  for (int64_t row = first; row < end;) {
    const Sequence sequence = SequenceOf(inputs, row);
    const int64_t rows = std::min(end, sequence.query + sequence.queries) - row;
    for (int64_t head = 0; head < heads; ++head) {
      const auto queries = HeadRows(q, row, rows, head);
      const auto keys = HeadRows(k, sequence.key, sequence.keys, head / group);
      const auto values = HeadRows(v, sequence.key, sequence.keys, head / group);
      std::vector<double> out(static_cast<size_t>(rows * depth)), bound(out.size());
      Attend(
          queries.data(), rows, keys, values, sequence.keys, depth, inputs.args.at("scale"),
          [&](int64_t s) { return sequence.Seen(row + s); }, out.data(), bound.data());
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t to = ((row + r) * heads + head) * depth - piece.begin;
        std::copy_n(out.begin() + r * depth, depth, piece.want + to);
        std::copy_n(bound.begin() + r * depth, depth, piece.scale + to);
      }
    }
    row += rows;
  }
}

}  // namespace

std::vector<Builtin> AttentionReferences() {
  return {
      {"attention_varlen",
       {"o", "lse"},
       {"q", "k", "v", "cuq", "cuk"},
       {"scale"},
       Packed,
       PackedAttention},
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
