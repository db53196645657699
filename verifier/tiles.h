// The sizes at which control changes with a symbol of the launch.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "compiler/ir/program.h"

namespace verifier {

namespace ir = compiler::ir;

// Constants beyond are no tiles.
constexpr int64_t kLargestTile = 16384;

// The constants that stand with a symbol in a grid extent, a condition or a loop's bounds, lets
// followed, and the products that they form there: `(cta*2 + half)*64 < M` speaks of 2, 64 and 128,
// `for c in cta*64 .. N/4` of 4, 64 and 256.
class TileFinder {
 public:
  explicit TileFinder(const ir::Program& program);

  // Sizes at which the guard may begin to hold, of any magnitude.
  const std::set<int64_t>& BoundsOf(size_t symbol) const { return bounds_[symbol]; }

  // Few, spread over the sizes: the smallest, the largest, and evenly between.
  std::vector<int64_t> Of(size_t symbol) const;

  // The same of what contracts bound by the symbol: with `offsets in 0..=N`, `m < offsets[b]`
  // speaks of the tiles of m. Ascending, all of them.
  const std::set<int64_t>& OfContents(size_t symbol) const { return content_tiles_[symbol]; }
  // The symbols that the contracts of a tensor name as bounds.
  std::set<size_t> SymbolsOfContents(ir::TensorId tensor) const;

 private:
  // What one side of a comparison, one bound of a loop or one term has: constants and products.
  struct Side {
    std::set<int64_t> outer;     // in the unit of the whole
    std::set<int64_t> inner;     // in units of what is divided there
    std::set<int64_t> divisors;  // one in the other multiplied
    std::set<size_t> symbols;
    std::set<size_t> contents;  // symbols that bound what is loaded

    void Constant(int64_t value, int64_t factor);
  };

  void Kernel(const ir::Kernel& kernel);
  void Condition(ir::ExprId id);
  void Group(const std::vector<ir::ExprId>& roots);
  void Gather(ir::ExprId id, int64_t factor, Side& side);
  static void Merge(const std::vector<Side>& parts, Side& to);
  void Operation(const ir::Expr& expr, int64_t factor, Side& side);
  void Division(const ir::Expr& expr, Side& side);
  ir::ExprId LetOf(const ir::Expr& expr) const;
  void Bounds();

  const ir::Program& program_;
  std::vector<std::set<int64_t>> tiles_, bounds_, content_tiles_;  // by symbol
  std::vector<ir::ExprId> let_of_;                                 // by LocalId
  std::vector<bool> seen_;           // by LocalId: followed in this group
  std::set<ir::ExprId> parts_seen_;  // of one condition
};

}  // namespace verifier
