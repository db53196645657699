// What emitted text looks like: each test is one rule of the lowering.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "compiler/facts/launch.h"
#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

using testing::HasSubstr;
using testing::Not;

// The kernel functions alone, `#line` lines dropped.
std::string Kernels(const Emitted& emitted) {
  const std::string& cuda = emitted.source.cuda;
  std::string text = cuda.substr(std::min(cuda.size(), cuda.find("extern \"C\"")));
  for (size_t at = text.find("#line"); at != std::string::npos; at = text.find("#line", at)) {
    text.erase(at, text.find('\n', at) - at + 1);
  }
  return text;
}

void ExpectCompiles(const Emitted& emitted, const char* arch = "sm_80") {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const Compiled compiled = RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, arch);
  ASSERT_EQ(compiled.status, 0) << compiled.log << emitted.source.cuda;
  EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
  for (size_t at = compiled.log.find("bytes stack frame"); at != std::string::npos;
       at = compiled.log.find("bytes stack frame", at + 1)) {
    const size_t line = compiled.log.rfind('\n', at) + 1;
    const std::string report = compiled.log.substr(line, compiled.log.find('\n', at) - line);
    EXPECT_NE(report.find("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"),
              std::string::npos)
        << report;
  }
}

TEST(EmitTest, VectorAddReadsLikeAnAuthorsKernel) {
  const Emitted e = EmitText(R"(program vadd target sm_80
dim N in 1..=2147483647
in a: f32[N], b: f32[N]; out y: f32[N]
kernel add {
  grid (ceildiv(N, 256))
  role main: warps 8 {
    let i = cta*256 + thread
    if i < N { st y[i] <- (ld a[i]) + (ld b[i]) }
  }
}
)");
  ASSERT_NE(e.program, nullptr);
  EXPECT_EQ(Kernels(e), R"(extern "C" __global__ void __launch_bounds__(256, 1)
vadd_add(
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ y,
    int N) {
  const int cta = blockIdx.x;
  const int thread = threadIdx.x;
  const int i = cta * 256 + thread;
  if (i < N) {
    y[i] = __ldg(&a[i]) + __ldg(&b[i]);
  }
}
)");
  EXPECT_EQ(e.source.kernels, std::vector<std::string>{"vadd_add"});
  ExpectCompiles(e);
}

TEST(EmitTest, ParametersAreTensorsThenWorkspacesThenSymbols) {
  const Emitted e = EmitText(R"(program order target sm_80
dim N in 1..=1024
workspace part: f32[N]
in x: bf16[N, 4] stride (sx, 1)
out y: f32[N]; arg scale: f32
where sx >= 4, sx % 4 == 0
kernel first {
  grid (1)
  role main: warps 1 { for i in thread..N step 32 { st part[i] <- scale } }
}
kernel second {
  grid (SMS)
  role main: warps 1 {
    for i in cta*32 + thread..N step 32*SMS {
      let v = ld x[i, 0:+4]
      st y[i] <- (ld part[i]) * cvt.f32(v[3])
    }
  }
}
)");
  ASSERT_NE(e.program, nullptr);
  const std::string text = Kernels(e);
  EXPECT_THAT(text, HasSubstr("order_first(\n    const cake::bf16* __restrict__ x,\n"
                              "    const float* __restrict__ y,\n    float* __restrict__ part,\n"));
  EXPECT_THAT(text, HasSubstr("order_second(\n    const cake::bf16* __restrict__ x,\n"
                              "    float* __restrict__ y,\n    const float* __restrict__ part,\n"));
  // The program's order of symbols, whatever it is, is that of the parameters.
  std::string symbols = "part";
  for (const ir::Symbol& symbol : e.program->symbols) {
    symbols += ",\n    " + std::string(ir::Info(symbol.dtype).cuda) + " " + symbol.name;
  }
  EXPECT_THAT(text, HasSubstr(symbols + ") {"));
  // And that of the launch plan, which fills the parameter block.
  std::map<std::string, int64_t> named;
  for (const ir::Symbol& symbol : e.program->symbols) named[symbol.name] = 8;
  const auto values = facts::BindLaunch(*e.program, named);
  ASSERT_TRUE(values.ok()) << values.status();
  const auto plan = facts::PlanLaunch(*e.program, e.facts, *values, std::string(64, '0'));
  ASSERT_TRUE(plan.ok()) << plan.status();
  size_t at = text.find("order_first(");
  for (const facts::ArgumentSlot& slot : plan->arguments) {
    at = text.find(" " + slot.name, at);
    ASSERT_NE(at, std::string::npos) << slot.name;
  }
  EXPECT_EQ(plan->kernels[0].name, e.source.kernels[0]);
  EXPECT_THAT(text, HasSubstr("cake::load_nc<4>(&x[(long long)(i) * sx])"));
  EXPECT_THAT(text, HasSubstr("__ldg(&part[i])"));
  ExpectCompiles(e);
}

TEST(EmitTest, AddressesWidenWhereTheyMustAndOnlyThere) {
  const Emitted e = EmitText(R"(program wide target sm_80
dim B in 1..=65535, N in 1..=1048576
const D = 128
in x: f32[B, N, D], small: f32[64, 64]; out y: f32[B, N]
kernel run {
  grid (N, B)
  role main: warps 4 {
    let v = ld x[cta.y, cta.x, thread]
    once { st y[cta.y, cta.x] <- v + ld small[1, 2] }
  }
}
)");
  ASSERT_NE(e.program, nullptr);
  EXPECT_THAT(Kernels(e), HasSubstr("&x[((long long)cta_y * N + cta_x) * 128 + thread]"));
  EXPECT_THAT(Kernels(e), HasSubstr("y[(long long)cta_y * N + cta_x] = "));
  EXPECT_THAT(Kernels(e), HasSubstr("&small[1 * 64 + 2]"));
  ExpectCompiles(e);
}

TEST(EmitTest, LoopsThatMightOverflowCountTrips) {
  const Emitted e = EmitText(R"(program loops target sm_80
dim N in 1..=2147483647, M in 1..=1000
out y: i32[N]
kernel run {
  grid (1)
  role main: warps 1 {
    for i in thread..N step 32 { st y[i] <- i }
    for j in thread..M step 32 { if j < N { st y[j] <- j } }
    for k in 0..M { if k < N { once { st y[k] <- k } } }
  }
}
)");
  ASSERT_NE(e.program, nullptr);
  const std::string text = Kernels(e);
  EXPECT_THAT(text, HasSubstr("const int i_trips = cake::trips(thread, N, 32);"));
  EXPECT_THAT(text, HasSubstr("const int i = thread + i_trip * 32;"));
  EXPECT_THAT(text, HasSubstr("for (int j = thread; j < M; j += 32) {"));
  EXPECT_THAT(text, HasSubstr("for (int k = 0; k < M; ++k) {"));
  ExpectCompiles(e);
}

TEST(EmitTest, WhileLoopsAndWideCountersCompile) {
  const Emitted e = EmitText(R"(program whiles target sm_80
dim N in 1..=1024
in x: f32[N, 4]; out y: f32[N]
kernel run {
  grid (1)
  role main: warps 1 {
    var i: i64 = 0
    while i < cvt.i64(N) {
      let v = ld x[i, 0:+4]
      once { st y[i] <- v[0] }
      i += 1
    }
    for j in cvt.i64(thread)..cvt.i64(N)*4 step cvt.i64(N) { if j < cvt.i64(N) { st y[j] <- 1.0 } }
    for k in 0..cvt.u32(N) step 3 { once { st y[cvt.i32(k)] <- 2.0 } }
  }
}
)");
  ASSERT_NE(e.program, nullptr);
  EXPECT_THAT(Kernels(e), HasSubstr("while (i < (long long)N) {"));
  EXPECT_THAT(Kernels(e), HasSubstr("i += 1ll;"));
  ExpectCompiles(e);
}

TEST(EmitTest, BoundsThatChangeInTheBodyAreFixedAtEntry) {
  const Emitted e = EmitText(R"(program bounds target sm_80
dim N in 1..=1024
in n: i32[1]; out y: i32[N]
kernel run {
  grid (1)
  role main: warps 1 {
    var last = 5
    for i in 0..last { last += 1; if i < N { once { st y[i] <- last } } }
    for j in 0..min(ld n[0], N) { once { st y[j] <- 0 } }
  }
}
)");
  ASSERT_NE(e.program, nullptr);
  EXPECT_THAT(Kernels(e),
              HasSubstr("const int i_end = last;\n  for (int i = 0; i < i_end; ++i) {"));
  EXPECT_THAT(Kernels(e), HasSubstr("last += 1;"));
  EXPECT_THAT(Kernels(e), HasSubstr("const int j_end = min(__ldg(&n[0]), N);"));
  ExpectCompiles(e);
}

TEST(EmitTest, RegisterArraysUnrollAndStayInRegisters) {
  const Emitted e = EmitText(R"(program arrays target sm_80
dim N in 1..=1024
in x: bf16[N, 8]; out y: bf16[N, 8]
kernel run {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let row = cta*32 + lane
    if row < N {
      let v = cvt.f32(ld x[row, 0:+8])
      var s: f32[8] = 0.0
      for i in 0..8 { s[i] = v[i] * v[i]; for j in 0..i { s[i] += s[j] } }
      st y[row, 0:+8] <- cvt.bf16(s)
    }
  }
}
)");
  ASSERT_NE(e.program, nullptr);
  const std::string text = Kernels(e);
  EXPECT_THAT(text, HasSubstr("cake::array<float, 8> s = cake::splat<float, 8>(0.0f);"));
  EXPECT_THAT(text, HasSubstr("#pragma unroll\n    for (int i = 0; i < 8; ++i) {"));
  EXPECT_THAT(text, HasSubstr("#pragma unroll\n      for (int j = 0; j < i; ++j) {"));
  EXPECT_THAT(text, HasSubstr("s[i] += s[j];"));
  ExpectCompiles(e);
}

// Operands of an operation on whole arrays stand inside a loop of the emitter's own.
TEST(EmitTest, LoopsOverElementsShadowNoVariable) {
  const Emitted emitted = EmitText(R"(program pairs target sm_80
in x: f32[128]; out y: bf16[128]
kernel k {
  grid (1)
  role main: warps 1 {
    for e in 0..1 {
      let v = ld x[lane*4:+4]
      st y[lane*4:+4] <- cvt.bf16(v)
    }
  }
}
)");
  ASSERT_NE(emitted.program, nullptr);
  EXPECT_THAT(Kernels(emitted), HasSubstr("for (int e_2 = 0; e_2 < 2; ++e_2)"));
  ExpectCompiles(emitted);
}

TEST(EmitTest, AnAccessWithElseIsNotMadeOutOfBounds) {
  const Emitted e = EmitText(R"(program other target sm_80
dim N in 1..=1024
in x: f32[N]; out y: f32[N]
kernel run {
  grid (1)
  role main: warps 1 {
    let i = thread * 4
    let v = ld x[i:+4] else 1.0
    let w = ld x[i - 3] else 2.0
    if i < N { st y[i] <- v[0] + w }
  }
}
)");
  ASSERT_NE(e.program, nullptr);
  const std::string text = Kernels(e);
  EXPECT_THAT(text, HasSubstr("if (cake::inside(i, N, 4)) {\n    v_in = cake::load_nc<4>(&x[i]);\n"
                              "  } else {\n    v_in = cake::splat<float, 4>(1.0f);\n  }"));
  EXPECT_THAT(text, HasSubstr("const float w = cake::inside(i - 3, N) ? __ldg(&x[i - 3]) : 2.0f;"));
  ExpectCompiles(e);
}

TEST(EmitTest, SharedMemoryIsCarvedByTheFacts) {
  const Emitted e = EmitText(R"(program shared target sm_80
dim N in 1..=1024
in x: f32[32, 32]; out y: f32[32, 32]
kernel run {
  grid (1)
  smem tile: f32[32, 32] padded 1
  smem ring[3]: f32[32]
  smem swz: f32[32, 32] swizzle 128
  smem wide: f32[32, 64] swizzle 128
  role main: warps 1 {
    for r in 0..32 {
      let v = ld x[r, lane]
      st tile[r, lane] <- v; st ring@r[lane] <- v; st swz[r, lane] <- v; st wide[r, lane + 32] <- v
      sync warp
    }
    sync cta
    for r in 0..32 {
      let a = (ld tile[lane, r]) + (ld ring@(r + 1)[lane])
      st y[r, lane] <- a + (ld swz[lane, r]) + (ld wide[r, lane + 32])
    }
  }
}
)");
  ASSERT_NE(e.program, nullptr);
  const std::string text = Kernels(e);
  EXPECT_THAT(text, HasSubstr("float* const tile = reinterpret_cast<float*>(cake_smem);"));
  EXPECT_THAT(text, HasSubstr("float* const ring = reinterpret_cast<float*>(cake_smem + " +
                              std::to_string(e.facts.kernels[0].shared[1].offset_bytes) + ");"));
  EXPECT_THAT(text, HasSubstr("tile[r * 33 + lane] = "));
  EXPECT_THAT(text, HasSubstr("ring[r % 3 * 32 + lane] = "));
  EXPECT_THAT(text, HasSubstr("ring[(r + 1) % 3 * 32 + lane]"));
  EXPECT_THAT(text, HasSubstr("swz[cake::swizzle<128, 4>(r * 32 + lane)]"));
  // Two panels of 32 columns, one after the other.
  EXPECT_THAT(text, HasSubstr("wide[cake::swizzle<128, 4>(r * 32 + (lane + 32) / 32 * 1024 + "
                              "(lane + 32) % 32)]"));
  EXPECT_THAT(text, HasSubstr("__syncwarp();"));
  EXPECT_THAT(text, HasSubstr("__syncthreads();"));
  ExpectCompiles(e);
}

TEST(EmitTest, RolesSynchroniseByNamedBarriersWithTheirSpans) {
  const std::string source = R"(program roles target sm_80
out y: i32[256]
kernel run {
  grid (1)
  barrier turn[2] threads 256
  role a: warps 4 { bar.sync turn[wg]; sync role; st y[thread] <- warp; bar.arrive turn[1] }
  role b: warps 4 { bar.sync turn[0]; sync wg; once { st y[128] <- 7 }; bar.sync turn[1] }
}
)";
  const Emitted e = EmitText(source);
  ASSERT_NE(e.program, nullptr);
  const std::string text = Kernels(e);
  EXPECT_THAT(text, HasSubstr("if (warp_index < 4) {  // role a"));
  EXPECT_THAT(text, HasSubstr("if (warp_index >= 4 && warp_index < 8) {  // role b"));
  const size_t at = source.find("bar.arrive turn[1]");
  EXPECT_THAT(text, HasSubstr("asm volatile(\"bar.arrive 2, 256;  // @span " + std::to_string(at) +
                              " " + std::to_string(at + 18) + "\" ::: \"memory\");"));
  EXPECT_THAT(text, HasSubstr("asm volatile(\"bar.sync %0, 256;"));
  EXPECT_THAT(text, HasSubstr("\"r\"(1 + wg) : \"memory\");"));
  EXPECT_THAT(text, HasSubstr("const int thread = threadIdx.x % 128;"));
  EXPECT_THAT(text, HasSubstr("bar.sync 3, 128;"));
  ExpectCompiles(e);
  if (RealNvrtc().available()) {
    const Compiled compiled = RealNvrtc().Compile(e.source.cuda, e.source.options, "sm_90a");
    EXPECT_THAT(compiled.ptx, HasSubstr("// @span " + std::to_string(at)));
  }
}

TEST(EmitTest, RegisterBudgetsMoveRegistersBetweenRoles) {
  const Emitted e = EmitText(R"(program budget target sm_90a
out y: i32[384]
kernel run {
  grid (1)
  role a: warps 4 regs 40 { st y[thread] <- 1 }
  role b: warps 8 regs 232 { st y[128 + thread] <- 2 }
}
)");
  ASSERT_NE(e.program, nullptr);
  const std::string text = Kernels(e);
  EXPECT_THAT(text, HasSubstr("setmaxnreg.dec.sync.aligned.u32 40;"));
  EXPECT_THAT(text, HasSubstr("setmaxnreg.inc.sync.aligned.u32 232;"));
  ExpectCompiles(e, "sm_90a");
}

TEST(EmitTest, NamesOfTheAuthorThatCppOwnsGetAnUnderscore) {
  const Emitted e = EmitText(R"(program names target sm_80
dim int in 1..=1024
in float: f32[int]; out double: f32[int]
kernel new {
  grid (1)
  role main: warps 1 {
    for template in thread..int step 32 {
      let this = ld float[template]
      st double[template] <- this
    }
    fn twice(x: f32) -> f32 { let t = x + x; return t * t }
    if thread < int { st double[thread] <- twice(1.0) + twice(ld float[thread]) }
  }
}
)");
  ASSERT_NE(e.program, nullptr);
  EXPECT_THAT(Kernels(e), HasSubstr("const float* __restrict__ float_,"));
  ExpectCompiles(e);
}

TEST(EmitTest, AliasedTensorsLoseRestrictAndTheReadOnlyPath) {
  const Emitted e = EmitText(R"(program aliased target sm_80
dim N in 1..=1024
in x: f32[N]; out y: f32[N]
alias x, y
kernel run {
  grid (1)
  role main: warps 1 { for i in thread..N step 32 { st y[i] <- 2.0 * (ld x[i]) } }
}
)");
  ASSERT_NE(e.program, nullptr);
  EXPECT_THAT(Kernels(e), HasSubstr("const float* x,\n    float* y,"));
  EXPECT_THAT(Kernels(e), HasSubstr("y[i] = 2.0f * x[i];"));
  ExpectCompiles(e);
}

TEST(EmitTest, LiteralsKeepTheirValueAndType) {
  const Emitted e = EmitText(R"(program literals target sm_80
out f: f32[8], i: i32[2], u: u32[2], l: i64[2], b: bf16[4]
kernel run {
  grid (1)
  role main: warps 1 {
    once {
      st f[0] <- 0.1; st f[1] <- -inf; st f[2] <- 1e-45; st f[3] <- 16777216.0; st f[4] <- nan
      st i[0] <- -2147483648; st u[0] <- 4294967295; st l[0] <- -9223372036854775807
      st b[0:+4] <- 1.0
    }
  }
}
)");
  ASSERT_NE(e.program, nullptr);
  const std::string text = Kernels(e);
  EXPECT_THAT(text, HasSubstr("f[0] = 0.1f;"));
  EXPECT_THAT(text, HasSubstr("f[1] = -__int_as_float(0x7f800000);"));
  EXPECT_THAT(text, HasSubstr("f[2] = 1e-45f;"));
  EXPECT_THAT(text, HasSubstr("i[0] = (-2147483647 - 1);"));
  EXPECT_THAT(text, HasSubstr("u[0] = 4294967295u;"));
  EXPECT_THAT(text, HasSubstr("cake::splat<cake::bf16, 4>(cake::bf16{0x3f80})"));
  ExpectCompiles(e);
}

TEST(EmitTest, FlushingNumericsUseFlushingInstructions) {
  const Emitted e = EmitText(R"(program flush target sm_80
in x: f32[32]; out y: f32[32]
kernel run {
  numerics ftz
  grid (1)
  role main: warps 1 { let a = ld x[lane]; st y[lane] <- fma(a, a, a*a - a/3.0) + exp(a) }
}
)");
  ASSERT_NE(e.program, nullptr);
  EXPECT_THAT(Kernels(e), HasSubstr("cake::fma_ftz(a, a, cake::sub_ftz(cake::mul_ftz(a, a), "
                                    "cake::div_ftz(a, 3.0f)))"));
  EXPECT_THAT(Kernels(e), HasSubstr("cake::flush(expf(cake::flush(a)))"));
  ExpectCompiles(e);
}

TEST(EmitTest, ProgramIdIsTheCanonicalHash) {
  const Emitted e = EmitText(R"(program id target sm_80
out y: i32[1]
kernel run { grid (1); role main: warps 1 { once { st y[0] <- 1 } } }
)");
  ASSERT_NE(e.program, nullptr);
  const std::string hash = sema::CanonicalHash(*e.program);
  EXPECT_THAT(e.source.cuda, HasSubstr("cake_program_id[32] = {\n    0x" + hash.substr(0, 2) +
                                       ", 0x" + hash.substr(2, 2)));
  EXPECT_THAT(e.source.cuda, HasSubstr("0x" + hash.substr(62, 2) + "};"));
  EXPECT_THAT(e.source.cuda, Not(HasSubstr("#include")));
  EXPECT_THAT(e.source.options, testing::Contains("--fmad=false"));
}

TEST(EmitTest, FileNamesCannotEndTheLineDirective) {
  const Emitted e = EmitText(R"(program id target sm_80
out y: i32[1]
kernel run { grid (1); role main: warps 1 { once { st y[0] <- 1 } } }
)",
                             "sm_90a", "a\"\nb\\.cake");
  ASSERT_NE(e.program, nullptr);
  EXPECT_THAT(e.source.cuda, HasSubstr("#line 3 \"a__b_.cake\""));
}

}  // namespace
}  // namespace compiler::emit
