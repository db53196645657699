// What the level analysis of one kernel leaves behind: the control around each statement and, for
// each local, why it has its level. Only compiler/sema includes this.
#pragma once

#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"

namespace compiler::sema {

// The control around a statement: one for each if, loop, elect and once.
struct Control {
  int parent = -1;
  ir::StmtId stmt = ir::StmtId::kNone;
  int role = -1;
  bool single_thread = false;  // elect, once
};

struct LevelReason {
  ir::Level level = ir::Level::kConst;
  ir::ExprId cause = ir::ExprId::kNone;  // the expression whose level was taken
  ir::StmtId at = ir::StmtId::kNone;     // in this statement
  int from_control = -1;                 // or the control whose level was taken
};

struct PlacedStmt {
  ir::StmtId id = ir::StmtId::kNone;
  int control = -1;  // around it
  int inner = -1;    // its own, for statements with bodies
  int role = -1;
};

struct LevelFacts {
  std::vector<Control> controls;
  std::vector<PlacedStmt> placed;    // live statements in source order
  std::vector<LevelReason> reasons;  // by LocalId
};

// Reports each collective whose control or index is narrower than its scope.
void CheckCollectives(const ir::Program& program, const ir::Kernel& kernel, const LevelFacts& facts,
                      diag::Report& report);

// What an instruction makes of its operands; kConst where it only takes their minimum.
ir::Level OwnLevel(const ir::Expr& expr);

}  // namespace compiler::sema
