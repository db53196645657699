// Files of named tensors: eight bytes with the length of a JSON header, the header, then the data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/types.h"
#include "runner/reference/room.h"

namespace runner::worker {

struct NamedTensor {
  std::string type;  // "F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "I64" .. "U8", "BOOL"
  std::vector<int64_t> shape;
  std::string bytes;  // row-major, little endian
};

// The name of a dtype's elements in such a file; f32 for tf32.
std::string TypeName(compiler::ir::DType dtype);

std::string WriteSafetensors(const std::map<std::string, NamedTensor>& tensors);
// InvalidArgument: not such a file, a type of another name, or data outside of it.
absl::StatusOr<std::map<std::string, NamedTensor>> ReadSafetensors(std::string_view file);

// The elements as doubles.
reference::Room<double> Values(const NamedTensor& tensor);

}  // namespace runner::worker
