// 8-bit floats and tf32. Device functions that emitted kernels call: one instruction
// each, or the fixed sequence that the language defines. No include: NVRTC runs without an include
// path.
//
// The emitter copies only what a kernel uses. A part begins with `//@ name..: needed parts..` and
// ends where the next one begins; a kernel that names `cake::name` gets it and what it needs.
#pragma once

//@ e4m3
namespace cake {
struct e4m3 {
  unsigned char bits;
};
}  // namespace cake

//@ e5m2
namespace cake {
struct e5m2 {
  unsigned char bits;
};
}  // namespace cake

//@ e4m3x2: e4m3
namespace cake {
// Two side by side, as they lie in a register array.
struct alignas(2) e4m3x2 {
  unsigned short bits;
};
}  // namespace cake

//@ e4m3x2_from_f32: e4m3x2
namespace cake {
__device__ __forceinline__ e4m3x2 e4m3x2_from_f32(float low, float high) {
  e4m3x2 y;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(y.bits) : "f"(high), "f"(low));
  return y;
}
}  // namespace cake

//@ e4m3x2_from_f16: e4m3x2 f16 f16x2_of
namespace cake {
__device__ __forceinline__ e4m3x2 e4m3x2_from_f16(f16 low, f16 high) {
  e4m3x2 y;
  asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(y.bits) : "r"(f16x2_of(low, high).bits));
  return y;
}
}  // namespace cake

//@ f16x2_from_e4m3: e4m3 f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_from_e4m3(e4m3 low, e4m3 high) {
  const auto pair = (unsigned short)(low.bits | high.bits << 8);
  f16x2 y;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(y.bits) : "h"(pair));
  return y;
}
}  // namespace cake

//@ e4m3_from_f32: e4m3x2_from_f32
namespace cake {
__device__ __forceinline__ e4m3 e4m3_from_f32(float x) {
  return {(unsigned char)e4m3x2_from_f32(x, 0.0f).bits};
}
}  // namespace cake

//@ f32_from_e4m3: f16x2_from_e4m3 f16x2_low f32_from_f16
namespace cake {
__device__ __forceinline__ float f32_from_e4m3(e4m3 x) {
  return f32_from_f16(f16x2_low(f16x2_from_e4m3(x, {0})));
}
}  // namespace cake

//@ e5m2x2: e5m2
namespace cake {
// Two side by side, as they lie in a register array.
struct alignas(2) e5m2x2 {
  unsigned short bits;
};
}  // namespace cake

//@ e5m2x2_from_f32: e5m2x2
namespace cake {
__device__ __forceinline__ e5m2x2 e5m2x2_from_f32(float low, float high) {
  e5m2x2 y;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(y.bits) : "f"(high), "f"(low));
  return y;
}
}  // namespace cake

//@ e5m2x2_from_f16: e5m2x2 f16 f16x2_of
namespace cake {
__device__ __forceinline__ e5m2x2 e5m2x2_from_f16(f16 low, f16 high) {
  e5m2x2 y;
  asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(y.bits) : "r"(f16x2_of(low, high).bits));
  return y;
}
}  // namespace cake

//@ f16x2_from_e5m2: e5m2 f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_from_e5m2(e5m2 low, e5m2 high) {
  const auto pair = (unsigned short)(low.bits | high.bits << 8);
  f16x2 y;
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(y.bits) : "h"(pair));
  return y;
}
}  // namespace cake

//@ e5m2_from_f32: e5m2x2_from_f32
namespace cake {
__device__ __forceinline__ e5m2 e5m2_from_f32(float x) {
  return {(unsigned char)e5m2x2_from_f32(x, 0.0f).bits};
}
}  // namespace cake

//@ f32_from_e5m2: f16x2_from_e5m2 f16x2_low f32_from_f16
namespace cake {
__device__ __forceinline__ float f32_from_e5m2(e5m2 x) {
  return f32_from_f16(f16x2_low(f16x2_from_e5m2(x, {0})));
}
}  // namespace cake

//@ tf32_from_f32
namespace cake {
__device__ __forceinline__ float tf32_from_f32(float x) {
  unsigned int y;
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return __uint_as_float(y);
}
}  // namespace cake

//@ tf32_from_f32_sat: tf32_from_f32 clamp_magnitude
namespace cake {
__device__ __forceinline__ float tf32_from_f32_sat(float x) {
  return tf32_from_f32(clamp_magnitude(x, __uint_as_float(0x7f7fe000u)));
}
}  // namespace cake

//@ tf32_from_f32_rz
namespace cake {
__device__ __forceinline__ float tf32_from_f32_rz(float x) {
  unsigned int y;
  asm("cvt.rz.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return __uint_as_float(y);
}
}  // namespace cake

//@ tf32_from_f32_rz_sat: tf32_from_f32_rz clamp_magnitude
namespace cake {
__device__ __forceinline__ float tf32_from_f32_rz_sat(float x) {
  return tf32_from_f32_rz(clamp_magnitude(x, __uint_as_float(0x7f7fe000u)));
}
}  // namespace cake

//@ tf32_from_f32_rna
namespace cake {
__device__ __forceinline__ float tf32_from_f32_rna(float x) {
  unsigned int y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return __uint_as_float(y);
}
}  // namespace cake

//@ tf32_from_f32_rna_sat: tf32_from_f32_rna clamp_magnitude
namespace cake {
__device__ __forceinline__ float tf32_from_f32_rna_sat(float x) {
  return tf32_from_f32_rna(clamp_magnitude(x, __uint_as_float(0x7f7fe000u)));
}
}  // namespace cake
