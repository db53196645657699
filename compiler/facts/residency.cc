// How many CTAs of a kernel are on the device at the same time, whatever the compiler makes of it.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/facts/derived.h"
#include "compiler/facts/registers.h"
#include "compiler/facts/walk.h"

namespace compiler::facts {
namespace {

bool UsesGridSync(const ir::Program& program, const ir::Kernel& kernel) {
  bool uses = false;
  for (const ir::Role& role : kernel.roles) {
    ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
      uses |= stmt.op != nullptr && stmt.op->effects.sync == ir::SyncEffect::kGridSync;
    });
  }
  return uses;
}

}  // namespace

// CUDA programming guide, "Hardware Implementation": an SM holds a CTA if its threads, registers
// and shared memory fit beside those of the others. Launch bounds of (threads, ctas) let the
// compiler use as many registers as that many CTAs can have.
void DeriveResidency(const ir::Program& program, const ir::Kernel& kernel,
                     const arch::Device& device, KernelFacts& facts) {
  const int64_t threads = std::max<int64_t>(facts.threads, ir::kLanes);
  const int64_t most =
      std::min(device.registers_per_thread, device.registers_per_sm / threads / kernel.ctas_per_sm);
  const int64_t registers = kernel.ctas_per_sm > 1
                                ? most / kRegisterUnit * kRegisterUnit
                                : (most + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  int64_t fit = std::min(device.max_threads_per_sm / threads, device.max_blocks_per_sm);
  if (registers > 0) fit = std::min(fit, device.registers_per_sm / (registers * threads));
  const int64_t shared = facts.shared_bytes + device.reserved_shared_bytes_per_block;
  if (shared > 0) fit = std::min(fit, device.shared_bytes_per_sm / shared);
  // A CTA that cannot allocate its tensor memory waits for one that has ended.
  if (facts.tmem_columns > 0) {
    fit = std::min(fit, device.tensor_memory_columns / facts.tmem_columns);
  }
  facts.ctas_per_sm = std::max<int64_t>(fit, 1);
  facts.sms = std::max<int64_t>(device.sm_count, 1);
  facts.cooperative = UsesGridSync(program, kernel);
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const bool maps = program.tensors[i].name == absl::StrCat(kernel.name, ".maps");
    if (maps) facts.map_words = static_cast<ir::TensorId>(i);
  }
  for (size_t i = 0; i < program.tensors.size() && facts.cooperative; ++i) {
    const bool word = program.tensors[i].name == "grid.sync";
    if (word) facts.grid_word = static_cast<ir::TensorId>(i);
  }
}

}  // namespace compiler::facts
