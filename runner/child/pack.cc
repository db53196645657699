#include "runner/child/pack.h"

#include <cstdint>
#include <cstring>

namespace runner::child {
namespace {

void AppendLength(size_t value, std::string& out) {
  const auto length = static_cast<uint32_t>(value);
  out.append(reinterpret_cast<const char*>(&length), sizeof(length));
}

std::optional<uint32_t> TakeLength(std::string_view& bytes) {
  uint32_t length = 0;
  if (bytes.size() < sizeof(length)) return std::nullopt;
  std::memcpy(&length, bytes.data(), sizeof(length));
  bytes.remove_prefix(sizeof(length));
  return length;
}

}  // namespace

std::string Pack(const std::vector<std::string_view>& parts) {
  std::string out;
  AppendLength(parts.size(), out);
  for (std::string_view part : parts) {
    AppendLength(part.size(), out);
    out.append(part);
  }
  return out;
}

std::optional<std::vector<std::string>> Unpack(std::string_view bytes) {
  const auto count = TakeLength(bytes);
  if (!count || *count > bytes.size() / sizeof(uint32_t)) return std::nullopt;
  std::vector<std::string> parts;
  for (uint32_t i = 0; i < *count; ++i) {
    const auto length = TakeLength(bytes);
    if (!length || *length > bytes.size()) return std::nullopt;
    parts.emplace_back(bytes.substr(0, *length));
    bytes.remove_prefix(*length);
  }
  if (!bytes.empty()) return std::nullopt;
  return parts;
}

}  // namespace runner::child
