#include "runner/child/json_field.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace runner::child {
namespace {

using nlohmann::json;

const json* Find(const json& in, const char* name) {
  const auto found = in.is_object() ? in.find(name) : in.end();
  return found == in.end() ? nullptr : &*found;
}

}  // namespace

std::string TextField(const json& in, const char* name, const std::string& fallback) {
  const json* value = Find(in, name);
  return value != nullptr && value->is_string() ? *value->get_ptr<const std::string*>() : fallback;
}

int64_t IntegerField(const json& in, const char* name, int64_t fallback) {
  const json* value = Find(in, name);
  if (value == nullptr || !value->is_number_integer()) return fallback;
  if (!value->is_number_unsigned()) return value->get<int64_t>();
  const auto number = value->get<uint64_t>();
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  return number <= kMost ? static_cast<int64_t>(number) : fallback;
}

bool FlagField(const json& in, const char* name, bool fallback) {
  const json* value = Find(in, name);
  return value != nullptr && value->is_boolean() ? value->get<bool>() : fallback;
}

std::vector<std::string> TextsField(const json& in, const char* name) {
  std::vector<std::string> out;
  for (const json& item : ElementsField(in, name)) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

std::vector<json> ElementsField(const json& in, const char* name) {
  const json* value = Find(in, name);
  if (value == nullptr || !value->is_array()) return {};
  return {value->begin(), value->end()};
}

}  // namespace runner::child
