#include "compiler/device/device.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "compiler/device/mma.h"
#include "compiler/device/tensor_parts.h"
#include "compiler/device/vector_atomic.h"
#include "compiler/device/wgmma.h"

namespace compiler::device {

std::string_view Embedded(std::string_view name);  // made at build time from the .cuh files

namespace {

struct Part {
  std::vector<std::string> names, needs;
  std::string text;
  bool used = false;
};

std::vector<std::string> Words(absl::string_view text) {
  return absl::StrSplit(text, ' ', absl::SkipEmpty());
}

constexpr std::string_view kFiles[] = {
    "convert.cuh",     "math.cuh",          "memory.cuh",   "lanes.cuh",   "packed.cuh",
    "packed_math.cuh", "narrow.cuh",        "fragment.cuh", "mma.cuh",     "mbarrier.cuh",
    "atomic.cuh",      "grid.cuh",          "cp_async.cuh", "tma.cuh",     "event_log.cuh",
    "progress.cuh",    "tensor_memory.cuh", "wgmma.cuh",    "cluster.cuh", "launch_control.cuh"};

void ReadPartsOf(std::string_view header, std::vector<Part>& parts) {
  const absl::string_view text(header.data(), header.size());
  bool inside = false;  // before the first part of a file there are only remarks
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.substr(0, 4) == "//@ ") {
      inside = true;
      const std::vector<std::string> sides = absl::StrSplit(line.substr(4), ':');
      parts.push_back({.names = Words(sides[0])});
      if (sides.size() > 1) parts.back().needs = Words(sides[1]);
    } else if (inside) {
      parts.back().text += std::string(line) + "\n";
    }
  }
}

std::vector<Part> ReadParts() {
  std::vector<Part> parts;
  for (const std::string_view file : kFiles) ReadPartsOf(Embedded(file), parts);
  return parts;
}

// What the capitals of a part's name may stand for, with the address operand of each space.
// and the word of its instructions; memory of other CTAs has generic addresses here.
constexpr const char* kSpaces[][3] = {
    {"global", ".global", "\"l\"(__cvta_generic_to_global(p))"},
    {"shared", ".shared", "\"r\"((unsigned int)__cvta_generic_to_shared(p))"},
    {"remote", "", "\"l\"(p)"}};
constexpr const char* kOrders[] = {"relaxed", "acquire", "release", "acq_rel"};
constexpr const char* kScopes[] = {"cta", "cluster", "gpu", "sys"};

// Makes the parts of ordered accesses that `names` ask for.
void Instantiate(const std::vector<std::string>& names, std::vector<Part>& parts) {
  std::vector<Part> made;
  for (const Part& part : parts) {
    if (!absl::StartsWith(part.names[0], "SPACE_")) continue;
    for (const auto& [space, suffix, address] : kSpaces) {
      for (const char* order : kOrders) {
        for (const char* scope : kScopes) {
          const std::vector<std::pair<absl::string_view, absl::string_view>> words = {
              {".SPACE", suffix},
              {"SPACE", space},
              {"ORDER", order},
              {"SCOPE", scope},
              {"ADDRESS", address}};
          const std::string name = absl::StrReplaceAll(part.names[0], words);
          if (std::find(names.begin(), names.end(), name) == names.end()) continue;
          made.push_back({.names = {name},
                          .needs = part.needs,
                          .text = absl::StrReplaceAll(part.text, words)});
        }
      }
    }
  }
  for (const std::string& name : names) {
    const std::string product = WgmmaPart(name);
    const bool known = std::any_of(made.begin(), made.end(),
                                   [&](const Part& part) { return part.names[0] == name; });
    if (!product.empty() && !known) made.push_back({.names = {name}, .text = product});
  }
  parts.insert(parts.end(), made.begin(), made.end());
}

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::vector<std::string> NamesIn(std::string_view code) {
  constexpr std::string_view kPrefix = "cake::";
  std::vector<std::string> names;
  for (size_t at = code.find(kPrefix); at != std::string_view::npos; at = code.find(kPrefix, at)) {
    at += kPrefix.size();
    size_t end = at;
    while (end < code.size() && IsNameCharacter(code[end])) ++end;
    names.emplace_back(code.substr(at, end - at));
  }
  return names;
}

void Use(std::vector<Part>& parts, const std::string& name) {
  for (Part& part : parts) {
    if (std::find(part.names.begin(), part.names.end(), name) == part.names.end()) continue;
    if (part.used) return;
    part.used = true;
    for (const std::string& need : part.needs) Use(parts, need);
    return;
  }
}

// Parts that needed parts come before: file order is not enough for templates that call helpers.
void Collect(std::vector<Part>& parts, Part& part, std::string& text) {
  if (!part.used) return;
  part.used = false;
  for (const std::string& need : part.needs) {
    for (Part& other : parts) {
      const bool named =
          std::find(other.names.begin(), other.names.end(), need) != other.names.end();
      if (named) Collect(parts, other, text);
    }
  }
  text += part.text;
}

// One namespace block instead of one a part.
std::string Merge(std::string text) {
  constexpr std::string_view kSeam = "}  // namespace cake\n\nnamespace cake {\n";
  for (size_t at = text.find(kSeam); at != std::string::npos; at = text.find(kSeam, at)) {
    text.replace(at, kSeam.size(), "\n");
  }
  return text;
}

}  // namespace

std::string PartsFor(std::string_view code) {
  std::vector<Part> parts = ReadParts();
  const std::vector<std::string> names = NamesIn(code);
  Instantiate(names, parts);
  for (const std::string& name : names) {
    std::vector<std::string> needs;
    std::string text = TensorPart(name);
    if (text.empty()) text = IntegerMmaPart(name);
    if (text.empty()) text = VectorAtomicPart(name, needs);
    if (!text.empty()) {
      parts.push_back({.names = {name}, .needs = std::move(needs), .text = std::move(text)});
    }
  }
  for (const std::string& name : names) Use(parts, name);
  std::string text;
  for (Part& part : parts) Collect(parts, part, text);
  return Merge(std::move(text));
}

}  // namespace compiler::device
