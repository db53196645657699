#include "tests/fakecuda/tensor_map.h"

namespace fakecuda {
namespace {

using runner::cuda::CUresult;
using runner::cuda::CUtensorMap;
using runner::cuda::kErrorInvalidValue;
using runner::cuda::kSuccess;

constexpr uint64_t kMark = 0x70616d726f736e65;  // no kernel parameter looks like this by chance
constexpr uint64_t kMaxExtent = uint64_t{1} << 32;
constexpr uint64_t kMaxStrideBytes = uint64_t{1} << 40;
constexpr unsigned kMaxBox = 256, kMaxElementStride = 8;

uint64_t ElementBytes(int type) {
  switch (type) {
    case runner::cuda::kTensorMapUint8:
    // In shared memory, with what pads 16 of them to 16 bytes.
    case runner::cuda::kTensorMap16U4Align16:
    case runner::cuda::kTensorMap16U6Align16: return 1;
    case runner::cuda::kTensorMapUint16:
    case runner::cuda::kTensorMapFloat16:
    case runner::cuda::kTensorMapBfloat16: return 2;
    case runner::cuda::kTensorMapUint64:
    case runner::cuda::kTensorMapInt64: return 8;
    default: return 4;
  }
}

bool IsSwizzleSpan(int swizzle, uint64_t bytes) {
  switch (swizzle) {
    case runner::cuda::kTensorMapSwizzle32: return bytes <= 32;
    case runner::cuda::kTensorMapSwizzle64: return bytes <= 64;
    case runner::cuda::kTensorMapSwizzle128: return bytes <= 128;
    default: return swizzle == runner::cuda::kTensorMapSwizzleNone;
  }
}

bool PackedFits(const TensorMapRequest& request) {
  constexpr uint64_t kUnitBytes = 32, kUnitNumbers = 128;
  bool fits = request.address % kUnitBytes == 0 && request.extents[0] % kUnitNumbers == 0 &&
              request.box[0] == kUnitNumbers &&
              (request.swizzle == runner::cuda::kTensorMapSwizzleNone ||
               request.swizzle == runner::cuda::kTensorMapSwizzle128);
  for (unsigned d = 0; d + 1 < request.rank; ++d) {
    fits = fits && request.stride_bytes[d] % kUnitBytes == 0;
  }
  return fits;
}

}  // namespace

CUresult EncodeTensorMap(const TensorMapRequest& request, CUtensorMap* map) {
  if (map == nullptr || reinterpret_cast<uint64_t>(map) % 64 != 0) return kErrorInvalidValue;
  if (request.rank < 1 || request.rank > 5) return kErrorInvalidValue;
  // Seen on an H200: null strides are refused even for one dimension, which has none.
  if (request.stride_bytes == nullptr) return kErrorInvalidValue;
  if (request.address == 0 || request.address % 16 != 0) return kErrorInvalidValue;
  if (request.interleave != runner::cuda::kTensorMapInterleaveNone) return kErrorInvalidValue;
  for (unsigned d = 0; d < request.rank; ++d) {
    const bool extent = request.extents[d] >= 1 && request.extents[d] <= kMaxExtent;
    const bool box = request.box[d] >= 1 && request.box[d] <= kMaxBox;
    const unsigned step = request.element_strides[d];
    if (!extent || !box || step < 1 || step > kMaxElementStride) return kErrorInvalidValue;
    if (d + 1 == request.rank) continue;
    const uint64_t stride = request.stride_bytes[d];
    if (stride % 16 != 0 || stride >= kMaxStrideBytes) return kErrorInvalidValue;
  }
  const bool packed = request.type == runner::cuda::kTensorMap16U4Align16 ||
                      request.type == runner::cuda::kTensorMap16U6Align16;
  if (packed && !PackedFits(request)) return kErrorInvalidValue;
  const uint64_t row = request.box[0] * ElementBytes(request.type);
  if (row % 16 != 0 || !IsSwizzleSpan(request.swizzle, row)) return kErrorInvalidValue;
  if (request.l2_promotion < 0 || request.l2_promotion > 3) return kErrorInvalidValue;
  if (request.fill != runner::cuda::kTensorMapFillZero) return kErrorInvalidValue;
  *map = {};
  map->opaque[0] = kMark;
  map->opaque[1] = request.address;
  map->opaque[2] = request.rank;
  return kSuccess;
}

bool IsTensorMapOf(const CUtensorMap& map, uint64_t address) {
  return map.opaque[0] == kMark && map.opaque[1] == address;
}

}  // namespace fakecuda
