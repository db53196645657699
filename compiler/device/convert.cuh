// Number types and conversions. Device functions that emitted kernels call: one instruction each,
// or the fixed sequence that the language defines. No include: NVRTC runs without an include path.
//
// The emitter copies only what a kernel uses. A part begins with `//@ name..: needed parts..` and
// ends where the next one begins; a kernel that names `cake::name` gets it and what it needs.
#pragma once

//@ bf16
namespace cake {
struct bf16 {
  unsigned short bits;
};
}  // namespace cake

//@ f16
namespace cake {
struct f16 {
  unsigned short bits;
};
}  // namespace cake

//@ f32_from_bf16: bf16
namespace cake {
__device__ __forceinline__ float f32_from_bf16(bf16 x) {
  return __uint_as_float((unsigned int)x.bits << 16);
}
}  // namespace cake

//@ bf16_from_f32: bf16
namespace cake {
__device__ __forceinline__ bf16 bf16_from_f32(float x) {
  bf16 y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
}  // namespace cake

//@ bf16_from_f32_rz: bf16
namespace cake {
__device__ __forceinline__ bf16 bf16_from_f32_rz(float x) {
  bf16 y;
  asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
}  // namespace cake

//@ bf16_from_f32_sat bf16_from_f32_rz_sat: bf16 bf16_from_f32 bf16_from_f32_rz clamp_magnitude
namespace cake {
// 0x7f7f0000 is the largest finite bf16.
__device__ __forceinline__ bf16 bf16_from_f32_sat(float x) {
  return bf16_from_f32(clamp_magnitude(x, __uint_as_float(0x7f7f0000u)));
}
__device__ __forceinline__ bf16 bf16_from_f32_rz_sat(float x) {
  return bf16_from_f32_rz(clamp_magnitude(x, __uint_as_float(0x7f7f0000u)));
}
}  // namespace cake

//@ f32_from_f16: f16
namespace cake {
__device__ __forceinline__ float f32_from_f16(f16 x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}
}  // namespace cake

//@ f16_from_f32: f16
namespace cake {
__device__ __forceinline__ f16 f16_from_f32(float x) {
  f16 y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
}  // namespace cake

//@ f16_from_f32_rz: f16
namespace cake {
__device__ __forceinline__ f16 f16_from_f32_rz(float x) {
  f16 y;
  asm("cvt.rz.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
}  // namespace cake

//@ f16_from_f32_sat f16_from_f32_rz_sat: f16 f16_from_f32 f16_from_f32_rz clamp_magnitude
namespace cake {
__device__ __forceinline__ f16 f16_from_f32_sat(float x) {
  return f16_from_f32(clamp_magnitude(x, 65504.0f));
}
__device__ __forceinline__ f16 f16_from_f32_rz_sat(float x) {
  return f16_from_f32_rz(clamp_magnitude(x, 65504.0f));
}
}  // namespace cake

//@ f16_from_f32_rm: f16
namespace cake {
__device__ __forceinline__ f16 f16_from_f32_rm(float x) {
  f16 y;
  asm("cvt.rm.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
}  // namespace cake

//@ f16_from_f32_rm_sat: f16_from_f32_rm clamp_magnitude
namespace cake {
__device__ __forceinline__ f16 f16_from_f32_rm_sat(float x) {
  return f16_from_f32_rm(clamp_magnitude(x, 65504.0f));
}
}  // namespace cake

//@ f16_from_f32_rp: f16
namespace cake {
__device__ __forceinline__ f16 f16_from_f32_rp(float x) {
  f16 y;
  asm("cvt.rp.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
}  // namespace cake

//@ f16_from_f32_rp_sat: f16_from_f32_rp clamp_magnitude
namespace cake {
__device__ __forceinline__ f16 f16_from_f32_rp_sat(float x) {
  return f16_from_f32_rp(clamp_magnitude(x, 65504.0f));
}
}  // namespace cake

//@ clamp_magnitude
namespace cake {
// NaN stays NaN.
__device__ __forceinline__ float clamp_magnitude(float x, float limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}
}  // namespace cake

//@ saturate: range
namespace cake {
// The nearest value of To.
template <typename To, typename From>
__device__ __forceinline__ To saturate(From x) {
  constexpr bool from_signed = From(-1) < From(0);
  if (from_signed && x < From(0)) {
    if (!range<To>::is_signed) return To(0);
    return (long long)x < (long long)range<To>::low ? range<To>::low : (To)x;
  }
  return (unsigned long long)x > (unsigned long long)range<To>::high ? range<To>::high : (To)x;
}
}  // namespace cake

//@ range
namespace cake {
// Two's complement limits of an integer type.
template <typename T>
struct range {
  static constexpr bool is_signed = T(-1) < T(0);
  static constexpr T high = is_signed ? (T)((1ull << (8 * sizeof(T) - 1)) - 1) : (T)~0ull;
  static constexpr T low = is_signed ? (T)(-(long long)high - 1) : T(0);
};
}  // namespace cake

//@ flush
namespace cake {
// Subnormals to zero of the same sign.
__device__ __forceinline__ float flush(float x) {
  float y;
  asm("add.rn.ftz.f32 %0, %1, 0f80000000;" : "=f"(y) : "f"(x));
  return y;
}
}  // namespace cake
