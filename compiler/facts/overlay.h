// Where shared buffers lie when some of them share bytes. `either` alternatives begin at the same
// byte and take the room of the largest. A group with an `either` among its fields is laid out slot
// after slot, since a slot's alternatives must not reach into another slot; other groups lie field
// after field.
#pragma once

#include <functional>
#include <vector>

#include "compiler/facts/derived.h"

namespace compiler::facts {

// Buffer number `buffer` alone, with this many stages: its place when `begin` bytes are taken,
// alignment included.
using LayoutOne = std::function<SharedPlacement(size_t buffer, int64_t stages, int64_t begin)>;

// One placement a buffer, in order; `end` is the first byte behind all of them.
std::vector<SharedPlacement> PlaceOverlaid(const std::vector<ir::SharedBuffer>& buffers,
                                           const LayoutOne& layout, int64_t* end);

// Whether the two can hold each other's bytes: they stand in different branches of one `either`.
bool Exclusive(const std::vector<ir::Alternative>& a, const std::vector<ir::Alternative>& b);
inline bool Exclusive(const ir::SharedBuffer& a, const ir::SharedBuffer& b) {
  return Exclusive(a.alternatives, b.alternatives);
}

}  // namespace compiler::facts
