// Runs one role of one sampled warp and adds what it executes, times its weight, to the counts.
#pragma once

#include <vector>

#include "costmodel/access.h"
#include "costmodel/counts.h"
#include "costmodel/lanes.h"

namespace costmodel {

struct Sample {
  int64_t index = 0;
  double weight = 1;
};
// First, last and up to `between` evenly spaced indices between them; the weights sum to `count`.
std::vector<Sample> Spread(int64_t count, int between);

class Walker {
 public:
  Walker(const compiler::ir::Program& program, const compiler::facts::Facts& facts, size_t kernel,
         const compiler::ir::LaunchValues& values, KernelCounts& counts);

  // Runs the kernel's lets and `role` on `warp` of `cta`. `weight`: how many warps this one stands
  // for.
  void Run(size_t role, int64_t warp, const int64_t (&cta)[3], double weight);

 private:
  struct Mask {
    uint32_t lanes = ~uint32_t{0};
    double weight = 1;
  };

  void Block(const std::vector<compiler::ir::StmtId>& body, const Mask& mask);
  void Statement(compiler::ir::StmtId id, const Mask& mask);
  void For(const compiler::ir::Stmt& stmt, StatementCost& cost, const Mask& mask);
  void While(const compiler::ir::Stmt& stmt, StatementCost& cost, const Mask& mask);
  void Tickets(const compiler::ir::Stmt& stmt, StatementCost& cost, const Mask& mask,
               int64_t count);
  void Ticket(const compiler::ir::Stmt& stmt, const Mask& work, const Mask& draws, int64_t number);
  void If(const compiler::ir::Stmt& stmt, const Mask& mask);
  void Atomic(compiler::ir::ViewId view, StatementCost& cost, const Mask& mask);
  void Instruction(const compiler::ir::Stmt& stmt, StatementCost& cost, const Mask& mask);
  // Adds the operations and loads of an expression.
  void Cost(compiler::ir::ExprId id, StatementCost& cost, const Mask& mask);
  void Operation(const compiler::ir::Expr& expr, StatementCost& cost, const Mask& mask);
  void Copy(const compiler::ir::Stmt& stmt, StatementCost& cost, const Mask& mask);
  void Box(compiler::ir::ViewId id, bool write, StatementCost& cost, const Mask& mask);
  void Access(compiler::ir::ViewId id, bool write, bool predicated, StatementCost& cost,
              const Mask& mask);
  // matrix.cc
  void Product(const compiler::ir::Stmt& stmt, StatementCost& cost, const Mask& mask);
  void WarpgroupProduct(const compiler::ir::Stmt& stmt, StatementCost& cost, const Mask& mask);
  void MatrixCopy(const compiler::ir::Stmt& stmt, StatementCost& cost, const Mask& mask);
  // tensor.cc; false: the statement is another one
  bool TensorMemory(const compiler::ir::Stmt& stmt, StatementCost& cost, const Mask& mask);
  WarpAccess AddressOf(const compiler::ir::View& view, bool predicated, uint32_t lanes);
  void ForgetAssigned(const std::vector<compiler::ir::StmtId>& body);

  const compiler::ir::Program& program_;
  const compiler::ir::Kernel& kernel_;
  const compiler::facts::KernelFacts& facts_;
  const compiler::arch::Device* const device_;  // null: not known
  const compiler::ir::LaunchValues& values_;
  KernelCounts& counts_;
  LaneState state_;
  int64_t warp_ = 0;
  int64_t statements_run_ = 0;  // of this warp
  int depth_ = 0;               // of sampled loops: deeper ones are sampled more coarsely
};

}  // namespace costmodel
