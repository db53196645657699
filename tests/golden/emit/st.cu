// Program `example` for sm_80, from example.cake.

namespace cake {
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

template <typename Word>
__device__ __forceinline__ void store_evict_first_word(void* p, Word w) {
  if constexpr (sizeof(Word) == 1) {
    asm volatile("st.global.L1::evict_first.u8 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
                 "r"((unsigned int)w)
                 : "memory");
  } else if constexpr (sizeof(Word) == 2) {
    asm volatile("st.global.L1::evict_first.u16 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
                 "h"(w)
                 : "memory");
  } else if constexpr (sizeof(Word) == 4) {
    asm volatile("st.global.L1::evict_first.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
                 "r"(w)
                 : "memory");
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile(
        "st.global.L1::evict_first.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)),
        "r"(w.x), "r"(w.y)
        : "memory");
  } else if constexpr (sizeof(Word) == 16) {
    asm volatile("st.global.L1::evict_first.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(
                     __cvta_generic_to_global(p)),
                 "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
                 : "memory");
  } else {
    asm volatile("st.global.L1::evict_first.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(
                     __cvta_generic_to_global(p)),
                 "r"(w.low.x), "r"(w.low.y), "r"(w.low.z), "r"(w.low.w), "r"(w.high.x),
                 "r"(w.high.y), "r"(w.high.z), "r"(w.high.w)
                 : "memory");
  }
}
template <typename T>
__device__ __forceinline__ void store_evict_first(void* p, const T& x) {
  store_evict_first_word(p, bits_as<word<T>>(x));
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const float* __restrict__ x,
    float* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    const float v = __ldg(&x[i]);
#line 8 "example.cake"
    cake::store_evict_first(&y[i * 4], cake::array<float, 4>{v, v, v, v});
  }
}
