#include "store/events.h"

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/canonical_json.h"
#include "store/error.h"
#include "store/event_fields.h"

namespace store {
namespace {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

// ---- Writing

template <typename T>
void AppendValue(const T& value, std::string& out);

struct JsonWriter {
  std::map<std::string_view, std::string> members;  // sorted, as the canonical form wants
  template <typename T>
  void operator()(std::string_view name, const T& value) {
    AppendValue(value, members[name]);
  }
};

template <typename T>
void AppendObject(const T& value, std::string& out) {
  JsonWriter writer;
  ForEachField(value, writer);
  out += '{';
  bool first = true;
  for (const auto& [name, text] : writer.members) {
    if (!std::exchange(first, false)) out += ',';
    AppendJsonString(name, out);
    out += ':';
    out += text;
  }
  out += '}';
}

template <typename T>
void AppendValue(const T& value, std::string& out) {
  if constexpr (std::is_same_v<T, std::string>) {
    AppendJsonString(value, out);
  } else if constexpr (std::is_same_v<T, ObjectHash>) {
    AppendJsonString(value.hex, out);
  } else if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    AppendJsonString(ToString(value), out);
  } else if constexpr (std::is_floating_point_v<T>) {
    AppendJsonDouble(value, out);
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    AppendJsonUint(value, out);
  } else if constexpr (std::is_integral_v<T>) {
    AppendJsonInt(value, out);
  } else if constexpr (IsVector<T>::value) {
    out += '[';
    for (size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ',';
      AppendValue(value[i], out);
    }
    out += ']';
  } else {
    AppendObject(value, out);
  }
}

// ---- Reading

using Json = nlohmann::json;

template <typename T>
bool ReadValue(const Json& json, T& out);

struct JsonReader {
  const Json& json;
  size_t seen = 0;
  bool ok = true;
  template <typename T>
  void operator()(std::string_view name, T& value) {
    const auto found = json.find(name);
    if (found == json.end()) return;
    ++seen;
    ok = ok && ReadValue(*found, value);
  }
};

template <typename T>
bool ReadObject(const Json& json, T& out) {
  if (!json.is_object()) return false;
  JsonReader reader{json};
  ForEachField(out, reader);
  return reader.ok && reader.seen == json.size();
}

template <typename T>
bool ReadInteger(const Json& json, T& out) {
  if (json.is_number_integer()) {
    out = json.get<T>();
    return true;
  }
  if (!json.is_string()) return false;
  const std::string& text = json.get_ref<const std::string&>();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

template <typename T>
bool ReadValue(const Json& json, T& out) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) return false;
    out = json.get<std::string>();
    return true;
  } else if constexpr (std::is_same_v<T, ObjectHash>) {
    return ReadValue(json, out.hex);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return false;
    out = json.get<bool>();
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    if (!json.is_string()) return false;
    const auto value = ParseEnum<T>(json.get_ref<const std::string&>());
    if (value) out = *value;
    return value.has_value();
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number()) return false;
    out = json.get<T>();
    return true;
  } else if constexpr (std::is_integral_v<T>) {
    return ReadInteger(json, out);
  } else if constexpr (IsVector<T>::value) {
    if (!json.is_array()) return false;
    out.clear();
    for (const Json& item : json) {
      if (!ReadValue(item, out.emplace_back())) return false;
    }
    return true;
  } else {
    return ReadObject(json, out);
  }
}

// ---- Checking

struct Checker {
  absl::Status status;
  std::vector<ObjectHash>* objects = nullptr;

  template <typename T>
  void operator()(std::string_view name, const T& value) {
    if (!status.ok()) return;
    if constexpr (std::is_same_v<T, std::string>) {
      if (!IsUtf8(value)) Refuse(name, "is not UTF-8");
    } else if constexpr (std::is_same_v<T, ObjectHash>) {
      Hash(name, value);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) Refuse(name, "is not a finite number");
    } else if constexpr (IsVector<T>::value) {
      for (const auto& item : value) (*this)(name, item);
    } else if constexpr (std::is_class_v<T>) {
      ForEachField(value, *this);
    }
  }

  void Hash(std::string_view name, const ObjectHash& hash) {
    if (hash.hex.empty()) return;
    const bool hex = hash.hex.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (hash.hex.size() != 64 || !hex) return Refuse(name, "is not a SHA-256");
    if (objects != nullptr) objects->push_back(hash);
  }

  void Refuse(std::string_view name, const char* what) {
    status = absl::InvalidArgumentError(absl::StrCat(std::string(name), " ", what));
  }
};

// ---- Kinds

template <size_t... I>
constexpr auto MakeNames(std::index_sequence<I...>) {
  return std::array<std::string_view, sizeof...(I)>{
      std::variant_alternative_t<I, EventBody>::kKind...};
}
template <size_t... I>
constexpr auto MakeSchemas(std::index_sequence<I...>) {
  return std::array<int, sizeof...(I)>{std::variant_alternative_t<I, EventBody>::kSchema...};
}
template <size_t... I>
auto MakeDefaults(std::index_sequence<I...>) {
  return std::array<EventBody, sizeof...(I)>{EventBody(std::in_place_index<I>)...};
}

constexpr auto kIndices = std::make_index_sequence<kEventKinds>();
constexpr auto kKindNames = MakeNames(kIndices);
constexpr auto kKindSchemas = MakeSchemas(kIndices);

}  // namespace

std::string_view KindName(size_t index) { return kKindNames.at(index); }
int KindSchema(size_t index) { return kKindSchemas.at(index); }
std::string_view KindOf(const EventBody& body) { return KindName(body.index()); }
int SchemaOf(const EventBody& body) { return KindSchema(body.index()); }
EventBody DefaultBody(size_t index) { return MakeDefaults(kIndices).at(index); }

std::string BodyToJson(const EventBody& body) {
  std::string out;
  std::visit([&](const auto& value) { AppendObject(value, out); }, body);
  return out;
}

absl::StatusOr<EventBody> BodyFromJson(std::string_view kind, int schema, std::string_view json) {
  size_t index = 0;
  while (index < kEventKinds && kKindNames[index] != kind) ++index;
  if (index == kEventKinds) {
    return Error(Reason::kCorrupt, absl::StrCat("unknown event kind ", std::string(kind)));
  }
  if (schema > kKindSchemas[index] || schema < 1) {
    return Error(Reason::kCorrupt,
                 absl::StrCat("event ", std::string(kind), " has schema ", schema,
                              "; this program reads up to ", kKindSchemas[index]));
  }
  const Json parsed = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  EventBody body = DefaultBody(index);
  if (!std::visit([&](auto& value) { return ReadObject(parsed, value); }, body)) {
    return Error(Reason::kCorrupt,
                 absl::StrCat("the body of an event ", std::string(kind), " cannot be read"));
  }
  return body;
}

absl::Status CheckBody(const EventBody& body, std::vector<ObjectHash>* objects) {
  Checker checker{absl::OkStatus(), objects};
  std::visit([&](const auto& value) { ForEachField(value, checker); }, body);
  return checker.status;
}

}  // namespace store
