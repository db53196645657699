// Exchange among the lanes of a warp. Device functions that emitted kernels call: one instruction
// each, or the fixed sequence that the language defines. No include: NVRTC runs without an include
// path.
//
// The emitter copies only what a kernel uses. A part begins with `//@ name..: needed parts..` and
// ends where the next one begins; a kernel that names `cake::name` gets it and what it needs.
#pragma once

//@ shfl_idx: registers
namespace cake {
template <int Width, typename T>
__device__ __forceinline__ T shfl_idx(T x, int i) {
  return from_register<T>(__shfl_sync(0xffffffffu, to_register(x), i, Width));
}
}  // namespace cake

//@ shfl_up: registers
namespace cake {
template <int Width, typename T>
__device__ __forceinline__ T shfl_up(T x, int d) {
  return from_register<T>(__shfl_up_sync(0xffffffffu, to_register(x), d, Width));
}
}  // namespace cake

//@ shfl_down: registers
namespace cake {
template <int Width, typename T>
__device__ __forceinline__ T shfl_down(T x, int d) {
  return from_register<T>(__shfl_down_sync(0xffffffffu, to_register(x), d, Width));
}
}  // namespace cake

//@ shfl_xor: registers
namespace cake {
template <int Width, typename T>
__device__ __forceinline__ T shfl_xor(T x, int d) {
  return from_register<T>(__shfl_xor_sync(0xffffffffu, to_register(x), d, Width));
}
}  // namespace cake

//@ registers: word bits_as
namespace cake {
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
}  // namespace cake

//@ lanes_first: shfl_idx
namespace cake {
template <int Width, typename T>
__device__ __forceinline__ T lanes_first(T x) {
  return shfl_idx<Width>(x, 0);
}
}  // namespace cake

//@ lanes_sum
namespace cake {
template <int Width, typename T>
__device__ __forceinline__ T lanes_sum(T x) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) x += __shfl_xor_sync(0xffffffffu, x, m);
  return x;
}
}  // namespace cake

//@ larger smaller
namespace cake {
template <typename T>
__device__ __forceinline__ T larger(T a, T b) {
  return max(a, b);
}
__device__ __forceinline__ float larger(float a, float b) { return fmaxf(a, b); }
template <typename T>
__device__ __forceinline__ T smaller(T a, T b) {
  return min(a, b);
}
__device__ __forceinline__ float smaller(float a, float b) { return fminf(a, b); }
}  // namespace cake

//@ lanes_max: larger
namespace cake {
template <int Width, typename T>
__device__ __forceinline__ T lanes_max(T x) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) x = larger(x, __shfl_xor_sync(0xffffffffu, x, m));
  return x;
}
}  // namespace cake

//@ lanes_min: smaller
namespace cake {
template <int Width, typename T>
__device__ __forceinline__ T lanes_min(T x) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) x = smaller(x, __shfl_xor_sync(0xffffffffu, x, m));
  return x;
}
}  // namespace cake

//@ lanes_argmax lanes_argmin
namespace cake {
template <typename T, typename I>
struct indexed {
  T value;
  I index;
};

// The other lane wins if it is ahead, or a number against NaN; ties go to the lower index.
template <int Width, bool Max, typename T, typename I>
__device__ __forceinline__ indexed<T, I> lanes_arg(T value, I index) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) {
    const T v = __shfl_xor_sync(0xffffffffu, value, m);
    const I i = __shfl_xor_sync(0xffffffffu, index, m);
    const bool tie = v == value || (v != v && value != value);
    const bool ahead = (Max ? v > value : v < value) || value != value;
    if (tie ? i < index : ahead) {
      value = v;
      index = i;
    }
  }
  return {value, index};
}
template <int Width, typename T, typename I>
__device__ __forceinline__ indexed<T, I> lanes_argmax(T value, I index) {
  return lanes_arg<Width, true>(value, index);
}
template <int Width, typename T, typename I>
__device__ __forceinline__ indexed<T, I> lanes_argmin(T value, I index) {
  return lanes_arg<Width, false>(value, index);
}
}  // namespace cake

//@ lane_group
namespace cake {
// The lanes of the aligned group of `Width` that this thread belongs to, as a mask.
template <int Width>
__device__ __forceinline__ unsigned int lane_group() {
  if constexpr (Width == 32) {
    return 0xffffffffu;
  } else {
    return ((1u << Width) - 1u) << (threadIdx.x % 32 / Width * Width);
  }
}
}  // namespace cake

//@ lanes_any: lane_group
namespace cake {
template <int Width>
__device__ __forceinline__ bool lanes_any(bool c) {
  if constexpr (Width == 32) return __any_sync(0xffffffffu, c);
  return (__ballot_sync(0xffffffffu, c) & lane_group<Width>()) != 0;
}
}  // namespace cake

//@ lanes_all: lane_group
namespace cake {
template <int Width>
__device__ __forceinline__ bool lanes_all(bool c) {
  if constexpr (Width == 32) return __all_sync(0xffffffffu, c);
  return (~__ballot_sync(0xffffffffu, c) & lane_group<Width>()) == 0;
}
}  // namespace cake

//@ lanes_scan_sum
namespace cake {
template <int Width, typename T>
__device__ __forceinline__ T lanes_scan_sum(T x) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) {
    const T below = __shfl_up_sync(0xffffffffu, x, m, Width);
    if (threadIdx.x % Width >= m) x = below + x;
  }
  return x;
}
}  // namespace cake

//@ lanes_exscan_sum: lanes_scan_sum
namespace cake {
template <int Width, typename T>
__device__ __forceinline__ T lanes_exscan_sum(T x) {
  const T below = __shfl_up_sync(0xffffffffu, lanes_scan_sum<Width>(x), 1, Width);
  return threadIdx.x % Width == 0 ? T(0) : below;
}
}  // namespace cake

//@ lanes_sum_f16x2: shfl_xor f16x2_add
namespace cake {
template <int Width>
__device__ __forceinline__ f16x2 lanes_sum_f16x2(f16x2 x) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) x = f16x2_add(x, shfl_xor<32>(x, m));
  return x;
}
}  // namespace cake

//@ lanes_max_f16x2: shfl_xor f16x2_max
namespace cake {
template <int Width>
__device__ __forceinline__ f16x2 lanes_max_f16x2(f16x2 x) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) x = f16x2_max(x, shfl_xor<32>(x, m));
  return x;
}
}  // namespace cake

//@ lanes_min_f16x2: shfl_xor f16x2_min
namespace cake {
template <int Width>
__device__ __forceinline__ f16x2 lanes_min_f16x2(f16x2 x) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) x = f16x2_min(x, shfl_xor<32>(x, m));
  return x;
}
}  // namespace cake

//@ lanes_sum_bf16x2: shfl_xor bf16x2_add
namespace cake {
template <int Width>
__device__ __forceinline__ bf16x2 lanes_sum_bf16x2(bf16x2 x) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) x = bf16x2_add(x, shfl_xor<32>(x, m));
  return x;
}
}  // namespace cake

//@ lanes_max_bf16x2: shfl_xor bf16x2_max
namespace cake {
template <int Width>
__device__ __forceinline__ bf16x2 lanes_max_bf16x2(bf16x2 x) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) x = bf16x2_max(x, shfl_xor<32>(x, m));
  return x;
}
}  // namespace cake

//@ lanes_min_bf16x2: shfl_xor bf16x2_min
namespace cake {
template <int Width>
__device__ __forceinline__ bf16x2 lanes_min_bf16x2(bf16x2 x) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) x = bf16x2_min(x, shfl_xor<32>(x, m));
  return x;
}
}  // namespace cake

//@ match_all
namespace cake {
template <typename T>
__device__ __forceinline__ bool match_all(T x) {
  int same;
  __match_all_sync(0xffffffffu, x, &same);
  return same != 0;
}
}  // namespace cake
