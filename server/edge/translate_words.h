// Enums by their words: the wire prefixes them, JSON and the store do not.
#pragma once

#include <string>
#include <string_view>

#include "store/types.h"

namespace server::edge {

// VERDICT_CORRECT for ("VERDICT_", "CORRECT"); unset if the wire's enum has no such word.
template <typename Wire>
Wire ParseWire(std::string_view prefix, std::string_view word,
               bool (*parse)(google::protobuf::ConstStringParam, Wire*)) {
  Wire value{};
  std::string name = std::string(prefix);
  for (const char c : word) name.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
  return parse(name, &value) ? value : Wire{};
}

// "CORRECT" of the name "VERDICT_CORRECT".
inline std::string BareWord(std::string_view prefix, const std::string& name) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string();
}

}  // namespace server::edge
