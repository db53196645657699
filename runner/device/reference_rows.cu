// Plain forms of references on a device, the second part: attention and what treats each row by
// itself. It needs what reference.cu says.

// o[s, :] = sum over keys t of softmax(factor * q[s] . k[t]) v[t, :]: eight columns of one query a
// thread, the sums rescaled whenever a larger score comes. `places` says where keys and values lie.
// Scales are those of runner/reference/attention.cc, where their terms are explained.
#define CAKE_CHUNK 8
struct CakeQuery {
  long long query, seen, depth, from;
  double factor;
};
template <typename Places>
static __device__ __forceinline__ void CakeAttend(const CakeTensor& q, const CakeTensor& k,
                                                  const CakeTensor& v, const CakeQuery& at,
                                                  const Places& places, double* want,
                                                  double* scale) {
  const double unit = 1.0 / 131072, walk = 16 * sqrt((double)at.depth) * unit;
  double top = 0, weights = 0, shares = 0, sum[CAKE_CHUNK] = {}, size[CAKE_CHUNK] = {};
  double plain[CAKE_CHUNK] = {}, squares[CAKE_CHUNK] = {};
  for (long long t = 0; t < at.seen; ++t) {
    double score = 0, terms = 0;
    const long long key = places.Key(t), value = places.Value(t);
    for (long long d = 0; d < at.depth; ++d) {
      const double term = CakeRead(q, at.query + d * q.strides[3]) *
                          CakeRead(k, key + d * k.strides[3]);
      score += term;
      terms += fabs(term);
    }
    score *= at.factor;
    if (t == 0 || score > top) {
      const double shrink = t == 0 ? 0 : exp(top - score);
      weights *= shrink;
      shares *= shrink;
      for (int c = 0; c < CAKE_CHUNK; ++c) {
        sum[c] *= shrink;
        size[c] *= shrink;
        plain[c] *= shrink;
        squares[c] *= shrink * shrink;
      }
      top = score;
    }
    const double weight = exp(score - top);
    const double share = weight * walk * (1 + terms * fabs(at.factor));
    weights += weight;
    shares += share;
    for (int c = 0; c < CAKE_CHUNK && at.from + c < at.depth; ++c) {
      const double one = CakeRead(v, value + (at.from + c) * v.strides[3]);
      sum[c] += weight * one;
      size[c] += share * fabs(one);
      plain[c] += weight * fabs(one);
      squares[c] += weight * one * (weight * one);
    }
  }
  if (at.seen == 0) weights = 1;
  const double all = shares / weights + at.seen * unit;
  const double deviations = fmin(2.0, sqrt((double)at.seen));
  for (int c = 0; c < CAKE_CHUNK && at.from + c < at.depth; ++c) {
    const double lost = size[c] + all * plain[c] + fabs(sum[c]) + deviations * sqrt(squares[c]);
    want[c] = sum[c] / weights;
    scale[c] = lost / weights;
  }
}

// The query and the columns of a thread; false: it has none.
static __device__ __forceinline__ bool CakeQueryOf(const CakePiece& piece, long long depth,
                                                   long long& whole, long long& from,
                                                   long long& to) {
  const long long chunks = (depth + CAKE_CHUNK - 1) / CAKE_CHUNK;
  const long long row = CakeThread() / chunks;
  from = CakeThread() % chunks * CAKE_CHUNK;
  if (row >= (piece.end - piece.begin) / depth) return false;
  whole = piece.begin / depth + row;
  to = row * depth + from;
  return true;
}

// Rows one after the other.
struct CakeRows {
  long long key, key_step, value, value_step;
  __device__ long long Key(long long t) const { return key + t * key_step; }
  __device__ long long Value(long long t) const { return value + t * value_step; }
};

// Dimensions: batch, head, row, column. n: heads, key heads, queries, keys, depth, causal.
extern "C" __global__ void cake_reference_attention(CakeTensor q, CakeTensor k, CakeTensor v,
                                                    CakeShape shape, CakePiece piece) {
  const long long heads = shape.n[0], queries = shape.n[2], keys = shape.n[3], depth = shape.n[4];
  long long whole, from, to;
  if (!CakeQueryOf(piece, depth, whole, from, to)) return;
  const long long s = whole % queries, head = whole / queries % heads;
  const long long batch = whole / queries / heads, key_head = head / (heads / shape.n[1]);
  long long seen = shape.n[5] ? s + 1 + keys - queries : keys;
  seen = seen < 0 ? 0 : seen > keys ? keys : seen;
  const CakeRows rows = {batch * k.strides[0] + key_head * k.strides[1], k.strides[2],
                         batch * v.strides[0] + key_head * v.strides[1], v.strides[2]};
  const long long query = batch * q.strides[0] + head * q.strides[1] + s * q.strides[2];
  CakeAttend(q, k, v, {query, seen, depth, from, shape.factor}, rows, piece.want + to,
             piece.scale + to);
}

// Token t of a sequence is slot t % slots of the t / slots-th page of its table.
struct CakePages {
  const CakeTensor *k, *v, *table;
  long long entries, slots, head;
  __device__ long long Page(long long t) const {
    return (long long)CakeRead(*table, entries + t / slots * table->strides[3]);
  }
  __device__ long long Key(long long t) const {
    return Page(t) * k->strides[0] + t % slots * k->strides[1] + head * k->strides[2];
  }
  __device__ long long Value(long long t) const {
    return Page(t) * v->strides[0] + t % slots * v->strides[1] + head * v->strides[2];
  }
};

// q: [B, HK, G, D], kc and vc: [PAGES, PS, HK, D]. n: heads, group, depth, slots.
extern "C" __global__ void cake_reference_paged(CakeTensor q, CakeTensor kc, CakeTensor vc,
                                                CakeTensor table, CakeTensor lens, CakeShape shape,
                                                CakePiece piece) {
  long long whole, from, to;
  if (!CakeQueryOf(piece, shape.n[2], whole, from, to)) return;
  const long long g = whole % shape.n[1], head = whole / shape.n[1] % shape.n[0];
  const long long b = whole / shape.n[1] / shape.n[0];
  const CakePages pages = {&kc, &vc, &table, b * table.strides[2], shape.n[3], head};
  const long long seen = (long long)CakeRead(lens, b * lens.strides[3]);
  const long long query = b * q.strides[0] + head * q.strides[1] + g * q.strides[2];
  CakeAttend(q, kc, vc, {query, seen, shape.n[2], from, shape.factor}, pages, piece.want + to,
             piece.scale + to);
}

// Packed sequences: q [TQ, HQ, D], k and v [TK, HK, D]; of the keys of its sequence a query sees
// those up to its own place, counted from the end. n: heads, key heads, depth.
extern "C" __global__ void cake_reference_packed(CakeTensor q, CakeTensor k, CakeTensor v,
                                                 CakeTensor cuq, CakeTensor cuk, CakeShape shape,
                                                 CakePiece piece) {
  long long whole, from, to;
  if (!CakeQueryOf(piece, shape.n[2], whole, from, to)) return;
  const long long head = whole % shape.n[0], row = whole / shape.n[0];
  long long b = 0;
  while (CakeRead(cuq, (b + 1) * cuq.strides[3]) <= row) ++b;
  const long long query = (long long)CakeRead(cuq, b * cuq.strides[3]);
  const long long queries = (long long)CakeRead(cuq, (b + 1) * cuq.strides[3]) - query;
  const long long key = (long long)CakeRead(cuk, b * cuk.strides[3]);
  const long long keys = (long long)CakeRead(cuk, (b + 1) * cuk.strides[3]) - key;
  long long seen = row - query + 1 + keys - queries;
  seen = seen < 0 ? 0 : seen > keys ? keys : seen;
  const long long key_head = head / (shape.n[0] / shape.n[1]);
  const CakeRows rows = {key * k.strides[1] + key_head * k.strides[2], k.strides[1],
                         key * v.strides[1] + key_head * v.strides[2], v.strides[1]};
  CakeAttend(q, k, v,
             {row * q.strides[1] + head * q.strides[2], seen, shape.n[2], from, shape.factor}, rows,
             piece.want + to, piece.scale + to);
}

// What treats each row of x by itself: a row a thread. Scales as in runner/reference/rows.cc.
static __device__ __forceinline__ bool CakeRowOf(const CakePiece& piece, const CakeTensor& x,
                                                 long long& row, long long& to) {
  const long long mine = CakeThread();
  if (mine >= (piece.end - piece.begin) / piece.columns) return false;
  row = (piece.begin / piece.columns + mine) * x.strides[2];
  to = mine * piece.columns;
  return true;
}

extern "C" __global__ void cake_reference_rmsnorm(CakeTensor x, CakeTensor w, CakeShape shape,
                                                  CakePiece piece) {
  long long row, to;
  if (!CakeRowOf(piece, x, row, to)) return;
  double squares = 0;
  for (long long n = 0; n < piece.columns; ++n) {
    const double one = CakeRead(x, row + n * x.strides[3]);
    squares += one * one;
  }
  const double factor = 1 / sqrt(squares / (double)piece.columns + shape.factor);
  for (long long n = 0; n < piece.columns; ++n) {
    const double y =
        CakeRead(x, row + n * x.strides[3]) * factor * CakeRead(w, n * w.strides[3]);
    piece.want[to + n] = y;
    piece.scale[to + n] = fabs(y);
  }
}

extern "C" __global__ void cake_reference_layernorm(CakeTensor x, CakeTensor w, CakeTensor b,
                                                    CakeShape shape, CakePiece piece) {
  long long row, to;
  if (!CakeRowOf(piece, x, row, to)) return;
  const double count = (double)piece.columns;
  double sum = 0, size = 0, squares = 0;
  for (long long n = 0; n < piece.columns; ++n) {
    const double one = CakeRead(x, row + n * x.strides[3]);
    sum += one, size += fabs(one);
  }
  const double mean = sum / count;
  for (long long n = 0; n < piece.columns; ++n) {
    const double off = CakeRead(x, row + n * x.strides[3]) - mean;
    squares += off * off;
  }
  const double factor = 1 / sqrt(squares / count + shape.factor);
  for (long long n = 0; n < piece.columns; ++n) {
    const double one = CakeRead(x, row + n * x.strides[3]);
    const double gain = factor * CakeRead(w, n * w.strides[3]);
    const double bias = CakeRead(b, n * b.strides[3]);
    piece.want[to + n] = (one - mean) * gain + bias;
    piece.scale[to + n] = (fabs(one) + size / count) * fabs(gain) + fabs(bias);
  }
}

extern "C" __global__ void cake_reference_softmax(CakeTensor x, CakeShape, CakePiece piece) {
  long long row, to;
  if (!CakeRowOf(piece, x, row, to)) return;
  double top = CakeRead(x, row), sum = 0;
  for (long long n = 1; n < piece.columns; ++n) {
    const double one = CakeRead(x, row + n * x.strides[3]);
    top = one > top ? one : top;
  }
  for (long long n = 0; n < piece.columns; ++n)
    sum += exp(CakeRead(x, row + n * x.strides[3]) - top);
  for (long long n = 0; n < piece.columns; ++n) {
    const double below = top - CakeRead(x, row + n * x.strides[3]), y = exp(-below) / sum;
    piece.want[to + n] = y;
    piece.scale[to + n] = y * (below > 1 ? below : 1.0);
  }
}
