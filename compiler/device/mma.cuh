// Warp-wide products of floats, one instruction a function: d (16 x 8) += a (16 x k) * b (k x 8).
// PTX ISA, mma. Those of integers are made in mma.cc.
#pragma once

//@ mma_m16n8k16_f16_f16_f16
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_f16_f16_f16(unsigned& d0, unsigned& d1, unsigned a0,
                                                         unsigned a1, unsigned a2, unsigned a3,
                                                         unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
      "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(d0), "+r"(d1)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k8_f16_f16_f16
namespace cake {
__device__ __forceinline__ void mma_m16n8k8_f16_f16_f16(unsigned& d0, unsigned& d1, unsigned a0,
                                                        unsigned a1, unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 "
      "{%0, %1}, {%2, %3}, {%4}, {%0, %1};"
      : "+r"(d0), "+r"(d1)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k16_f32_f16_f16
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_f32_f16_f16(float& d0, float& d1, float& d2, float& d3,
                                                         unsigned a0, unsigned a1, unsigned a2,
                                                         unsigned a3, unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k8_f32_f16_f16
namespace cake {
__device__ __forceinline__ void mma_m16n8k8_f32_f16_f16(float& d0, float& d1, float& d2, float& d3,
                                                        unsigned a0, unsigned a1, unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k16_f32_bf16_bf16
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_f32_bf16_bf16(float& d0, float& d1, float& d2,
                                                           float& d3, unsigned a0, unsigned a1,
                                                           unsigned a2, unsigned a3, unsigned b0,
                                                           unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k8_f32_bf16_bf16
namespace cake {
__device__ __forceinline__ void mma_m16n8k8_f32_bf16_bf16(float& d0, float& d1, float& d2,
                                                          float& d3, unsigned a0, unsigned a1,
                                                          unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k8_f32_tf32_tf32
namespace cake {
__device__ __forceinline__ void mma_m16n8k8_f32_tf32_tf32(float& d0, float& d1, float& d2,
                                                          float& d3, unsigned a0, unsigned a1,
                                                          unsigned a2, unsigned a3, unsigned b0,
                                                          unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k4_f32_tf32_tf32
namespace cake {
__device__ __forceinline__ void mma_m16n8k4_f32_tf32_tf32(float& d0, float& d1, float& d2,
                                                          float& d3, unsigned a0, unsigned a1,
                                                          unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k32_f32_e4m3_e4m3
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_f32_e4m3_e4m3(float& d0, float& d1, float& d2,
                                                           float& d3, unsigned a0, unsigned a1,
                                                           unsigned a2, unsigned a3, unsigned b0,
                                                           unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_f32_e4m3_e4m3
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_f32_e4m3_e4m3(float& d0, float& d1, float& d2,
                                                           float& d3, unsigned a0, unsigned a1,
                                                           unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k32_f32_e4m3_e5m2
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_f32_e4m3_e5m2(float& d0, float& d1, float& d2,
                                                           float& d3, unsigned a0, unsigned a1,
                                                           unsigned a2, unsigned a3, unsigned b0,
                                                           unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_f32_e4m3_e5m2
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_f32_e4m3_e5m2(float& d0, float& d1, float& d2,
                                                           float& d3, unsigned a0, unsigned a1,
                                                           unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k32_f32_e5m2_e4m3
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_f32_e5m2_e4m3(float& d0, float& d1, float& d2,
                                                           float& d3, unsigned a0, unsigned a1,
                                                           unsigned a2, unsigned a3, unsigned b0,
                                                           unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_f32_e5m2_e4m3
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_f32_e5m2_e4m3(float& d0, float& d1, float& d2,
                                                           float& d3, unsigned a0, unsigned a1,
                                                           unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k32_f32_e5m2_e5m2
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_f32_e5m2_e5m2(float& d0, float& d1, float& d2,
                                                           float& d3, unsigned a0, unsigned a1,
                                                           unsigned a2, unsigned a3, unsigned b0,
                                                           unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_f32_e5m2_e5m2
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_f32_e5m2_e5m2(float& d0, float& d1, float& d2,
                                                           float& d3, unsigned a0, unsigned a1,
                                                           unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k32_f16_e4m3_e4m3
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_f16_e4m3_e4m3(unsigned& d0, unsigned& d1, unsigned a0,
                                                           unsigned a1, unsigned a2, unsigned a3,
                                                           unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 "
      "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(d0), "+r"(d1)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_f16_e4m3_e4m3
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_f16_e4m3_e4m3(unsigned& d0, unsigned& d1, unsigned a0,
                                                           unsigned a1, unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16 "
      "{%0, %1}, {%2, %3}, {%4}, {%0, %1};"
      : "+r"(d0), "+r"(d1)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k32_f16_e4m3_e5m2
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_f16_e4m3_e5m2(unsigned& d0, unsigned& d1, unsigned a0,
                                                           unsigned a1, unsigned a2, unsigned a3,
                                                           unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 "
      "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(d0), "+r"(d1)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_f16_e4m3_e5m2
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_f16_e4m3_e5m2(unsigned& d0, unsigned& d1, unsigned a0,
                                                           unsigned a1, unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16 "
      "{%0, %1}, {%2, %3}, {%4}, {%0, %1};"
      : "+r"(d0), "+r"(d1)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k32_f16_e5m2_e4m3
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_f16_e5m2_e4m3(unsigned& d0, unsigned& d1, unsigned a0,
                                                           unsigned a1, unsigned a2, unsigned a3,
                                                           unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16 "
      "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(d0), "+r"(d1)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_f16_e5m2_e4m3
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_f16_e5m2_e4m3(unsigned& d0, unsigned& d1, unsigned a0,
                                                           unsigned a1, unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16 "
      "{%0, %1}, {%2, %3}, {%4}, {%0, %1};"
      : "+r"(d0), "+r"(d1)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake

//@ mma_m16n8k32_f16_e5m2_e5m2
namespace cake {
__device__ __forceinline__ void mma_m16n8k32_f16_e5m2_e5m2(unsigned& d0, unsigned& d1, unsigned a0,
                                                           unsigned a1, unsigned a2, unsigned a3,
                                                           unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16 "
      "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(d0), "+r"(d1)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
}  // namespace cake

//@ mma_m16n8k16_f16_e5m2_e5m2
namespace cake {
__device__ __forceinline__ void mma_m16n8k16_f16_e5m2_e5m2(unsigned& d0, unsigned& d1, unsigned a0,
                                                           unsigned a1, unsigned b0) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16 "
      "{%0, %1}, {%2, %3}, {%4}, {%0, %1};"
      : "+r"(d0), "+r"(d1)
      : "r"(a0), "r"(a1), "r"(b0));
}
}  // namespace cake
