// A product whose accumulator leaves a thread no registers for anything else. ptxas then spills the
// accumulator around every product, or refuses; a budget by `regs` beyond what the launch gives
// does not help an instruction: ptxas compiles each for the registers of the launch (C7602).
#include "absl/strings/str_cat.h"
#include "compiler/facts/registers.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/fragment.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

// Descriptors, a predicate's source, the loop and the address of an event beside a product.
constexpr int64_t kLeastBeside = 10;
// What ptxas 13.0 wants of the launch beside the operands of one instruction: it named the register
// target for 9 shapes, from operands in shared memory and in registers, and compiled the next less.
constexpr int64_t kBesideInstruction = 26;
constexpr int64_t kLeftOfInstruction = 4;  // registers of 64 rows of 32 bytes

constexpr Def<int64_t, int64_t, int64_t> kNoRegistersLeft{
    "CK2548", Severity::kError, Category::kHardware,
    "this product holds {0} registers of each thread and needs {1} beside them; a thread has {2}",
    "an accumulator lies in registers from its first product to its last: the registers of an SM "
    "are divided among the threads of the CTA, 255 for one at most"};

int64_t RegistersOf(const ir::Kernel& kernel, const ir::FragmentRef& ref) {
  if (ref.local == ir::LocalId::kNone) return 0;
  const ir::Type& type = kernel.locals[static_cast<size_t>(ref.local)].type;
  return ir::MapOf(type).Registers();
}

void Check(const RuleInput& input, RuleOutput& out) {
  for (size_t k = 0; k < input.program.kernels.size(); ++k) {
    const ir::Kernel& kernel = input.program.kernels[k];
    const int64_t of_launch = compiler::facts::LaunchRegisters(
        input.device.registers_per_sm, input.device.registers_per_thread,
        input.facts.kernels[k].threads, kernel.ctas_per_sm);
    for (const ir::Role& role : kernel.roles) {
      const int64_t limit = std::min<int64_t>(role.regs > 0 ? role.regs : of_launch,
                                              input.device.registers_per_thread);
      compiler::facts::ForEachStmt(input.program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
        if (stmt.op == nullptr || stmt.op->effects.engine != ir::ProductEngine::kWarpgroup) return;
        const int64_t sums = RegistersOf(kernel, stmt.fragment);
        const int64_t left = RegistersOf(kernel, stmt.left);
        const int64_t instruction = sums + std::min(left, kLeftOfInstruction);
        if (instruction + kBesideInstruction > of_launch) {
          ++out.unknown;
          out.report
              .Add(kNoRegistersLeft, stmt.source.span, instruction, kBesideInstruction, of_launch)
              .Fix("fewer columns, or fewer warps in all: `regs` does not widen an instruction", {},
                   Applicability::kManual);
        } else if (sums + left + kLeastBeside > limit) {
          ++out.unknown;
          out.report.Add(kNoRegistersLeft, stmt.source.span, sums + left, kLeastBeside, limit)
              .Fix("fewer columns, fewer warps, or `regs` taken from other roles", {},
                   Applicability::kManual);
        } else {
          ++out.proved;
        }
      });
    }
  }
}

constexpr Example kRejects[] = {{"CK2548", R"(program p target sm_90a
in x: bf16[64, 64], w: bf16[256, 64]
out y: f32[4, 64, 256]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[256, 64] swizzle 128
  event full[1] count 1
  role main: warps 16 {
    var acc: wgmma f32[64, 256]
    if warp == 0 { tma.load a <- x on full@0; tma.load b <- w on full@0; expect full@0 }
    wait full@0
    wgmma acc = a * b.T
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[wg, acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_90a
in x: bf16[64, 64], w: bf16[256, 64]
out y: f32[3, 64, 256]
kernel k {
  grid (1)
  smem a: bf16[64, 64] swizzle 128
  smem b: bf16[256, 64] swizzle 128
  event full[1] count 1
  role main: warps 12 {
    var acc: wgmma f32[64, 256]
    if warp == 0 { tma.load a <- x on full@0; tma.load b <- w on full@0; expect full@0 }
    wait full@0
    wgmma acc = a * b.T
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[wg, acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
)"}};

}  // namespace

const Rule kProductRegisters{
    .name = "product_registers",
    .property = "resources",
    .check = Check,
    .explain =
        "Accumulator and left operand of a product of a warpgroup, and a few registers beside "
        "them, fit what the launch or the role gives each thread.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
