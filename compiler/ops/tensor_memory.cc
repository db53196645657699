// Tensor memory: products that accumulate in it, and the copies from and to registers.
#include "compiler/ops/example.h"
#include "compiler/ops/families.h"
#include "compiler/ops/matrix_meaning.h"

namespace compiler::ops {
namespace {

// Every device of the family has tcgen05 (PTX ISA, family-specific targets).
constexpr std::string_view kArch = "sm_100f";

constexpr std::string_view kProductExample =
    "program example target sm_100a\n"
    "in a: bf16[128, 64], b: bf16[32, 64]\n"
    "out y: f32[128, 32]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  smem sa: bf16[128, 64] swizzle 128\n"
    "  smem sb: bf16[32, 64] swizzle 128\n"
    "  tmem acc: f32[128, 32]\n"
    "  event loaded[1] count 1\n"
    "  event done[1] count 1\n"
    "  role main: warps 4 {\n"
    "    var f: tmem.32x32b f32[128, 32]\n"
    "    if warp == 0 {\n"
    "      tma.load sa <- a[:, :] on loaded@0\n"
    "      tma.load sb <- b[:, :] on loaded@0\n"
    "      expect loaded@0\n"
    "      wait loaded@0\n"
    "      umma acc = sa * sb.T\n"
    "      umma.commit done@0\n"
    "    }\n"
    "    wait done@0\n"
    "    tmem.ld f <- acc\n"
    "    tmem.wait ld\n"
    "    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }\n"
    "  }\n"
    "}\n";

constexpr std::string_view kCopyExample =
    "program example target sm_100a\n"
    "in x: f32[128, 16]\n"
    "out y: f32[128, 16]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  tmem t: f32[128, 16]\n"
    "  role main: warps 4 {\n"
    "    var f: tmem.32x32b f32[128, 16]\n"
    "    var g: tmem.16x256b f32[128, 16]\n"
    "    for e in 0..f.cols { f[0, e] = ld x[f.row(0), e] }\n"
    "    tmem.st t <- f\n"
    "    tmem.wait st\n"
    "    tmem.ld g <- t\n"
    "    tmem.wait ld\n"
    "    for (r, e) in g { st y[g.row(r), g.col(e)] <- g[r, e] }\n"
    "  }\n"
    "}\n";

OpDef Umma() {
  OpDef op = {
      .name = "umma",
      .form = Form::kProduct,
      .summary =
          "Product of shared memory, or of tensor and shared memory, into tensor memory: `umma d = "
          "a * b` or `+=`; `zero e` starts from 0 where e is true. It runs beside the thread that "
          "issues it; those into one accumulator follow each other. `umma.2cta`, by the CTA of "
          "even "
          "rank, multiplies for a pair: each CTA has its own rows of `d` and `a`, and half of `b`. "
          "`scale sa, sb`: factors are "
          "multiplied by those of their block of K.",
      .scope = Scope::kWarp,
      .min_arch = kArch};
  op.modifiers = {{{"2cta"}}};
  op.effects.product = true;
  op.effects.collective = true;
  op.effects.engine = ir::ProductEngine::kTensorMemory;
  op.cost = {.issue_slots = 1};
  op.tile = MultiplyTiles;
  op.source = "PTX ISA, tcgen05.mma";
  op.example = kProductExample;
  return op;
}

OpDef Commit() {
  OpDef op = {.name = "umma.commit",
              .form = Form::kSync,
              .summary =
                  "One arrival on an event when all products that this thread has issued "
                  "are complete; `umma.commit.2cta`: on that of both CTAs of the pair.",
              .scope = Scope::kWarp,
              .sync_operand = SyncOperand::kView,
              .min_arch = kArch};
  op.modifiers = {{{"2cta"}}};
  op.effects.sync = SyncEffect::kTensorCommit;
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = "PTX ISA, tcgen05.commit";
  op.example = kProductExample;
  return op;
}

OpDef Copy(std::string_view name, std::string_view summary, ir::CopyEffect effect,
           std::string_view source) {
  OpDef op = {.name = name,
              .form = Form::kCopy,
              .summary = summary,
              .scope = Scope::kWarp,
              .min_arch = kArch};
  op.effects.collective = true;
  op.effects.copy = effect;
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = source;
  op.example = kCopyExample;
  return op;
}

constexpr std::string_view kScaledExample =
    "program example target sm_100a\n"
    "in a: e2m1x2[128, 64], b: e2m1x2[32, 64], sa: ue4m3[2, 32, 16], sb: ue4m3[2, 32, 16]\n"
    "out y: f32[128, 32]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  smem ta: e2m1x2[128, 64] swizzle 64\n"
    "  smem tb: e2m1x2[32, 64] swizzle 64\n"
    "  smem ua: ue4m3[2, 32, 16]\n"
    "  smem ub: ue4m3[2, 32, 16]\n"
    "  tmem acc: f32[128, 32]\n"
    "  tmem va: ue4m3[128, 8]\n"
    "  tmem vb: ue4m3[128, 8]\n"
    "  event loaded[1] count 1\n"
    "  event done[1] count 1\n"
    "  role main: warps 4 {\n"
    "    var f: tmem.32x32b f32[128, 32]\n"
    "    if warp == 0 {\n"
    "      tma.load ta <- a[:, :] on loaded@0\n"
    "      tma.load tb <- b[:, :] on loaded@0\n"
    "      tma.load ua <- sa[:, :, :] on loaded@0\n"
    "      tma.load ub <- sb[:, :, :] on loaded@0\n"
    "      expect loaded@0\n"
    "      wait loaded@0\n"
    "      tmem.cp va <- ua\n"
    "      tmem.cp vb <- ub\n"
    "      umma acc = ta * tb.T scale va, vb\n"
    "      umma.commit done@0\n"
    "    }\n"
    "    wait done@0\n"
    "    tmem.ld f <- acc\n"
    "    tmem.wait ld\n"
    "    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }\n"
    "  }\n"
    "}\n";

OpDef CopyFromShared() {
  OpDef op = {.name = "tmem.cp",
              .form = Form::kCopy,
              .summary =
                  "Copies from shared to tensor memory: a swizzled tile of 128 rows, as a left "
                  "operand lies there, whose numbers of 6 and 4 bits get a byte each; or scales of "
                  "block-scaled products, blocks of 32 x 16 bytes, each four scales along K of 128 "
                  "rows. It runs beside the thread that issues it, before the products it issues "
                  "next; complete by `umma.commit`. "
                  "`tmem.cp.2cta`, by the CTA of even rank, copies in both CTAs of a pair.",
              .scope = Scope::kWarp,
              .min_arch = kArch};
  op.modifiers = {{{"2cta"}}};
  op.effects.collective = true;
  op.effects.copy = ir::CopyEffect::kTensorMemoryCopy;
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = "PTX ISA, tcgen05.cp";
  op.example = kScaledExample;
  return op;
}

OpDef Wait() {
  OpDef op = {.name = "tmem.wait",
              .form = Form::kSync,
              .summary =
                  "Waits until the warp's loads from tensor memory are in their registers, "
                  "or its stores are done.",
              .scope = Scope::kWarp,
              .sync_operand = SyncOperand::kWord,
              .words = {"ld", "st"},
              .min_arch = kArch};
  op.effects.collective = true;
  op.effects.sync = SyncEffect::kTensorMemoryWait;
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = "PTX ISA, tcgen05.wait";
  op.example = kCopyExample;
  return op;
}

}  // namespace

std::vector<OpDef> TensorMemory() {
  return {Umma(),
          Commit(),
          Copy("tmem.ld", "Loads tensor memory into a fragment; complete at `tmem.wait ld`.",
               ir::CopyEffect::kTensorMemoryLoad, "PTX ISA, tcgen05.ld"),
          Copy("tmem.st", "Stores a fragment to tensor memory; complete at `tmem.wait st`.",
               ir::CopyEffect::kTensorMemoryStore, "PTX ISA, tcgen05.st"),
          CopyFromShared(),
          Wait()};
}

}  // namespace compiler::ops
