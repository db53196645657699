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

// One warp fills slots for another; both count the uses.
constexpr std::string_view kRing =
    "program example target sm_80\n"
    "in x: f32[256]; out y: f32[256]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  ring tiles[3] { values: f32[32] } from fill to drain\n"
    "  role fill: warps 1 {\n"
    "    for k in 0..8 {\n"
    "      acquire tiles@k\n"
    "      st tiles.values@k[lane] <- 2.0 * (ld x[32 * k + lane])\n"
    "      commit tiles@k\n"
    "    }\n"
    "  }\n"
    "  role drain: warps 1 {\n"
    "    for k in 0..8 {\n"
    "      wait tiles@k\n"
    "      st y[32 * k + lane] <- ld tiles.values@k[31 - lane]\n"
    "      release tiles@k\n"
    "    }\n"
    "  }\n"
    "}\n";

constexpr std::string_view kArriveExample =
    "program example target sm_80\n"
    "in x: f32[64]; out y: f32[64]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  smem half: f32[64]\n"
    "  event done[1] count 2\n"
    "  role produce: warps 2 {\n"
    "    st half[thread] <- 0.5 * (ld x[thread])\n"
    "    arrive done@0\n"
    "  }\n"
    "  role consume: warps 2 {\n"
    "    wait done@0\n"
    "    st y[thread] <- ld half[63 - thread]\n"
    "  }\n"
    "}\n";
constexpr std::string_view kArriveThreadExample =
    "program example target sm_80\n"
    "in x: f32[64]; out y: f32[64]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  smem half: f32[64]\n"
    "  event done[1] count 64\n"
    "  role produce: warps 2 {\n"
    "    st half[thread] <- 0.5 * (ld x[thread])\n"
    "    arrive.thread done@0\n"
    "  }\n"
    "  role consume: warps 2 {\n"
    "    wait done@0\n"
    "    st y[thread] <- ld half[63 - thread]\n"
    "  }\n"
    "}\n";
constexpr std::string_view kExpectExample =
    "program example target sm_90a\n"
    "in x: f32[32]; out y: f32[32]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  smem copy: f32[32]\n"
    "  event full[1] count 1\n"
    "  role produce: warps 1 {\n"
    "    st copy[lane] <- ld x[lane]\n"
    "    expect full@0 bytes 0\n"
    "  }\n"
    "  role consume: warps 1 {\n"
    "    wait full@0\n"
    "    st y[lane] <- ld copy[31 - lane]\n"
    "  }\n"
    "}\n";
constexpr std::string_view kTestExample =
    "program example target sm_80\n"
    "in x: f32[32]; out y: f32[32]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  smem copy: f32[32]\n"
    "  event full[1] count 1\n"
    "  role produce: warps 1 {\n"
    "    st copy[lane] <- ld x[lane]\n"
    "    arrive full@0\n"
    "  }\n"
    "  role consume: warps 1 {\n"
    "    while !test(full@0) {}\n"
    "    st y[lane] <- ld copy[31 - lane]\n"
    "  }\n"
    "}\n";

OpDef OfEvent(OpDef op, SyncEffect effect, double issue_slots, std::string_view source,
              std::string_view example) {
  op.effects = {.collective = op.scope != Scope::kThread, .sync = effect};
  op.cost = {.pipe = Pipe::kBarrier, .issue_slots = issue_slots};
  op.source = source;
  op.example = example;
  return op;
}

constexpr std::string_view kArriveSource = "PTX ISA, mbarrier.arrive";
constexpr std::string_view kWaitSource = "PTX ISA, mbarrier.test_wait, mbarrier.try_wait";

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
      OfEvent(Sync("acquire", "Waits until a slot of a ring is free.", Scope::kWarp, kView),
              SyncEffect::kAcquire, 2, kWaitSource, kRing),
      OfEvent(
          Sync("commit",
               "Hands a filled slot of a ring over: converges the warp, then arrives once, with "
               "the bytes of the warp's loads into the slot.",
               Scope::kWarp, kView),
          SyncEffect::kCommit, 2, kArriveSource, kRing),
      OfEvent(Modified(Sync("wait", "Waits until a slot is full, or an event complete.",
                            Scope::kWarp, kView),
                       {{{"cluster"}}, {{"relaxed"}}}),
              SyncEffect::kWait, 2, kWaitSource, kRing),
      OfEvent(Sync("release", "Gives a slot of a ring back.", Scope::kWarp, kView),
              SyncEffect::kRelease, 2, kArriveSource, kRing),
      OfEvent(Sync("arrive", "Arrives once for the warp on an event, after converging it.",
                   Scope::kWarp, kView),
              SyncEffect::kArrive, 2, kArriveSource, kArriveExample),
      OfEvent(
          Sync("arrive.thread", "Arrives once for each thread on an event.", Scope::kThread, kView),
          SyncEffect::kArriveThread, 1, kArriveSource, kArriveThreadExample),
      OfEvent(Sync("expect", "Arrives on an event with the bytes of this warp's loads.",
                   Scope::kWarp, kView, "sm_90"),
              SyncEffect::kExpect, 2, "PTX ISA, mbarrier.arrive.expect_tx", kExpectExample),
      OfEvent({.name = "test",
               .form = Form::kFunction,
               .summary = "Whether an event is complete; if it is, acquires like a wait.",
               .scope = Scope::kWarp,
               .args = {ArgKind::kView},
               .result = ResultRule::kBool,
               .level = LevelRule::kWarp},
              SyncEffect::kWait, 2, kWaitSource, kTestExample),
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
