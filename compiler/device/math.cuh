// Arithmetic. Device functions that emitted kernels call: one instruction each, or the fixed
// sequence that the language defines. No include: NVRTC runs without an include path.
//
// The emitter copies only what a kernel uses. A part begins with `//@ name..: needed parts..` and
// ends where the next one begins; a kernel that names `cake::name` gets it and what it needs.
#pragma once

//@ add_ftz
namespace cake {
__device__ __forceinline__ float add_ftz(float a, float b) {
  float r;
  asm("add.rn.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
}  // namespace cake

//@ sub_ftz
namespace cake {
__device__ __forceinline__ float sub_ftz(float a, float b) {
  float r;
  asm("sub.rn.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
}  // namespace cake

//@ mul_ftz
namespace cake {
__device__ __forceinline__ float mul_ftz(float a, float b) {
  float r;
  asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
}  // namespace cake

//@ div_ftz
namespace cake {
__device__ __forceinline__ float div_ftz(float a, float b) {
  float r;
  asm("div.rn.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
}  // namespace cake

//@ fma_ftz
namespace cake {
__device__ __forceinline__ float fma_ftz(float a, float b, float c) {
  float r;
  asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));
  return r;
}
}  // namespace cake

//@ min_nan
namespace cake {
__device__ __forceinline__ float min_nan(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
}  // namespace cake

//@ max_nan
namespace cake {
__device__ __forceinline__ float max_nan(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
}  // namespace cake

//@ exp2_approx
namespace cake {
__device__ __forceinline__ float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
}  // namespace cake

//@ exp_approx: exp2_approx
namespace cake {
__device__ __forceinline__ float exp_approx(float x) { return exp2_approx(x * 1.44269504f); }
}  // namespace cake

//@ log2_approx
namespace cake {
__device__ __forceinline__ float log2_approx(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
}  // namespace cake

//@ log_approx: log2_approx
namespace cake {
__device__ __forceinline__ float log_approx(float x) { return log2_approx(x) * 0.693147182f; }
}  // namespace cake

//@ rsqrt_approx
namespace cake {
__device__ __forceinline__ float rsqrt_approx(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
}  // namespace cake

//@ sqrt_approx
namespace cake {
__device__ __forceinline__ float sqrt_approx(float x) {
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
}  // namespace cake

//@ rcp_approx
namespace cake {
__device__ __forceinline__ float rcp_approx(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
}  // namespace cake

//@ sin_approx
namespace cake {
__device__ __forceinline__ float sin_approx(float x) {
  float y;
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
}  // namespace cake

//@ cos_approx
namespace cake {
__device__ __forceinline__ float cos_approx(float x) {
  float y;
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
}  // namespace cake

//@ tanh_approx
namespace cake {
__device__ __forceinline__ float tanh_approx(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
}  // namespace cake

//@ sigmoid
namespace cake {
__device__ __forceinline__ float sigmoid(float x) { return __frcp_rn(1.0f + expf(-x)); }
}  // namespace cake

//@ sigmoid_approx: exp2_approx rcp_approx
namespace cake {
__device__ __forceinline__ float sigmoid_approx(float x) {
  return rcp_approx(1.0f + exp2_approx(x * -1.44269504f));
}
}  // namespace cake

//@ ceildiv
namespace cake {
// b > 0. Truncation already rounds a negative quotient up.
template <typename T>
__device__ __forceinline__ T ceildiv(T a, T b) {
  return (T)(a / b + (a % b > 0 ? 1 : 0));
}
}  // namespace cake

//@ trips
namespace cake {
// Trips of a loop from low while below high; step > 0. The distance may need one bit more than T.
__device__ __forceinline__ int trips(int low, int high, int step) {
  if (high <= low) return 0;
  return (int)(((unsigned int)high - (unsigned int)low - 1u) / (unsigned int)step + 1u);
}
__device__ __forceinline__ long long trips(long long low, long long high, long long step) {
  if (high <= low) return 0;
  return (long long)(((unsigned long long)high - (unsigned long long)low - 1u) /
                         (unsigned long long)step +
                     1u);
}
__device__ __forceinline__ unsigned int trips(unsigned int low, unsigned int high,
                                              unsigned int step) {
  return high <= low ? 0u : (high - low - 1u) / step + 1u;
}
__device__ __forceinline__ unsigned long long trips(unsigned long long low, unsigned long long high,
                                                    unsigned long long step) {
  return high <= low ? 0ull : (high - low - 1u) / step + 1u;
}
}  // namespace cake

//@ inside
namespace cake {
// Whether [i, i + count) lies in [0, extent).
template <typename I, typename E>
__device__ __forceinline__ bool inside(I i, E extent, int count = 1) {
  return i >= 0 && (long long)i + count <= (long long)extent;
}
}  // namespace cake

//@ lop3
namespace cake {
template <int Table, typename T>
__device__ __forceinline__ T lop3(T a, T b, T c) {
  unsigned int r;
  asm("lop3.b32 %0, %1, %2, %3, %4;"
      : "=r"(r)
      : "r"((unsigned int)a), "r"((unsigned int)b), "r"((unsigned int)c), "n"(Table));
  return (T)r;
}
}  // namespace cake

//@ mul_wide
namespace cake {
__device__ __forceinline__ long long mul_wide(int a, int b) {
  long long d;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(d) : "r"(a), "r"(b));
  return d;
}
__device__ __forceinline__ unsigned long long mul_wide(unsigned int a, unsigned int b) {
  unsigned long long d;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(d) : "r"(a), "r"(b));
  return d;
}
}  // namespace cake

//@ mad_wide
namespace cake {
__device__ __forceinline__ long long mad_wide(int a, int b, long long c) {
  long long d;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(d) : "r"(a), "r"(b), "l"(c));
  return d;
}
__device__ __forceinline__ unsigned long long mad_wide(unsigned int a, unsigned int b,
                                                       unsigned long long c) {
  unsigned long long d;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(d) : "r"(a), "r"(b), "l"(c));
  return d;
}
}  // namespace cake

//@ prmt
namespace cake {
template <typename T>
__device__ __forceinline__ T prmt(T a, T b, T selector) {
  unsigned int r;
  asm("prmt.b32 %0, %1, %2, %3;"
      : "=r"(r)
      : "r"((unsigned int)a), "r"((unsigned int)b), "r"((unsigned int)selector));
  return (T)r;
}
}  // namespace cake
