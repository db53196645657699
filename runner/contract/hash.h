// SHA-256 as 64 lower-case hex digits: the name of every object.
#pragma once

#include <string>
#include <string_view>

namespace runner::contract {

std::string Sha256Hex(std::string_view bytes);
bool IsSha256Hex(std::string_view text);

// The canonical form of a JSON text after RFC 8785: sorted keys, no spaces, doubles as their
// shortest round trip, integers beyond 2^53 as strings. Empty if `json` does not parse.
std::string CanonicalJson(std::string_view json);

}  // namespace runner::contract
