// Program `example` for sm_80, from example.cake.

namespace cake {
struct bf16 {
  unsigned short bits;
};

// Registers. What moves as one word is aligned like it, and pairs of elements as a pair.
__device__ constexpr int array_alignment(int bytes, int element) {
  if (bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32) return bytes;
  return bytes % (2 * element) == 0 && element < 8 ? 2 * element : element;
}
template <typename T, int N>
struct alignas(array_alignment(sizeof(T) * N, sizeof(T))) array {
  T value[N];
  __device__ __forceinline__ T& operator[](int i) { return value[i]; }
  __device__ __forceinline__ const T& operator[](int i) const { return value[i]; }
};

template <typename To, typename From>
__device__ __forceinline__ To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  return *reinterpret_cast<const To*>(&from);
}

// The type that moves 1, 2, 4, 8, 16 or 32 bytes in one access.
template <int Bytes>
struct word_of;
template <>
struct word_of<1> {
  using type = unsigned char;
};
template <>
struct word_of<2> {
  using type = unsigned short;
};
template <>
struct word_of<4> {
  using type = unsigned int;
};
template <>
struct word_of<8> {
  using type = uint2;
};
template <>
struct word_of<16> {
  using type = uint4;
};
struct alignas(32) uint8 {
  uint4 low, high;
};
template <>
struct word_of<32> {
  using type = uint8;
};
template <typename T>
using word = typename word_of<sizeof(T)>::type;

// Of memory that this kernel never writes.
template <typename T>
__device__ __forceinline__ T load_nc(const T* p) {
  return bits_as<T>(__ldg(reinterpret_cast<const word<T>*>(p)));
}
template <int N, typename T>
__device__ __forceinline__ array<T, N> load_nc(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(__ldg(reinterpret_cast<const word<A>*>(p)));
}

// A thread's part of an accumulator of 32-bit elements.
template <typename T, int Rows, int Columns>
struct tile {
  T reg[Rows][Columns];
  __device__ __forceinline__ T* operator[](int r) { return reg[r]; }
  __device__ __forceinline__ const T* operator[](int r) const { return reg[r]; }
};

// A thread's part of a tile whose neighbours in a row share a 32-bit register.
template <typename T, int Rows, int Columns>
struct fragment {
  static constexpr int kPack = 4 / sizeof(T);
  static constexpr int kBits = 8 * sizeof(T);
  unsigned reg[Rows][Columns / kPack];
  __device__ __forceinline__ T get(int r, int e) const {
    return bits_as<T>((typename word_of<sizeof(T)>::type)(reg[r][e / kPack] >> e % kPack * kBits));
  }
  __device__ __forceinline__ void set(int r, int e, T x) {
    unsigned& word = reg[r][e / kPack];
    const unsigned mask = (~0u >> (32 - kBits)) << e % kPack * kBits;
    const unsigned bits = bits_as<typename word_of<sizeof(T)>::type>(x);
    word = (word & ~mask) | bits << e % kPack * kBits;
  }
};

// The same with neighbours of a column in one register.
template <typename T, int Rows, int Columns>
struct fragment_b {
  static constexpr int kPack = 4 / sizeof(T);
  static constexpr int kBits = 8 * sizeof(T);
  unsigned reg[Rows / kPack][Columns];
  __device__ __forceinline__ T get(int r, int e) const {
    return bits_as<T>((typename word_of<sizeof(T)>::type)(reg[r / kPack][e] >> r % kPack * kBits));
  }
  __device__ __forceinline__ void set(int r, int e, T x) {
    unsigned& word = reg[r / kPack][e];
    const unsigned mask = (~0u >> (32 - kBits)) << r % kPack * kBits;
    const unsigned bits = bits_as<typename word_of<sizeof(T)>::type>(x);
    word = (word & ~mask) | bits << r % kPack * kBits;
  }
};

template <typename Fragment>
__device__ __forceinline__ void clear(Fragment& f) {
#pragma unroll
  for (int r = 0; r < sizeof(f.reg) / sizeof(f.reg[0]); ++r) {
#pragma unroll
    for (int e = 0; e < sizeof(f.reg[0]) / sizeof(f.reg[0][0]); ++e) f.reg[r][e] = 0;
  }
}

__device__ __forceinline__ void mma_m16n8k16_f32_bf16_bf16(float& d0, float& d1, float& d2,
                                                           float& d3, unsigned a0, unsigned a1,
                                                           unsigned a2, unsigned a3, unsigned b0,
                                                           unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(32, 1)
example_run(
    const cake::bf16* __restrict__ a,
    const cake::bf16* __restrict__ b,
    float* __restrict__ y) {
  const int lane = threadIdx.x % 32;
#line 6 "example.cake"
  cake::fragment<cake::bf16, 2, 4> fa;
#line 7 "example.cake"
  cake::fragment_b<cake::bf16, 4, 1> fb;
#line 8 "example.cake"
  cake::tile<float, 2, 2> acc;
#line 9 "example.cake"
  #pragma unroll
  for (int r = 0; r < 2; ++r) {
#line 9 "example.cake"
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
#line 9 "example.cake"
      fa.set(r, e, cake::load_nc(&a[(lane / 4 + r * 8) * 16 + lane % 4 * 2 + e / 2 * 8 + e % 2]));
    }
  }
#line 10 "example.cake"
  #pragma unroll
  for (int r = 0; r < 4; ++r) {
#line 10 "example.cake"
    #pragma unroll
    for (int e = 0; e < 1; ++e) {
#line 10 "example.cake"
      fb.set(r, e, cake::load_nc(&b[(lane / 4 + e * 8) * 16 + lane % 4 * 2 + r / 2 * 8 + r % 2]));
    }
  }
#line 11 "example.cake"
  cake::clear(acc);
  asm volatile("// @span 349 366");
  cake::mma_m16n8k16_f32_bf16_bf16(
      acc.reg[0][0], acc.reg[0][1], acc.reg[1][0], acc.reg[1][1],
      fa.reg[0][0], fa.reg[1][0], fa.reg[0][1], fa.reg[1][1],
      fb.reg[0][0], fb.reg[1][0]);
#line 12 "example.cake"
  #pragma unroll
  for (int r = 0; r < 2; ++r) {
#line 12 "example.cake"
    #pragma unroll
    for (int e = 0; e < 2; ++e) {
#line 12 "example.cake"
      y[(lane / 4 + r * 8) * 8 + lane % 4 * 2 + e / 2 * 8 + e % 2] = acc[r][e];
    }
  }
}
