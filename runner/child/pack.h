// A list of byte strings as one: u32 count, then u32 length and bytes of each. The payload of
// frames that carry more than one thing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runner::child {

std::string Pack(const std::vector<std::string_view>& parts);
// nullopt: not such a list, or bytes are left over.
std::optional<std::vector<std::string>> Unpack(std::string_view bytes);

}  // namespace runner::child
