#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "runner/child/pack.h"
#include "runner/child/write_file.h"
#include "runner/compile/compiler.h"
#include "runner/compile/ptxas_findings.h"
#include "runner/device/judge.h"
#include "runner/device/reference.h"

namespace runner::compile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Folder {
 public:
  Folder() {
    std::string name = ::testing::TempDir() + "cake-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(PtxasLog, FactsOfEachKernel) {
  constexpr std::string_view kLog =
      "ptxas info    : 0 bytes gmem, 32 bytes cmem[3]\n"
      "ptxas info    : Compiling entry function 'add' for 'sm_90a'\n"
      "ptxas info    : Function properties for add\n"
      "    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 24 registers, used 1 barriers, 16 bytes cumulative stack size, 2048 "
      "bytes smem, 560 bytes cmem[0]\n"
      "ptxas info    : Compile time = 3.1 ms\n"
      "ptxas info    : Compiling entry function 'two' for 'sm_90a'\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n";
  EXPECT_THAT(ParsePtxasLog(kLog), ElementsAre(KernelBuild{"add", 24, 4, 8, 16, 2048, 560, 1},
                                               KernelBuild{"two", 8, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(ParsePtxasLog("no such thing\nUsed 3 registers").empty());
}

// A line of the PTX stands for the statement whose marker is above it; without one the note is of
// the function, and comes once.
TEST(PtxasLog, NotesAboutProductsAreFindings) {
  constexpr std::string_view kPtx = "a\n// @span 10 20\nwgmma\n// @span 30 44\nwgmma\n";
  constexpr std::string_view kLog =
      "ptxas info    : (C7519) Potential Performance Loss: wgmma.mma_async instructions are "
      "serialized due to missing fence around line 3 in function 'gemm'\n"
      "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are "
      "serialized due to ill formed pipeline stage in the function 'gemm'\n"
      "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are "
      "serialized due to ill formed pipeline stage in the function 'gemm'\n"
      "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored to maintain "
      "minimum "
      "register requirements.\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n";
  compiler::diag::Report report;
  AddPtxasFindings(kLog, kPtx, report);
  ASSERT_EQ(report.diagnostics().size(), 3u);
  std::vector<std::string> codes;
  for (const auto& diagnostic : report.diagnostics()) codes.emplace_back(diagnostic.code);
  EXPECT_THAT(codes, ElementsAre("CK3140", "CK3140", "CK3141"));
  EXPECT_EQ(report.diagnostics()[0].primary, (compiler::diag::Span{10, 20}));
  EXPECT_EQ(report.diagnostics()[1].primary, compiler::diag::Span{});
  EXPECT_EQ(report.diagnostics()[1].message.find("`gemm`") == std::string::npos, false);
  EXPECT_FALSE(report.has_errors());
}

TEST(PtxasLog, ErrorLinesLeaveTheRestOut) {
  EXPECT_EQ(ErrorLines("info: a\nk.cu(3): error: b\ninfo: c\n"), "k.cu(3): error: b\n");
  EXPECT_EQ(ErrorLines("strange\n"), "strange\n");
}

TEST(Pack, RoundTripAndRefusal) {
  const std::string bytes = child::Pack({"a", "", std::string_view("\0b", 2)});
  EXPECT_THAT(*child::Unpack(bytes), ElementsAre("a", "", std::string("\0b", 2)));
  for (size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_FALSE(child::Unpack(bytes.substr(0, cut)).has_value());
  EXPECT_FALSE(child::Unpack(bytes + "x").has_value());
  EXPECT_FALSE(child::Unpack(std::string_view("\xff\xff\xff\xff", 4)).has_value());
}

TEST(BuildKey, EverythingThatDecidesTheBytesIsInIt) {
  const Request base{.cuda = "a", .file_name = "f", .arch = "sm_90a", .options = {"-x", "y"}};
  const std::string key = BuildKey(base, "nvrtc-13.0");
  Request other = base;
  other.file_name = "g";
  EXPECT_EQ(BuildKey(other, "nvrtc-13.0"), key);
  other.options = {"-x y"};
  EXPECT_NE(BuildKey(other, "nvrtc-13.0"), key);
  EXPECT_NE(BuildKey(base, "nvrtc-12.9"), key);
  other = base;
  other.arch = "sm_90";
  EXPECT_NE(BuildKey(other, "nvrtc-13.0"), key);
}

TEST(BuildCache, WholeOrAbsent) {
  const Folder folder;
  const BuildCache cache(folder.path());
  const std::string key(64, 'a');
  EXPECT_FALSE(cache.Get(key).has_value());
  ASSERT_TRUE(cache.Put(key, {"cubin", "ptx", "log"}).ok());
  EXPECT_EQ(cache.Get(key)->ptx, "ptx");
  const std::string path = folder.path() + "/aa/" + key;
  std::fstream(path, std::ios::in | std::ios::out).seekp(80).write("!", 1);
  EXPECT_FALSE(cache.Get(key).has_value());
  EXPECT_FALSE(std::filesystem::exists(path)) << "a damaged entry is dropped";
}

TEST(FindNvrtc, SaysWhatWasTried) {
  const auto found = FindNvrtc("/nowhere/libnvrtc.so.13");
  EXPECT_EQ(found.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(found.status().message()), HasSubstr("/nowhere/libnvrtc.so.13"));
}

TEST(Compiler, WithoutALibraryItIsUnavailableInWords) {
  CompilerOptions options{.worker = CAKE_WORKER, .nvrtc = "/lib/x86_64-linux-gnu/libc.so.6"};
  const auto compiler = Compiler::Start(options);
  ASSERT_FALSE(compiler.ok());
  EXPECT_THAT(std::string(compiler.status().message()), HasSubstr("lacks nvrtcVersion"));
}

// With the real NVRTC, where it is installed.
class RealNvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!FindNvrtc("").ok()) GTEST_SKIP() << "no NVRTC here";
    options_.worker = CAKE_WORKER;
    options_.sandbox = child::Establish(CAKE_WORKER, child::Level::kL3);
    options_.cache = folder_.path();
  }
  std::unique_ptr<Compiler> Start() {
    auto compiler = Compiler::Start(options_);
    EXPECT_TRUE(compiler.ok()) << compiler.status();
    return compiler.ok() ? *std::move(compiler) : nullptr;
  }
  static Request Add(const std::string& body = "c[i] = a[i] + b[i];") {
    return {.cuda =
                "extern \"C\" __global__ void add(const float* a, const float* b, float* c) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                body + "\n}\n",
            .file_name = "add.cu",
            .arch = "sm_90a",
            .options = {"--fmad=false"}};
  }
  Folder folder_;
  CompilerOptions options_;
};

TEST_F(RealNvrtc, BuildsOnceThenComesFromTheCacheByteForByte) {
  auto compiler = Start();
  ASSERT_NE(compiler, nullptr);
  const auto first = compiler->Compile(Add()).value();
  ASSERT_EQ(first.outcome, Outcome::kBuilt) << first.log << first.reason;
  EXPECT_THAT(first.cubin, HasSubstr("ELF"));
  EXPECT_THAT(first.ptx, HasSubstr(".visible .entry add"));
  ASSERT_EQ(first.kernels.size(), 1u);
  EXPECT_EQ(first.kernels[0].name, "add");
  EXPECT_GT(first.kernels[0].registers, 0);
  EXPECT_FALSE(first.cached);
  const auto second = compiler->Compile(Add()).value();
  EXPECT_TRUE(second.cached);
  EXPECT_EQ(second.cubin, first.cubin);
  EXPECT_EQ(second.kernels, first.kernels);
  // Another child, no cache: the same bytes.
  options_.cache.clear();
  EXPECT_EQ(Start()->Compile(Add()).value().cubin, first.cubin);
}

TEST_F(RealNvrtc, OurOwnKernelsCompileForOldAndNewDevices) {
  auto compiler = Start();
  ASSERT_NE(compiler, nullptr);
  for (const char* arch : {"sm_80", "sm_90a", "sm_120a"}) {
    for (const std::string& source :
         {std::string(device::JudgeSource()), device::ReferenceSource()}) {
      const bool judge = source == device::JudgeSource();
      const auto build = compiler->Compile({.cuda = source, .file_name = "own.cu", .arch = arch});
      ASSERT_TRUE(build.ok() && build->outcome == Outcome::kBuilt)
          << build.status() << (build.ok() ? build->log : "");
      EXPECT_EQ(build->kernels.size(), judge ? 3 : device::ReferenceKernels().size());
      for (const KernelBuild& kernel : build->kernels) {
        EXPECT_LE(kernel.registers, judge ? 64 : 200) << kernel.name << " on " << arch;
        EXPECT_EQ(kernel.stack_bytes, 0) << kernel.name << " on " << arch;
      }
    }
  }
}

TEST_F(RealNvrtc, RefusedSourceHasTheCompilersWords) {
  auto compiler = Start();
  const auto build = compiler->Compile(Add("c[i] = nonsense;")).value();
  EXPECT_EQ(build.outcome, Outcome::kRefused);
  EXPECT_THAT(build.log, HasSubstr("add.cu(3): error"));
  EXPECT_EQ(compiler->Compile(Add()).value().outcome, Outcome::kBuilt) << "the next one is served";
}

TEST_F(RealNvrtc, NoFileLeaksAtAnyLevel) {
  for (int level = 1; level <= static_cast<int>(child::Level::kL3); ++level) {
    options_.sandbox = child::Establish(CAKE_WORKER, static_cast<child::Level>(level));
    auto compiler = Start();
    ASSERT_NE(compiler, nullptr);
    for (const char* path : {"/etc/passwd", "/etc/hostname", "/proc/self/environ"}) {
      Request request = Add();
      request.cuda = absl::StrCat("#include \"", path, "\"\n", request.cuda);
      const auto build = compiler->Compile(request).value();
      EXPECT_EQ(build.outcome, Outcome::kRefused);
      EXPECT_THAT(build.log, Not(HasSubstr("root:"))) << build.log;
      EXPECT_THAT(build.log, HasSubstr(absl::StrCat("cannot open source file \"", path, "\"")))
          << build.log;
    }
  }
}

TEST_F(RealNvrtc, TemplateBombEndsAtTheCpuLimit) {
  options_.cpu_seconds = 2;
  auto compiler = Start();
  Request bomb = Add();
  bomb.cuda =
      "template <int D, int W> struct N { static const int v = N<D - 1, 2 * W>::v + N<D - 1, 2 * W "
      "+ 1>::v; };\n"
      "template <int W> struct N<0, W> { static const int v = W; };\n"
      "extern \"C\" __global__ void k(int* x) { *x = N<26, 1>::v; }\n";
  const auto build = compiler->Compile(bomb).value();
  EXPECT_EQ(build.outcome, Outcome::kLimit) << build.log << build.reason;
  EXPECT_THAT(build.reason, ::testing::AnyOf(HasSubstr("2 s of CPU time"), HasSubstr("memory")));
  EXPECT_EQ(compiler->Compile(Add()).value().outcome, Outcome::kBuilt) << "the next one is served";
}

TEST_F(RealNvrtc, AKilledChildIsReplaced) {
  auto compiler = Start();
  kill(-compiler->child_pid(), SIGKILL);
  const auto build = compiler->Compile(Add()).value();
  EXPECT_EQ(build.outcome, Outcome::kCrashed);
  EXPECT_EQ(compiler->Compile(Add()).value().outcome, Outcome::kBuilt);
}

}  // namespace
}  // namespace runner::compile
