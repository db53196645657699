// As much of CUDA C++ as kernels need whose threads do not wait for each other: they run one after
// the other. A file includes this and the source, and says CAKE_NATIVE_KERNEL(name) for its kernel.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <utility>

#define __global__
#define __device__
#define __restrict__ __restrict
#define __forceinline__ inline

namespace cuda_as_cpp {
struct Place {
  unsigned x = 0, y = 0, z = 0;
};
}  // namespace cuda_as_cpp
static cuda_as_cpp::Place threadIdx, blockIdx, blockDim, gridDim;

static inline float __uint_as_float(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
static inline unsigned __float_as_uint(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

namespace cuda_as_cpp {

template <typename... Args, size_t... kIndex>
void Call(void (*kernel)(Args...), void** parameters, std::index_sequence<kIndex...>) {
  kernel(*static_cast<std::remove_reference_t<Args>*>(parameters[kIndex])...);
}

template <typename... Args>
void Run(void (*kernel)(Args...), const unsigned* grid, unsigned block, void** parameters) {
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {block, 1, 1};
  for (blockIdx.z = 0; blockIdx.z < grid[2]; ++blockIdx.z) {
    for (blockIdx.y = 0; blockIdx.y < grid[1]; ++blockIdx.y) {
      for (blockIdx.x = 0; blockIdx.x < grid[0]; ++blockIdx.x) {
        for (threadIdx.x = 0; threadIdx.x < block; ++threadIdx.x) {
          Call(kernel, parameters, std::index_sequence_for<Args...>());
        }
      }
    }
  }
}

}  // namespace cuda_as_cpp

#define CAKE_NATIVE_NAME(name) cake_native_##name
#define CAKE_NATIVE_ENTRY(name) CAKE_NATIVE_NAME(name)
#define CAKE_NATIVE_KERNEL(name)                                                                \
  extern "C" void CAKE_NATIVE_ENTRY(name)(const unsigned* grid, unsigned block, void** given) { \
    cuda_as_cpp::Run(name, grid, block, given);                                                 \
  }
