// 32 lanes of an integer expression under one sampled CTA, warp and iteration.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/program.h"
#include "costmodel/contents.h"

namespace costmodel {

struct LaneValue {
  bool known = false;
  bool scattered = false;  // of elements that each lane loads by itself: as far apart as any
  compiler::ir::LaneVector lanes;
};

// The integer state of one warp. Floats are unknown, and what is loaded but from index tensors.
class LaneState {
 public:
  LaneState(const compiler::ir::Program& program, const compiler::ir::Kernel& kernel,
            const compiler::ir::LaunchValues& values)
      : program_(program),
        kernel_(kernel),
        values_(values),
        contents_(program, values),
        locals_(kernel.locals.size()) {}

  void Place(int64_t warp, const int64_t (&cta)[3], const int64_t (&grid)[3], int64_t cluster);
  LaneValue Evaluate(compiler::ir::ExprId id, uint32_t mask) const;
  void Declare(compiler::ir::LocalId local, const LaneValue& value);
  // Lanes outside `mask` keep their value; unknown wins.
  void Assign(compiler::ir::LocalId local, const LaneValue& value, uint32_t mask);
  void Forget(compiler::ir::LocalId local) { locals_[static_cast<size_t>(local)].known = false; }
  // Whether anything that was evaluated was made of elements of index tensors.
  bool guessed() const { return guessed_; }
  // The lanes of `mask` where a known condition holds; nothing if it is unknown.
  std::optional<uint32_t> Holds(compiler::ir::ExprId condition, uint32_t mask) const;

 private:
  LaneValue Builtin(compiler::ir::BuiltinValue builtin) const;
  LaneValue Operation(const compiler::ir::Expr& expr, uint32_t mask) const;
  LaneValue Load(const compiler::ir::Expr& expr, uint32_t mask) const;
  LaneValue Coordinate(const compiler::ir::Expr& expr, uint32_t mask) const;

  const compiler::ir::Program& program_;
  const compiler::ir::Kernel& kernel_;
  const compiler::ir::LaunchValues& values_;
  const Contents contents_;
  std::vector<LaneValue> locals_;
  mutable bool guessed_ = false;
  int64_t warp_ = 0, cluster_ = 1;
  int64_t cta_[3] = {0, 0, 0}, grid_[3] = {1, 1, 1};
};

}  // namespace costmodel
