// Loads, stores and register arrays. Device functions that emitted kernels call: one instruction
// each, or the fixed sequence that the language defines. No include: NVRTC runs without an include
// path.
//
// The emitter copies only what a kernel uses. A part begins with `//@ name..: needed parts..` and
// ends where the next one begins; a kernel that names `cake::name` gets it and what it needs.
#pragma once

//@ array
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
}  // namespace cake

//@ splat: array
namespace cake {
template <typename T, int N>
__device__ __forceinline__ array<T, N> splat(T x) {
  array<T, N> a;
#pragma unroll
  for (int i = 0; i < N; ++i) a[i] = x;
  return a;
}
}  // namespace cake

//@ put
namespace cake {
// A pair of neighbouring elements.
template <typename T, typename Pair>
__device__ __forceinline__ void put(T* p, Pair pair) {
  static_assert(sizeof(Pair) == 2 * sizeof(T), "two elements");
  *reinterpret_cast<Pair*>(p) = pair;
}
}  // namespace cake

//@ bits_as
namespace cake {
template <typename To, typename From>
__device__ __forceinline__ To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  return *reinterpret_cast<const To*>(&from);
}
}  // namespace cake

//@ word
namespace cake {
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
}  // namespace cake

//@ load: array word bits_as
namespace cake {
template <int N, typename T>
__device__ __forceinline__ array<T, N> load(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(*reinterpret_cast<const word<A>*>(p));
}
}  // namespace cake

//@ load_nc: array word bits_as
namespace cake {
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
}  // namespace cake

//@ load_cached: array word bits_as
namespace cake {
template <typename T>
__device__ __forceinline__ T load_cached(const T* p) {
  return bits_as<T>(__ldca(reinterpret_cast<const word<T>*>(p)));
}
template <int N, typename T>
__device__ __forceinline__ array<T, N> load_cached(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(__ldca(reinterpret_cast<const word<A>*>(p)));
}
}  // namespace cake

//@ load_streaming: array word bits_as
namespace cake {
template <typename T>
__device__ __forceinline__ T load_streaming(const T* p) {
  return bits_as<T>(__ldcs(reinterpret_cast<const word<T>*>(p)));
}
template <int N, typename T>
__device__ __forceinline__ array<T, N> load_streaming(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(__ldcs(reinterpret_cast<const word<A>*>(p)));
}
}  // namespace cake

//@ load_last_use: array word bits_as
namespace cake {
template <typename T>
__device__ __forceinline__ T load_last_use(const T* p) {
  return bits_as<T>(__ldlu(reinterpret_cast<const word<T>*>(p)));
}
template <int N, typename T>
__device__ __forceinline__ array<T, N> load_last_use(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(__ldlu(reinterpret_cast<const word<A>*>(p)));
}
}  // namespace cake

//@ load_evict_first: array word bits_as
namespace cake {
template <typename Word>
__device__ __forceinline__ Word load_evict_first_word(const void* p) {
  Word w;
  if constexpr (sizeof(Word) == 1) {
    unsigned int byte;
    asm volatile("ld.global.L1::evict_first.u8 %0, [%1];"
                 : "=r"(byte)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
    w = (unsigned char)byte;
  } else if constexpr (sizeof(Word) == 2) {
    asm volatile("ld.global.L1::evict_first.u16 %0, [%1];"
                 : "=h"(w)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  } else if constexpr (sizeof(Word) == 4) {
    asm volatile("ld.global.L1::evict_first.u32 %0, [%1];"
                 : "=r"(w)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile("ld.global.L1::evict_first.v2.u32 {%0, %1}, [%2];"
                 : "=r"(w.x), "=r"(w.y)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  } else if constexpr (sizeof(Word) == 16) {
    asm volatile("ld.global.L1::evict_first.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  } else {
    asm volatile("ld.global.L1::evict_first.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=r"(w.low.x), "=r"(w.low.y), "=r"(w.low.z), "=r"(w.low.w), "=r"(w.high.x),
                   "=r"(w.high.y), "=r"(w.high.z), "=r"(w.high.w)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  }
  return w;
}
template <typename T>
__device__ __forceinline__ T load_evict_first(const T* p) {
  return bits_as<T>(load_evict_first_word<word<T>>(p));
}
template <int N, typename T>
__device__ __forceinline__ array<T, N> load_evict_first(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(load_evict_first_word<word<A>>(p));
}
}  // namespace cake

//@ load_evict_last: array word bits_as
namespace cake {
template <typename Word>
__device__ __forceinline__ Word load_evict_last_word(const void* p) {
  Word w;
  if constexpr (sizeof(Word) == 1) {
    unsigned int byte;
    asm volatile("ld.global.L1::evict_last.u8 %0, [%1];"
                 : "=r"(byte)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
    w = (unsigned char)byte;
  } else if constexpr (sizeof(Word) == 2) {
    asm volatile("ld.global.L1::evict_last.u16 %0, [%1];"
                 : "=h"(w)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  } else if constexpr (sizeof(Word) == 4) {
    asm volatile("ld.global.L1::evict_last.u32 %0, [%1];"
                 : "=r"(w)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile("ld.global.L1::evict_last.v2.u32 {%0, %1}, [%2];"
                 : "=r"(w.x), "=r"(w.y)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  } else if constexpr (sizeof(Word) == 16) {
    asm volatile("ld.global.L1::evict_last.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  } else {
    asm volatile("ld.global.L1::evict_last.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=r"(w.low.x), "=r"(w.low.y), "=r"(w.low.z), "=r"(w.low.w), "=r"(w.high.x),
                   "=r"(w.high.y), "=r"(w.high.z), "=r"(w.high.w)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  }
  return w;
}
template <typename T>
__device__ __forceinline__ T load_evict_last(const T* p) {
  return bits_as<T>(load_evict_last_word<word<T>>(p));
}
template <int N, typename T>
__device__ __forceinline__ array<T, N> load_evict_last(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(load_evict_last_word<word<A>>(p));
}
}  // namespace cake

//@ load_volatile: array word bits_as
namespace cake {
template <typename Word>
__device__ __forceinline__ Word load_volatile_word(const void* p) {
  Word w;
  if constexpr (sizeof(Word) == 1) {
    unsigned int byte;
    asm volatile("ld.volatile.u8 %0, [%1];" : "=r"(byte) : "l"(p) : "memory");
    w = (unsigned char)byte;
  } else if constexpr (sizeof(Word) == 2) {
    asm volatile("ld.volatile.u16 %0, [%1];" : "=h"(w) : "l"(p) : "memory");
  } else if constexpr (sizeof(Word) == 4) {
    asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(w) : "l"(p) : "memory");
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile("ld.volatile.v2.u32 {%0, %1}, [%2];" : "=r"(w.x), "=r"(w.y) : "l"(p) : "memory");
  } else if constexpr (sizeof(Word) == 16) {
    asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                 : "l"(p)
                 : "memory");
  } else {
    asm volatile("ld.volatile.global.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=r"(w.low.x), "=r"(w.low.y), "=r"(w.low.z), "=r"(w.low.w), "=r"(w.high.x),
                   "=r"(w.high.y), "=r"(w.high.z), "=r"(w.high.w)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
  }
  return w;
}
template <typename T>
__device__ __forceinline__ T load_volatile(const T* p) {
  return bits_as<T>(load_volatile_word<word<T>>(p));
}
template <int N, typename T>
__device__ __forceinline__ array<T, N> load_volatile(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(load_volatile_word<word<A>>(p));
}
}  // namespace cake

//@ load_wide load_wide_nc load_wide_cached load_wide_streaming load_wide_last_use: array word
//bits_as
namespace cake {
// 32 bytes in one access (sm_100 and later); `Instruction` carries the hint.
#define CAKE_LOAD_WIDE(name, instruction)                                                      \
  template <int N, typename T>                                                                 \
  __device__ __forceinline__ array<T, N> name(const T* p) {                                    \
    uint8 w;                                                                                   \
    asm volatile(instruction ".v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"                 \
                 : "=r"(w.low.x), "=r"(w.low.y), "=r"(w.low.z), "=r"(w.low.w), "=r"(w.high.x), \
                   "=r"(w.high.y), "=r"(w.high.z), "=r"(w.high.w)                              \
                 : "l"(__cvta_generic_to_global(p))                                            \
                 : "memory");                                                                  \
    return bits_as<array<T, N>>(w);                                                            \
  }
CAKE_LOAD_WIDE(load_wide, "ld.global")
CAKE_LOAD_WIDE(load_wide_nc, "ld.global.nc")
CAKE_LOAD_WIDE(load_wide_cached, "ld.global.ca")
CAKE_LOAD_WIDE(load_wide_streaming, "ld.global.cs")
CAKE_LOAD_WIDE(load_wide_last_use, "ld.global.lu")
#undef CAKE_LOAD_WIDE
}  // namespace cake

//@ store_wide store_wide_cached store_wide_streaming: word bits_as
namespace cake {
#define CAKE_STORE_WIDE(name, instruction)                                              \
  template <typename T>                                                                 \
  __device__ __forceinline__ void name(void* p, const T& x) {                           \
    const uint8 w = bits_as<uint8>(x);                                                  \
    asm volatile(instruction ".v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(   \
                     __cvta_generic_to_global(p)),                                      \
                 "r"(w.low.x), "r"(w.low.y), "r"(w.low.z), "r"(w.low.w), "r"(w.high.x), \
                 "r"(w.high.y), "r"(w.high.z), "r"(w.high.w)                            \
                 : "memory");                                                           \
  }
CAKE_STORE_WIDE(store_wide, "st.global")
CAKE_STORE_WIDE(store_wide_cached, "st.global.wb")
CAKE_STORE_WIDE(store_wide_streaming, "st.global.cs")
#undef CAKE_STORE_WIDE
}  // namespace cake

//@ store: word bits_as
namespace cake {
template <typename T>
__device__ __forceinline__ void store(void* p, const T& x) {
  *reinterpret_cast<word<T>*>(p) = bits_as<word<T>>(x);
}
}  // namespace cake

//@ store_cached: word bits_as
namespace cake {
template <typename T>
__device__ __forceinline__ void store_cached(void* p, const T& x) {
  __stwb(reinterpret_cast<word<T>*>(p), bits_as<word<T>>(x));
}
}  // namespace cake

//@ store_streaming: word bits_as
namespace cake {
template <typename T>
__device__ __forceinline__ void store_streaming(void* p, const T& x) {
  __stcs(reinterpret_cast<word<T>*>(p), bits_as<word<T>>(x));
}
}  // namespace cake

//@ store_evict_first: array word bits_as
namespace cake {
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

//@ store_evict_last: array word bits_as
namespace cake {
template <typename Word>
__device__ __forceinline__ void store_evict_last_word(void* p, Word w) {
  if constexpr (sizeof(Word) == 1) {
    asm volatile("st.global.L1::evict_last.u8 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
                 "r"((unsigned int)w)
                 : "memory");
  } else if constexpr (sizeof(Word) == 2) {
    asm volatile("st.global.L1::evict_last.u16 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "h"(w)
                 : "memory");
  } else if constexpr (sizeof(Word) == 4) {
    asm volatile("st.global.L1::evict_last.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(w)
                 : "memory");
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile(
        "st.global.L1::evict_last.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)),
        "r"(w.x), "r"(w.y)
        : "memory");
  } else if constexpr (sizeof(Word) == 16) {
    asm volatile("st.global.L1::evict_last.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(
                     __cvta_generic_to_global(p)),
                 "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
                 : "memory");
  } else {
    asm volatile("st.global.L1::evict_last.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(
                     __cvta_generic_to_global(p)),
                 "r"(w.low.x), "r"(w.low.y), "r"(w.low.z), "r"(w.low.w), "r"(w.high.x),
                 "r"(w.high.y), "r"(w.high.z), "r"(w.high.w)
                 : "memory");
  }
}
template <typename T>
__device__ __forceinline__ void store_evict_last(void* p, const T& x) {
  store_evict_last_word(p, bits_as<word<T>>(x));
}
}  // namespace cake

//@ store_volatile: array word bits_as
namespace cake {
template <typename Word>
__device__ __forceinline__ void store_volatile_word(void* p, Word w) {
  if constexpr (sizeof(Word) == 1) {
    asm volatile("st.volatile.u8 [%0], %1;" ::"l"(p), "r"((unsigned int)w) : "memory");
  } else if constexpr (sizeof(Word) == 2) {
    asm volatile("st.volatile.u16 [%0], %1;" ::"l"(p), "h"(w) : "memory");
  } else if constexpr (sizeof(Word) == 4) {
    asm volatile("st.volatile.u32 [%0], %1;" ::"l"(p), "r"(w) : "memory");
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile("st.volatile.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(w.x), "r"(w.y) : "memory");
  } else if constexpr (sizeof(Word) == 16) {
    asm volatile("st.volatile.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(w.x), "r"(w.y),
                 "r"(w.z), "r"(w.w)
                 : "memory");
  } else {
    asm volatile("st.volatile.global.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(
                     __cvta_generic_to_global(p)),
                 "r"(w.low.x), "r"(w.low.y), "r"(w.low.z), "r"(w.low.w), "r"(w.high.x),
                 "r"(w.high.y), "r"(w.high.z), "r"(w.high.w)
                 : "memory");
  }
}
template <typename T>
__device__ __forceinline__ void store_volatile(void* p, const T& x) {
  store_volatile_word(p, bits_as<word<T>>(x));
}
}  // namespace cake

//@ prefetch_l1
namespace cake {
__device__ __forceinline__ void prefetch_l1(const void* p) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(p)));
}
}  // namespace cake

//@ prefetch_l2
namespace cake {
__device__ __forceinline__ void prefetch_l2(const void* p) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));
}
}  // namespace cake

//@ swizzle
namespace cake {
// Where element `i` of a column panel `Bytes` wide lies: 16-byte chunks, xor with the row's number
// counted in 128-byte lines (the pattern of TMA and of matrix descriptors).
template <int Bytes, int ElementBytes>
__device__ __forceinline__ unsigned swizzle(unsigned i) {
  const unsigned byte = i * ElementBytes;
  return (byte ^ (((byte >> 7) & (Bytes / 16 - 1)) << 4)) / ElementBytes;
}
}  // namespace cake
