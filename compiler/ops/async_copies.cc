// Copies that run beside the thread that asks for them.
#include "compiler/ops/families.h"

namespace compiler::ops {
namespace {

using ir::CopyEffect;

OpDef Copy(std::string_view name, std::string_view summary, Scope scope, std::string_view arch) {
  return {.name = name, .form = Form::kCopy, .summary = summary, .scope = scope, .min_arch = arch};
}

// A copy of this build: reads one memory, writes the other.
OpDef Copies(OpDef op, CopyEffect effect, std::string_view source, std::string_view example) {
  op.effects = {.reads_memory = true, .writes_memory = true, .copy = effect};
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = source;
  op.example = example;
  return op;
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

OpDef Groups(OpDef op, SyncEffect effect, std::string_view source, std::string_view example) {
  op.effects.sync = effect;
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = source;
  op.example = example;
  return op;
}

constexpr std::string_view kStagedLoop =
    "program example target sm_80\n"
    "dim N in 1..=4096\n"
    "in x: f32[N, 4]; out y: f32[N, 4]\n"
    "kernel run {\n"
    "  grid (ceildiv(N, 128))\n"
    "  smem tile: f32[128, 4]\n"
    "  role main: warps 4 {\n"
    "    let i = cta*128 + thread\n"
    "    cp.async tile[thread, 0:+4] <- x[i, 0:+4] else 0.0 cache evict_first\n"
    "    cp.async.commit\n"
    "    cp.async.wait 0\n"
    "    if i < N { st y[i, 0:+4] <- ld tile[thread, 0:+4] }\n"
    "  }\n"
    "}\n";

constexpr std::string_view kTensorStore =
    "program example target sm_90\n"
    "dim N in 1..=4096\n"
    "in x: f32[N, 32]; out y: f32[N, 32]\n"
    "kernel run {\n"
    "  grid (ceildiv(N, 16))\n"
    "  smem tile: f32[16, 32] swizzle 128\n"
    "  role main: warps 1 {\n"
    "    for r in 0..16 { st tile[r, lane] <- ld x[cta*16 + r, lane] else 0.0 }\n"
    "    fence async; sync role\n"
    "    once { tma.store y[cta*16:+16, :] <- tile; tma.commit; tma.wait.read 0 }\n"
    "  }\n"
    "}\n";

constexpr std::string_view kTensorReduce =
    "program example target sm_90\n"
    "in x: f32[2, 16, 32]; inout y: f32[16, 32]\n"
    "kernel run {\n"
    "  grid (2)\n"
    "  smem tile: f32[16, 32]\n"
    "  role main: warps 1 {\n"
    "    for r in 0..16 { st tile[r, lane] <- ld x[cta, r, lane] }\n"
    "    fence async; sync role\n"
    "    once { tma.reduce.add y[:, :] <- tile; tma.commit; tma.wait.read 0 }\n"
    "  }\n"
    "}\n";

constexpr std::string_view kBulkStore =
    "program example target sm_90\n"
    "in x: f32[256]; out y: f32[256]\n"
    "kernel run {\n"
    "  grid (2)\n"
    "  smem row: f32[128]\n"
    "  role main: warps 4 {\n"
    "    st row[thread] <- 2.0 * (ld x[cta*128 + thread])\n"
    "    fence async; sync role\n"
    "    once { bulk.store y[cta*128:+128] <- row; tma.commit; tma.wait.read 0 }\n"
    "  }\n"
    "}\n";

constexpr std::string_view kBulkReduce =
    "program example target sm_90\n"
    "in x: f32[256]; inout y: f32[128]\n"
    "kernel run {\n"
    "  grid (2)\n"
    "  smem row: f32[128]\n"
    "  role main: warps 4 {\n"
    "    st row[thread] <- ld x[cta*128 + thread]\n"
    "    fence async; sync role\n"
    "    once { bulk.reduce.add y[:] <- row; tma.commit; tma.wait.read 0 }\n"
    "  }\n"
    "}\n";

constexpr std::string_view kAsyncArrive =
    "program example target sm_80\n"
    "in x: f32[64]; out y: f32[64]\n"
    "kernel run {\n"
    "  grid (1)\n"
    "  smem half: f32[64]\n"
    "  event full[1] count 64\n"
    "  role load: warps 2 { cp.async half[thread] <- x[thread]; cp.async.arrive full@0 }\n"
    "  role math: warps 2 {\n"
    "    wait full@0\n"
    "    st y[thread] <- ld half[63 - thread]\n"
    "  }\n"
    "}\n";

constexpr std::string_view kTensorLoad =
    "program example target sm_90\n"
    "dim M in 1..=4096, N in 32..=128\n"
    "in x: f32[M, N]; out y: f32[M, N]\n"
    "where N % 4 == 0\n"
    "kernel run {\n"
    "  grid (ceildiv(M, 16))\n"
    "  ring tiles[2] { tile: f32[16, 32] swizzle 128 } from load to store\n"
    "  role load: warps 1 {\n"
    "    for k in 0..ceildiv(N, 32) {\n"
    "      acquire tiles@k\n"
    "      tma.load tiles.tile@k <- x[cta*16:+16, k*32:+32] cache evict_first\n"
    "      commit tiles@k\n"
    "    }\n"
    "  }\n"
    "  role store: warps 2 {\n"
    "    for k in 0..ceildiv(N, 32) {\n"
    "      wait tiles@k\n"
    "      let n = k*32 + lane\n"
    "      for r in warp..16 step 2 {\n"
    "        let m = cta*16 + r\n"
    "        if m < M && n < N { st y[m, n] <- ld tiles.tile@k[r, lane] }\n"
    "      }\n"
    "      release tiles@k\n"
    "    }\n"
    "  }\n"
    "}\n";

constexpr std::string_view kBulkLoad =
    "program example target sm_90\n"
    "in x: f32[256]; out y: f32[256]\n"
    "kernel run {\n"
    "  grid (2)\n"
    "  smem row: f32[128]\n"
    "  event full[1] count 1\n"
    "  role load: warps 1 { bulk.load row <- x[cta*128:+128] on full@0; expect full@0 }\n"
    "  role store: warps 4 {\n"
    "    wait full@0\n"
    "    st y[cta*128 + thread] <- ld row[127 - thread]\n"
    "  }\n"
    "}\n";

OpDef TensorLoadEntry() {
  return Copies(
      Copy("tma.load",
           "Copies a box of a tensor to shared memory; what lies outside the tensor reads "
           "as zero. Completes the bytes of the whole box on the ring whose slot it "
           "fills, or on the event behind `on`.",
           Scope::kWarp, "sm_90"),
      CopyEffect::kTensorLoad, "PTX ISA, data movement and conversion: cp.async.bulk.tensor",
      kTensorLoad);
}

constexpr std::string_view kGather =
    "program example target sm_100\n"
    "dim N in 1..=4096, M in 1..=1024\n"
    "in x: f32[N, 32], rows: i32[4*M]\n"
    "out y: f32[4*M, 32]\n"
    "where rows in -1..N\n"
    "kernel run {\n"
    "  grid (M)\n"
    "  smem tile: f32[4, 32]\n"
    "  event full[1] count 1\n"
    "  role main: warps 1 {\n"
    "    let r = ld rows[cta*4:+4]\n"
    "    tma.gather4 tile <- x[r, 0:+32] on full@0\n"
    "    expect full@0\n"
    "    wait full@0\n"
    "    for i in 0..4 { st y[cta*4 + i, lane] <- ld tile[i, lane] }\n"
    "  }\n"
    "}\n";

OpDef GatherEntry() {
  return Copies(
      Copy("tma.gather4",
           "Copies columns of four rows of a tensor of two dimensions, `x[[a, b, c, d], k:+n]`, to "
           "four rows of shared memory; rows outside the tensor read as zero. The rows are four "
           "i32. Completes like tma.load.",
           Scope::kWarp, "sm_100"),
      CopyEffect::kGatherLoad,
      "PTX ISA, data movement and conversion: cp.async.bulk.tensor .tile::gather4", kGather);
}

constexpr std::string_view kPatchedStore =
    "program example target sm_90a\n"
    "dim B in 1..=64, T in 1..=4096\n"
    "in from: i32[B+1]\n"
    "out y: f32[T, 32]\n"
    "where from in 0..=T, steps(from) in 0..=64, from[0] == 0, from[B] == T\n"
    "kernel run {\n"
    "  grid (B)\n"
    "  smem tile: f32[64, 32] swizzle 128\n"
    "  tensormap y\n"
    "  role main: warps 1 {\n"
    "    for r in 0..64 { st tile[r, lane] <- cvt.f32(cta) }\n"
    "    let first = ld from[cta]\n"
    "    let end = ld from[cta + 1]\n"
    "    if first < end {\n"
    "      tensormap.set y[end, :]\n"
    "      fence async; sync role\n"
    "      once { tma.store y[first:+64, :] <- tile; tma.commit; tma.wait 0 }\n"
    "    }\n"
    "  }\n"
    "}\n";

OpDef MapEntry() {
  OpDef op = {
      .name = "tensormap.set",
      .form = Form::kSync,
      .summary =
          "`tensormap.set y[e, :]`: for the tensor copies of y behind it, by this warp, the "
          "tensor ends before index e of that dimension: what lies there and beyond reads as "
          "zero and is not written. The kernel's item `tensormap y` says that copies of y go "
          "through such maps. The warp's copies before it are complete.",
      .scope = Scope::kWarp,
      .sync_operand = SyncOperand::kView,
      .min_arch = "sm_90a+"};
  op.effects = {.collective = true, .copy = CopyEffect::kMapUpdate};
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 8};
  op.source = "PTX ISA, data movement and conversion: tensormap.replace; fence.proxy.tensormap";
  op.example = kPatchedStore;
  return op;
}

OpDef BulkLoadEntry() {
  return Copies(
      Copy("bulk.load",
           "Copies contiguous global memory to contiguous shared memory, a multiple of 16 "
           "bytes. Completes like tma.load.",
           Scope::kWarp, "sm_90"),
      CopyEffect::kBulkLoad, "PTX ISA, data movement and conversion: cp.async.bulk", kBulkLoad);
}

OpDef AsyncCopyEntry() {
  return Copies(
      Copy("cp.async",
           "Copies 4, 8 or 16 bytes of global memory to shared memory beside the thread. `else 0`: "
           "zeros where the source is out of bounds. `cache`: `cached` keeps the line in L1 too, "
           "`evict_first` and `evict_last` say what L2 does with it.",
           Scope::kThread, "sm_80"),
      CopyEffect::kAsyncCopy, "PTX ISA, data movement and conversion: cp.async", kStagedLoop);
}

OpDef TensorStoreEntry() {
  return Copies(Copy("tma.store",
                     "Copies shared memory to a box of a tensor; what lies outside the tensor is "
                     "not written. Completes by the groups of the issuing thread.",
                     Scope::kWarp, "sm_90"),
                CopyEffect::kTensorStore,
                "PTX ISA, data movement and conversion: cp.async.bulk.tensor", kTensorStore);
}

OpDef TensorReduceEntry() {
  return Copies(Reduce("tma.reduce",
                       "Combines shared memory into a box of a tensor, element by element and "
                       "atomically; what lies outside the tensor is left out."),
                CopyEffect::kTensorReduce,
                "PTX ISA, data movement and conversion: cp.reduce.async.bulk.tensor",
                kTensorReduce);
}

OpDef BulkStoreEntry() {
  return Copies(Copy("bulk.store",
                     "Copies contiguous shared memory to contiguous global memory, a multiple of "
                     "16 bytes.",
                     Scope::kWarp, "sm_90"),
                CopyEffect::kBulkStore, "PTX ISA, data movement and conversion: cp.async.bulk",
                kBulkStore);
}

OpDef BulkReduceEntry() {
  return Copies(Reduce("bulk.reduce",
                       "Combines contiguous shared memory into contiguous global memory, element "
                       "by element and atomically."),
                CopyEffect::kBulkReduce,
                "PTX ISA, data movement and conversion: cp.reduce.async.bulk", kBulkReduce);
}

OpDef BulkWaitEntry() {
  OpDef op = Group("tma.wait",
                   "Waits until at most n groups of this thread's bulk stores and reductions are "
                   "pending; `.read`: until their sources may be reused.",
                   SyncOperand::kInteger, "sm_90");
  op.modifiers = {{{"read"}}};
  return Groups(std::move(op), SyncEffect::kBulkWait,
                "PTX ISA, data movement and conversion: cp.async.bulk.wait_group", kTensorStore);
}

// Each CTA hands its values to the next one, which learns of them by its event alone.
constexpr std::string_view kRemoteStore =
    "program example target sm_90\n"
    "in x: f32[256]; out y: f32[256]\n"
    "kernel run {\n"
    "  cluster 2\n"
    "  grid (2)\n"
    "  smem row: f32[128]\n"
    "  event full[1] count 1\n"
    "  role main: warps 1 {\n"
    "    expect full@0 bytes 512\n"
    "    st.async row[4*lane:+4] at 1 - cluster.rank <- ld x[cta*128 + 4*lane:+4] on full@0\n"
    "    wait full@0\n"
    "    for i in 0..4 { st y[cta*128 + 32*i + lane] <- ld row[127 - 32*i - lane] }\n"
    "  }\n"
    "}\n";

OpDef RemoteStoreEntry() {
  OpDef op = Copy(
      "st.async",
      "Stores 4, 8 or 16 bytes to shared memory of a cluster member and completes the bytes on "
      "its event.",
      Scope::kThread, "sm_90");
  op.effects = {.writes_memory = true, .copy = CopyEffect::kRemoteStore};
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = "PTX ISA, data movement and conversion: st.async";
  op.example = kRemoteStore;
  return op;
}

}  // namespace

std::vector<OpDef> AsyncCopies() {
  return {
      AsyncCopyEntry(),
      Groups(Group("cp.async.commit", "Closes the group of this thread's copies.",
                   SyncOperand::kNone, "sm_80"),
             SyncEffect::kAsyncCommit,
             "PTX ISA, data movement and conversion: cp.async.commit_group", kStagedLoop),
      Groups(Group("cp.async.wait", "Waits until at most n groups of this thread are pending.",
                   SyncOperand::kInteger, "sm_80"),
             SyncEffect::kAsyncWait, "PTX ISA, data movement and conversion: cp.async.wait_group",
             kStagedLoop),
      Groups(Group("cp.async.arrive",
                   "Arrives on an event, once for each thread, when the thread's copies until here "
                   "are complete.",
                   SyncOperand::kView, "sm_80"),
             SyncEffect::kAsyncArrive,
             "PTX ISA, parallel synchronization: cp.async.mbarrier.arrive", kAsyncArrive),
      BulkLoadEntry(),
      BulkStoreEntry(),
      BulkReduceEntry(),
      TensorLoadEntry(),
      TensorStoreEntry(),
      TensorReduceEntry(),
      GatherEntry(),
      Groups(Group("tma.commit", "Closes the group of this thread's bulk stores and reductions.",
                   SyncOperand::kNone, "sm_90"),
             SyncEffect::kBulkCommit,
             "PTX ISA, data movement and conversion: cp.async.bulk.commit_group", kTensorStore),
      BulkWaitEntry(),
      MapEntry(),
      RemoteStoreEntry(),
  };
}

}  // namespace compiler::ops
