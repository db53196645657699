// Copies that run beside the thread that asks for them.
#include "compiler/ops/families.h"

namespace compiler::ops {
namespace {

OpDef Copy(std::string_view name, std::string_view summary, Scope scope, std::string_view arch) {
  return {.name = name, .form = Form::kCopy, .summary = summary, .scope = scope, .min_arch = arch};
}

OpDef Reduce(std::string_view name, std::string_view summary) {
  OpDef op = Copy(name, summary, Scope::kWarp, "sm_90");
  op.modifiers = {{{"add", "min", "max", "and", "or", "xor", "inc", "dec"}, true}};
  return op;
}

OpDef Group(std::string_view name, std::string_view summary, SyncOperand operand,
            std::string_view arch) {
  return {.name = name,
          .form = Form::kSync,
          .summary = summary,
          .sync_operand = operand,
          .min_arch = arch};
}

}  // namespace

std::vector<OpDef> AsyncCopies() {
  OpDef tma_wait = Group("tma.wait",
                         "Waits until at most n groups of this thread are pending; `.read`: until "
                         "their sources may be reused.",
                         SyncOperand::kInteger, "sm_90");
  tma_wait.modifiers = {{{"read"}}};
  return {
      Copy("cp.async", "Copies 4, 8 or 16 bytes of global memory to shared memory.", Scope::kThread,
           "sm_80"),
      Group("cp.async.commit", "Closes the group of this thread's copies.", SyncOperand::kNone,
            "sm_80"),
      Group("cp.async.wait", "Waits until at most n groups of this thread are pending.",
            SyncOperand::kInteger, "sm_80"),
      Group("cp.async.arrive", "Arrives on an event when this thread's copies are complete.",
            SyncOperand::kView, "sm_80"),
      Copy("bulk.load", "Copies contiguous global memory to shared memory.", Scope::kWarp, "sm_90"),
      Copy("bulk.store", "Copies contiguous shared memory to global memory.", Scope::kWarp,
           "sm_90"),
      Reduce("bulk.reduce", "Combines contiguous shared memory into global memory."),
      Copy("tma.load", "Copies a box of a tensor to shared memory, zero-filled outside.",
           Scope::kWarp, "sm_90"),
      Copy("tma.store", "Copies shared memory to a box of a tensor, clipped outside.", Scope::kWarp,
           "sm_90"),
      Reduce("tma.reduce", "Combines shared memory into a box of a tensor."),
      Copy("tma.gather4", "Copies four rows of a tensor to shared memory.", Scope::kWarp, "sm_100"),
      Group("tma.commit", "Closes the group of this thread's bulk stores.", SyncOperand::kNone,
            "sm_90"),
      tma_wait,
      Copy("tensormap.set", "Replaces a field of a tensor map.", Scope::kWarp, "sm_90"),
      Copy("st.async",
           "Stores to shared memory of a cluster member and completes bytes on its event.",
           Scope::kThread, "sm_90"),
  };
}

}  // namespace compiler::ops
