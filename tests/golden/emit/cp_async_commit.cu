// Program `example` for sm_80, from example.cake.

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

template <int N, typename T>
__device__ __forceinline__ array<T, N> load(const T* p) {
  using A = array<T, N>;
  return bits_as<A>(*reinterpret_cast<const word<A>*>(p));
}

template <typename T>
__device__ __forceinline__ void store(void* p, const T& x) {
  *reinterpret_cast<word<T>*>(p) = bits_as<word<T>>(x);
}

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

// What L2 does with the lines of a copy; made once, as it depends on nothing.
__device__ __forceinline__ unsigned long long evict_first() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// 16 bytes go past L1, smaller copies through it: the only forms there are.
template <int Bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from),
                 "n"(Bytes)
                 : "memory");
  }
}
// Reads `bytes` of them and fills the rest with zeros.
template <int Bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from, int bytes) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                 "l"(from), "n"(Bytes), "r"(bytes)
                 : "memory");
  }
}
template <int Bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from, int bytes,
                                         unsigned long long policy) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "l"(policy)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3, %4;" ::"r"(
                     shared_address(to)),
                 "l"(from), "n"(Bytes), "r"(bytes), "l"(policy)
                 : "memory");
  }
}

__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int Pending>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const float* __restrict__ x,
    float* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  extern __shared__ __align__(1024) unsigned char cake_smem[];
  float* const tile = reinterpret_cast<float*>(cake_smem);
  const int thread = threadIdx.x;
#line 8 "example.cake"
  const int i = cta * 128 + thread;
#line 9 "example.cake"
  cake::cp_async<16>(&tile[thread * 4], &x[i * 4], i < N ? 16 : 0, cake::evict_first());
#line 10 "example.cake"
  cake::cp_async_commit();
#line 11 "example.cake"
  cake::cp_async_wait<0>();
#line 12 "example.cake"
  if (i < N) {
#line 12 "example.cake"
    cake::store(&y[i * 4], cake::load<4>(&tile[thread * 4]));
  }
}
