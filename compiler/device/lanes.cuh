// Exchange among the lanes of a warp. Device functions that emitted kernels call: one instruction each, or the fixed
// sequence that the language defines. No include: NVRTC runs without an include path.
//
// The emitter copies only what a kernel uses. A part begins with `//@ name..: needed parts..` and
// ends where the next one begins; a kernel that names `cake::name` gets it and what it needs.
#pragma once

//@ shfl_idx shfl_up shfl_down shfl_xor: shuffled
namespace cake {
template <typename T>
__device__ __forceinline__ T shfl_idx(T x, int i, int width) {
  return shuffled(x, [=](auto w) { return __shfl_sync(0xffffffffu, w, i, width); });
}
template <typename T>
__device__ __forceinline__ T shfl_up(T x, int d, int width) {
  return shuffled(x, [=](auto w) { return __shfl_up_sync(0xffffffffu, w, d, width); });
}
template <typename T>
__device__ __forceinline__ T shfl_down(T x, int d, int width) {
  return shuffled(x, [=](auto w) { return __shfl_down_sync(0xffffffffu, w, d, width); });
}
template <typename T>
__device__ __forceinline__ T shfl_xor(T x, int d, int width) {
  return shuffled(x, [=](auto w) { return __shfl_xor_sync(0xffffffffu, w, d, width); });
}
}  // namespace cake

//@ shuffled: word bits_as
namespace cake {
// Moves x as 4- or 8-byte words.
template <typename T, typename F>
__device__ __forceinline__ T shuffled(T x, F shuffle) {
  if constexpr (sizeof(T) == 8) {
    return bits_as<T>(shuffle(bits_as<unsigned long long>(x)));
  } else if constexpr (sizeof(T) == 4) {
    return bits_as<T>(shuffle(bits_as<unsigned int>(x)));
  } else {
    return bits_as<T>((word<T>)shuffle((unsigned int)bits_as<word<T>>(x)));
  }
}
}  // namespace cake

//@ lanes_first: shfl_idx
namespace cake {
template <int Width, typename T>
__device__ __forceinline__ T lanes_first(T x) {
  return shfl_idx(x, 0, Width);
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
__device__ __forceinline__ T larger(T a, T b) { return max(a, b); }
__device__ __forceinline__ float larger(float a, float b) { return fmaxf(a, b); }
template <typename T>
__device__ __forceinline__ T smaller(T a, T b) { return min(a, b); }
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

//@ lanes_argmax lanes_argmin: shfl_xor
namespace cake {
template <typename T, typename I>
struct indexed {
  T value;
  I index;
};

// The other lane wins if it is ahead, or a number against NaN; ties go to the lower index.
template <int Width, typename T, typename I, typename Ahead>
__device__ __forceinline__ indexed<T, I> lanes_arg(T value, I index, Ahead ahead) {
#pragma unroll
  for (int m = 1; m < Width; m *= 2) {
    const T v = shfl_xor(value, m, 32);
    const I i = shfl_xor(index, m, 32);
    const bool tie = v == value || (v != v && value != value);
    if (tie ? i < index : ahead(v, value) || (value != value)) {
      value = v;
      index = i;
    }
  }
  return {value, index};
}
template <int Width, typename T, typename I>
__device__ __forceinline__ indexed<T, I> lanes_argmax(T value, I index) {
  return lanes_arg<Width>(value, index, [](T a, T b) { return a > b; });
}
template <int Width, typename T, typename I>
__device__ __forceinline__ indexed<T, I> lanes_argmin(T value, I index) {
  return lanes_arg<Width>(value, index, [](T a, T b) { return a < b; });
}
}  // namespace cake

//@ lane_group
namespace cake {
// The lanes of the aligned group of `Width` that this thread belongs to, as a mask.
template <int Width>
__device__ __forceinline__ unsigned int lane_group() {
  if constexpr (Width == 32) return 0xffffffffu;
  return ((1u << Width) - 1u) << (threadIdx.x % 32 / Width * Width);
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
