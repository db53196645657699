// Plain forms of references on a device, in double precision, for sizes that take the host long:
// a few elements a thread, in the order of the definition. What they give is
// compared with the host's own at places of every output (runner/worker/device_reference.cc).

// A tensor: address, how its elements are stored (0: f32, 1: bf16, 2: f16), and how far apart the
// elements of its dimensions are, the last four of them.
struct CakeTensor {
  unsigned long long address;
  long long strides[4];
  long long format;
};

static __device__ __forceinline__ double CakeRead(const CakeTensor& tensor, long long offset) {
  if (tensor.format == 0) return ((const float*)tensor.address)[offset];
  const unsigned int bits = ((const unsigned short*)tensor.address)[offset];
  if (tensor.format == 1) return __uint_as_float(bits << 16);
  const unsigned int sign = (bits & 0x8000u) << 16, rest = (bits & 0x7FFFu) << 13;
  // 2^112 moves the bias of 15 to that of 127, subnormal numbers included.
  const float scaled = __uint_as_float(rest) * 5.192296858534828e+33f;
  const float value = (bits & 0x7C00u) == 0x7C00u ? __uint_as_float(0x7F800000u | rest) : scaled;
  return __uint_as_float(sign | __float_as_uint(value));
}

// What a launch computes: elements [begin, end) of an output of `columns` a row.
struct CakePiece {
  long long begin, end, columns;
  double* want;
  double* scale;
};

static __device__ __forceinline__ long long CakeThread() {
  return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

// y[m, n] = sum over k of x[m, k] * w[n, k]: four by four elements a thread. Pieces are whole rows.
#define CAKE_TILE 4
extern "C" __global__ void cake_reference_gemm(CakeTensor x, CakeTensor w, long long depth,
                                               CakePiece piece) {
  const long long rows = (piece.end - piece.begin) / piece.columns;
  const long long across = (piece.columns + CAKE_TILE - 1) / CAKE_TILE;
  const long long tile = CakeThread();
  const long long m = tile / across * CAKE_TILE, n = tile % across * CAKE_TILE;
  if (m >= rows) return;
  const long long first = piece.begin / piece.columns;
  long long left[CAKE_TILE], right[CAKE_TILE];
  for (int i = 0; i < CAKE_TILE; ++i) {
    const long long row = m + i < rows ? m + i : rows - 1;
    const long long column = n + i < piece.columns ? n + i : piece.columns - 1;
    left[i] = (first + row) * x.strides[2];
    right[i] = column * w.strides[2];
  }
  double sum[CAKE_TILE][CAKE_TILE] = {}, size[CAKE_TILE][CAKE_TILE] = {};
  for (long long k = 0; k < depth; ++k) {
    double a[CAKE_TILE], b[CAKE_TILE];
    for (int i = 0; i < CAKE_TILE; ++i) {
      a[i] = CakeRead(x, left[i] + k * x.strides[3]);
      b[i] = CakeRead(w, right[i] + k * w.strides[3]);
    }
    for (int i = 0; i < CAKE_TILE; ++i) {
      for (int j = 0; j < CAKE_TILE; ++j) {
        const double term = a[i] * b[j];
        sum[i][j] += term;
        size[i][j] += fabs(term);
      }
    }
  }
  for (int i = 0; i < CAKE_TILE && m + i < rows; ++i) {
    for (int j = 0; j < CAKE_TILE && n + j < piece.columns; ++j) {
      piece.want[(m + i) * piece.columns + n + j] = sum[i][j];
      piece.scale[(m + i) * piece.columns + n + j] = size[i][j];
    }
  }
}

// o[s, :] = sum over keys t of softmax(factor * q[s] . k[t]) v[t, :]: eight columns of one query a
// thread, the sums rescaled whenever a larger score comes. Dimensions: batch, head, row, column.
// Scales are those of runner/reference/attention.cc, where their terms are explained.
#define CAKE_CHUNK 8
struct CakeHeads {
  long long heads, key_heads, queries, keys, depth, causal;
  double factor;
};
extern "C" __global__ void cake_reference_attention(CakeTensor q, CakeTensor k, CakeTensor v,
                                                    CakeHeads shape, CakePiece piece) {
  const long long chunks = (shape.depth + CAKE_CHUNK - 1) / CAKE_CHUNK;
  const long long row = CakeThread() / chunks, from = CakeThread() % chunks * CAKE_CHUNK;
  if (row >= (piece.end - piece.begin) / piece.columns) return;
  const long long whole = piece.begin / piece.columns + row, s = whole % shape.queries;
  const long long head = whole / shape.queries % shape.heads;
  const long long batch = whole / shape.queries / shape.heads;
  const long long key_head = head / (shape.heads / shape.key_heads);
  const long long query = batch * q.strides[0] + head * q.strides[1] + s * q.strides[2];
  const long long key = batch * k.strides[0] + key_head * k.strides[1];
  const long long value = batch * v.strides[0] + key_head * v.strides[1];
  long long seen = shape.causal ? s + 1 + shape.keys - shape.queries : shape.keys;
  seen = seen < 0 ? 0 : seen > shape.keys ? shape.keys : seen;
  const double unit = 1.0 / 131072, walk = 16 * sqrt((double)shape.depth) * unit;
  double top = 0, weights = 0, shares = 0, sum[CAKE_CHUNK] = {}, size[CAKE_CHUNK] = {};
  double plain[CAKE_CHUNK] = {}, squares[CAKE_CHUNK] = {};
  for (long long t = 0; t < seen; ++t) {
    double score = 0, terms = 0;
    for (long long d = 0; d < shape.depth; ++d) {
      const double term = CakeRead(q, query + d * q.strides[3]) *
                          CakeRead(k, key + t * k.strides[2] + d * k.strides[3]);
      score += term;
      terms += fabs(term);
    }
    score *= shape.factor;
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
    const double share = weight * walk * (1 + terms * fabs(shape.factor));
    weights += weight;
    shares += share;
    for (int c = 0; c < CAKE_CHUNK && from + c < shape.depth; ++c) {
      const double one = CakeRead(v, value + t * v.strides[2] + (from + c) * v.strides[3]);
      sum[c] += weight * one;
      size[c] += share * fabs(one);
      plain[c] += weight * fabs(one);
      squares[c] += weight * one * (weight * one);
    }
  }
  if (seen == 0) weights = 1;
  const double all = shares / weights + seen * unit, deviations = fmin(2.0, sqrt((double)seen));
  for (int c = 0; c < CAKE_CHUNK && from + c < shape.depth; ++c) {
    const double lost = size[c] + all * plain[c] + fabs(sum[c]) + deviations * sqrt(squares[c]);
    piece.want[row * piece.columns + from + c] = sum[c] / weights;
    piece.scale[row * piece.columns + from + c] = lost / weights;
  }
}
