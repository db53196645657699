// How the values of one loop's body change from trip to trip, as far as it can be told without
// running it: not at all, by a constant, in rounds, or at one trip count only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/program.h"

namespace verifier {

namespace ir = compiler::ir;

struct Form {
  bool known = false;
  int64_t slope = 0;                     // what a trip adds
  std::map<std::string, int64_t> terms;  // what no trip changes
  int64_t constant = 0;
  int64_t round = 1;       // above 1: the value comes back after so many trips, no more is known
  bool threshold = false;  // a condition that changes at one trip, or two

  bool fixed() const { return known && slope == 0 && round == 1 && !threshold; }
};

// Of one `for`. Both must outlive it.
class Forms {
 public:
  Forms(const ir::Program& program, const ir::Kernel& kernel, const ir::Stmt& loop);

  Form Of(ir::ExprId id);
  // Whether the value depends on a number of the launch that the trips depend on too: one trip
  // count then says nothing of another.
  bool Follows(ir::ExprId id) const;
  // Equal for loops that make the same trips; "" where something in the kernel decides over them.
  const std::string& bounds() const { return bounds_; }
  // Of the conditions asked for so far: trips from the first on, and before the last one, at which
  // they change.
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }

 private:
  Form Local(ir::LocalId local, int depth);
  Form Operation(const ir::Expr& expr, int depth);
  Form Compare(const Form& difference, ir::Algebra algebra);
  Form Of(ir::ExprId id, int depth);
  void AddSymbols(ir::ExprId id, int depth, std::set<ir::SymbolId>& symbols) const;
  void Assigned(const std::vector<ir::StmtId>& body, bool direct);

  struct Change {
    const ir::Stmt* declared = nullptr;  // let or for inside the loop
    int assignments = 0;
    std::optional<int64_t> adds;  // of the one assignment, at the top of the body
  };

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const ir::Stmt& loop_;
  std::vector<Change> changes_;                // by LocalId
  std::vector<const ir::Stmt*> declarations_;  // by LocalId: lets outside
  int64_t step_ = 1, first_ = 0, last_ = 0;    // step_: 0 for one that is no constant
  Form room_;                                  // of the variable, from the first to behind the last
  std::string bounds_;
  std::set<ir::SymbolId> symbols_;  // of the bounds
};

}  // namespace verifier
