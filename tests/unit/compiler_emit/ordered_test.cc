// Every atomic, order, scope, type and space that the table admits, through the real NVRTC.
#include <gmock/gmock.h>

#include <string>

#include "compiler/ir/order.h"
#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Declarations(const std::string& target) {
  std::string text = "program all target " + target + "\n";
  for (const char* type : {"i32", "u32", "i64", "u64", "f32", "f16", "bf16", "i8"}) {
    text += "inout g_" + std::string(type) + ": " + type + "[32]\n";
  }
  text += "kernel run {\n  grid (1)\n";
  for (const char* type : {"i32", "u32", "i64", "u64", "f32", "f16", "bf16", "i8"}) {
    text += "  smem s_" + std::string(type) + ": " + type + "[32]\n";
  }
  return text + "  role main: warps 1 {\n";
}

bool Has(const ir::OpDef& op, ir::DType dtype, int64_t elements, bool hopper) {
  if (!op.effects.atomic || op.capability == nullptr) return elements == 1;
  const ir::Needs needs = op.capability(
      {.operand_type = dtype, .result_type = dtype, .modifiers = {}, .elements = elements});
  return needs.refused.empty() && (hopper || needs.min_arch.empty());
}

// One use of `elements` neighbours at `word`.
void Use(const ir::OpDef& op, const std::string& name, const std::string& word,
         const std::string& value, std::string& text) {
  const std::string old = "v" + std::to_string(text.size());
  text += "    ";
  if (op.form == ir::Form::kLoad) {
    text += "let " + old + " = " + name + " " + word + "; st " + word + " <- " + old;
  } else if (op.form == ir::Form::kCopy) {
    text += name + " " + word + " <- " + value;
  } else {
    text += name + "(" + word + ", " + value + (op.args.size() == 3 ? ", " + value : "") + ")";
  }
  text += "\n";
}

// One use with each first and each second modifier, in global and in shared memory, of each number
// of neighbours.
void Uses(const ir::OpDef& op, bool hopper, std::string& text) {
  constexpr int64_t kSharedBytes = 4;
  for (const ir::DType dtype : op.dtypes) {
    const std::string type(ir::ToString(dtype));
    if (text.find("inout g_" + type + ":") == std::string::npos) continue;
    for (const std::string space : {"g_", "s_"}) {
      for (const std::string_view first : op.modifiers[0].words) {
        const bool two = op.modifiers.size() > 1;
        for (const std::string_view second :
             two ? op.modifiers[1].words : std::vector<std::string_view>{""}) {
          if (!hopper && (first == "cluster" || second == "cluster")) continue;
          const std::string name = std::string(op.name) + "." + std::string(first) +
                                   (two ? "." + std::string(second) : "");
          for (const int64_t elements : {1, 2, 4, 8}) {
            const bool fits =
                space == "g_" ||
                (Has(op, dtype, 1, hopper) && elements * ir::Info(dtype).bits / 8 <= kSharedBytes);
            if (!Has(op, dtype, elements, hopper) || (elements > 1 && !fits)) continue;
            const std::string slice = ":+" + std::to_string(elements) + "]";
            const std::string at = space + type;
            Use(op, name, at + (elements == 1 ? "[lane]" : "[0" + slice),
                "ld " + at + (elements == 1 ? "[0]" : "[0" + slice), text);
          }
        }
      }
    }
  }
}

TEST(OrderedCoverage, EveryUseCompiles) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const std::string arch : {"sm_80", "sm_90a"}) {
    std::string text = Declarations(arch);
    for (const ir::OpDef& op : ops::Table().ops()) {
      if (op.effects.order != ir::Order::kWeak) Uses(op, arch != "sm_80", text);
    }
    const Emitted emitted = EmitText(text + "  }\n}\n", arch);
    ASSERT_NE(emitted.program, nullptr);
    const Compiled compiled =
        RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, arch);
    ASSERT_EQ(compiled.status, 0) << compiled.log;
    EXPECT_THAT(compiled.log, Not(HasSubstr("warning")));
    EXPECT_THAT(compiled.log, HasSubstr("0 bytes stack frame, 0 bytes spill stores"));
    for (const char* instruction :
         {"atom.acq_rel.gpu.global.add.u32", "red.release.cta.shared.add.noftz.f16x2",
          "atom.acq_rel.sys.global.add.noftz.f16", "atom.relaxed.cta.shared.cas.b64",
          "red.release.sys.global.max.s64", "ld.acquire.gpu.global.b32",
          "st.release.cta.shared.b64"}) {
      EXPECT_THAT(compiled.ptx, HasSubstr(instruction));
    }
    for (const char* instruction :
         {"red.relaxed.gpu.global.min.noftz.v2.f16 ", "atom.acq_rel.gpu.global.max.noftz.v2.bf16 ",
          "red.release.sys.global.max.noftz.v4.f16x2",
          "atom.relaxed.gpu.global.min.noftz.v2.bf16x2"}) {
      EXPECT_EQ(compiled.ptx.find(instruction) != std::string::npos, arch != "sm_80");
    }
  }
}

// Loads that follow an acquire must not move before it: pointers that are written in a kernel with
// ordered accesses say nothing about who else writes there.
TEST(Ordered, PointersThatOthersWriteThroughAreNotRestricted) {
  const auto signature = [](const std::string& access) {
    return EmitText(
               "program p target sm_80\nin x: f32[32]; out y: f32[32]\n"
               "inout flag: u32[1]\nkernel k {\n  grid (1)\n  role main: warps 1 {\n    once { " +
               access + " }\n    st y[lane] <- ld x[lane]\n  }\n}\n")
        .source.cuda;
  };
  EXPECT_THAT(signature("st flag[0] <- 1"), HasSubstr("float* __restrict__ y"));
  EXPECT_THAT(signature("st.release.gpu flag[0] <- 1"), Not(HasSubstr("float* __restrict__ y")));
  EXPECT_THAT(signature("st.release.gpu flag[0] <- 1"), HasSubstr("const float* __restrict__ x"));
}

}  // namespace
}  // namespace compiler::emit
