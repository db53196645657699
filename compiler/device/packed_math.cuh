// Arithmetic on packed values. Device functions that emitted kernels call: one instruction
// each, or the fixed sequence that the language defines. No include: NVRTC runs without an include
// path.
//
// The emitter copies only what a kernel uses. A part begins with `//@ name..: needed parts..` and
// ends where the next one begins; a kernel that names `cake::name` gets it and what it needs.
#pragma once

//@ f16x2_add: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_add(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ f16x2_add_ftz: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_add_ftz(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("add.rn.ftz.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ f16x2_sub: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_sub(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ f16x2_sub_ftz: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_sub_ftz(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("sub.rn.ftz.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ f16x2_mul: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_mul(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ f16x2_mul_ftz: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_mul_ftz(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("mul.rn.ftz.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ f16x2_fma: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_fma(f16x2 a, f16x2 b, f16x2 c) {
  f16x2 r;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits), "r"(c.bits));
  return r;
}
}  // namespace cake

//@ f16x2_fma_ftz: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_fma_ftz(f16x2 a, f16x2 b, f16x2 c) {
  f16x2 r;
  asm("fma.rn.ftz.f16x2 %0, %1, %2, %3;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits), "r"(c.bits));
  return r;
}
}  // namespace cake

//@ f32x2_add: f32x2
namespace cake {
__device__ __forceinline__ f32x2 f32x2_add(f32x2 a, f32x2 b) {
  f32x2 r;
  asm("add.rn.f32x2 %0, %1, %2;" : "=l"(r.bits) : "l"(a.bits), "l"(b.bits));
  return r;
}
}  // namespace cake

//@ f32x2_add_ftz: f32x2
namespace cake {
__device__ __forceinline__ f32x2 f32x2_add_ftz(f32x2 a, f32x2 b) {
  f32x2 r;
  asm("add.rn.ftz.f32x2 %0, %1, %2;" : "=l"(r.bits) : "l"(a.bits), "l"(b.bits));
  return r;
}
}  // namespace cake

//@ f32x2_sub: f32x2
namespace cake {
__device__ __forceinline__ f32x2 f32x2_sub(f32x2 a, f32x2 b) {
  f32x2 r;
  asm("sub.rn.f32x2 %0, %1, %2;" : "=l"(r.bits) : "l"(a.bits), "l"(b.bits));
  return r;
}
}  // namespace cake

//@ f32x2_sub_ftz: f32x2
namespace cake {
__device__ __forceinline__ f32x2 f32x2_sub_ftz(f32x2 a, f32x2 b) {
  f32x2 r;
  asm("sub.rn.ftz.f32x2 %0, %1, %2;" : "=l"(r.bits) : "l"(a.bits), "l"(b.bits));
  return r;
}
}  // namespace cake

//@ f32x2_mul: f32x2
namespace cake {
__device__ __forceinline__ f32x2 f32x2_mul(f32x2 a, f32x2 b) {
  f32x2 r;
  asm("mul.rn.f32x2 %0, %1, %2;" : "=l"(r.bits) : "l"(a.bits), "l"(b.bits));
  return r;
}
}  // namespace cake

//@ f32x2_mul_ftz: f32x2
namespace cake {
__device__ __forceinline__ f32x2 f32x2_mul_ftz(f32x2 a, f32x2 b) {
  f32x2 r;
  asm("mul.rn.ftz.f32x2 %0, %1, %2;" : "=l"(r.bits) : "l"(a.bits), "l"(b.bits));
  return r;
}
}  // namespace cake

//@ f32x2_fma: f32x2
namespace cake {
__device__ __forceinline__ f32x2 f32x2_fma(f32x2 a, f32x2 b, f32x2 c) {
  f32x2 r;
  asm("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(r.bits) : "l"(a.bits), "l"(b.bits), "l"(c.bits));
  return r;
}
}  // namespace cake

//@ f32x2_fma_ftz: f32x2
namespace cake {
__device__ __forceinline__ f32x2 f32x2_fma_ftz(f32x2 a, f32x2 b, f32x2 c) {
  f32x2 r;
  asm("fma.rn.ftz.f32x2 %0, %1, %2, %3;" : "=l"(r.bits) : "l"(a.bits), "l"(b.bits), "l"(c.bits));
  return r;
}
}  // namespace cake

//@ bf16x2_fma: bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_fma(bf16x2 a, bf16x2 b, bf16x2 c) {
  bf16x2 r;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits), "r"(c.bits));
  return r;
}
}  // namespace cake

//@ bf16x2_add: bf16x2_fma
namespace cake {
// sm_80 has the fused form only: with a factor or an addend that changes nothing it rounds alike.
__device__ __forceinline__ bf16x2 bf16x2_add(bf16x2 a, bf16x2 b) {
#if __CUDA_ARCH__ >= 900
  bf16x2 r;
  asm("add.rn.bf16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
#else
  return bf16x2_fma(a, {0x3f803f80u}, b);
#endif
}
}  // namespace cake

//@ bf16x2_sub: bf16x2_fma
namespace cake {
// sm_80 has the fused form only: with a factor or an addend that changes nothing it rounds alike.
__device__ __forceinline__ bf16x2 bf16x2_sub(bf16x2 a, bf16x2 b) {
#if __CUDA_ARCH__ >= 900
  bf16x2 r;
  asm("sub.rn.bf16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
#else
  return bf16x2_fma(b, {0xbf80bf80u}, a);
#endif
}
}  // namespace cake

//@ bf16x2_mul: bf16x2_fma
namespace cake {
// sm_80 has the fused form only: with a factor or an addend that changes nothing it rounds alike.
__device__ __forceinline__ bf16x2 bf16x2_mul(bf16x2 a, bf16x2 b) {
#if __CUDA_ARCH__ >= 900
  bf16x2 r;
  asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
#else
  return bf16x2_fma(a, b, {0x80008000u});
#endif
}
}  // namespace cake

//@ f16x2_min: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_min(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("min.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ f16x2_min_nan: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_min_nan(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ f16x2_max: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_max(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("max.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ f16x2_max_nan: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_max_nan(f16x2 a, f16x2 b) {
  f16x2 r;
  asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ f16x2_neg: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_neg(f16x2 a) { return {a.bits ^ 0x80008000u}; }
}  // namespace cake

//@ f16x2_abs: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_abs(f16x2 a) { return {a.bits & 0x7fff7fffu}; }
}  // namespace cake

//@ f16x2_exp2_approx: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_exp2_approx(f16x2 a) {
  f16x2 r;
  asm("ex2.approx.f16x2 %0, %1;" : "=r"(r.bits) : "r"(a.bits));
  return r;
}
}  // namespace cake

//@ f16x2_tanh_approx: f16x2
namespace cake {
__device__ __forceinline__ f16x2 f16x2_tanh_approx(f16x2 a) {
  f16x2 r;
  asm("tanh.approx.f16x2 %0, %1;" : "=r"(r.bits) : "r"(a.bits));
  return r;
}
}  // namespace cake

//@ bf16x2_min: bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_min(bf16x2 a, bf16x2 b) {
  bf16x2 r;
  asm("min.bf16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ bf16x2_min_nan: bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_min_nan(bf16x2 a, bf16x2 b) {
  bf16x2 r;
  asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ bf16x2_max: bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_max(bf16x2 a, bf16x2 b) {
  bf16x2 r;
  asm("max.bf16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ bf16x2_max_nan: bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_max_nan(bf16x2 a, bf16x2 b) {
  bf16x2 r;
  asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(r.bits) : "r"(a.bits), "r"(b.bits));
  return r;
}
}  // namespace cake

//@ bf16x2_neg: bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_neg(bf16x2 a) { return {a.bits ^ 0x80008000u}; }
}  // namespace cake

//@ bf16x2_abs: bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_abs(bf16x2 a) { return {a.bits & 0x7fff7fffu}; }
}  // namespace cake

//@ bf16x2_exp2_approx: bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_exp2_approx(bf16x2 a) {
  bf16x2 r;
  asm("ex2.approx.ftz.bf16x2 %0, %1;" : "=r"(r.bits) : "r"(a.bits));
  return r;
}
}  // namespace cake

//@ bf16x2_tanh_approx: bf16x2
namespace cake {
__device__ __forceinline__ bf16x2 bf16x2_tanh_approx(bf16x2 a) {
  bf16x2 r;
  asm("tanh.approx.bf16x2 %0, %1;" : "=r"(r.bits) : "r"(a.bits));
  return r;
}
}  // namespace cake

//@ vmin
namespace cake {
// Two 16-bit integers a register, in one instruction.
__device__ __forceinline__ unsigned int vmin(unsigned int a, unsigned int b) {
  unsigned int r;
  asm volatile("min.u16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
__device__ __forceinline__ int vmin(int a, int b) {
  int r;
  asm volatile("min.s16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
}  // namespace cake

//@ vmax
namespace cake {
// Two 16-bit integers a register, in one instruction.
__device__ __forceinline__ unsigned int vmax(unsigned int a, unsigned int b) {
  unsigned int r;
  asm volatile("max.u16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
__device__ __forceinline__ int vmax(int a, int b) {
  int r;
  asm volatile("max.s16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
}  // namespace cake
