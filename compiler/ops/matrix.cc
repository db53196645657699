// Tensor cores and tensor memory.
#include "compiler/ops/families.h"

namespace compiler::ops {
namespace {

OpDef Product(std::string_view name, std::string_view summary, Scope scope, std::string_view arch) {
  return {
      .name = name, .form = Form::kProduct, .summary = summary, .scope = scope, .min_arch = arch};
}

OpDef Wait(std::string_view name, std::string_view summary, Scope scope, SyncOperand operand,
           std::string_view arch) {
  return {.name = name,
          .form = Form::kSync,
          .summary = summary,
          .scope = scope,
          .sync_operand = operand,
          .min_arch = arch};
}

OpDef TmemCopy(std::string_view name, std::string_view summary) {
  return {.name = name,
          .form = Form::kCopy,
          .summary = summary,
          .scope = Scope::kWarp,
          .min_arch = "sm_100a"};
}

}  // namespace

std::vector<OpDef> Matrix() {
  OpDef umma =
      Product("umma", "Product of shared or tensor memory into tensor memory, by one thread.",
              Scope::kWarp, "sm_100a");
  umma.modifiers = {{{"2cta"}}};
  OpDef tmem_wait =
      Wait("tmem.wait", "Waits for this thread's loads from or stores to tensor memory.",
           Scope::kWarp, SyncOperand::kWord, "sm_100a");
  tmem_wait.words = {"ld", "st"};
  return {
      Product("mma", "Product of register fragments by one warp.", Scope::kWarp, "sm_80"),
      Product("wgmma", "Product of shared memory into registers by one warpgroup, asynchronous.",
              Scope::kWg, "sm_90a"),
      Wait("wgmma.commit", "Closes the group of this warpgroup's products.", Scope::kWg,
           SyncOperand::kNone, "sm_90a"),
      Wait("wgmma.wait", "Waits until at most n groups of this warpgroup are pending.", Scope::kWg,
           SyncOperand::kInteger, "sm_90a"),
      umma,
      Wait("umma.commit", "Arrives on an event when this thread's products are complete.",
           Scope::kWarp, SyncOperand::kView, "sm_100a"),
      TmemCopy("tmem.ld", "Loads tensor memory into a fragment."),
      TmemCopy("tmem.st", "Stores a fragment to tensor memory."),
      TmemCopy("tmem.cp", "Copies shared memory to tensor memory."),
      tmem_wait,
  };
}

}  // namespace compiler::ops
