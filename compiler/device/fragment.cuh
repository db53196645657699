// Register fragments, and their copies from and to shared memory. One instruction a function; see
// memory.cuh for how parts are copied into kernels.
#pragma once

//@ tile
namespace cake {
// A thread's part of an accumulator of 32-bit elements.
template <typename T, int Rows, int Columns>
struct tile {
  T reg[Rows][Columns];
  __device__ __forceinline__ T* operator[](int r) { return reg[r]; }
  __device__ __forceinline__ const T* operator[](int r) const { return reg[r]; }
};
}  // namespace cake

//@ fragment: word bits_as
namespace cake {
// A thread's part of a tile whose neighbours in a row share a 32-bit register.
template <typename T, int Rows, int Columns>
struct fragment {
  static constexpr int kPack = 4 / sizeof(T);
  static constexpr int kBits = 8 * sizeof(T);
  unsigned reg[Rows][Columns / kPack];
  __device__ __forceinline__ T get(int r, int e) const {
    return bits_as<T>((typename word_of<sizeof(T)>::type)(reg[r][e / kPack] >> e % kPack * kBits));
  }
  __device__ __forceinline__ void set(int r, int e, T x) {
    unsigned& word = reg[r][e / kPack];
    const unsigned mask = (~0u >> (32 - kBits)) << e % kPack * kBits;
    const unsigned bits = bits_as<typename word_of<sizeof(T)>::type>(x);
    word = (word & ~mask) | bits << e % kPack * kBits;
  }
};
}  // namespace cake

//@ fragment_b: word bits_as
namespace cake {
// The same with neighbours of a column in one register.
template <typename T, int Rows, int Columns>
struct fragment_b {
  static constexpr int kPack = 4 / sizeof(T);
  static constexpr int kBits = 8 * sizeof(T);
  unsigned reg[Rows / kPack][Columns];
  __device__ __forceinline__ T get(int r, int e) const {
    return bits_as<T>((typename word_of<sizeof(T)>::type)(reg[r / kPack][e] >> r % kPack * kBits));
  }
  __device__ __forceinline__ void set(int r, int e, T x) {
    unsigned& word = reg[r / kPack][e];
    const unsigned mask = (~0u >> (32 - kBits)) << r % kPack * kBits;
    const unsigned bits = bits_as<typename word_of<sizeof(T)>::type>(x);
    word = (word & ~mask) | bits << r % kPack * kBits;
  }
};
}  // namespace cake

//@ fill
namespace cake {
template <template <typename, int, int> class Fragment, typename T, int Rows, int Columns>
__device__ __forceinline__ void fill(Fragment<T, Rows, Columns>& f, T x) {
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
#pragma unroll
    for (int e = 0; e < Columns; ++e) {
      if constexpr (requires { f.set(r, e, x); }) {
        f.set(r, e, x);
      } else {
        f[r][e] = x;
      }
    }
  }
}
}  // namespace cake

//@ clear
namespace cake {
template <typename Fragment>
__device__ __forceinline__ void clear(Fragment& f) {
#pragma unroll
  for (int r = 0; r < sizeof(f.reg) / sizeof(f.reg[0]); ++r) {
#pragma unroll
    for (int e = 0; e < sizeof(f.reg[0]) / sizeof(f.reg[0][0]); ++e) f.reg[r][e] = 0;
  }
}
}  // namespace cake

//@ pack_bf16
namespace cake {
// The second operand of the instruction is the low half.
__device__ __forceinline__ unsigned pack_bf16(float low, float high) {
  unsigned word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}
}  // namespace cake

//@ pack_f16
namespace cake {
__device__ __forceinline__ unsigned pack_f16(float low, float high) {
  unsigned word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}
}  // namespace cake

//@ shared_address
namespace cake {
__device__ __forceinline__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
}  // namespace cake

//@ ldmatrix_x1: shared_address
namespace cake {
__device__ __forceinline__ void ldmatrix_x1(unsigned& r0, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r0)
               : "r"(shared_address(row))
               : "memory");
}
}  // namespace cake

//@ ldmatrix_x1_trans: shared_address
namespace cake {
__device__ __forceinline__ void ldmatrix_x1_trans(unsigned& r0, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(r0)
               : "r"(shared_address(row))
               : "memory");
}
}  // namespace cake

//@ ldmatrix_x2: shared_address
namespace cake {
__device__ __forceinline__ void ldmatrix_x2(unsigned& r0, unsigned& r1, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r0), "=r"(r1)
               : "r"(shared_address(row))
               : "memory");
}
}  // namespace cake

//@ ldmatrix_x2_trans: shared_address
namespace cake {
__device__ __forceinline__ void ldmatrix_x2_trans(unsigned& r0, unsigned& r1, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r0), "=r"(r1)
               : "r"(shared_address(row))
               : "memory");
}
}  // namespace cake

//@ ldmatrix_x4: shared_address
namespace cake {
__device__ __forceinline__ void ldmatrix_x4(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3,
                                            const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(shared_address(row))
               : "memory");
}
}  // namespace cake

//@ ldmatrix_x4_trans: shared_address
namespace cake {
__device__ __forceinline__ void ldmatrix_x4_trans(unsigned& r0, unsigned& r1, unsigned& r2,
                                                  unsigned& r3, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(shared_address(row))
               : "memory");
}
}  // namespace cake

//@ stmatrix_x1: shared_address
namespace cake {
__device__ __forceinline__ void stmatrix_x1(void* row, unsigned r0) {
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(shared_address(row)),
               "r"(r0)
               : "memory");
}
}  // namespace cake

//@ stmatrix_x1_trans: shared_address
namespace cake {
__device__ __forceinline__ void stmatrix_x1_trans(void* row, unsigned r0) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(shared_address(row)),
      "r"(r0)
      : "memory");
}
}  // namespace cake

//@ stmatrix_x2: shared_address
namespace cake {
__device__ __forceinline__ void stmatrix_x2(void* row, unsigned r0, unsigned r1) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(row)),
      "r"(r0), "r"(r1)
      : "memory");
}
}  // namespace cake

//@ stmatrix_x2_trans: shared_address
namespace cake {
__device__ __forceinline__ void stmatrix_x2_trans(void* row, unsigned r0, unsigned r1) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(row)),
      "r"(r0), "r"(r1)
      : "memory");
}
}  // namespace cake

//@ stmatrix_x4: shared_address
namespace cake {
__device__ __forceinline__ void stmatrix_x4(void* row, unsigned r0, unsigned r1, unsigned r2,
                                            unsigned r3) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
      "r"(r0), "r"(r1), "r"(r2), "r"(r3)
      : "memory");
}
}  // namespace cake

//@ stmatrix_x4_trans: shared_address
namespace cake {
__device__ __forceinline__ void stmatrix_x4_trans(void* row, unsigned r0, unsigned r1, unsigned r2,
                                                  unsigned r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address(row)),
               "r"(r0), "r"(r1), "r"(r2), "r"(r3)
               : "memory");
}
}  // namespace cake
