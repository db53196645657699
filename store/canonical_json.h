// Canonical JSON text: RFC 8785 with integers past 2^53 as strings, so that a hash of it is the
// same in every language.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace store {

inline constexpr int64_t kMaxPlainInteger = int64_t{1} << 53;

// Each appends one JSON value. Strings must be UTF-8 (IsUtf8) and doubles finite.
void AppendJsonString(std::string_view text, std::string& out);
void AppendJsonDouble(double value, std::string& out);
void AppendJsonInt(int64_t value, std::string& out);
void AppendJsonUint(uint64_t value, std::string& out);

bool IsUtf8(std::string_view text);

}  // namespace store
