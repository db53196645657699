// Barriers, events, fences.
#include <string>

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

// PTX ISA, fence, barrier.cluster: scope `.cluster` needs sm_90.
ir::Needs ClusterWord(const ir::UseArgs& args) {
  for (const std::string_view word : args.modifiers) {
    if (word == "cluster") return {.min_arch = "sm_90"};
  }
  return {};
}

OpDef ScopeSync() {
  OpDef op = Words(
      Sync("sync",
           "All threads of the scope wait for each other; what they wrote before is visible after.",
           Scope::kWarp, SyncOperand::kWord),
      {"warp", "wg", "role", "cta", "cluster"});
  op.effects = {.collective = true, .sync = SyncEffect::kScopeSync};
  op.capability = ClusterWord;
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

// The last CTA to arrive adds up what the others have left.
constexpr std::string_view kLastArriver =
    "program example target sm_80\n"
    "dim N in 1..=128\n"
    "in x: f32[N, 32]; out y: f32[32]\n"
    "workspace part: f32[N, 32]; workspace arrived: i32[1] zero\n"
    "kernel run {\n"
    "  grid (N)\n"
    "  role main: warps 1 {\n"
    "    st part[cta, lane] <- ld x[cta, lane]\n"
    "    sync warp\n"
    "    var ticket: i32 = 0\n"
    "    if lane == 0 {\n"
    "      fence gpu\n"
    "      ticket = atomic.add.relaxed.gpu(arrived[0], 1)\n"
    "      fence gpu\n"
    "    }\n"
    "    if lanes.first(ticket, 32) == N - 1 {\n"
    "      sync warp\n"
    "      var sum: f32 = 0.0\n"
    "      for i in 0..N { sum += ld part[i, lane] }\n"
    "      st y[lane] <- sum\n"
    "    }\n"
    "  }\n"
    "}\n";

OpDef Fence() {
  OpDef op = Words(Sync("fence",
                        "Orders this thread's memory accesses at a scope: what is before it with "
                        "what is after it. `async`: what the thread knows of generic writes before "
                        "accesses of the async proxy.",
                        Scope::kThread, SyncOperand::kWord),
                   {"async", "cta", "cluster", "gpu", "sys"});
  op.effects = {.sync = SyncEffect::kFence};
  op.capability = ClusterWord;
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = "PTX ISA, parallel synchronization: membar, fence";
  op.example = kLastArriver;
  return op;
}

OpDef FenceSc() {
  static const std::string example = [] {
    std::string text(kLastArriver);
    for (size_t at = text.find("fence gpu"); at != std::string::npos;
         at = text.find("fence gpu", at + 1)) {
      text.replace(at, 9, "fence.sc gpu");
    }
    return text;
  }();
  OpDef op = Words(
      Sync("fence.sc", "Orders like `fence`, and all such fences are in one order for all threads.",
           Scope::kThread, SyncOperand::kWord),
      {"cta", "cluster", "gpu", "sys"});
  op.effects = {.sync = SyncEffect::kFenceSc};
  op.capability = ClusterWord;
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = "PTX ISA, parallel synchronization: membar, fence";
  op.example = example;
  return op;
}

OpDef LaunchOrder(std::string_view name, std::string_view summary, SyncEffect effect) {
  OpDef op = Sync(name, summary, Scope::kThread, SyncOperand::kNone, "sm_90");
  op.effects = {.sync = effect};
  op.cost = {.pipe = Pipe::kBarrier, .issue_slots = 1};
  op.source = "PTX ISA, parallel synchronization: griddepcontrol";
  op.example =
      "program example target sm_90\n"
      "dim N in 1..=4096\n"
      "in x: f32[N]; in static scale: f32[N]; out y: f32[N]\n"
      "workspace half: f32[N]\n"
      "kernel halve {\n"
      "  grid (ceildiv(N, 128))\n"
      "  role main: warps 4 {\n"
      "    let i = cta*128 + thread\n"
      "    pdl.launch\n"
      "    if i < N { st half[i] <- 0.5 * (ld x[i]) }\n"
      "  }\n"
      "}\n"
      "kernel add pdl {\n"
      "  grid (ceildiv(N, 128))\n"
      "  role main: warps 4 {\n"
      "    let i = cta*128 + thread\n"
      "    let s = ld scale[i] else 0.0\n"
      "    pdl.wait\n"
      "    if i < N { st y[i] <- s * (ld half[i]) }\n"
      "  }\n"
      "}\n";
  return op;
}

// Each CTA reads what another one of its cluster left in shared memory.
constexpr std::string_view kClusterExample =
    "program example target sm_90\n"
    "in x: f32[256]; out y: f32[256]\n"
    "kernel run {\n"
    "  cluster 2\n"
    "  grid (4)\n"
    "  smem half: f32[64]\n"
    "  role main: warps 2 {\n"
    "    st half[thread] <- 0.5 * (ld x[cta*64 + thread])\n"
    "    cluster.sync\n"
    "    st y[cta*64 + thread] <- ld half[63 - thread] at 1 - cluster.rank\n"
    "  }\n"
    "}\n";
constexpr std::string_view kSplitBarrier =
    "program example target sm_90\n"
    "in x: f32[256]; out y: f32[256]\n"
    "kernel run {\n"
    "  cluster 2\n"
    "  grid (4)\n"
    "  smem half: f32[64]\n"
    "  role main: warps 2 {\n"
    "    st half[thread] <- 0.5 * (ld x[cta*64 + thread])\n"
    "    cluster.arrive\n"
    "    let mine = ld x[cta*64 + thread]\n"
    "    cluster.wait\n"
    "    st y[cta*64 + thread] <- mine + (ld half[63 - thread] at 1 - cluster.rank)\n"
    "  }\n"
    "}\n";

OpDef ClusterBarrier(OpDef op, SyncEffect effect, std::string_view example) {
  op.effects = {.collective = true, .sync = effect};
  op.cost = {.pipe = Pipe::kBarrier, .issue_slots = 2};
  op.source = "PTX ISA, parallel synchronization: barrier.cluster";
  op.example = example;
  return op;
}

OpDef GridSync() {
  OpDef op = Sync("grid.sync",
                  "All threads of the grid wait for each other; what they wrote before is visible "
                  "after.",
                  Scope::kCta, SyncOperand::kNone);
  op.effects = {.collective = true, .sync = SyncEffect::kGridSync};
  op.cost = {.pipe = Pipe::kBarrier, .issue_slots = 4};
  op.source = "CUDA driver API, cooperative launch; PTX ISA, atom and ld.acquire";
  op.example =
      "program example target sm_80\n"
      "dim N in 1..=4096\n"
      "in x: f32[N]; out y: f32[N]\n"
      "workspace turned: f32[N]\n"
      "kernel run {\n"
      "  grid (SMS)\n"
      "  role main: warps 4 {\n"
      "    for i in cta*128 + thread..N step ctas*128 { st turned[N - 1 - i] <- ld x[i] }\n"
      "    grid.sync\n"
      "    for i in cta*128 + thread..N step ctas*128 { st y[i] <- ld turned[i] }\n"
      "  }\n"
      "}\n";
  return op;
}

}  // namespace

std::vector<OpDef> Synchronise() {
  constexpr SyncOperand kView = SyncOperand::kView;
  constexpr SyncOperand kNone = SyncOperand::kNone;
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
      ClusterBarrier(Modified(Sync("cluster.arrive",
                                   "Arrives on the barrier of the cluster; `.relaxed`: without "
                                   "making visible what the thread did before.",
                                   Scope::kCluster, kNone, "sm_90"),
                              {{{"relaxed"}}}),
                     SyncEffect::kClusterArrive, kSplitBarrier),
      ClusterBarrier(Sync("cluster.wait",
                          "Waits until all threads of the cluster have arrived on its barrier, and "
                          "sees what they did before.",
                          Scope::kCluster, kNone, "sm_90"),
                     SyncEffect::kClusterWait, kSplitBarrier),
      ClusterBarrier(Sync("cluster.sync",
                          "All threads of the cluster wait for each other; what they did before is "
                          "visible after.",
                          Scope::kCluster, kNone, "sm_90"),
                     SyncEffect::kClusterSync, kClusterExample),
      Fence(),
      FenceSc(),
      LaunchOrder("pdl.wait",
                  "Waits until the kernels before this one are complete and their writes visible.",
                  SyncEffect::kLaunchWait),
      LaunchOrder(
          "pdl.launch",
          "Lets the next kernel start, once every CTA has said so or ended; orders nothing.",
          SyncEffect::kLaunchDependents),
      GridSync(),
  };
}

}  // namespace compiler::ops
