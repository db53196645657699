// Integer products whose sums end at the ends of i32 instead of wrapping (PTX ISA, mma:
// `.satfinite`).
#pragma once

//@ mma_m16n8k32_s32_s8_s8_sat
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_s32_s8_s8_sat(int& d0, int& d1, int& d2, int& d3,
                                                           unsigned a0, unsigned a1, unsigned a2,
                                                           unsigned a3, unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_s32_s8_s8_sat
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_s32_s8_s8_sat(int& d0, int& d1, int& d2, int& d3,
                                                           unsigned a0, unsigned a1, unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k32_s32_s8_u8_sat
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_s32_s8_u8_sat(int& d0, int& d1, int& d2, int& d3,
                                                           unsigned a0, unsigned a1, unsigned a2,
                                                           unsigned a3, unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_s32_s8_u8_sat
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_s32_s8_u8_sat(int& d0, int& d1, int& d2, int& d3,
                                                           unsigned a0, unsigned a1, unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k32_s32_u8_s8_sat
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_s32_u8_s8_sat(int& d0, int& d1, int& d2, int& d3,
                                                           unsigned a0, unsigned a1, unsigned a2,
                                                           unsigned a3, unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_s32_u8_s8_sat
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_s32_u8_s8_sat(int& d0, int& d1, int& d2, int& d3,
                                                           unsigned a0, unsigned a1, unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k32_s32_u8_u8_sat
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_s32_u8_u8_sat(int& d0, int& d1, int& d2, int& d3,
                                                           unsigned a0, unsigned a1, unsigned a2,
                                                           unsigned a3, unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_s32_u8_u8_sat
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_s32_u8_u8_sat(int& d0, int& d1, int& d2, int& d3,
                                                           unsigned a0, unsigned a1, unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake
