// Queries of the HTTP port as the requests of the API.
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/edge/looking.h"
#include "server/state/error.h"

namespace server::edge {
namespace {

using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;

// The value of an enum by the word that JSON and people use: CORRECT of VERDICT_CORRECT.
const EnumValueDescriptor* ByBareWord(const FieldDescriptor& field, const std::string& word) {
  const auto* type = field.enum_type();
  const std::string none = type->value(0)->name();  // VERDICT_UNSPECIFIED
  const std::string prefix = none.substr(0, none.rfind("UNSPECIFIED"));
  return type->FindValueByName(absl::StrCat(prefix, absl::AsciiStrToUpper(word)));
}

// False: the value does not fit the field.
bool Set(const FieldDescriptor& field, const std::string& text, google::protobuf::Message* out) {
  const auto* reflection = out->GetReflection();
  uint32_t number = 0;
  uint64_t large = 0;
  bool on = false;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      if (!field.is_repeated()) {
        reflection->SetString(out, &field, text);
        return true;
      }
      for (const auto part : absl::StrSplit(text, ',')) {
        reflection->AddString(out, &field, std::string(part));
      }
      return true;
    case FieldDescriptor::CPPTYPE_UINT32:
      if (!absl::SimpleAtoi(text, &number)) return false;
      reflection->SetUInt32(out, &field, number);
      return true;
    case FieldDescriptor::CPPTYPE_UINT64:
      if (!absl::SimpleAtoi(text, &large)) return false;
      reflection->SetUInt64(out, &field, large);
      return true;
    case FieldDescriptor::CPPTYPE_BOOL:
      if (!absl::SimpleAtob(text, &on)) return false;
      reflection->SetBool(out, &field, on);
      return true;
    case FieldDescriptor::CPPTYPE_ENUM: {
      const EnumValueDescriptor* value = ByBareWord(field, text);
      if (value == nullptr) return false;
      if (field.is_repeated())
        reflection->AddEnum(out, &field, value);
      else
        reflection->SetEnum(out, &field, value);
      return true;
    }
    default: return false;
  }
}

}  // namespace

absl::Status FromQuery(const std::multimap<std::string, std::string>& query,
                       google::protobuf::Message* out) {
  for (const auto& [name, text] : query) {
    if (text.empty()) continue;
    const FieldDescriptor* field = out->GetDescriptor()->FindFieldByName(name);
    if (field == nullptr) {
      return state::BadField(name.substr(0, 64), "is no parameter of this page");
    }
    if (!Set(*field, text, out)) return state::BadField(name, "has a value that does not fit");
  }
  return absl::OkStatus();
}

}  // namespace server::edge
