// Program `example` for sm_80, from example.cake.

namespace cake {
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

// What a shuffle moves: x itself, or whole registers with the bits of what is narrower or packed.
template <typename T>
__device__ __forceinline__ auto to_register(T x) {
  if constexpr (requires { x.bits; }) {
    if constexpr (sizeof(T) >= 4) {
      return x.bits;
    } else {
      return (unsigned int)x.bits;
    }
  } else if constexpr (sizeof(T) >= 4) {
    return x;
  } else {
    return (unsigned int)bits_as<word<T>>(x);
  }
}
template <typename T, typename R>
__device__ __forceinline__ T from_register(R r) {
  if constexpr (requires(T x) { x.bits; }) {
    return T{(decltype(T::bits))r};
  } else if constexpr (sizeof(T) >= 4) {
    return r;
  } else {
    return bits_as<T>((word<T>)r);
  }
}

template <int Width, typename T>
__device__ __forceinline__ T shfl_idx(T x, int i) {
  return from_register<T>(__shfl_sync(0xffffffffu, to_register(x), i, Width));
}

template <int Width, typename T>
__device__ __forceinline__ T lanes_first(T x) {
  return shfl_idx<Width>(x, 0);
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
  const float v = i < N ? __ldg(&x[i]) : 0.0f;
#line 9 "example.cake"
  const float r = cake::lanes_first<32>(v);
#line 10 "example.cake"
  if (i < N) {
#line 10 "example.cake"
    y[i] = r;
  }
}
