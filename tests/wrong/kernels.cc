#include "tests/wrong/kernels.h"

#include <fstream>
#include <map>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tests {

absl::StatusOr<std::vector<WrongKernel>> ReadWrongKernels(const std::string& path) {
  std::vector<WrongKernel> out;
  std::ifstream file(path);
  bool adding = false;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("kernel ")) {
      out.push_back({.name = line.substr(7)});
      continue;
    }
    const auto fault = [&](const char* what) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": ", what));
    };
    if (out.empty()) return fault("stands before the first kernel");
    WrongKernel& kernel = out.back();
    if (line[0] == '-') {
      if (adding || kernel.edits.empty()) kernel.edits.emplace_back();
      adding = false;
      kernel.edits.back().first += line.substr(1) + "\n";
      continue;
    }
    if (line[0] == '+') {
      if (kernel.edits.empty()) return fault("replaces nothing");
      adding = true;
      kernel.edits.back().second += line.substr(1) + "\n";
      continue;
    }
    adding = false;
    const std::map<std::string, std::string WrongKernel::*> words = {
        {"base", &WrongKernel::base},     {"fault", &WrongKernel::fault},
        {"check", &WrongKernel::check},   {"says", &WrongKernel::says},
        {"at", &WrongKernel::at},         {"form", &WrongKernel::form},
        {"beyond", &WrongKernel::beyond}, {"shows", &WrongKernel::shows},
        {"small", &WrongKernel::small},   {"seed", &WrongKernel::seed}};
    const size_t blank = line.find(' ');
    const auto word = words.find(line.substr(0, blank));
    if (word == words.end() || blank == std::string::npos) return fault("no such word");
    kernel.*word->second = line.substr(blank + 1);
  }
  return out;
}

absl::StatusOr<Boundary> ParseBoundary(const std::string& text) {
  Boundary out;
  bool binding = false;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "with") {
      binding = true;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    int64_t number = 0;
    if (name == "variant" && !binding)
      out.variant = value;
    else if (absl::SimpleAtoi(value, &number))
      (binding ? out.binding : out.dims)[name] = number;
    else
      return absl::InvalidArgumentError(absl::StrCat("no size: ", word));
  }
  return out;
}

absl::StatusOr<std::string> SourceOf(const WrongKernel& kernel, std::string base) {
  for (const auto& [text, instead] : kernel.edits) {
    const size_t at = base.find(text);
    if (at == std::string::npos || base.find(text, at + 1) != std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat(kernel.name, ": is not in ", kernel.base, " exactly once:\n", text));
    }
    base.replace(at, text.size(), instead);
  }
  return base;
}

}  // namespace tests
