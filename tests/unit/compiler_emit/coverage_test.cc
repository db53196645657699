// Every operand type, modifier and hint that the table admits, through the real NVRTC.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/packed.h"
#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

using ir::DType;

constexpr const char* kEveryArch[] = {"sm_80",   "sm_86",   "sm_89",  "sm_90a",
                                      "sm_100a", "sm_103a", "sm_120a"};
constexpr const char* kTwoArches[] = {"sm_80", "sm_90a"};

std::vector<DType> InThisBuild() {
  std::vector<DType> types;
  for (int i = 1; i <= static_cast<int>(ir::kLastValue); ++i) {
    const auto type = static_cast<DType>(i);
    if (ir::Info(type).in_this_build) types.push_back(type);
  }
  return types;
}

std::string Name(DType type) { return std::string(ir::ToString(type)); }

int Capability(std::string_view arch) { return std::atoi(std::string(arch.substr(3)).c_str()); }

struct Statement {
  std::string text;
  std::string_view min_arch = "sm_80";
};

// A kernel of one warp with a tensor of 32 rows a type that memory holds, in and out, and one
// statement a line.
std::string Program(const std::vector<Statement>& statements, std::string_view arch) {
  std::string text = "program all target " + std::string(arch) + "\n";
  for (const DType type : InThisBuild()) {
    if (ir::IsPacked(type)) continue;
    text += "in in_" + Name(type) + ": " + Name(type) + "[32, 16]\n";
    text += "out out_" + Name(type) + ": " + Name(type) + "[32, 16]\n";
  }
  text += "kernel run {\n  grid (1)\n  smem half: f32[32]\n  role main: warps 1 {\n";
  for (const Statement& statement : statements) {
    if (Capability(statement.min_arch) > Capability(arch)) continue;
    text += "    " + statement.text + "\n";
  }
  return text + "  }\n}\n";
}

// The exact sine keeps the digits of large arguments in local memory; nothing else has any.
enum class LocalMemory : uint8_t { kNone, kOfSine };

void ExpectCompiles(const std::vector<Statement>& statements, std::span<const char* const> arches,
                    LocalMemory local_memory = LocalMemory::kNone) {
  for (const char* arch : arches) {
    const Emitted emitted = EmitText(Program(statements, arch));
    ASSERT_NE(emitted.program, nullptr);
    if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
    const Compiled compiled =
        RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, arch);
    ASSERT_EQ(compiled.status, 0) << arch << compiled.log << emitted.source.cuda;
    EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
    const std::string_view frame = local_memory == LocalMemory::kNone
                                       ? "0 bytes stack frame, 0 bytes spill stores"
                                       : " 0 bytes spill stores";
    EXPECT_NE(compiled.log.find(std::string(frame) + ", 0 bytes spill loads"), std::string::npos)
        << compiled.log;
  }
}

// One value of a type: loaded, or for packed types the bits of two elements.
std::string In(DType type) {
  if (!ir::IsPacked(type)) return "(ld in_" + Name(type) + "[lane, 0])";
  return "bitcast." + Name(type) + "(ld in_" + Name(ir::ElementOf(type)) + "[lane, 0:+2])";
}
// Volatile, so that no store hides the one before it.
std::string Put(DType type, const std::string& value) {
  if (!ir::IsPacked(type)) return "st.volatile out_" + Name(type) + "[lane, 0] <- " + value;
  const std::string element = Name(ir::ElementOf(type));
  return "st.volatile out_" + element + "[lane, 0:+2] <- bitcast." + element + "(" + value + ")";
}

// Adds the statement unless the entry refuses the use.
void AddUse(std::vector<Statement>& statements, const ir::OpDef& op, const ir::UseArgs& use,
            std::string text) {
  std::string_view arch = op.min_arch;
  if (op.capability != nullptr) {
    const ir::Needs needs = op.capability(use);
    if (!needs.refused.empty()) return;
    if (!needs.min_arch.empty()) arch = needs.min_arch;
  }
  statements.push_back({std::move(text), arch});
}

std::vector<std::vector<std::string_view>> Words() {
  std::vector<std::vector<std::string_view>> all;
  for (const std::string_view rounding : {"", "rz", "rm", "rp", "rna"}) {
    for (const bool saturates : {false, true}) {
      std::vector<std::string_view> words;
      if (!rounding.empty()) words.push_back(rounding);
      if (saturates) words.push_back("sat");
      all.push_back(words);
    }
  }
  return all;
}

std::string Dotted(std::string_view name, DType to, const std::vector<std::string_view>& words) {
  std::string text = std::string(name) + "." + Name(to);
  for (const std::string_view word : words) text += "." + std::string(word);
  return text;
}

bool IsNew(DType type) {
  return ir::IsPacked(type) || type == DType::kTF32 || type == DType::kE4M3 || type == DType::kE5M2;
}

// Conversions of one number, or of two to and from packed values. `with_new`: those that an
// architecture may lack, and packed ones; else the others.
std::vector<Statement> Conversions(bool with_new) {
  std::vector<Statement> statements;
  const ir::OpDef& cvt = *ops::Table().Find("cvt");
  for (const DType from : InThisBuild()) {
    for (const DType to : InThisBuild()) {
      if ((IsNew(from) || IsNew(to)) != with_new) continue;
      const bool pair = ir::IsPacked(from) || ir::IsPacked(to);
      for (const std::vector<std::string_view>& words : Words()) {
        std::string x = In(from);
        if (pair && !ir::IsPacked(from)) x = "ld in_" + Name(from) + "[lane, 0:+2]";
        std::string text = Dotted("cvt", to, words) + "(" + x + ")";
        if (pair && !ir::IsPacked(to)) {
          text = "st.volatile out_" + Name(to) + "[lane, 0:+2] <- " + text;
        } else {
          text = Put(to, text);
        }
        AddUse(statements, cvt,
               {.operand_type = from,
                .result_type = to,
                .modifiers = words,
                .elements = pair && !ir::IsPacked(from) ? 2 : 1},
               text);
      }
    }
  }
  return statements;
}

TEST(CoverageTest, ConversionsAmongAllTypes) { ExpectCompiles(Conversions(false), kTwoArches); }

TEST(CoverageTest, ConversionsThatArchitecturesDifferIn) {
  ExpectCompiles(Conversions(true), kEveryArch);
}

// Whole arrays go in pairs where the hardware has an instruction for two.
TEST(CoverageTest, ConversionsOfVectors) {
  std::vector<Statement> statements;
  const ir::OpDef& cvt = *ops::Table().Find("cvt");
  for (const DType from : InThisBuild()) {
    for (const DType to : InThisBuild()) {
      if (ir::IsPacked(from) || ir::IsPacked(to)) continue;
      const int64_t count = std::min(16 * 8 / ir::Info(from).bits, 16 * 8 / ir::Info(to).bits);
      const std::string slice = "[lane, 0:+" + std::to_string(count) + "]";
      AddUse(statements, cvt,
             {.operand_type = from, .result_type = to, .modifiers = {}, .elements = count},
             "st.volatile out_" + Name(to) + slice + " <- cvt." + Name(to) + "(ld in_" +
                 Name(from) + slice + ")");
    }
  }
  ExpectCompiles(statements, kEveryArch);
}

TEST(CoverageTest, BitcastsAmongTypesOfOneSize) {
  std::vector<Statement> statements;
  for (const DType from : InThisBuild()) {
    for (const DType to : InThisBuild()) {
      if (from == DType::kBool || to == DType::kBool) continue;
      if (ir::Info(from).bits != ir::Info(to).bits) continue;
      statements.push_back({Put(to, "bitcast." + Name(to) + "(" + In(from) + ")")});
    }
  }
  statements.push_back({"st.volatile out_u64[lane, 0] <- bitcast.u64(ld in_u8[lane, 0:+8])"});
  statements.push_back({"st.volatile out_e4m3[lane, 0:+4] <- bitcast.e4m3(ld in_u32[lane, 0])"});
  statements.push_back(
      {"st.volatile out_bf16[lane, 0:+8] <- bitcast.bf16(bitcast.bf16x2(ld in_bf16[lane, "
       "0:+8]))"});
  ExpectCompiles(statements, kTwoArches);
}

DType TwiceAsWide(DType type) { return type == DType::kI32 ? DType::kI64 : DType::kU64; }

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
    else if (op.args[i] == ir::ArgKind::kTwiceAsWide)
      call += In(TwiceAsWide(type));
    else if (i == 1 && !op.one_type)
      call += "1";
    else
      call += x;
  }
  return call + ")";
}

TEST(CoverageTest, EveryOperandTypeOfEveryExpression) {
  std::vector<Statement> statements;
  for (const ir::OpDef& op : ops::Table().ops()) {
    if (op.meaning == nullptr || op.result == ir::ResultRule::kFromModifier) continue;
    if (op.effects.atomic) continue;  // ordered_test.cc
    for (const DType type : op.dtypes) {
      if (!ir::Info(type).in_this_build) continue;
      std::vector<std::string> words = {""};
      for (const ir::ModifierGroup& group : op.modifiers) {
        const bool float_only = group.words[0] == "nan" && !ir::Info(type).is_float;
        if (!float_only) words.push_back("." + std::string(group.words[0]));
      }
      for (const std::string& word : words) {
        const std::string use = Use(op, type, word);
        if (op.result == ir::ResultRule::kPair) {
          // A block of its own, since the names repeat.
          statements.push_back({"for one in 0..1 { let (v, at) = " + use + "; " + Put(type, "v") +
                                "; " + Put(DType::kI32, "at") + " }"});
          continue;
        }
        DType result = type;
        if (op.result == ir::ResultRule::kBool) result = DType::kBool;
        if (op.result == ir::ResultRule::kI32) result = DType::kI32;
        if (op.result == ir::ResultRule::kU32) result = DType::kU32;
        if (op.result == ir::ResultRule::kTwiceAsWide) result = TwiceAsWide(type);
        std::vector<std::string_view> modifiers;
        if (!word.empty()) modifiers.push_back(std::string_view(word).substr(1));
        AddUse(statements, op,
               {.operand_type = type, .result_type = result, .modifiers = modifiers, .elements = 1},
               Put(result, use));
      }
    }
  }
  ExpectCompiles(statements, kEveryArch, LocalMemory::kOfSine);
}

TEST(CoverageTest, EveryHintAtEveryWidth) {
  std::vector<Statement> statements;
  for (const char* hint :
       {"", ".volatile", ".cached", ".streaming", ".last_use", ".evict_first", ".evict_last"}) {
    for (const DType type : InThisBuild()) {
      if (ir::IsPacked(type)) continue;
      const int bytes = ir::Info(type).bits / 8;
      for (int count = 1; count * bytes <= 32 && count <= 16; count *= 2) {
        const std::string slice =
            count == 1 ? "[lane, 0]" : "[lane, 0:+" + std::to_string(count) + "]";
        const std::string load = std::string("ld") + hint + " in_" + Name(type) + slice;
        const bool on_store = std::string_view(hint) != ".last_use";
        statements.push_back({std::string("st") + (on_store ? hint : "") + " out_" + Name(type) +
                                  slice + " <- " + load,
                              count * bytes == 32 ? "sm_100" : "sm_80"});
      }
    }
  }
  statements.push_back({"st.volatile half[lane] <- ld.streaming half[31 - lane]"});
  ExpectCompiles(statements, kEveryArch);
}

}  // namespace
}  // namespace compiler::emit
