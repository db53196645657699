// How a program is built, in the few words that a search keeps apart: the cell of the archive and a
// point whose distances say how new a program is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace server::state {

struct Features {
  std::string cell;           // empty: nothing is known
  std::vector<double> point;  // the same coordinates in the same order for every program
  bool operator==(const Features&) const = default;
};

// `json` as a gate child wrote it: {"roles", "ring", "form", "tile", "persistent", "split",
// "cluster", "warps", "access", "shared", "params"}. A missing number counts as 1, a missing word
// as "none"; what is no object has no cell.
//
// The cell is (roles 1 | 2 | 3+, ring depth 1 | 2-3 | 4-7 | 8+, instruction form, tile class,
// persistent or split, cluster). The tile class is the power of four of the elements that a CTA
// holds at once.
Features FeaturesFromJson(std::string_view json);

// "mma": the instruction form in the name of a cell; "" of none.
std::string FormOfCell(std::string_view cell);

// The distance of two points: numbers by their logarithms, words by being different. 0 where either
// is unknown.
double Distance(const Features& a, const Features& b);

}  // namespace server::state
