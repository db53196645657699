// Loads and stores by threads.
#include "compiler/ops/example.h"
#include "compiler/ops/families.h"

namespace compiler::ops {
namespace {

OpDef Load(std::string_view name, std::string_view summary, std::vector<ModifierGroup> modifiers) {
  return {.name = name,
          .form = Form::kLoad,
          .summary = summary,
          .args = {ArgKind::kView},
          .modifiers = std::move(modifiers),
          .result = ResultRule::kElementOfView,
          .level = LevelRule::kOfLoad,
          .dtypes = kMemoryTypes};
}

OpDef Store(std::string_view name, std::string_view summary, std::vector<ModifierGroup> modifiers) {
  return {.name = name,
          .form = Form::kCopy,
          .summary = summary,
          .modifiers = std::move(modifiers),
          .dtypes = kMemoryTypes};
}

OpDef MatrixCopy(std::string_view name, std::string_view summary, std::string_view arch,
                 ir::CopyEffect effect) {
  OpDef op{.name = name,
           .form = Form::kCopy,
           .summary = summary,
           .scope = Scope::kWarp,
           .min_arch = arch};
  op.effects.collective = true;
  op.effects.copy = effect;
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  return op;
}

OpDef MatrixLoadEntry() {
  OpDef op = MatrixCopy("ldmatrix",
                        "Loads a tile of shared memory into a fragment, up to four 8x8 matrices of "
                        "16 bits an instruction. Rows of 16 bytes; a tile whose rows lie across "
                        "what a thread holds is transposed on the way, 16-bit elements only.",
                        "sm_80", ir::CopyEffect::kMatrixLoad);
  op.effects.reads_memory = true;
  op.source = "PTX ISA, warp-level matrix instructions: ldmatrix";
  op.example = ExampleOfWarp("in x: f16[16, 16]; out y: f16[16, 16]", R"(
for c in 0..2 { st s[lane/2, lane%2*8 + c*4:+4] <- ld x[lane/2, lane%2*8 + c*4:+4] }
sync warp
var f: mma.a f16[16, 16]
ldmatrix f <- s
for (r, e) in f { st y[f.row(r), f.col(e)] <- f[r, e] }
)",
                             "smem s: f16[16, 16] padded 8");
  return op;
}

OpDef MatrixStoreEntry() {
  OpDef op = MatrixCopy("stmatrix",
                        "Stores a fragment as a tile of shared memory, up to four 8x8 matrices of "
                        "16 bits an instruction; the reverse of `ldmatrix`.",
                        "sm_90", ir::CopyEffect::kMatrixStore);
  op.effects.writes_memory = true;
  op.source = "PTX ISA, warp-level matrix instructions: stmatrix";
  op.example = ExampleOfWarp("in x: f32[16, 8]; out y: f16[16, 8]", R"(
var f: mma f32[16, 8]
for (r, e) in f { f[r, e] = ld x[f.row(r), f.col(e)] }
stmatrix s <- cvt.f16(f)
sync warp
st y[lane/2, lane%2*4:+4] <- ld s[lane/2, lane%2*4:+4]
)",
                             "smem s: f16[16, 8]", "sm_90a");
  return op;
}

OpDef LoadEntry() {
  OpDef op = Load("ld",
                  "The elements of a view: a scalar, or a register array of 1 to 16 bytes. `else`: "
                  "the value where the access is out of bounds.",
                  {{{"volatile"}}, CacheHint()});
  op.effects.reads_memory = true;
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = "PTX ISA, data movement and conversion: ld, ld.global.nc";
  op.example =
      Example("in x: f32[N, 4]; out y: f32[N]",
              "if i < N {\n  let v = ld.streaming x[i, 0:+4]\n  st y[i] <- v[0] + v[3]\n}");
  return op;
}

OpDef StoreEntry() {
  OpDef op = Store("st",
                   "Stores a scalar or a register array of 1 to 16 bytes; a literal goes to every "
                   "element.",
                   {{{"volatile"}}, {{"cached", "streaming", "evict_first", "evict_last"}}});
  op.effects.writes_memory = true;
  op.effects.copy = ir::CopyEffect::kStore;
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = "PTX ISA, data movement and conversion: st";
  op.example = Example("in x: f32[N]; out y: f32[N, 4]",
                       "if i < N { let v = ld x[i]; st.evict_first y[i, 0:+4] <- [v, v, v, v] }");
  return op;
}

OpDef PrefetchEntry() {
  return {.name = "prefetch",
          .form = Form::kSync,
          .summary =
              "Asks for the line around one element of a tensor, into L2 or with `.l1` into "
              "L1 too; changes no value. The element is in bounds, as of any access.",
          .sync_operand = SyncOperand::kView,
          .modifiers = {{{"l1", "l2"}}},
          .effects = {.sync = SyncEffect::kPrefetch},
          .cost = {.pipe = Pipe::kLsu, .issue_slots = 1},
          .source = "PTX ISA, data movement and conversion: prefetch",
          .example = Example("in x: f32[N]; out y: f32[N]",
                             "if i < N {\n  if i + 32 < N { prefetch x[i + 32] }\n  st y[i] <- ld "
                             "x[i]\n}")};
}

}  // namespace

std::vector<OpDef> MemoryAccess() {
  return {
      LoadEntry(),
      StoreEntry(),
      PrefetchEntry(),
      MatrixLoadEntry(),
      MatrixStoreEntry(),
  };
}

}  // namespace compiler::ops
