// Flattens one role: kernel-level lets first, then the body. Internal to compiler/machine.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/machine/bytecode.h"
#include "compiler/machine/compile.h"

namespace compiler::machine {

// Bounds of one role's code, as arrays are computed element by element and texts are untrusted.
constexpr size_t kMaxInstructions = size_t{1} << 21;
constexpr size_t kMaxRegisters = size_t{1} << 18;

class RoleCompiler {
 public:
  RoleCompiler(const ir::Program& program, const ir::Kernel& kernel, const ir::LaunchValues& values,
               const Layouts& layouts, const Values* matter, KernelCode& kernel_code)
      : program_(program),
        kernel_(kernel),
        values_(values),
        layouts_(layouts),
        matter_(matter),
        kernel_code_(kernel_code) {}

  absl::StatusOr<RoleCode> Compile(int role);

 private:
  // Statements (role_compiler.cc).
  void Body(const std::vector<ir::StmtId>& body);
  void Statement(ir::StmtId id);
  void Let(const ir::Stmt& stmt, ir::StmtId id);
  void PairLet(const ir::Stmt& stmt);
  void Assign(const ir::Stmt& stmt);
  void For(const ir::Stmt& stmt, ir::StmtId id);
  void While(const ir::Stmt& stmt, ir::StmtId id);
  void If(const ir::Stmt& stmt);
  void OneLane(const ir::Stmt& stmt);
  void Operation(const ir::Stmt& stmt, ir::StmtId id);
  void SyncStatement(const ir::Stmt& stmt, ir::StmtId id);
  bool CopyStatement(const ir::Stmt& stmt, ir::StmtId id);  // copy_compiler.cc; false: it is none
  void LaunchCancel(const ir::Stmt& stmt, ir::StmtId id);
  void SetTensorMap(const ir::Stmt& stmt, ir::StmtId id);
  void RemoteStore(const ir::Stmt& stmt, ir::StmtId id);
  int32_t MakeBox(ir::ViewId view);
  void EventOperands(const ir::Stmt& stmt, Sync& sync);  // event_compiler.cc

  // Fragments (matrix_compiler.cc).
  void SetFragment(const ir::Stmt& stmt);
  Registers FragmentElement(const ir::Expr& expr);
  Registers Coordinate(const ir::Expr& expr);
  FragmentOperand Operand(const ir::FragmentRef& ref);
  void MakeProduct(const ir::Stmt& stmt);
  void MakeWarpgroupProduct(const ir::Stmt& stmt);
  SharedOperand OperandInShared(ir::ViewId view, bool left);
  void MakeMatrixCopy(const ir::Stmt& stmt);
  bool TensorStatement(const ir::Stmt& stmt, ir::StmtId id);  // tmem_compiler.cc; false: it is none
  Access OperandAccess(ir::ViewId view);
  Access TileAccess(ir::ViewId view);

  // Expressions (expression_compiler.cc). The result is where the value is; with a `hint` the value
  // is put there when that costs nothing, else the caller moves it.
  Registers Expression(ir::ExprId id, const Registers* hint = nullptr);
  Registers Unwatched(ir::ExprId id, const Registers* hint);
  Watch WatchOf(ir::ExprId id) const;
  Registers Regroup(const ir::Expr& expr, ir::ExprId id, const Registers& from, size_t elements);
  Registers ArgArray(const ir::Expr& expr);
  Registers Operator(const ir::Expr& expr, ir::ExprId id, const Registers* hint);
  Registers ShortCircuit(const ir::Expr& expr);
  Registers Element(const ir::Expr& expr, const Registers* hint);
  Registers Load(const ir::Expr& expr, ir::ExprId id, const Registers* hint);
  Registers Atomic(const ir::Expr& expr, const Registers* hint);
  void AtomicStatement(const ir::Stmt& stmt);
  int32_t AtomicAccess(const ir::OpDef& op, const std::vector<std::string_view>& modifiers,
                       ir::ViewId view, const std::vector<ir::ExprId>& values);
  Registers PairCall(const ir::Expr& expr, ir::ExprId id, const Registers* hint);
  Registers Test(const ir::Expr& expr);  // event_compiler.cc
  // What every access has: its buffer, an offset and an extent a dimension, stage and site.
  Access AccessOf(ir::ViewId view);
  int32_t MakeAccess(ir::ViewId view);
  int64_t ConstantExtent(ir::ExprId id);
  // Whether a value, a local or the contents of a view need not be right (values.h).
  bool Opaque(ir::ExprId id) const;
  bool Opaque(ir::LocalId local) const;
  bool Opaque(ir::ViewId view) const;
  void AddCall(Call call);

  Register NextFixed() const;
  Register ConstantRegister(uint64_t bits);
  Register SymbolRegister(size_t symbol, ir::DType type);
  Register BuiltinOf(ir::BuiltinValue value);
  const Registers& LocalRegisters(ir::LocalId local);
  Register Temporary();
  Registers Temporaries(size_t count);
  int32_t AddOrigin(Origin origin);

  size_t Emit(Instruction instruction) {
    if (code_.code.size() >= kMaxInstructions) TooLarge("instructions", kMaxInstructions);
    code_.code.push_back(instruction);
    return code_.code.size() - 1;
  }
  void PatchHere(size_t at) { code_.code[at].target = Here(); }
  int32_t Here() const { return static_cast<int32_t>(code_.code.size()); }
  // `opaque`: no values move, only what is undefined.
  void MoveTo(const Registers& to, const Registers& from, bool opaque = false);
  int32_t AddList(Registers registers, bool opaque);
  void Fail(std::string what);
  void TooLarge(std::string_view what, size_t limit);

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const ir::LaunchValues& values_;
  const Layouts& layouts_;
  const Values* matter_;  // null: every value does
  KernelCode& kernel_code_;
  RoleCode code_;
  size_t role_ = 0;
  ir::StmtId stmt_ = ir::StmtId::kNone;
  // Temporaries are a stack above everything named: a statement's own end with it, a loop's trip
  // counts stay until the loop does.
  Register next_temporary_ = 0;
  Register temporaries_peak_ = 0;
  std::map<uint64_t, Register> constants_;
  std::map<std::pair<size_t, ir::DType>, Register> symbols_;
  std::map<ir::BuiltinValue, Register> builtins_;
  std::map<ir::LocalId, Registers> locals_;
  absl::Status status_;
};

// What a register that is a symbol of this value holds.
uint64_t SymbolBits(ir::DType type, int64_t value);

// Whether any register is in both.
bool Overlap(const Registers& a, Registers b);

// Elements a register value of this type has, at most kMaxRegisters + 1.
size_t ElementCount(const ir::Type& type);

}  // namespace compiler::machine
