// Program `example` for sm_100, from example.cake.

namespace cake {
// Registers. What moves as one word is aligned like it, and pairs of elements as a pair.
__device__ constexpr int array_alignment(int bytes, int element) {
  if (bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32) return bytes;
  return bytes % (2 * element) == 0 && element < 8 ? 2 * element : element;
}
template <typename T, int N>
struct alignas(array_alignment(sizeof(T) * N, sizeof(T))) array {
  T value[N];
  __device__ __forceinline__ T& operator[](int i) { return value[i]; }
  __device__ __forceinline__ const T& operator[](int i) const { return value[i]; }
};

template <typename To, typename From>
__device__ __forceinline__ To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  return *reinterpret_cast<const To*>(&from);
}

// The type that moves 1, 2, 4, 8, 16 or 32 bytes in one access.
template <int Bytes>
struct word_of;
template <>
struct word_of<1> {
  using type = unsigned char;
};
template <>
struct word_of<2> {
  using type = unsigned short;
};
template <>
struct word_of<4> {
  using type = unsigned int;
};
template <>
struct word_of<8> {
  using type = uint2;
};
template <>
struct word_of<16> {
  using type = uint4;
};
struct alignas(32) uint8 {
  uint4 low, high;
};
template <>
struct word_of<32> {
  using type = uint8;
};
template <typename T>
using word = typename word_of<sizeof(T)>::type;

// Of memory that this kernel never writes.
template <typename T>
__device__ __forceinline__ T load_nc(const T* p) {
  return bits_as<T>(__ldg(reinterpret_cast<const word<T>*>(p)));
}
template <int N, typename T>
__device__ __forceinline__ array<T, N> load_nc(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(__ldg(reinterpret_cast<const word<A>*>(p)));
}

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void mbarrier_init(unsigned int address, unsigned int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(count) : "memory");
}

// Makes the initialised mbarriers visible to asynchronous engines and other CTAs.
__device__ __forceinline__ void mbarrier_init_fence() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

__device__ __forceinline__ void mbarrier_arrive_expect(unsigned int address, unsigned int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address), "r"(bytes)
               : "memory");
}

// Whether the generation of this parity is complete; if so, acquires what its arrivals released.
__device__ __forceinline__ bool mbarrier_test(unsigned int address, unsigned int parity) {
  unsigned int complete;
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
      "  selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(complete)
      : "r"(address), "r"(parity)
      : "memory");
  return complete != 0;
}

__device__ __forceinline__ void mbarrier_wait(unsigned int address, unsigned int parity) {
#if __CUDA_ARCH__ >= 900
  unsigned int complete;
  do {
    asm volatile(
        "{\n"
        "  .reg .pred p;\n"
        "  mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
        "  selp.u32 %0, 1, 0, p;\n"
        "}"
        : "=r"(complete)
        : "r"(address), "r"(parity)
        : "memory");
  } while (complete == 0);
#else
  while (!mbarrier_test(address, parity)) {
  }
#endif
}

// CUtensorMap: made by the launcher, passed by value, read by the hardware only. CUDA driver API:
// it begins at a multiple of 128 bytes.
struct alignas(128) tensor_map {
  unsigned char opaque[128];
};

__device__ __forceinline__ void prefetch_tensor_map(const tensor_map& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// The same of the CTA's shared memory; waits for nothing in global memory.
__device__ __forceinline__ void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(32, 1)
example_run(
    const float* __restrict__ x,
    const int* __restrict__ rows,
    float* __restrict__ y,
    int N,
    int M,
    const __grid_constant__ cake::tensor_map x_map) {
  const int cta = blockIdx.x;
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const tile = reinterpret_cast<float*>(cake_smem);
  if (threadIdx.x == 0) {
    cake::prefetch_tensor_map(x_map);
  }
  const unsigned int full = cake::shared_address(cake_smem + 512);
  if (threadIdx.x == 0) {
    cake::mbarrier_init(full, 1);
    cake::mbarrier_init_fence();
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  unsigned int full_bytes = 0;
#line 11 "example.cake"
  const cake::array<int, 4> r = cake::load_nc<4>(&rows[cta * 4]);
#line 12 "example.cake"
  cake::fence_async_shared();  // reads are over before the next copy fills the place
  if (lane == 0) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%6], [%0, {%1, %2, %3, %4, %5}], [%7];  // @span 265 306" ::"l"(&x_map), "r"(0), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(cake::shared_address(tile)), "r"(full) : "memory");
    full_bytes += 512;
  }
#line 13 "example.cake"
  cake::fence_async_shared();  // reads are over before the next copy fills the place
  __syncwarp();
  if (lane == 0) cake::mbarrier_arrive_expect(full, full_bytes);
  full_bytes = 0;
#line 14 "example.cake"
  cake::mbarrier_wait(full, 0);
#line 15 "example.cake"
  for (int i = 0; i < 4; ++i) {
#line 15 "example.cake"
    y[(cta * 4 + i) * 32 + lane] = tile[i * 32 + lane];
  }
}
