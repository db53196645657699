// Barriers, events, fences.
#include "compiler/ops/families.h"

namespace compiler::ops {
namespace {

OpDef Sync(std::string_view name, std::string_view summary, Scope scope, SyncOperand operand,
           std::string_view arch = "sm_80") {
  return {.name = name,
          .form = Form::kSync,
          .summary = summary,
          .scope = scope,
          .sync_operand = operand,
          .min_arch = arch};
}

OpDef Words(OpDef op, std::vector<std::string_view> words,
            std::vector<std::string_view> outside = {}) {
  op.words = std::move(words);
  op.words_outside = std::move(outside);
  return op;
}

OpDef Modified(OpDef op, std::vector<ModifierGroup> modifiers) {
  op.modifiers = std::move(modifiers);
  return op;
}

constexpr std::string_view kTwoRoles =
    "program example target sm_80\n"
    "in x: f32[64]; out y: f32[64]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  smem half: f32[64]\n"
    "  barrier full threads 128\n"
    "  role produce: warps 2 {\n"
    "    st half[thread] <- 0.5 * (ld x[thread])\n"
    "    bar.arrive full\n"
    "  }\n"
    "  role consume: warps 2 {\n"
    "    bar.sync full\n"
    "    st y[thread] <- ld half[63 - thread]\n"
    "  }\n"
    "}\n";

OpDef ScopeSync() {
  OpDef op = Words(
      Sync("sync",
           "All threads of the scope wait for each other; what they wrote before is visible after.",
           Scope::kWarp, SyncOperand::kWord),
      {"warp", "wg", "role", "cta"}, {"cluster"});
  op.effects = {.collective = true, .sync = SyncEffect::kScopeSync};
  op.cost = {.pipe = Pipe::kBarrier, .issue_slots = 1};
  op.source = "PTX ISA, parallel synchronization: bar.warp.sync, barrier.cta";
  op.example =
      "program example target sm_80\n"
      "in x: f32[128]; out y: f32[128]\n"
      "kernel run {\n"
      "  grid (1)\n"
      "  smem turn: f32[128]\n"
      "  role main: warps 4 {\n"
      "    st turn[thread] <- ld x[thread]\n"
      "    sync cta\n"
      "    st y[thread] <- ld turn[127 - thread]\n"
      "  }\n"
      "}\n";
  return op;
}

OpDef NamedBarrier(std::string_view name, std::string_view summary, SyncEffect effect) {
  OpDef op = Sync(name, summary, Scope::kWarp, SyncOperand::kView);
  op.effects = {.collective = true, .sync = effect};
  op.cost = {.pipe = Pipe::kBarrier, .issue_slots = 1};
  op.source = "PTX ISA, parallel synchronization: barrier.cta (bar.sync, bar.arrive)";
  op.example = kTwoRoles;
  return op;
}

}  // namespace

std::vector<OpDef> Synchronise() {
  constexpr SyncOperand kView = SyncOperand::kView;
  constexpr SyncOperand kNone = SyncOperand::kNone;
  constexpr SyncOperand kWord = SyncOperand::kWord;
  return {
      ScopeSync(),
      NamedBarrier("bar.sync", "Arrives on a barrier and waits until its thread count has arrived.",
                   SyncEffect::kNamedSync),
      NamedBarrier("bar.arrive", "Arrives on a barrier without waiting.", SyncEffect::kNamedArrive),
      Sync("acquire", "Waits until a slot of a ring is free.", Scope::kWarp, kView),
      Sync("commit", "Hands a filled slot of a ring over.", Scope::kWarp, kView),
      Modified(
          Sync("wait", "Waits until a slot is full, or an event complete.", Scope::kWarp, kView),
          {{{"cluster"}}, {{"relaxed"}}}),
      Sync("release", "Gives a slot of a ring back.", Scope::kWarp, kView),
      Sync("arrive", "Arrives once for the warp on an event.", Scope::kWarp, kView),
      Sync("arrive.thread", "Arrives once for each thread on an event.", Scope::kThread, kView),
      Sync("expect", "Arrives on an event with the bytes of this warp's loads.", Scope::kWarp,
           kView, "sm_90"),
      {.name = "test",
       .form = Form::kFunction,
       .summary = "Whether an event is complete; if it is, acquires like a wait.",
       .scope = Scope::kWarp,
       .args = {ArgKind::kView},
       .result = ResultRule::kBool,
       .level = LevelRule::kWarp},
      Modified(Sync("cluster.arrive", "Arrives on the barrier of the cluster.", Scope::kCluster,
                    kNone, "sm_90"),
               {{{"relaxed"}}}),
      Sync("cluster.wait", "Waits for the barrier of the cluster.", Scope::kCluster, kNone,
           "sm_90"),
      Sync("cluster.sync", "All threads of the cluster wait for each other.", Scope::kCluster,
           kNone, "sm_90"),
      Words(Sync("fence",
                 "Orders this thread's memory accesses at a scope; `async`: generic writes before "
                 "the async proxy.",
                 Scope::kThread, kWord),
            {"async", "cta", "cluster", "gpu", "sys"}),
      Words(Sync("fence.sc", "Sequentially consistent fence at a scope.", Scope::kThread, kWord),
            {"cta", "cluster", "gpu", "sys"}),
      Sync("pdl.wait", "Waits until the kernels before this one are complete.", Scope::kThread,
           kNone, "sm_90"),
      Sync("pdl.launch", "Lets the next kernel start.", Scope::kThread, kNone, "sm_90"),
      Sync("grid.sync", "All threads of the grid wait for each other.", Scope::kCta, kNone),
  };
}

}  // namespace compiler::ops
