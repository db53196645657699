#include "runner/contract/hash.h"

#include <openssl/sha.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace runner::contract {
namespace {

using nlohmann::json;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

void AppendNumber(double value, std::string& out) {
  if (value == std::floor(value) && std::abs(value) < kExactIntegers) {
    out += std::to_string(static_cast<int64_t>(value));  // also turns -0 into 0, as RFC 8785 asks
    return;
  }
  char text[40];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  out.append(text, end);
}

template <typename Integer>
void AppendInteger(Integer value, std::string& out) {
  constexpr int64_t kLimit = int64_t{1} << 53;
  bool exact = value <= static_cast<Integer>(kLimit);
  if constexpr (std::is_signed_v<Integer>) exact = exact && value >= -kLimit;
  if (!exact) out += '"';
  out += std::to_string(value);
  if (!exact) out += '"';
}

void Append(const json& value, std::string& out) {
  switch (value.type()) {
    case json::value_t::object: {
      out += '{';
      bool first = true;
      for (const auto& [key, item] : value.items()) {
        if (!first) out += ',';
        first = false;
        out += json(key).dump();
        out += ':';
        Append(item, out);
      }
      out += '}';
      return;
    }
    case json::value_t::array: {
      out += '[';
      for (size_t i = 0; i < value.size(); ++i) {
        if (i > 0) out += ',';
        Append(value[i], out);
      }
      out += ']';
      return;
    }
    case json::value_t::number_float: AppendNumber(value.get<double>(), out); return;
    case json::value_t::number_integer: AppendInteger(value.get<int64_t>(), out); return;
    case json::value_t::number_unsigned: AppendInteger(value.get<uint64_t>(), out); return;
    default: out += value.dump(-1, ' ', false, json::error_handler_t::replace); return;
  }
}

}  // namespace

std::string Sha256Hex(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned char byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

bool IsSha256Hex(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string CanonicalJson(std::string_view text) {
  const json value = json::parse(text, nullptr, false);
  std::string out;
  if (!value.is_discarded()) Append(value, out);
  return out;
}

}  // namespace runner::contract
