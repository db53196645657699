#include "runner/compile/ptx_scan.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/str_cat.h"

namespace runner::compile {
namespace {

bool IsNameByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' ||
         c == ':' || c == '%';
}

// The words of a line; `.L2::evict_last` and `%clock64` are one word each with what they belong to.
std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < line.size();) {
    if (!IsNameByte(line[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < line.size() && IsNameByte(line[end])) ++end;
    out.push_back(line.substr(i, end - i));
    i = end;
  }
  return out;
}

bool Has(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// PTX ISA, "Kernel and function directives": a function of another module is declared `.extern
// .func`, and its name follows the result in parentheses.
std::string ExternName(std::string_view text) {
  size_t at = text.find(".func") + 5;
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  if (at < text.size() && text[at] == '(') at = text.find(')', at) + 1;
  const auto words = WordsOf(text.substr(std::min(at, text.size())));
  return words.empty() ? "" : std::string(words[0]);
}

// PTX ISA, "State spaces": a `.global` declaration at module scope is memory that every launch
// finds as the last one left it. Texts of the module (`.b8 $str[6] = {..}`) are initialised and, as
// `.const`, nobody writes them.
std::string ModuleMemory(std::string_view line, const std::vector<std::string_view>& words) {
  if (words.empty() || line.find('=') != std::string_view::npos) return "";
  const bool declares = words[0] == ".global" || ((words[0] == ".visible" || words[0] == ".weak") &&
                                                  words.size() > 1 && words[1] == ".global");
  if (!declares) return "";
  const size_t end = line.find_first_of("[;");
  const auto names = WordsOf(line.substr(0, end));
  return names.empty() ? "" : std::string(names.back());
}

// PTX ISA, "Cache eviction priority hints", createpolicy, applypriority, discard; "Special
// registers": clocks.
std::string Instruction(const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) {
    if (word.starts_with("createpolicy") || word.starts_with("applypriority") ||
        word.starts_with("discard.") || word.find("evict_last") != std::string_view::npos) {
      return absl::StrCat("`", std::string(word), "` keeps lines in the cache beyond the launch");
    }
    if (word.starts_with("%clock") || word.starts_with("%globaltimer")) {
      return absl::StrCat("`", std::string(word), "` tells when it is measured");
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> ScanPtx(std::string_view ptx) {
  std::vector<std::string> out;
  int depth = 0;
  while (!ptx.empty() && out.size() < kPtxFindingsMax) {
    const size_t end = ptx.find('\n');
    std::string_view line = ptx.substr(0, end);
    if (const size_t comment = line.find("//"); comment != std::string_view::npos) {
      line = line.substr(0, comment);
    }
    const auto words = WordsOf(line);
    std::string finding;
    if (Has(words, ".extern") && Has(words, ".func")) {
      // The declaration goes on until its semicolon.
      const std::string_view whole = ptx.substr(0, ptx.find(';'));
      finding = absl::StrCat("`", ExternName(whole), "` is a function from outside the module");
    } else if (depth == 0) {
      if (const std::string name = ModuleMemory(line, words); !name.empty()) {
        finding = absl::StrCat("`", name, "` is memory that outlives a launch");
      }
    }
    if (finding.empty()) finding = Instruction(words);
    if (!finding.empty()) out.push_back(std::move(finding));
    for (const char c : line) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    ptx.remove_prefix(end == std::string_view::npos ? ptx.size() : end + 1);
  }
  return out;
}

}  // namespace runner::compile
