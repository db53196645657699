#include "tests/fakecuda/module_image.h"

#include <elf.h>

#include <cctype>
#include <cstdint>
#include <cstring>

namespace fakecuda {
namespace {

constexpr uint16_t kMachineCuda = 190;  // EM_CUDA
constexpr char kIdSymbol[] = "cake_program_id";
constexpr char kLogSymbol[] = "cake_event_log", kProgressSymbol[] = "cake_progress";
constexpr char kArchSection[] = ".cake.arch";
constexpr int kSections = 6;  // null, id, text, symbols, strings, arch

std::string ToHex(const unsigned char* bytes, size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < size; ++i) {
    out += kDigits[bytes[i] >> 4];
    out += kDigits[bytes[i] & 15];
  }
  return out;
}

std::string FromHex(std::string_view hex) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(value(hex[i]) * 16 + value(hex[i + 1]));
  }
  return out;
}

template <typename T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

// A string table; names are given their offsets.
struct Strings {
  std::string bytes = std::string(1, '\0');
  uint32_t Add(std::string_view text) {
    const auto at = static_cast<uint32_t>(bytes.size());
    bytes.append(text).push_back('\0');
    return at;
  }
};

// A view of a loaded ELF file.
struct Elf {
  const char* base;
  const Elf64_Ehdr* header;
  const Elf64_Shdr* sections;

  std::string_view Bytes(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > kMaxImageBytes ||
        section.sh_size > kMaxImageBytes) {
      return {};
    }
    return {base + section.sh_offset, section.sh_size};
  }
  static std::string Name(std::string_view table, uint32_t at) {
    return at < table.size() ? std::string(table.data() + at) : std::string();
  }
};

void ReadSymbols(const Elf& elf, const Elf64_Shdr& table, ModuleImage& image) {
  if (table.sh_link >= elf.header->e_shnum) return;
  const std::string_view symbols = elf.Bytes(table);
  const std::string_view names = elf.Bytes(elf.sections[table.sh_link]);
  for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, symbols.data() + at, sizeof(symbol));
    const std::string name = Elf::Name(names, symbol.st_name);
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) image.kernels.push_back(name);
    image.logs_events |= name == kLogSymbol;
    image.has_progress |= name == kProgressSymbol;
    if (name != kIdSymbol || symbol.st_shndx >= elf.header->e_shnum) continue;
    const std::string_view data = elf.Bytes(elf.sections[symbol.st_shndx]);
    if (symbol.st_value + kProgramIdBytes > data.size()) continue;
    image.program_id = ToHex(reinterpret_cast<const unsigned char*>(data.data()) + symbol.st_value,
                             kProgramIdBytes);
  }
}

bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The name before the parameter list of the function that follows `__global__`.
std::string KernelAfter(std::string_view text) {
  size_t at = 0;
  const auto skip_spaces = [&] {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  };
  for (;;) {
    skip_spaces();
    const size_t begin = at;
    while (at < text.size() && IsWordCharacter(text[at])) ++at;
    if (at == begin) return "";
    const std::string word(text.substr(begin, at - begin));
    skip_spaces();
    if (at >= text.size() || text[at] != '(') continue;  // `void` and the like
    if (word.substr(0, 2) != "__") return word;
    at = text.find(')', at);  // an attribute: __launch_bounds__(128, 1)
    if (at == std::string_view::npos) return "";
    ++at;
  }
}

std::string IdOfSource(std::string_view cuda) {
  constexpr std::string_view kHead = "cake_program_id[32] = {";
  const size_t begin = cuda.find(kHead);
  if (begin == std::string_view::npos) return "";
  const size_t end = cuda.find('}', begin);
  std::string hex;
  for (size_t at = begin; (at = cuda.find("0x", at)) < end; at += 4) hex += cuda.substr(at + 2, 2);
  return hex.size() == 2 * kProgramIdBytes ? hex : "";
}

}  // namespace

std::string WriteImage(const ModuleImage& image) {
  Strings names;
  std::string symbols(sizeof(Elf64_Sym), '\0');
  const auto add_symbol = [&](const std::string& name, unsigned type, uint16_t section) {
    Elf64_Sym symbol = {};
    symbol.st_name = names.Add(name);
    symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, type));
    symbol.st_shndx = section;
    symbols.append(BytesOf(symbol));
  };
  if (!image.program_id.empty()) add_symbol(kIdSymbol, STT_OBJECT, 1);
  if (image.logs_events) add_symbol(kLogSymbol, STT_OBJECT, 1);
  if (image.has_progress) add_symbol(kProgressSymbol, STT_OBJECT, 1);
  for (const std::string& kernel : image.kernels) add_symbol(kernel, STT_FUNC, 2);

  struct Section {
    std::string name;
    uint32_t type;
    std::string bytes;
  };
  Section sections[kSections] = {
      {"", SHT_NULL, ""},          {".nv.constant3", SHT_PROGBITS, FromHex(image.program_id)},
      {".text", SHT_PROGBITS, ""}, {".symtab", SHT_SYMTAB, symbols},
      {".strtab", SHT_STRTAB, ""}, {kArchSection, SHT_PROGBITS, image.arch}};
  Elf64_Shdr headers[kSections] = {};
  for (int i = 0; i < kSections; ++i) headers[i].sh_name = names.Add(sections[i].name);
  sections[4].bytes = names.bytes;
  std::string body;
  for (int i = 0; i < kSections; ++i) {
    headers[i].sh_type = sections[i].type;
    headers[i].sh_offset = sizeof(Elf64_Ehdr) + body.size();
    headers[i].sh_size = sections[i].bytes.size();
    body += sections[i].bytes;
    body.resize((body.size() + 7) / 8 * 8, '\0');
  }
  headers[3].sh_link = 4;
  headers[3].sh_entsize = sizeof(Elf64_Sym);
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = kMachineCuda;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kSections;
  header.e_shstrndx = 4;
  header.e_shoff = sizeof(Elf64_Ehdr) + body.size();
  std::string out(BytesOf(header));
  out += body;
  for (const Elf64_Shdr& section : headers) out.append(BytesOf(section));
  return out;
}

std::optional<ModuleImage> ReadImage(const void* data) {
  const auto* base = static_cast<const char*>(data);
  if (base == nullptr || std::memcmp(base, ELFMAG, SELFMAG) != 0) return std::nullopt;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(base);
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != kMachineCuda ||
      header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > kMaxImageBytes ||
      header->e_shstrndx >= header->e_shnum) {
    return std::nullopt;
  }
  const Elf elf{base, header, reinterpret_cast<const Elf64_Shdr*>(base + header->e_shoff)};
  const std::string_view names = elf.Bytes(elf.sections[header->e_shstrndx]);
  ModuleImage image;
  for (int i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr& section = elf.sections[i];
    if (section.sh_type == SHT_SYMTAB) ReadSymbols(elf, section, image);
    if (Elf::Name(names, section.sh_name) == kArchSection) image.arch = elf.Bytes(section);
  }
  return image;
}

ModuleImage ImageOfSource(std::string_view cuda, std::string_view arch) {
  ModuleImage image{.program_id = IdOfSource(cuda), .arch = std::string(arch)};
  image.logs_events = cuda.find(std::string("unsigned int ") + kLogSymbol) != cuda.npos;
  image.has_progress = cuda.find(std::string("unsigned int ") + kProgressSymbol) != cuda.npos;
  constexpr std::string_view kGlobal = "__global__";
  for (size_t at = 0; (at = cuda.find(kGlobal, at)) != std::string_view::npos;) {
    at += kGlobal.size();
    std::string kernel = KernelAfter(cuda.substr(at));
    if (!kernel.empty()) image.kernels.push_back(std::move(kernel));
  }
  return image;
}

}  // namespace fakecuda
