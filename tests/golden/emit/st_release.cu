// Program `example` for sm_80, from example.cake.

namespace cake {
template <typename To, typename From>
__device__ __forceinline__ To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  return *reinterpret_cast<const To*>(&from);
}

template <typename T>
__device__ __forceinline__ T shared_ld_acquire_cta(const T* p) {
  if constexpr (sizeof(T) == 1) {
    unsigned int w;
    asm volatile("ld.acquire.cta.shared.u8 %0, [%1];" : "=r"(w) : "r"((unsigned int)__cvta_generic_to_shared(p)) : "memory");
    return bits_as<T>((unsigned char)w);
  } else if constexpr (sizeof(T) == 2) {
    unsigned short w;
    asm volatile("ld.acquire.cta.shared.b16 %0, [%1];" : "=h"(w) : "r"((unsigned int)__cvta_generic_to_shared(p)) : "memory");
    return bits_as<T>(w);
  } else if constexpr (sizeof(T) == 4) {
    unsigned int w;
    asm volatile("ld.acquire.cta.shared.b32 %0, [%1];" : "=r"(w) : "r"((unsigned int)__cvta_generic_to_shared(p)) : "memory");
    return bits_as<T>(w);
  } else {
    unsigned long long w;
    asm volatile("ld.acquire.cta.shared.b64 %0, [%1];" : "=l"(w) : "r"((unsigned int)__cvta_generic_to_shared(p)) : "memory");
    return bits_as<T>(w);
  }
}

template <typename T>
__device__ __forceinline__ void shared_st_release_cta(T* p, T x) {
  if constexpr (sizeof(T) == 1) {
    const unsigned int w = bits_as<unsigned char>(x);
    asm volatile("st.release.cta.shared.u8 [%0], %1;" ::"r"((unsigned int)__cvta_generic_to_shared(p)), "r"(w) : "memory");
  } else if constexpr (sizeof(T) == 2) {
    asm volatile("st.release.cta.shared.b16 [%0], %1;" ::"r"((unsigned int)__cvta_generic_to_shared(p)), "h"(bits_as<unsigned short>(x))
                 : "memory");
  } else if constexpr (sizeof(T) == 4) {
    asm volatile("st.release.cta.shared.b32 [%0], %1;" ::"r"((unsigned int)__cvta_generic_to_shared(p)), "r"(bits_as<unsigned int>(x))
                 : "memory");
  } else {
    asm volatile("st.release.cta.shared.b64 [%0], %1;" ::"r"((unsigned int)__cvta_generic_to_shared(p)), "l"(bits_as<unsigned long long>(x))
                 : "memory");
  }
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(64, 1)
example_run(
    const float* __restrict__ x,
    float* y) {
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const box = reinterpret_cast<float*>(cake_smem);
  unsigned int* const full = reinterpret_cast<unsigned int*>(cake_smem + 128);
  // The same in all lanes, and known to be: roles do not diverge.
  const int warp_index = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  if (warp_index < 1) {  // role produce
    const int lane = threadIdx.x % 32;
    const int thread = threadIdx.x;
#line 8 "example.cake"
    if (thread == 0) {
#line 8 "example.cake"
      full[0] = 0u;
    }
#line 9 "example.cake"
    asm volatile("bar.arrive 1, 64;  // @span 208 224" ::: "memory");
#line 10 "example.cake"
    box[lane] = __ldg(&x[lane]);
#line 11 "example.cake"
    __syncwarp();
#line 12 "example.cake"
    if (thread == 0) {
#line 12 "example.cake"
      cake::shared_st_release_cta<unsigned int>(&full[0], 1u);
    }
  } else if (warp_index >= 1 && warp_index < 2) {  // role consume
    const int lane = threadIdx.x % 32;
    const int thread = threadIdx.x - 32;
#line 15 "example.cake"
    asm volatile("bar.sync 1, 64;  // @span 345 359" ::: "memory");
#line 16 "example.cake"
    if (thread == 0) {
#line 16 "example.cake"
      while (cake::shared_ld_acquire_cta(&full[0]) == 0u) {
      }
    }
#line 17 "example.cake"
    __syncwarp();
#line 18 "example.cake"
    y[lane] = box[31 - lane];
  }
}
