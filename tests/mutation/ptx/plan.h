// The numbers of one launch, as lines of text that the driver of the compiler prints:
//   arg tensor NAME | arg symbol BYTES VALUE.. | arg map NAME
//   tensor NAME in|out|inout|workspace INTEGER|FLOAT BYTES ZERO ELEMENT_BYTES
//   map NAME TENSOR ELEMENT_BYTES SWIZZLE RANK EXTENT.. STRIDE.. BOX..   (dimensions as declared)
//   kernel NAME GX GY GZ BLOCK SHARED CLUSTER SKIPPED
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ptx {

struct Tensor {
  std::string name, direction, kind;
  uint64_t bytes = 0;
  bool zero = false;
  int element_bytes = 1;
};
struct Map {
  std::string name, tensor;
  int element_bytes = 1, swizzle = 0, rank = 1;
  std::vector<int64_t> extents, strides, box;  // strides in elements
};
struct Argument {
  char kind = 't';  // t tensor, s symbol, m map
  std::string name;
  int bytes = 8;
  std::vector<uint64_t> values;
};
struct Launch {
  std::string name;
  int64_t grid[3] = {1, 1, 1};
  int64_t block = 0, shared = 0, cluster = 1;
  bool skipped = false;
};
struct Plan {
  std::vector<Argument> arguments;
  std::vector<Tensor> tensors;
  std::vector<Map> maps;
  std::vector<Launch> launches;
};

Plan ReadPlan(std::istream& lines);

}  // namespace ptx
