// Packed values and how they are made. Device functions that emitted kernels call: one instruction
// each, or the fixed sequence that the language defines. No include: NVRTC runs without an include
// path.
//
// The emitter copies only what a kernel uses. A part begins with `//@ name..: needed parts..` and
// ends where the next one begins; a kernel that names `cake::name` gets it and what it needs.
#pragma once

//@ f16x2
namespace cake {
struct f16x2 {
  unsigned int bits;
};
}  // namespace cake

//@ bf16x2
namespace cake {
struct bf16x2 {
  unsigned int bits;
};
}  // namespace cake

//@ f32x2
namespace cake {
struct f32x2 {
  unsigned long long bits;
};
}  // namespace cake

//@ f16x2_of: f16 f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_of(f16 low, f16 high) {
  return {(unsigned int)low.bits | (unsigned int)high.bits << 16};
}
}  // namespace cake

//@ f16x2_low: f16 f16x2
namespace cake {
__device__ __forceinline__ f16 f16x2_low(f16x2 x) { return {(unsigned short)x.bits}; }
}  // namespace cake

//@ f16x2_high: f16 f16x2
namespace cake {
__device__ __forceinline__ f16 f16x2_high(f16x2 x) { return {(unsigned short)(x.bits >> 16)}; }
}  // namespace cake

//@ bf16x2_of: bf16 bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_of(bf16 low, bf16 high) {
  return {(unsigned int)low.bits | (unsigned int)high.bits << 16};
}
}  // namespace cake

//@ bf16x2_low: bf16 bf16x2
namespace cake {
__device__ __forceinline__ bf16 bf16x2_low(bf16x2 x) { return {(unsigned short)x.bits}; }
}  // namespace cake

//@ bf16x2_high: bf16 bf16x2
namespace cake {
__device__ __forceinline__ bf16 bf16x2_high(bf16x2 x) { return {(unsigned short)(x.bits >> 16)}; }
}  // namespace cake

//@ f32x2_of: f32x2
namespace cake {
__device__ __forceinline__ f32x2 f32x2_of(float low, float high) {
  f32x2 y;
  asm("mov.b64 %0, {%1, %2};" : "=l"(y.bits) : "f"(low), "f"(high));
  return y;
}
}  // namespace cake

//@ f32x2_low: f32x2
namespace cake {
__device__ __forceinline__ float f32x2_low(f32x2 x) {
  return __uint_as_float((unsigned int)x.bits);
}
}  // namespace cake

//@ f32x2_high: f32x2
namespace cake {
__device__ __forceinline__ float f32x2_high(f32x2 x) {
  return __uint_as_float((unsigned int)(x.bits >> 32));
}
}  // namespace cake

//@ f16x2_from_f32: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_from_f32(float low, float high) {
  f16x2 y;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y.bits) : "f"(high), "f"(low));
  return y;
}
}  // namespace cake

//@ f16x2_from_f32_sat: f16x2_from_f32 clamp_magnitude
namespace cake {
__device__ __forceinline__ f16x2 f16x2_from_f32_sat(float low, float high) {
  const float limit = 65504.0f;
  return f16x2_from_f32(clamp_magnitude(low, limit), clamp_magnitude(high, limit));
}
}  // namespace cake

//@ f16x2_from_f32_rz: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_from_f32_rz(float low, float high) {
  f16x2 y;
  asm("cvt.rz.f16x2.f32 %0, %1, %2;" : "=r"(y.bits) : "f"(high), "f"(low));
  return y;
}
}  // namespace cake

//@ f16x2_from_f32_rz_sat: f16x2_from_f32_rz clamp_magnitude
namespace cake {
__device__ __forceinline__ f16x2 f16x2_from_f32_rz_sat(float low, float high) {
  const float limit = 65504.0f;
  return f16x2_from_f32_rz(clamp_magnitude(low, limit), clamp_magnitude(high, limit));
}
}  // namespace cake

//@ bf16x2_from_f32: bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_from_f32(float low, float high) {
  bf16x2 y;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y.bits) : "f"(high), "f"(low));
  return y;
}
}  // namespace cake

//@ bf16x2_from_f32_sat: bf16x2_from_f32 clamp_magnitude
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_from_f32_sat(float low, float high) {
  const float limit = __uint_as_float(0x7f7f0000u);
  return bf16x2_from_f32(clamp_magnitude(low, limit), clamp_magnitude(high, limit));
}
}  // namespace cake

//@ bf16x2_from_f32_rz: bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_from_f32_rz(float low, float high) {
  bf16x2 y;
  asm("cvt.rz.bf16x2.f32 %0, %1, %2;" : "=r"(y.bits) : "f"(high), "f"(low));
  return y;
}
}  // namespace cake

//@ bf16x2_from_f32_rz_sat: bf16x2_from_f32_rz clamp_magnitude
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_from_f32_rz_sat(float low, float high) {
  const float limit = __uint_as_float(0x7f7f0000u);
  return bf16x2_from_f32_rz(clamp_magnitude(low, limit), clamp_magnitude(high, limit));
}
}  // namespace cake
