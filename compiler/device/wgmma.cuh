// Products of a warpgroup: what stands around them. The products themselves are made from their
// names (wgmma.cc), as there is one for each shape and type. See memory.cuh for how parts are
// copied into kernels.
#pragma once

//@ matrix_descriptor
namespace cake {
// PTX ISA, wgmma.mma_async, matrix descriptor format: start address, distances in bytes along the
// two dimensions of core matrices, swizzling mode. Addresses are of multiples of 16 bytes.
template <int Swizzle, int Leading, int Stride>
__device__ __forceinline__ unsigned long long matrix_descriptor(unsigned int address) {
  constexpr unsigned long long kMode = Swizzle == 128 ? 1 : Swizzle == 64 ? 2 : 3;
  constexpr unsigned long long kFixed =
      kMode << 62 | (unsigned long long)(Stride >> 4) << 32 | (Leading >> 4 & 0x3fff) << 16;
  return kFixed | (address & 0x3ffff) >> 4;
}
}  // namespace cake

//@ wgmma_fence
namespace cake {
// Orders register accesses before it with products after it.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
}  // namespace cake

//@ wgmma_commit
namespace cake {
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
}  // namespace cake

//@ wgmma_wait
namespace cake {
template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}
}  // namespace cake

//@ store_floats: array
namespace cake {
// Accumulators that are stored as words become words everywhere: the moves between the two lie
// where the tensor cores use the registers, and ptxas serialises the products (C7514).
__device__ __forceinline__ void store_floats(void* p, const array<float, 2>& x) {
  *reinterpret_cast<float2*>(p) = make_float2(x[0], x[1]);
}
__device__ __forceinline__ void store_floats(void* p, const array<float, 4>& x) {
  *reinterpret_cast<float4*>(p) = make_float4(x[0], x[1], x[2], x[3]);
}
}  // namespace cake

//@ pin
namespace cake {
__device__ __forceinline__ void pin_register(float& x) { asm volatile("" : "+f"(x)::"memory"); }
__device__ __forceinline__ void pin_register(int& x) { asm volatile("" : "+r"(x)::"memory"); }
__device__ __forceinline__ void pin_register(unsigned& x) { asm volatile("" : "+r"(x)::"memory"); }
// No access of these registers moves across: the compiler does not know who else uses them.
template <typename Fragment>
__device__ __forceinline__ void pin(Fragment& f) {
#pragma unroll
  for (int r = 0; r < sizeof(f.reg) / sizeof(f.reg[0]); ++r) {
#pragma unroll
    for (int e = 0; e < sizeof(f.reg[0]) / sizeof(f.reg[0][0]); ++e) pin_register(f.reg[r][e]);
  }
}
}  // namespace cake
