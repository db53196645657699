// Program `example` for sm_80, from example.cake.

namespace cake {
struct f16 {
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

template <typename T>
__device__ __forceinline__ void store(void* p, const T& x) {
  *reinterpret_cast<word<T>*>(p) = bits_as<word<T>>(x);
}

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

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void ldmatrix_x4(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3,
                                            const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(shared_address(row))
               : "memory");
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(32, 1)
example_run(
    const cake::f16* __restrict__ x,
    cake::f16* __restrict__ y) {
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  cake::f16* const s = reinterpret_cast<cake::f16*>(cake_smem);
  const int lane = threadIdx.x % 32;
#line 7 "example.cake"
  for (int c = 0; c < 2; ++c) {
#line 7 "example.cake"
    cake::store(&s[lane / 2 * 24 + lane % 2 * 8 + c * 4], cake::load_nc<4>(&x[(lane / 2) * 16 + lane % 2 * 8 + c * 4]));
  }
#line 8 "example.cake"
  __syncwarp();
#line 9 "example.cake"
  cake::fragment<cake::f16, 2, 4> f;
#line 10 "example.cake"
  asm volatile("// @span 281 296");
  cake::ldmatrix_x4(f.reg[0][0], f.reg[1][0], f.reg[0][1], f.reg[1][1], &s[(lane % 16) * 24 + lane / 16 * 8]);
#line 11 "example.cake"
  #pragma unroll
  for (int r = 0; r < 2; ++r) {
#line 11 "example.cake"
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
#line 11 "example.cake"
      y[(lane / 4 + r * 8) * 16 + lane % 4 * 2 + e / 2 * 8 + e % 2] = f.get(r, e);
    }
  }
}
