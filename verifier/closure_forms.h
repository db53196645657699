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

constexpr int kMostNames = 32;  // followed one behind the other; further back nothing is known

struct Form {
  bool known = false;
  int64_t slope = 0;                     // what a trip adds
  std::map<std::string, int64_t> terms;  // what no trip changes
  int64_t constant = 0;
  int64_t round = 1;       // above 1: the value comes back after so many trips, no more is known
  bool threshold = false;  // a condition that changes at one trip, or two

  bool fixed() const { return known && slope == 0 && round == 1 && !threshold; }
};

// What a value comes from, as far back as the launch.
struct Origins {
  std::set<ir::SymbolId> symbols;       // a CTA's place comes from the symbols of the grid
  std::set<ir::BuiltinValue> builtins;  // a thread's and a CTA's own places
  bool grid = false;                    // some of the symbols are there for a CTA's place
  bool data = false;                    // what memory holds
  bool unknown = false;                 // variables set in several places; too long a way
};

// Of one `for`. Both must outlive it.
class Forms {
 public:
  Forms(const ir::Program& program, const ir::Kernel& kernel, const ir::Stmt& loop);

  Form Of(ir::ExprId id);
  // Why runs of few trips may not show what the value is in launches of more: it comes from what
  // the trips come from too, or from data, whose contracts may speak of the same numbers. In words;
  // "": no launch's trip count says anything of it.
  std::string WhyItFollows(ir::ExprId id) const;
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
  void Add(ir::ExprId id, int depth, Origins& origins) const;
  void AddLocal(ir::LocalId local, int depth, Origins& origins) const;
  void AddBuiltin(ir::BuiltinValue builtin, int depth, Origins& origins) const;
  void AddGuarded(std::set<ir::SymbolId>& symbols) const;
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
  std::vector<int> assignments_;               // by LocalId: in the whole kernel
  int64_t step_ = 1, first_ = 0, last_ = 0;    // step_: 0 for one that is no constant
  Form room_;                                  // of the variable, from the first to behind the last
  std::string bounds_;
  Origins origins_;  // of the bounds
};

}  // namespace verifier
