// Between which numbers integer expressions of a kernel lie at one launch, whatever thread, trip
// and contents: wide where nothing is known, never too narrow.
#pragma once

#include <optional>
#include <vector>

#include "compiler/facts/launch.h"
#include "compiler/ir/algebra.h"
#include "compiler/ir/program.h"

namespace verifier {

namespace ir = compiler::ir;

class Ranges {
 public:
  // All must outlive it.
  Ranges(const ir::Program& program, const ir::Kernel& kernel,
         const compiler::facts::KernelLaunch& launch, const ir::LaunchValues& values);

  void EnterRole(int64_t warps) { warps_ = warps; }
  ir::Range Of(ir::ExprId id) const;
  // What a condition is for every thread; nothing where both may be.
  std::optional<bool> Truth(ir::ExprId condition) const;
  // A let, a variable, or both halves of a pair, where its statement stands.
  void Declare(const ir::Stmt& stmt);
  // The most trips that one entry of the loop makes; nothing where no bound is known. Its variable
  // has the values of all of them from here on.
  std::optional<int64_t> EnterLoop(const ir::Stmt& loop);
  // What names are narrowed to where the condition holds; to be given back to Leave.
  std::vector<std::pair<size_t, ir::Range>> EnterTrue(ir::ExprId condition);
  void Leave(const std::vector<std::pair<size_t, ir::Range>>& before);

 private:
  ir::Range Builtin(ir::BuiltinValue builtin) const;
  ir::Range Operation(const ir::Expr& expr) const;
  ir::Range Element(const ir::Expr& load) const;
  void Narrow(ir::ExprId name, ir::Range to, std::vector<std::pair<size_t, ir::Range>>& before);

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const compiler::facts::KernelLaunch& launch_;
  const ir::LaunchValues& values_;
  int64_t warps_ = 1;
  std::vector<ir::Range> locals_;  // by LocalId
};

}  // namespace verifier
