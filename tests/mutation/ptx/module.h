// The text of a PTX module, read: the subset that the emitter's lowering becomes. Links nothing of
// the compiler or the verifier: what is executed here is what the assembler is given.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptx {

// What this interpreter does not know: such a program is not judged.
struct Unknown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Type : uint8_t {
  kB8,
  kB16,
  kB32,
  kB64,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kF32,
  kF64,
  kPred,
  kNone
};
int BytesOf(Type type);
bool IsSigned(Type type);
Type TypeOf(std::string_view word);  // kNone: it is no type

struct Operand {
  enum class Kind : uint8_t { kRegister, kNumber, kMemory, kVector, kSpecial, kSink };
  Kind kind = Kind::kSink;
  int reg = -1;                // kRegister; of kMemory: the base, -1 if there is none
  int second = -1;             // kRegister `%a|%p`
  uint64_t number = 0;         // kNumber; of kMemory: what is added
  bool negated = false;        // kRegister: `!%p`
  std::string special;         // kSpecial: "tid.x"
  std::vector<Operand> parts;  // kVector; of kMemory: the coordinates of a tensor copy
};

struct Instruction {
  std::string text;                // as written, for messages
  std::vector<std::string> words;  // of the opcode: "ld", "global", "f32"
  std::vector<Type> types;         // those of the words that are types
  int predicate = -1;
  bool unless = false;
  std::vector<Operand> args;
  int target = -1;  // of a branch: an instruction

  bool Has(std::string_view word) const;
  const std::string& op() const { return words[0]; }
};

struct Param {
  int offset = 0, bytes = 0;
};

struct Kernel {
  std::string name;
  std::vector<Param> params;
  std::vector<Instruction> code;
  int registers = 0;
};

// Where things are: the interpreter's own numbers.
constexpr uint64_t kSharedBegin = 1024;              // of the shared window: `cake_smem`
constexpr uint64_t kSharedGeneric = 0x7f0000000000;  // where generic addresses see that window
constexpr uint64_t kParamBegin = 0x600000000000;     // parameters, by generic addresses
constexpr uint64_t kTensorBegin = 0x100000000000, kTensorStep = 0x1000000000;

// Throws Unknown.
std::map<std::string, Kernel> ReadModule(const std::string& text);

}  // namespace ptx
