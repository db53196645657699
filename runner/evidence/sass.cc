#include "runner/evidence/sass.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace runner::evidence {
namespace {

// CUDA Binary Utilities, "Instruction Set Reference": opcodes of Volta to Blackwell by what they
// do. A row ends with * where the word is a beginning.
struct Row {
  std::string_view opcode;
  SassClass of;
};
constexpr Row kRows[] = {
    {"HMMA", SassClass::kTensor},
    {"IMMA", SassClass::kTensor},
    {"DMMA", SassClass::kTensor},
    {"BMMA", SassClass::kTensor},
    {"QMMA", SassClass::kTensor},
    {"OMMA", SassClass::kTensor},
    {"HGMMA", SassClass::kTensor},
    {"IGMMA", SassClass::kTensor},
    {"QGMMA", SassClass::kTensor},
    {"BGMMA", SassClass::kTensor},
    {"UTCHMMA", SassClass::kTensor},
    {"UTCIMMA", SassClass::kTensor},
    {"UTCQMMA", SassClass::kTensor},
    {"UTCOMMA", SassClass::kTensor},
    {"UTCMXQMMA", SassClass::kTensor},
    {"FADD*", SassClass::kFloat},
    {"FFMA*", SassClass::kFloat},
    {"FMUL*", SassClass::kFloat},
    {"FMNMX*", SassClass::kFloat},
    {"FSETP", SassClass::kFloat},
    {"FSET", SassClass::kFloat},
    {"FSEL", SassClass::kFloat},
    {"FCHK", SassClass::kFloat},
    {"FSWZADD", SassClass::kFloat},
    {"HADD2*", SassClass::kFloat},
    {"HFMA2*", SassClass::kFloat},
    {"HMUL2*", SassClass::kFloat},
    {"HMNMX2", SassClass::kFloat},
    {"HSET2", SassClass::kFloat},
    {"HSETP2", SassClass::kFloat},
    {"DADD", SassClass::kDouble},
    {"DFMA", SassClass::kDouble},
    {"DMUL", SassClass::kDouble},
    {"DSETP", SassClass::kDouble},
    {"IADD*", SassClass::kInteger},
    {"IMAD*", SassClass::kInteger},
    {"IMUL", SassClass::kInteger},
    {"IABS", SassClass::kInteger},
    {"ISETP", SassClass::kInteger},
    {"IMNMX", SassClass::kInteger},
    {"VIMNMX*", SassClass::kInteger},
    {"VIADD*", SassClass::kInteger},
    {"VABSDIFF*", SassClass::kInteger},
    {"LEA", SassClass::kInteger},
    {"LOP3", SassClass::kInteger},
    {"SHF", SassClass::kInteger},
    {"SHL", SassClass::kInteger},
    {"SHR", SassClass::kInteger},
    {"POPC", SassClass::kInteger},
    {"FLO", SassClass::kInteger},
    {"BREV", SassClass::kInteger},
    {"BMSK", SassClass::kInteger},
    {"SGXT", SassClass::kInteger},
    {"IDP*", SassClass::kInteger},
    {"PLOP3", SassClass::kInteger},
    {"F2F*", SassClass::kConvert},
    {"F2I*", SassClass::kConvert},
    {"I2F*", SassClass::kConvert},
    {"I2I*", SassClass::kConvert},
    {"FRND", SassClass::kConvert},
    {"MUFU", SassClass::kSpecial},
    {"LDG", SassClass::kGlobal},
    {"STG", SassClass::kGlobal},
    {"LD", SassClass::kGlobal},
    {"ST", SassClass::kGlobal},
    {"LDGSTS", SassClass::kGlobal},
    {"RED", SassClass::kGlobal},
    {"REDG", SassClass::kGlobal},
    {"ATOM", SassClass::kGlobal},
    {"ATOMG", SassClass::kGlobal},
    {"LDS", SassClass::kShared},
    {"STS", SassClass::kShared},
    {"LDSM", SassClass::kShared},
    {"STSM", SassClass::kShared},
    {"ATOMS", SassClass::kShared},
    {"LDL", SassClass::kLocal},
    {"STL", SassClass::kLocal},
    {"UTMA*", SassClass::kBulkCopy},
    {"UBLK*", SassClass::kBulkCopy},
    {"LDTM*", SassClass::kTensorMemory},
    {"STTM*", SassClass::kTensorMemory},
    {"UTCCP", SassClass::kTensorMemory},
    {"UTCSHIFT", SassClass::kTensorMemory},
    {"BAR", SassClass::kSync},
    {"SYNCS", SassClass::kSync},
    {"MEMBAR", SassClass::kSync},
    {"ERRBAR", SassClass::kSync},
    {"DEPBAR", SassClass::kSync},
    {"LDGDEPBAR", SassClass::kSync},
    {"WARPSYNC*", SassClass::kSync},
    {"WARPGROUP*", SassClass::kSync},
    {"UCGABAR*", SassClass::kSync},
    {"CGAERRBAR", SassClass::kSync},
    {"FENCE*", SassClass::kSync},
    {"CCTL*", SassClass::kSync},
    {"UTCBAR", SassClass::kSync},
    {"NANOSLEEP", SassClass::kSync},
    {"BRA", SassClass::kControl},
    {"BRX*", SassClass::kControl},
    {"BSSY*", SassClass::kControl},
    {"BSYNC*", SassClass::kControl},
    {"BREAK", SassClass::kControl},
    {"CALL", SassClass::kControl},
    {"RET", SassClass::kControl},
    {"EXIT", SassClass::kControl},
    {"JMP", SassClass::kControl},
    {"KILL", SassClass::kControl},
    {"NOP", SassClass::kControl},
    {"YIELD", SassClass::kControl},
    {"BMOV", SassClass::kControl},
    {"UBRA", SassClass::kControl},
    {"MOV*", SassClass::kMove},
    {"SEL", SassClass::kMove},
    {"PRMT", SassClass::kMove},
    {"SHFL", SassClass::kMove},
    {"VOTE*", SassClass::kMove},
    {"MATCH", SassClass::kMove},
    {"REDUX", SassClass::kMove},
    {"S2R", SassClass::kMove},
    {"S2UR", SassClass::kMove},
    {"CS2R", SassClass::kMove},
    {"R2UR", SassClass::kMove},
    {"R2P", SassClass::kMove},
    {"P2R", SassClass::kMove},
    {"LDC*", SassClass::kMove},
    {"MOVM", SassClass::kMove},
    {"ELECT", SassClass::kMove},
    {"PACK*", SassClass::kMove},
};
constexpr std::string_view kNames[kSassClasses] = {
    "tensor", "float",     "double",        "integer", "convert", "special", "global",  "shared",
    "local",  "bulk_copy", "tensor_memory", "sync",    "control", "move",    "uniform", "other"};

constexpr int kWordBytes = 4;
constexpr double kNarrowShare = 0.5;

// The address comment that begins an instruction's line: /*0a30*/.
bool SkipAddress(std::string_view& line) {
  const size_t open = line.find_first_not_of(" \t");
  if (open == std::string_view::npos || line.substr(open, 2) != "/*") return false;
  const size_t close = line.find("*/", open);
  if (close == std::string_view::npos) return false;
  const std::string_view digits = line.substr(open + 2, close - open - 2);
  const bool hex = !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0;
  });
  if (!hex) return false;
  line.remove_prefix(close + 2);
  return true;
}

std::string_view NextWord(std::string_view& line) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  const size_t end = std::min(line.size(), line.find_first_of(" \t;"));
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

// The opcode of an instruction's line with its modifiers: "LDG.E.128"; empty: it is none.
std::string_view OpcodeOf(std::string_view line) {
  if (!SkipAddress(line)) return {};
  std::string_view word = NextWord(line);
  if (word.starts_with("{")) {  // two instructions that are issued together
    word.remove_prefix(1);
    if (word.empty()) word = NextWord(line);
  }
  if (word.starts_with("@")) word = NextWord(line);
  const bool opcode = !word.empty() && std::isupper(static_cast<unsigned char>(word[0])) != 0;
  return opcode ? word : std::string_view();
}

int WidthOf(std::string_view opcode) {
  for (const auto& [word, bytes] : {std::pair{".256", 32},
                                    {".128", 16},
                                    {".64", 8},
                                    {".U16", 2},
                                    {".S16", 2},
                                    {".U8", 1},
                                    {".S8", 1}}) {
    const size_t at = opcode.find(word);
    const size_t end = at + std::string_view(word).size();
    if (at != std::string_view::npos && (end == opcode.size() || opcode[end] == '.')) return bytes;
  }
  return kWordBytes;
}

void Count(std::string_view whole, SassKernel& kernel) {
  const std::string_view opcode = whole.substr(0, whole.find('.'));
  const SassClass of = ClassOf(opcode);
  ++kernel.instructions;
  ++kernel.opcodes[std::string(opcode)];
  ++kernel.classes[of];
  if (opcode == "LDG" || opcode == "STG" || opcode == "LDGSTS" || opcode == "LD" || opcode == "ST")
    ++kernel.global_widths[WidthOf(whole)];
  if (opcode == "LDS" || opcode == "STS") ++kernel.shared_widths[WidthOf(whole)];
}

int64_t Sum(const std::map<int, int64_t>& widths, int up_to) {
  int64_t sum = 0;
  for (const auto& [width, count] : widths) sum += width <= up_to ? count : 0;
  return sum;
}

nlohmann::json Widths(const std::map<int, int64_t>& widths) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [width, count] : widths) out[absl::StrCat(width)] = count;
  return out;
}

}  // namespace

std::string_view ToString(SassClass of) { return kNames[static_cast<size_t>(of)]; }

SassClass ClassOf(std::string_view opcode) {
  for (const Row& row : kRows) {
    const bool open = row.opcode.ends_with('*');
    const std::string_view word = row.opcode.substr(0, row.opcode.size() - (open ? 1 : 0));
    if (open ? opcode.starts_with(word) : opcode == word) return row.of;
  }
  return opcode.starts_with("U") ? SassClass::kUniform : SassClass::kOther;
}

std::vector<SassKernel> ParseSass(std::string_view listing) {
  // "Function : name" of cuobjdump; ".section .text.name,..." and ".text.name:" of nvdisasm.
  constexpr std::string_view kFunction = "Function : ", kText = ".text.";
  std::vector<SassKernel> out;
  while (!listing.empty()) {
    const size_t end = std::min(listing.size(), listing.find('\n'));
    std::string_view line = listing.substr(0, end);
    listing.remove_prefix(std::min(listing.size(), end + 1));
    std::string_view name;
    if (const size_t at = line.find(kFunction); at != std::string_view::npos) {
      name = line.substr(at + kFunction.size());
    } else if (line.starts_with(kText) && line.find(':') != std::string_view::npos) {
      name = line.substr(kText.size(), line.find(':') - kText.size());
    }
    if (!name.empty()) {
      if (out.size() == kSassKernelsMax) return out;
      while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back())) != 0)
        name.remove_suffix(1);
      out.push_back({.name = std::string(name)});
      continue;
    }
    if (out.empty()) continue;
    if (const std::string_view opcode = OpcodeOf(line); !opcode.empty()) Count(opcode, out.back());
  }
  return out;
}

std::vector<std::string> FindingsOf(const SassKernel& kernel) {
  std::vector<std::string> out;
  const auto count = [&](SassClass of) {
    const auto found = kernel.classes.find(of);
    return found == kernel.classes.end() ? int64_t{0} : found->second;
  };
  if (const int64_t local = count(SassClass::kLocal); local > 0)
    out.push_back(absl::StrCat(local,
                               " accesses of local memory: spilled registers, or arrays "
                               "with an index that is no constant"));
  const int64_t global = Sum(kernel.global_widths, 1 << 20);
  const int64_t narrow = Sum(kernel.global_widths, kWordBytes);
  if (global > 0 && static_cast<double>(narrow) > kNarrowShare * static_cast<double>(global))
    out.push_back(absl::StrCat(narrow, " of ", global,
                               " accesses of global memory move at most 4 bytes a thread; 16 take "
                               "a quarter of the instructions"));
  const int64_t math = count(SassClass::kTensor) + count(SassClass::kFloat);
  const int64_t address = count(SassClass::kInteger) + count(SassClass::kUniform);
  if (math > 0 && address > 2 * math)
    out.push_back(absl::StrCat(address, " integer and uniform instructions stand against ", math,
                               " of floating-point and tensor work: addresses cost more than the "
                               "arithmetic"));
  if (const auto calls = kernel.opcodes.find("CALL"); calls != kernel.opcodes.end())
    out.push_back(absl::StrCat(calls->second,
                               " calls: a division, root or other slow path that is "
                               "not inlined"));
  return out;
}

std::string ToJson(const std::vector<SassKernel>& kernels) {
  nlohmann::json all = nlohmann::json::array();
  for (const SassKernel& kernel : kernels) {
    nlohmann::json classes = nlohmann::json::object();
    for (const auto& [of, count] : kernel.classes) classes[std::string(ToString(of))] = count;
    all.push_back({{"name", kernel.name},
                   {"instructions", kernel.instructions},
                   {"classes", classes},
                   {"opcodes", kernel.opcodes},
                   {"global_widths", Widths(kernel.global_widths)},
                   {"shared_widths", Widths(kernel.shared_widths)},
                   {"findings", FindingsOf(kernel)}});
  }
  return nlohmann::json({{"kernels", all}})
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace runner::evidence
