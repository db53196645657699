// Tensor cores and tensor memory.
#include "compiler/ops/example.h"
#include "compiler/ops/families.h"
#include "compiler/ops/matrix_meaning.h"

namespace compiler::ops {
namespace {

OpDef Product(std::string_view name, std::string_view summary, Scope scope, std::string_view arch) {
  return {
      .name = name, .form = Form::kProduct, .summary = summary, .scope = scope, .min_arch = arch};
}

OpDef MmaEntry() {
  OpDef op = Product(
      "mma",
      "Product of register fragments by one warp: `mma d = a * b` or `+=`; `zero e` starts from 0 "
      "where e is true. A tile larger than one instruction is as many of them as it takes. "
      "`.sat`: what an instruction adds up in i32 ends at the ends of the type instead of "
      "wrapping.",
      Scope::kWarp, "sm_80");
  op.modifiers = {{{"sat"}}};
  op.effects.collective = true;
  op.effects.product = true;
  op.cost = {.issue_slots = 1};
  op.tile = MultiplyTiles;
  op.source = "PTX ISA, warp-level matrix instructions: mma";
  op.example = ExampleOfWarp("in a: bf16[16, 16], b: bf16[8, 16]; out y: f32[16, 8]", R"(
var fa: mma.a bf16[16, 16]
var fb: mma.b bf16[16, 8]
var acc: mma f32[16, 8]
for (r, e) in fa { fa[r, e] = ld a[fa.row(r), fa.col(e)] }
for (r, e) in fb { fb[r, e] = ld b[fb.col(e), fb.row(r)] }
mma acc = fa * fb
for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
)");
  return op;
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
      MmaEntry(),
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
