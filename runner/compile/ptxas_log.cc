#include "runner/compile/ptxas_log.h"

#include <cctype>

namespace runner::compile {
namespace {

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// The number that stands before `unit`, or `otherwise`: "used 16 registers" -> 16.
int64_t NumberBefore(std::string_view line, std::string_view unit, int64_t otherwise) {
  const size_t at = line.find(unit);
  if (at == std::string_view::npos) return otherwise;
  size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1]))) --begin;
  int64_t value = 0;
  if (begin == at || at - begin > 12) return otherwise;
  for (size_t i = begin; i < at; ++i) value = value * 10 + (line[i] - '0');
  return value;
}

std::string_view Quoted(std::string_view line) {
  const size_t open = line.find('\'');
  const size_t close = line.find('\'', open + 1);
  if (open == std::string_view::npos || close == std::string_view::npos) return "";
  return line.substr(open + 1, close - open - 1);
}

}  // namespace

std::vector<KernelBuild> ParsePtxasLog(std::string_view log) {
  std::vector<KernelBuild> kernels;
  for (std::string_view line : Lines(log)) {
    if (line.find("Compiling entry function") != std::string_view::npos) {
      kernels.push_back({.name = std::string(Quoted(line))});
      continue;
    }
    if (kernels.empty()) continue;
    KernelBuild& kernel = kernels.back();
    if (line.find("bytes stack frame") != std::string_view::npos) {
      kernel.stack_bytes = NumberBefore(line, " bytes stack frame", 0);
      kernel.spill_store_bytes = NumberBefore(line, " bytes spill stores", 0);
      kernel.spill_load_bytes = NumberBefore(line, " bytes spill loads", 0);
    } else if (line.find("Used ") != std::string_view::npos) {
      kernel.registers = NumberBefore(line, " registers", -1);
      kernel.barriers = NumberBefore(line, " barriers", 0);
      kernel.static_shared_bytes = NumberBefore(line, " bytes smem", 0);
      kernel.constant_bytes = NumberBefore(line, " bytes cmem[0]", 0);
    }
  }
  return kernels;
}

std::string ErrorLines(std::string_view log) {
  const auto lines = Lines(log);
  for (const bool errors_only : {true, false}) {
    std::string out;
    int count = 0;
    for (std::string_view line : lines) {
      if (errors_only && line.find("error") == std::string_view::npos) continue;
      if (++count > kErrorLinesMax) break;
      out.append(line).push_back('\n');
    }
    if (!out.empty()) return out;
  }
  return "";
}

}  // namespace runner::compile
