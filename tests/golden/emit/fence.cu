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

__device__ __forceinline__ int global_atomic_add_relaxed_gpu(int* p, int x) {
  int old;
  asm volatile("atom.relaxed.gpu.global.add.s32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(__cvta_generic_to_global(p)), "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned int global_atomic_add_relaxed_gpu(unsigned int* p,
                                                                     unsigned int x) {
  unsigned int old;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(__cvta_generic_to_global(p)), "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ long long global_atomic_add_relaxed_gpu(long long* p, long long x) {
  long long old;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
               : "=l"(old)
               : "l"(__cvta_generic_to_global(p)), "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned long long global_atomic_add_relaxed_gpu(unsigned long long* p,
                                                                           unsigned long long x) {
  unsigned long long old;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
               : "=l"(old)
               : "l"(__cvta_generic_to_global(p)), "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ float global_atomic_add_relaxed_gpu(float* p, float x) {
  float old;
  asm volatile("atom.relaxed.gpu.global.add.f32 %0, [%1], %2;"
               : "=f"(old)
               : "l"(__cvta_generic_to_global(p)), "f"(x)
               : "memory");
  return old;
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(32, 1)
example_run(
    const float* __restrict__ x,
    float* y,
    float* part,
    int* arrived,
    int N) {
  const int cta = blockIdx.x;
  const int lane = threadIdx.x % 32;
#line 8 "example.cake"
  part[cta * 32 + lane] = __ldg(&x[cta * 32 + lane]);
#line 9 "example.cake"
  __syncwarp();
#line 10 "example.cake"
  int ticket = 0;
#line 11 "example.cake"
  if (lane == 0) {
#line 12 "example.cake"
    asm volatile("fence.acq_rel.gpu;  // @span 290 299" ::: "memory");
#line 13 "example.cake"
    const int arrived_value = cake::global_atomic_add_relaxed_gpu(&arrived[0], 1);
#line 13 "example.cake"
    ticket = arrived_value;
#line 14 "example.cake"
    asm volatile("fence.acq_rel.gpu;  // @span 359 368" ::: "memory");
  }
#line 16 "example.cake"
  if (cake::lanes_first<32>(ticket) == N - 1) {
#line 17 "example.cake"
    __syncwarp();
#line 18 "example.cake"
    float sum = 0.0f;
#line 19 "example.cake"
    for (int i = 0; i < N; ++i) {
#line 19 "example.cake"
      sum += part[i * 32 + lane];
    }
#line 20 "example.cake"
    y[lane] = sum;
  }
}
