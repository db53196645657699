// Program `example` for sm_80, from example.cake.

namespace cake {
struct bf16 {
  unsigned short bits;
};

__device__ __forceinline__ float f32_from_bf16(bf16 x) {
  return __uint_as_float((unsigned int)x.bits << 16);
}

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
}  // namespace cake

__device__ __constant__ unsigned char cake_program_id[32] = {
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

extern "C" __global__ void __launch_bounds__(128, 1)
example_run(
    const cake::bf16* __restrict__ a,
    int* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
#line 7 "example.cake"
  const int i = cta * 128 + thread;
#line 8 "example.cake"
  if (i < N) {
#line 8 "example.cake"
    y[i] = __float2int_rz(cake::f32_from_bf16(cake::load_nc(&a[i])) * 0.5f);
  }
}
