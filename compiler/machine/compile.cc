#include "compiler/machine/compile.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/machine/role_compiler.h"

namespace compiler::machine {
namespace {

// Records the enclosing statement of every statement below `body`.
void SetParents(const ir::Program& program, const std::vector<ir::StmtId>& body, ir::StmtId parent,
                std::vector<ir::StmtId>& parents) {
  for (ir::StmtId id : body) {
    parents[static_cast<size_t>(id)] = parent;
    SetParents(program, program[id].body, id, parents);
    SetParents(program, program[id].else_body, id, parents);
  }
}

}  // namespace

absl::StatusOr<KernelCode> Compile(const ir::Program& program, const ir::Kernel& kernel,
                                   const ir::LaunchValues& values, const Layouts& layouts,
                                   const Values* matter) {
  KernelCode code;
  code.parent.assign(program.stmts.size(), ir::StmtId::kNone);
  SetParents(program, kernel.lets, ir::StmtId::kNone, code.parent);
  for (size_t i = 0; i < kernel.roles.size(); ++i) {
    SetParents(program, kernel.roles[i].body, ir::StmtId::kNone, code.parent);
    RoleCompiler compiler(program, kernel, values, layouts, matter, code);
    absl::StatusOr<RoleCode> role = compiler.Compile(static_cast<int>(i));
    if (!role.ok()) return role.status();
    code.roles.push_back(*std::move(role));
  }
  return code;
}

bool Relaunch(const ir::LaunchValues& values, const Layouts& layouts, KernelCode& code) {
  const bool same =
      std::all_of(code.strides.begin(), code.strides.end(), [&](const StrideUsed& used) {
        return layouts.tensors[used.tensor][used.dimension] == used.stride;
      });
  if (code.of_one_launch || !same) return false;
  for (RoleCode& role : code.roles) {
    for (const SymbolConstant& symbol : role.symbols) {
      role.constants[symbol.constant].bits = SymbolBits(symbol.dtype, values.values[symbol.symbol]);
    }
  }
  return true;
}

}  // namespace compiler::machine
