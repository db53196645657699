// Atomics and ordered accesses: one PTX instruction each, with the order and the scope as written.
//
// A part whose name has words in capitals stands for every name that has other words in their
// place: SPACE is `global` or `shared`, ORDER and SCOPE are what the program wrote. The text takes
// the same words; ADDRESS is the operand for the address of that space.
#pragma once

//@ SPACE_ld_ORDER_SCOPE: bits_as
namespace cake {
template <typename T>
__device__ __forceinline__ T SPACE_ld_ORDER_SCOPE(const T* p) {
  if constexpr (sizeof(T) == 1) {
    unsigned int w;
    asm volatile("ld.ORDER.SCOPE.SPACE.u8 %0, [%1];" : "=r"(w) : ADDRESS : "memory");
    return bits_as<T>((unsigned char)w);
  } else if constexpr (sizeof(T) == 2) {
    unsigned short w;
    asm volatile("ld.ORDER.SCOPE.SPACE.b16 %0, [%1];" : "=h"(w) : ADDRESS : "memory");
    return bits_as<T>(w);
  } else if constexpr (sizeof(T) == 4) {
    unsigned int w;
    asm volatile("ld.ORDER.SCOPE.SPACE.b32 %0, [%1];" : "=r"(w) : ADDRESS : "memory");
    return bits_as<T>(w);
  } else {
    unsigned long long w;
    asm volatile("ld.ORDER.SCOPE.SPACE.b64 %0, [%1];" : "=l"(w) : ADDRESS : "memory");
    return bits_as<T>(w);
  }
}
}  // namespace cake

//@ SPACE_st_ORDER_SCOPE: bits_as
namespace cake {
template <typename T>
__device__ __forceinline__ void SPACE_st_ORDER_SCOPE(T* p, T x) {
  if constexpr (sizeof(T) == 1) {
    const unsigned int w = bits_as<unsigned char>(x);
    asm volatile("st.ORDER.SCOPE.SPACE.u8 [%0], %1;" ::ADDRESS, "r"(w) : "memory");
  } else if constexpr (sizeof(T) == 2) {
    asm volatile("st.ORDER.SCOPE.SPACE.b16 [%0], %1;" ::ADDRESS, "h"(bits_as<unsigned short>(x))
                 : "memory");
  } else if constexpr (sizeof(T) == 4) {
    asm volatile("st.ORDER.SCOPE.SPACE.b32 [%0], %1;" ::ADDRESS, "r"(bits_as<unsigned int>(x))
                 : "memory");
  } else {
    asm volatile("st.ORDER.SCOPE.SPACE.b64 [%0], %1;" ::ADDRESS, "l"(bits_as<unsigned long long>(x))
                 : "memory");
  }
}
}  // namespace cake

//@ SPACE_atomic_add_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ int SPACE_atomic_add_ORDER_SCOPE(int* p, int x) {
  int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.add.s32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned int SPACE_atomic_add_ORDER_SCOPE(unsigned int* p,
                                                                     unsigned int x) {
  unsigned int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ long long SPACE_atomic_add_ORDER_SCOPE(long long* p, long long x) {
  long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.add.u64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned long long SPACE_atomic_add_ORDER_SCOPE(unsigned long long* p,
                                                                           unsigned long long x) {
  unsigned long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.add.u64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ float SPACE_atomic_add_ORDER_SCOPE(float* p, float x) {
  float old;
  asm volatile("atom.ORDER.SCOPE.SPACE.add.f32 %0, [%1], %2;"
               : "=f"(old)
               : ADDRESS, "f"(x)
               : "memory");
  return old;
}
}  // namespace cake

//@ SPACE_atomic_min_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ int SPACE_atomic_min_ORDER_SCOPE(int* p, int x) {
  int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.min.s32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned int SPACE_atomic_min_ORDER_SCOPE(unsigned int* p,
                                                                     unsigned int x) {
  unsigned int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.min.u32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ long long SPACE_atomic_min_ORDER_SCOPE(long long* p, long long x) {
  long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.min.s64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned long long SPACE_atomic_min_ORDER_SCOPE(unsigned long long* p,
                                                                           unsigned long long x) {
  unsigned long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.min.u64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
}  // namespace cake

//@ SPACE_atomic_max_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ int SPACE_atomic_max_ORDER_SCOPE(int* p, int x) {
  int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.max.s32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned int SPACE_atomic_max_ORDER_SCOPE(unsigned int* p,
                                                                     unsigned int x) {
  unsigned int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.max.u32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ long long SPACE_atomic_max_ORDER_SCOPE(long long* p, long long x) {
  long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.max.s64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned long long SPACE_atomic_max_ORDER_SCOPE(unsigned long long* p,
                                                                           unsigned long long x) {
  unsigned long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.max.u64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
}  // namespace cake

//@ SPACE_atomic_and_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ int SPACE_atomic_and_ORDER_SCOPE(int* p, int x) {
  int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.and.b32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned int SPACE_atomic_and_ORDER_SCOPE(unsigned int* p,
                                                                     unsigned int x) {
  unsigned int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.and.b32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ long long SPACE_atomic_and_ORDER_SCOPE(long long* p, long long x) {
  long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.and.b64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned long long SPACE_atomic_and_ORDER_SCOPE(unsigned long long* p,
                                                                           unsigned long long x) {
  unsigned long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.and.b64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
}  // namespace cake

//@ SPACE_atomic_or_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ int SPACE_atomic_or_ORDER_SCOPE(int* p, int x) {
  int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.or.b32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned int SPACE_atomic_or_ORDER_SCOPE(unsigned int* p,
                                                                    unsigned int x) {
  unsigned int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.or.b32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ long long SPACE_atomic_or_ORDER_SCOPE(long long* p, long long x) {
  long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.or.b64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned long long SPACE_atomic_or_ORDER_SCOPE(unsigned long long* p,
                                                                          unsigned long long x) {
  unsigned long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.or.b64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
}  // namespace cake

//@ SPACE_atomic_xor_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ int SPACE_atomic_xor_ORDER_SCOPE(int* p, int x) {
  int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.xor.b32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned int SPACE_atomic_xor_ORDER_SCOPE(unsigned int* p,
                                                                     unsigned int x) {
  unsigned int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.xor.b32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ long long SPACE_atomic_xor_ORDER_SCOPE(long long* p, long long x) {
  long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.xor.b64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned long long SPACE_atomic_xor_ORDER_SCOPE(unsigned long long* p,
                                                                           unsigned long long x) {
  unsigned long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.xor.b64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
}  // namespace cake

//@ SPACE_atomic_exch_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ int SPACE_atomic_exch_ORDER_SCOPE(int* p, int x) {
  int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.exch.b32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned int SPACE_atomic_exch_ORDER_SCOPE(unsigned int* p,
                                                                      unsigned int x) {
  unsigned int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.exch.b32 %0, [%1], %2;"
               : "=r"(old)
               : ADDRESS, "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ long long SPACE_atomic_exch_ORDER_SCOPE(long long* p, long long x) {
  long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.exch.b64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned long long SPACE_atomic_exch_ORDER_SCOPE(unsigned long long* p,
                                                                            unsigned long long x) {
  unsigned long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.exch.b64 %0, [%1], %2;"
               : "=l"(old)
               : ADDRESS, "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ float SPACE_atomic_exch_ORDER_SCOPE(float* p, float x) {
  float old;
  asm volatile("atom.ORDER.SCOPE.SPACE.exch.b32 %0, [%1], %2;"
               : "=f"(old)
               : ADDRESS, "f"(x)
               : "memory");
  return old;
}
}  // namespace cake

//@ SPACE_atomic_cas_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ int SPACE_atomic_cas_ORDER_SCOPE(int* p, int expected, int x) {
  int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.cas.b32 %0, [%1], %2, %3;"
               : "=r"(old)
               : ADDRESS, "r"(expected), "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned int SPACE_atomic_cas_ORDER_SCOPE(unsigned int* p,
                                                                     unsigned int expected,
                                                                     unsigned int x) {
  unsigned int old;
  asm volatile("atom.ORDER.SCOPE.SPACE.cas.b32 %0, [%1], %2, %3;"
               : "=r"(old)
               : ADDRESS, "r"(expected), "r"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ long long SPACE_atomic_cas_ORDER_SCOPE(long long* p, long long expected,
                                                                  long long x) {
  long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.cas.b64 %0, [%1], %2, %3;"
               : "=l"(old)
               : ADDRESS, "l"(expected), "l"(x)
               : "memory");
  return old;
}
__device__ __forceinline__ unsigned long long SPACE_atomic_cas_ORDER_SCOPE(
    unsigned long long* p, unsigned long long expected, unsigned long long x) {
  unsigned long long old;
  asm volatile("atom.ORDER.SCOPE.SPACE.cas.b64 %0, [%1], %2, %3;"
               : "=l"(old)
               : ADDRESS, "l"(expected), "l"(x)
               : "memory");
  return old;
}
}  // namespace cake

//@ SPACE_red_add_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ void SPACE_red_add_ORDER_SCOPE(int* p, int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.add.s32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_add_ORDER_SCOPE(unsigned int* p, unsigned int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.add.u32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_add_ORDER_SCOPE(long long* p, long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.add.u64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_add_ORDER_SCOPE(unsigned long long* p,
                                                          unsigned long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.add.u64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_add_ORDER_SCOPE(float* p, float x) {
  asm volatile("red.ORDER.SCOPE.SPACE.add.f32 [%0], %1;" ::ADDRESS, "f"(x) : "memory");
}
}  // namespace cake

//@ SPACE_red_min_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ void SPACE_red_min_ORDER_SCOPE(int* p, int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.min.s32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_min_ORDER_SCOPE(unsigned int* p, unsigned int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.min.u32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_min_ORDER_SCOPE(long long* p, long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.min.s64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_min_ORDER_SCOPE(unsigned long long* p,
                                                          unsigned long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.min.u64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
}  // namespace cake

//@ SPACE_red_max_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ void SPACE_red_max_ORDER_SCOPE(int* p, int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.max.s32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_max_ORDER_SCOPE(unsigned int* p, unsigned int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.max.u32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_max_ORDER_SCOPE(long long* p, long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.max.s64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_max_ORDER_SCOPE(unsigned long long* p,
                                                          unsigned long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.max.u64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
}  // namespace cake

//@ SPACE_red_and_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ void SPACE_red_and_ORDER_SCOPE(int* p, int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.and.b32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_and_ORDER_SCOPE(unsigned int* p, unsigned int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.and.b32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_and_ORDER_SCOPE(long long* p, long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.and.b64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_and_ORDER_SCOPE(unsigned long long* p,
                                                          unsigned long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.and.b64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
}  // namespace cake

//@ SPACE_red_or_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ void SPACE_red_or_ORDER_SCOPE(int* p, int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.or.b32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_or_ORDER_SCOPE(unsigned int* p, unsigned int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.or.b32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_or_ORDER_SCOPE(long long* p, long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.or.b64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_or_ORDER_SCOPE(unsigned long long* p,
                                                         unsigned long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.or.b64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
}  // namespace cake

//@ SPACE_red_xor_ORDER_SCOPE
namespace cake {
__device__ __forceinline__ void SPACE_red_xor_ORDER_SCOPE(int* p, int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.xor.b32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_xor_ORDER_SCOPE(unsigned int* p, unsigned int x) {
  asm volatile("red.ORDER.SCOPE.SPACE.xor.b32 [%0], %1;" ::ADDRESS, "r"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_xor_ORDER_SCOPE(long long* p, long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.xor.b64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
__device__ __forceinline__ void SPACE_red_xor_ORDER_SCOPE(unsigned long long* p,
                                                          unsigned long long x) {
  asm volatile("red.ORDER.SCOPE.SPACE.xor.b64 [%0], %1;" ::ADDRESS, "l"(x) : "memory");
}
}  // namespace cake
