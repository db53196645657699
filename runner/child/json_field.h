// Fields of JSON that a child sent. A field that is missing or of another type is the fallback:
// what a child says may be wrong, and never ends the process that reads it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace runner::child {

std::string TextField(const nlohmann::json& in, const char* name, const std::string& fallback = "");
// Of a number with a fraction or beyond 64 bits too, the fallback.
int64_t IntegerField(const nlohmann::json& in, const char* name, int64_t fallback = 0);
bool FlagField(const nlohmann::json& in, const char* name, bool fallback = false);
// The elements that are text.
std::vector<std::string> TextsField(const nlohmann::json& in, const char* name);
// The elements of an array; none where it is something else.
std::vector<nlohmann::json> ElementsField(const nlohmann::json& in, const char* name);

}  // namespace runner::child
