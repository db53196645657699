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
      "wrapping. Of `b1x8`, `.and` counts the bits along K that are set on both sides and `.xor` "
      "those that differ.",
      Scope::kWarp, "sm_80");
  op.modifiers = {{{"sat"}}, {{"and", "xor"}}};
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

constexpr std::string_view kWarpgroupProduct =
    "program example target sm_90a\n"
    "in a: bf16[64, 64], b: bf16[32, 64]\n"
    "out y: f32[64, 32]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  smem sa: bf16[64, 64] swizzle 128\n"
    "  smem sb: bf16[32, 64] swizzle 128\n"
    "  event full[1] count 1\n"
    "  role main: warps 4 {\n"
    "    if warp == 0 {\n"
    "      tma.load sa <- a on full@0\n"
    "      tma.load sb <- b on full@0\n"
    "      expect full@0\n"
    "    }\n"
    "    wait full@0\n"
    "    var acc: wgmma f32[64, 32]\n"
    "    wgmma acc = sa * sb.T\n"
    "    wgmma.commit\n"
    "    wgmma.wait 0\n"
    "    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }\n"
    "  }\n"
    "}\n";

OpDef WgmmaEntry() {
  OpDef op = Product(
      "wgmma",
      "Product of shared memory, or of registers with shared memory, into the registers of a "
      "warpgroup; it runs beside the threads until a `wgmma.wait` covers its group.",
      Scope::kWg, "sm_90a");
  op.effects.collective = true;
  op.effects.product = true;
  op.effects.engine = ir::ProductEngine::kWarpgroup;
  op.cost = {.issue_slots = 1};
  op.tile = MultiplyTiles;
  op.source = "PTX ISA, asynchronous warpgroup level matrix instructions: wgmma.mma_async";
  op.example = kWarpgroupProduct;
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

OpDef ProductGroup(OpDef op, ir::SyncEffect effect, std::string_view source) {
  op.effects.collective = true;
  op.effects.sync = effect;
  op.cost = {.issue_slots = 1};
  op.source = source;
  op.example = kWarpgroupProduct;
  return op;
}

}  // namespace

std::vector<OpDef> Matrix() {
  return {
      MmaEntry(),
      WgmmaEntry(),
      ProductGroup(Wait("wgmma.commit", "Closes the group of this warpgroup's products.",
                        Scope::kWg, SyncOperand::kNone, "sm_90a"),
                   ir::SyncEffect::kProductCommit, "PTX ISA, wgmma.commit_group"),
      ProductGroup(Wait("wgmma.wait",
                        "Waits until at most n groups of this warpgroup's products are pending.",
                        Scope::kWg, SyncOperand::kInteger, "sm_90a"),
                   ir::SyncEffect::kProductWait, "PTX ISA, wgmma.wait_group"),
  };
}

}  // namespace compiler::ops
