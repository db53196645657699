// Plain forms of references on a device, in double precision, for sizes that take the host long:
// a few elements a thread, in the order of the definition. What they give is
// compared with the host's own at places of every output (runner/worker/device_reference.cc).

// A tensor: address, how its elements are stored (0: f32, 1: bf16, 2: f16, 3: i32, 4: e4m3), and
// how far apart the elements of its dimensions are, the last four of them.
struct CakeTensor {
  unsigned long long address;
  long long strides[4];
  long long format;
};

static __device__ __forceinline__ double CakeRead(const CakeTensor& tensor, long long offset) {
  if (tensor.format == 0) return ((const float*)tensor.address)[offset];
  if (tensor.format == 3) return ((const int*)tensor.address)[offset];
  if (tensor.format == 4) {
    // Four bits of exponent with a bias of 7, three of mantissa; 120 moves the bias to that of f32.
    const unsigned int code = ((const unsigned char*)tensor.address)[offset];
    const unsigned int sign = (code & 0x80u) << 24, rest = (code & 0x7Fu) << 20;
    const float value = (code & 0x7Fu) == 0x7Fu
                            ? __uint_as_float(0x7FC00000u)
                            : __uint_as_float(rest) * 1.329227995784916e+36f;
    return __uint_as_float(sign | __float_as_uint(value));
  }
  const unsigned int bits = ((const unsigned short*)tensor.address)[offset];
  if (tensor.format == 1) return __uint_as_float(bits << 16);
  const unsigned int sign = (bits & 0x8000u) << 16, rest = (bits & 0x7FFFu) << 13;
  // 2^112 moves the bias of 15 to that of 127, subnormal numbers included.
  const float scaled = __uint_as_float(rest) * 5.192296858534828e+33f;
  const float value = (bits & 0x7C00u) == 0x7C00u ? __uint_as_float(0x7F800000u | rest) : scaled;
  return __uint_as_float(sign | __float_as_uint(value));
}

// Sizes of an operation, in an order of its own, and its factor.
#define CAKE_SIZES 8
struct CakeShape {
  long long n[CAKE_SIZES];
  double factor;
};

// What a launch computes: elements [begin, end) of an output of `columns` a row.
struct CakePiece {
  long long begin, end, columns;
  double* want;
  double* scale;
};

static __device__ __forceinline__ long long CakeThread() {
  return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

// Sums of products of four rows of a by four rows of b over `depth` columns, and of their sizes.
#define CAKE_TILE 4
struct CakeTile {
  double sum[CAKE_TILE][CAKE_TILE], size[CAKE_TILE][CAKE_TILE];
};
static __device__ __forceinline__ void CakeMultiply(const CakeTensor& a, const long long* left,
                                                    const CakeTensor& b, const long long* right,
                                                    long long depth, CakeTile& tile) {
  for (int i = 0; i < CAKE_TILE; ++i) {
    for (int j = 0; j < CAKE_TILE; ++j) tile.sum[i][j] = tile.size[i][j] = 0;
  }
  for (long long k = 0; k < depth; ++k) {
    double x[CAKE_TILE], y[CAKE_TILE];
    for (int i = 0; i < CAKE_TILE; ++i) {
      x[i] = CakeRead(a, left[i] + k * a.strides[3]);
      y[i] = CakeRead(b, right[i] + k * b.strides[3]);
    }
    for (int i = 0; i < CAKE_TILE; ++i) {
      for (int j = 0; j < CAKE_TILE; ++j) {
        const double term = x[i] * y[j];
        tile.sum[i][j] += term;
        tile.size[i][j] += fabs(term);
      }
    }
  }
}

// Where a thread's tile of an output of whole rows begins; rows and columns behind the last are the
// last.
struct CakePlace {
  long long m, n, rows, first;
  long long row[CAKE_TILE], column[CAKE_TILE];
};
static __device__ __forceinline__ bool CakeFind(const CakePiece& piece, CakePlace& at) {
  const long long across = (piece.columns + CAKE_TILE - 1) / CAKE_TILE;
  const long long tile = CakeThread();
  at.rows = (piece.end - piece.begin) / piece.columns;
  at.first = piece.begin / piece.columns;
  at.m = tile / across * CAKE_TILE, at.n = tile % across * CAKE_TILE;
  if (at.m >= at.rows) return false;
  for (int i = 0; i < CAKE_TILE; ++i) {
    at.row[i] = at.first + (at.m + i < at.rows ? at.m + i : at.rows - 1);
    at.column[i] = at.n + i < piece.columns ? at.n + i : piece.columns - 1;
  }
  return true;
}

// y[m, n] = sum over k of x[m, k] * w[n, k]: four by four elements a thread. Pieces are whole rows.
// n: depth.
extern "C" __global__ void cake_reference_gemm(CakeTensor x, CakeTensor w, CakeShape shape,
                                               CakePiece piece) {
  CakePlace at;
  if (!CakeFind(piece, at)) return;
  long long left[CAKE_TILE], right[CAKE_TILE];
  for (int i = 0; i < CAKE_TILE; ++i) {
    left[i] = at.row[i] * x.strides[2];
    right[i] = at.column[i] * w.strides[2];
  }
  CakeTile tile;
  CakeMultiply(x, left, w, right, shape.n[0], tile);
  for (int i = 0; i < CAKE_TILE && at.m + i < at.rows; ++i) {
    for (int j = 0; j < CAKE_TILE && at.n + j < piece.columns; ++j) {
      piece.want[(at.m + i) * piece.columns + at.n + j] = tile.sum[i][j];
      piece.scale[(at.m + i) * piece.columns + at.n + j] = tile.size[i][j];
    }
  }
}

// y[m, n] = sum over k of a[m, k] * b[n, k], each block of 128 of k scaled by sa[k / 128, m] and
// sb[n / 128, k / 128]. An element a thread. n: depth.
extern "C" __global__ void cake_reference_blockwise(CakeTensor a, CakeTensor b, CakeTensor sa,
                                                    CakeTensor sb, CakeShape shape,
                                                    CakePiece piece) {
  const long long at = CakeThread();
  if (at >= piece.end - piece.begin) return;
  const long long m = (piece.begin + at) / piece.columns, n = (piece.begin + at) % piece.columns;
  double all = 0, all_size = 0;
  for (long long from = 0; from < shape.n[0]; from += 128) {
    const long long end = shape.n[0] - from < 128 ? shape.n[0] : from + 128;
    double sum = 0, size = 0;
    for (long long k = from; k < end; ++k) {
      const double term = CakeRead(a, m * a.strides[2] + k * a.strides[3]) *
                          CakeRead(b, n * b.strides[2] + k * b.strides[3]);
      sum += term;
      size += fabs(term);
    }
    const double factor = CakeRead(sa, from / 128 * sa.strides[2] + m * sa.strides[3]) *
                          CakeRead(sb, n / 128 * sb.strides[2] + from / 128 * sb.strides[3]);
    all += sum * factor;
    all_size += size * fabs(factor);
  }
  piece.want[at] = all;
  piece.scale[at] = all_size;
}

// y[t, f] = silu(x[t] . w[e, 0, f]) * (x[t] . w[e, 1, f]) for rows off[e] <= t < off[e + 1]; the
// scale is that of runner/reference/matrix.cc. n: experts, depth.
extern "C" __global__ void cake_reference_swiglu(CakeTensor x, CakeTensor w, CakeTensor off,
                                                 CakeShape shape, CakePiece piece) {
  const long long at = CakeThread();
  if (at >= piece.end - piece.begin) return;
  const long long t = (piece.begin + at) / piece.columns, f = (piece.begin + at) % piece.columns;
  long long expert = 0;
  while (expert + 1 < shape.n[0] && CakeRead(off, (expert + 1) * off.strides[3]) <= t) ++expert;
  double gate = 0, gate_size = 0, up = 0, up_size = 0;
  const long long row = t * x.strides[2];
  const long long first = expert * w.strides[0] + f * w.strides[2], second = first + w.strides[1];
  for (long long k = 0; k < shape.n[1]; ++k) {
    const double one = CakeRead(x, row + k * x.strides[3]);
    const double a = one * CakeRead(w, first + k * w.strides[3]);
    const double b = one * CakeRead(w, second + k * w.strides[3]);
    gate += a, gate_size += fabs(a), up += b, up_size += fabs(b);
  }
  const double silu = gate / (1 + exp(-gate));
  piece.want[at] = silu * up;
  piece.scale[at] = 1.1 * gate_size * fabs(up) + fabs(silu) * up_size;
}

// The score of a point and a centroid, x . c - |c|^2 / 2, and its size.
struct CakeScore {
  double score, size;
};
static __device__ __forceinline__ CakeScore CakeMeet(const CakeTensor& x, long long point,
                                                     const CakeTensor& c, long long centroid,
                                                     long long depth) {
  double sum = 0, size = 0, half = 0;
  for (long long d = 0; d < depth; ++d) {
    const double other = CakeRead(c, centroid + d * c.strides[3]);
    const double term = CakeRead(x, point + d * x.strides[3]) * other;
    sum += term;
    size += fabs(term);
    half += other * other / 2;
  }
  return {sum - half, size + half};
}

// ids[.., n] = the nearest centroid, the lowest among equals; the scale is the largest of all. A
// point a thread. n: points and centroids of a batch, depth.
extern "C" __global__ void cake_reference_nearest(CakeTensor x, CakeTensor c, CakeShape shape,
                                                  CakePiece piece) {
  const long long at = CakeThread();
  if (at >= piece.end - piece.begin) return;
  const long long batch = (piece.begin + at) / shape.n[0], n = (piece.begin + at) % shape.n[0];
  const long long point = batch * x.strides[1] + n * x.strides[2];
  double best = 0, largest = 0;
  long long id = 0;
  for (long long k = 0; k < shape.n[1]; ++k) {
    const CakeScore one =
        CakeMeet(x, point, c, batch * c.strides[1] + k * c.strides[2], shape.n[2]);
    largest = one.size > largest ? one.size : largest;
    if (k > 0 && !(one.score > best)) continue;
    best = one.score, id = k;
  }
  piece.want[at] = (double)id;
  piece.scale[at] = largest;
}

// ids[q, j] = the j-th nearest point, the lower index first among equals. A query a thread.
// n: points, depth.
// The ranks that are held lie where the result will.
extern "C" __global__ void cake_reference_knn(CakeTensor x, CakeTensor c, CakeShape shape,
                                              CakePiece piece) {
  const long long row = CakeThread();
  if (row >= (piece.end - piece.begin) / piece.columns) return;
  const long long query = (piece.begin / piece.columns + row) * x.strides[2];
  double *ids = piece.want + row * piece.columns, *scores = piece.scale + row * piece.columns;
  double largest = 0, least = 0;
  long long held = 0;
  for (long long k = 0; k < shape.n[0]; ++k) {
    const CakeScore one = CakeMeet(x, query, c, k * c.strides[2], shape.n[1]);
    largest = one.size > largest ? one.size : largest;
    if (held == piece.columns && !(one.score > least)) continue;
    long long place = held < piece.columns ? held++ : held - 1;
    for (; place > 0 && one.score > scores[place - 1]; --place) {
      scores[place] = scores[place - 1];
      ids[place] = ids[place - 1];
    }
    scores[place] = one.score;
    ids[place] = (double)k;
    least = scores[held - 1];
  }
  for (long long j = 0; j < piece.columns; ++j) scores[j] = largest;
}
