#include "runner/worker/safetensors.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "runner/reference/numbers.h"

namespace runner::worker {
namespace {

using compiler::ir::DType;
using nlohmann::json;

constexpr size_t kLengthBytes = 8, kHeaderBytesMax = size_t{1} << 20, kTensorsMax = 256;

struct Type {
  const char* name;
  DType dtype;
};
constexpr Type kTypes[] = {
    {"F32", DType::kF32},      {"F16", DType::kF16},      {"BF16", DType::kBF16},
    {"F8_E4M3", DType::kE4M3}, {"F8_E5M2", DType::kE5M2}, {"I64", DType::kI64},
    {"I32", DType::kI32},      {"I16", DType::kI16},      {"I8", DType::kI8},
    {"U64", DType::kU64},      {"U32", DType::kU32},      {"U16", DType::kU16},
    {"U8", DType::kU8},        {"BOOL", DType::kBool}};
constexpr char kDouble[] = "F64";

std::optional<int64_t> ElementBytes(const std::string& type) {
  if (type == kDouble) return 8;
  for (const Type& one : kTypes) {
    if (type == one.name) return reference::ElementBytes(one.dtype);
  }
  return std::nullopt;
}

NamedTensor ReadTensor(const std::string& name, const json& in, std::string_view data) {
  NamedTensor out{.type = in.at("dtype"), .shape = in.at("shape").get<std::vector<int64_t>>()};
  const auto range = in.at("data_offsets").get<std::vector<uint64_t>>();
  const auto bytes = ElementBytes(out.type);
  int64_t elements = 1;
  bool whole = bytes && range.size() == 2 && range[0] <= range[1] && range[1] <= data.size();
  for (const int64_t extent : out.shape) {
    whole = whole && extent >= 0 && !__builtin_mul_overflow(elements, extent, &elements);
  }
  if (!whole || elements > static_cast<int64_t>(data.size()) ||
      static_cast<int64_t>(range[1] - range[0]) != elements * *bytes) {
    throw std::invalid_argument(absl::StrCat("tensor ", name));
  }
  out.bytes = data.substr(range[0], range[1] - range[0]);
  return out;
}

}  // namespace

std::string TypeName(DType dtype) {
  for (const Type& one : kTypes) {
    if (one.dtype == dtype) return one.name;
  }
  return "F32";
}

std::string WriteSafetensors(const std::map<std::string, NamedTensor>& tensors) {
  json header = json::object();
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    header[name] = {{"dtype", tensor.type},
                    {"shape", tensor.shape},
                    {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
    data += tensor.bytes;
  }
  std::string text = header.dump();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  const uint64_t length = text.size();
  std::string out(kLengthBytes, '\0');
  std::memcpy(out.data(), &length, kLengthBytes);
  return out + text + data;
}

absl::StatusOr<std::map<std::string, NamedTensor>> ReadSafetensors(std::string_view file) {
  uint64_t length = 0;
  if (file.size() < kLengthBytes) return absl::InvalidArgumentError("safetensors: too short");
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kHeaderBytesMax || length > file.size() - kLengthBytes) {
    return absl::InvalidArgumentError("safetensors: the header is longer than it may be");
  }
  try {
    const json header = json::parse(file.substr(kLengthBytes, length));
    const std::string_view data = file.substr(kLengthBytes + length);
    if (header.size() > kTensorsMax) return absl::InvalidArgumentError("safetensors: too many");
    std::map<std::string, NamedTensor> out;
    for (const auto& [name, value] : header.items()) {
      if (name != "__metadata__") out[name] = ReadTensor(name, value, data);
    }
    return out;
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("safetensors: ", error.what()));
  }
}

reference::Room<double> Values(const NamedTensor& tensor) {
  const auto bytes = static_cast<size_t>(*ElementBytes(tensor.type));
  reference::Room<double> out(tensor.bytes.size() / bytes);
  if (tensor.type == kDouble) {
    std::memcpy(out.data(), tensor.bytes.data(), out.size() * bytes);
    return out;
  }
  for (const Type& one : kTypes) {
    if (tensor.type != one.name) continue;
    const auto* data = reinterpret_cast<const std::byte*>(tensor.bytes.data());
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = reference::LoadElement(one.dtype, data + i * bytes);
    }
  }
  return out;
}

}  // namespace runner::worker
