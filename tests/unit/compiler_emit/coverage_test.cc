// Every operand type, modifier and hint that the table admits, through the real NVRTC.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

using ir::DType;

std::vector<DType> InThisBuild() {
  std::vector<DType> types;
  for (int i = 1; i <= static_cast<int>(DType::kUE8M0); ++i) {
    const auto type = static_cast<DType>(i);
    if (ir::Info(type).in_this_build) types.push_back(type);
  }
  return types;
}

std::string Name(DType type) { return std::string(ir::ToString(type)); }

// A kernel of one warp with a tensor of 32 elements a type, in and out, and one statement a line.
std::string Program(const std::vector<std::string>& statements) {
  std::string text = "program all target sm_80\n";
  for (const DType type : InThisBuild()) {
    text += "in in_" + Name(type) + ": " + Name(type) + "[32, 16]\n";
    text += "out out_" + Name(type) + ": " + Name(type) + "[32, 16]\n";
  }
  text += "kernel run {\n  grid (1)\n  smem half: f32[32]\n  role main: warps 1 {\n";
  for (const std::string& statement : statements) text += "    " + statement + "\n";
  return text + "  }\n}\n";
}

void ExpectCompiles(const std::vector<std::string>& statements) {
  const Emitted emitted = EmitText(Program(statements));
  ASSERT_NE(emitted.program, nullptr);
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const char* arch : {"sm_80", "sm_90a"}) {
    const Compiled compiled =
        RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, arch);
    ASSERT_EQ(compiled.status, 0) << compiled.log << emitted.source.cuda;
    EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
    EXPECT_NE(compiled.log.find("0 bytes stack frame, 0 bytes spill stores"), std::string::npos)
        << compiled.log;
  }
}

std::string In(DType type) { return "(ld in_" + Name(type) + "[lane, 0])"; }
std::string Put(DType type, const std::string& value) {
  return "st out_" + Name(type) + "[lane, 0] <- " + value;
}

TEST(CoverageTest, ConversionsAmongAllTypes) {
  std::vector<std::string> statements;
  for (const DType from : InThisBuild()) {
    for (const DType to : InThisBuild()) {
      for (const char* words : {"", ".rz", ".sat", ".rz.sat"}) {
        statements.push_back(Put(to, "cvt." + Name(to) + words + In(from)));
      }
    }
  }
  ExpectCompiles(statements);
}

TEST(CoverageTest, BitcastsAmongTypesOfOneSize) {
  std::vector<std::string> statements;
  for (const DType from : InThisBuild()) {
    for (const DType to : InThisBuild()) {
      if (from == DType::kBool || to == DType::kBool) continue;
      if (ir::Info(from).bits != ir::Info(to).bits) continue;
      statements.push_back(Put(to, "bitcast." + Name(to) + In(from)));
    }
  }
  ExpectCompiles(statements);
}

// A call or operation of `op` on operands of `type`, as an expression; "" where it takes none.
std::string Use(const ir::OpDef& op, DType type, const std::string& words) {
  const std::string x = In(type);
  if (op.form == ir::Form::kOperator) {
    if (op.args.size() == 1) return std::string(op.name) + x;
    if (op.name == "<<" || op.name == ">>") return "(" + x + " " + std::string(op.name) + " 3)";
    return "(" + x + " " + std::string(op.name) + " " + x + ")";
  }
  std::string call = std::string(op.name) + words + "(";
  for (size_t i = 0; i < op.args.size(); ++i) {
    if (i > 0) call += ", ";
    if (op.name == "select" && i == 0)
      call += "lane < 3";
    else if (op.width_arg && i + 1 == op.args.size())
      call += "8";
    else if (op.args[i] == ir::ArgKind::kConstInteger)
      call += "0x96";
    else if (i == 1 && !op.one_type)
      call += "1";
    else
      call += x;
  }
  return call + ")";
}

TEST(CoverageTest, EveryOperandTypeOfEveryExpression) {
  std::vector<std::string> statements;
  for (const ir::OpDef& op : ops::Table().ops()) {
    if (op.meaning == nullptr || op.result == ir::ResultRule::kFromModifier) continue;
    for (const DType type : op.dtypes) {
      if (!ir::Info(type).in_this_build) continue;
      std::vector<std::string> words = {""};
      for (const ir::ModifierGroup& group : op.modifiers) {
        const bool float_only = group.words[0] == "nan" && type != DType::kF32;
        if (!float_only) words.push_back("." + std::string(group.words[0]));
      }
      for (const std::string& word : words) {
        const std::string use = Use(op, type, word);
        if (op.result == ir::ResultRule::kPair) {
          // A block of its own, since the names repeat.
          statements.push_back("for one in 0..1 { let (v, at) = " + use + "; " + Put(type, "v") +
                               "; " + Put(DType::kI32, "at") + " }");
          continue;
        }
        DType result = type;
        if (op.result == ir::ResultRule::kBool) result = DType::kBool;
        if (op.result == ir::ResultRule::kI32) result = DType::kI32;
        if (op.result == ir::ResultRule::kU32) result = DType::kU32;
        statements.push_back(Put(result, use));
      }
    }
  }
  ExpectCompiles(statements);
}

TEST(CoverageTest, EveryHintAtEveryWidth) {
  std::vector<std::string> statements;
  for (const char* hint :
       {"", ".volatile", ".cached", ".streaming", ".last_use", ".evict_first", ".evict_last"}) {
    for (const DType type : {DType::kU8, DType::kBF16, DType::kF32}) {
      const int bytes = ir::Info(type).bits / 8;
      for (int count = 1; count * bytes <= 16; count *= 2) {
        const std::string slice =
            count == 1 ? "[lane, 0]" : "[lane, 0:+" + std::to_string(count) + "]";
        const std::string load = std::string("ld") + hint + " in_" + Name(type) + slice;
        const bool on_store = std::string_view(hint) != ".last_use";
        statements.push_back(std::string("st") + (on_store ? hint : "") + " out_" + Name(type) +
                             slice + " <- " + load);
      }
    }
  }
  statements.push_back("st.volatile half[lane] <- ld.streaming half[31 - lane]");
  ExpectCompiles(statements);
}

}  // namespace
}  // namespace compiler::emit
