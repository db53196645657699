// The instruction mix of a cubin, as a disassembler lists it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace runner::evidence {

// What an instruction keeps busy, or waits for.
enum class SassClass : uint8_t {
  kTensor,        // HMMA, HGMMA, UTCHMMA, ..
  kFloat,         // FFMA, HFMA2, ..
  kDouble,        // DFMA, ..
  kInteger,       // IMAD, IADD3, LOP3, ..
  kConvert,       // F2F, I2F, ..
  kSpecial,       // MUFU
  kGlobal,        // LDG, STG, RED, ATOMG, LDGSTS, ..
  kShared,        // LDS, STS, LDSM, ..
  kLocal,         // LDL, STL: spills and indexed arrays
  kBulkCopy,      // UTMALDG, UBLKCP, ..
  kTensorMemory,  // LDTM, STTM, UTCCP, ..
  kSync,          // BAR, SYNCS, MEMBAR, ..
  kControl,       // BRA, EXIT, BSYNC, ..
  kMove,          // MOV, SHFL, PRMT, S2R, ..
  kUniform,       // the rest that begin with U
  kOther
};
inline constexpr int kSassClasses = 16;
std::string_view ToString(SassClass of);
// By the opcode before its first dot.
SassClass ClassOf(std::string_view opcode);

struct SassKernel {
  std::string name;
  int64_t instructions = 0;
  std::map<std::string, int64_t> opcodes;  // before the first dot
  std::map<SassClass, int64_t> classes;
  // Accesses of global and shared memory by the bytes that a thread moves at once.
  std::map<int, int64_t> global_widths, shared_widths;
};

inline constexpr size_t kSassKernelsMax = 256;

// The output of `cuobjdump -sass` or `nvdisasm -c`: one entry a function. Lines that are no
// instruction are skipped; text without a function gives nothing.
std::vector<SassKernel> ParseSass(std::string_view listing);

// In words, worst first; empty: nothing stands out.
std::vector<std::string> FindingsOf(const SassKernel& kernel);

// {"kernels": [{"name", "instructions", "classes": {..}, "opcodes": {..}, "global_widths": {..},
// "shared_widths": {..}, "findings": [..]}]}
std::string ToJson(const std::vector<SassKernel>& kernels);

}  // namespace runner::evidence
