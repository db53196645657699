// A launch plan as JSON and back: what travels to a worker.
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compiler/facts/launch.h"

namespace compiler::facts {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxPlanBytes = 1 << 20;
constexpr std::string_view kDirections[] = {"in", "out", "inout", "workspace"};
constexpr std::string_view kSlotKinds[] = {"tensor", "workspace", "symbol", "tensor_map"};

// Reads typed fields of one object; the first problem is kept and every later read is harmless.
class Reader {
 public:
  Reader(const Json& object, std::string_view what, absl::Status& status)
      : object_(object), what_(what), status_(status) {
    if (!object.is_object()) Fail("", "an object");
  }

  int64_t Int(const char* name) {
    const Json* value = Find(name);
    if (value == nullptr || !value->is_number_integer()) return Fail(name, "an integer"), 0;
    return value->get<int64_t>();
  }
  bool Bool(const char* name) {
    const Json* value = Find(name);
    if (value == nullptr || !value->is_boolean()) return Fail(name, "true or false"), false;
    return value->get<bool>();
  }
  std::string Text(const char* name) {
    const Json* value = Find(name);
    if (value == nullptr || !value->is_string()) return Fail(name, "a string"), std::string();
    return value->get<std::string>();
  }
  std::vector<int64_t> Ints(const char* name) {
    std::vector<int64_t> all;
    for (const Json& item : Array(name)) {
      if (!item.is_number_integer()) return Fail(name, "an array of integers"), all;
      all.push_back(item.get<int64_t>());
    }
    return all;
  }
  const Json& Array(const char* name) {
    static const Json& empty = *new Json(Json::array());
    const Json* value = Find(name);
    if (value == nullptr || !value->is_array()) return Fail(name, "an array"), empty;
    return *value;
  }
  template <size_t N>
  size_t Word(const char* name, const std::string_view (&words)[N]) {
    const std::string text = Text(name);
    for (size_t i = 0; i < N; ++i) {
      if (words[i] == text) return i;
    }
    return Fail(name, "one of the known words"), 0;
  }
  void Fail(std::string_view name, std::string_view wanted) {
    if (!status_.ok()) return;
    const std::string place = name.empty()
                                  ? std::string(what_)
                                  : absl::StrCat(std::string(what_), " ", std::string(name));
    status_ = absl::InvalidArgumentError(
        absl::StrCat("launch plan: ", place, " is not ", std::string(wanted)));
  }

 private:
  const Json* Find(const char* name) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  const Json& object_;
  std::string_view what_;
  absl::Status& status_;
};

Json ToJsonValue(const ArgumentSlot& slot) {
  return {{"kind", kSlotKinds[static_cast<size_t>(slot.kind)]},
          {"name", slot.name},
          {"value", slot.value},
          {"elements", slot.elements},
          {"bytes", slot.bytes}};
}

Json ToJsonValue(const TensorPlan& tensor) {
  return {{"name", tensor.name},
          {"direction", kDirections[static_cast<size_t>(tensor.direction)]},
          {"dtype", ir::ToString(tensor.dtype)},
          {"shape", tensor.shape},
          {"strides", tensor.strides},
          {"bytes", tensor.bytes},
          {"zero", tensor.zero},
          {"alignment", tensor.alignment}};
}

Json ToJsonValue(const KernelLaunch& kernel) {
  return {{"name", kernel.name},       {"grid", {kernel.grid[0], kernel.grid[1], kernel.grid[2]}},
          {"block", kernel.block},     {"shared_bytes", kernel.shared_bytes},
          {"cluster", kernel.cluster}, {"cooperative", kernel.cooperative},
          {"pdl", kernel.pdl},         {"skipped", kernel.skipped}};
}

Json ToJsonValue(const TensorMapPlan& map) {
  return {{"name", map.name},
          {"tensor", map.tensor},
          {"dtype", ir::ToString(map.dtype)},
          {"extents", map.extents},
          {"strides", map.strides},
          {"element_bytes", map.element_bytes},
          {"box", map.box},
          {"swizzle_bytes", map.swizzle_bytes},
          {"used", map.used}};
}

ArgumentSlot ReadSlot(const Json& json, absl::Status& status) {
  Reader r(json, "argument", status);
  return {.kind = static_cast<ArgumentSlot::Kind>(r.Word("kind", kSlotKinds)),
          .name = r.Text("name"),
          .value = r.Int("value"),
          .elements = r.Ints("elements"),
          .bytes = static_cast<int>(r.Int("bytes"))};
}

TensorPlan ReadTensor(const Json& json, absl::Status& status) {
  Reader r(json, "tensor", status);
  TensorPlan tensor{.name = r.Text("name"),
                    .direction = static_cast<ir::Direction>(r.Word("direction", kDirections)),
                    .shape = r.Ints("shape"),
                    .strides = r.Ints("strides"),
                    .bytes = r.Int("bytes"),
                    .zero = r.Bool("zero"),
                    .alignment = r.Int("alignment")};
  const std::optional<ir::DType> dtype = ir::ParseDType(r.Text("dtype"));
  if (!dtype) r.Fail("dtype", "a data type");
  if (tensor.shape.size() != tensor.strides.size()) r.Fail("strides", "as long as the shape");
  tensor.dtype = dtype.value_or(ir::DType::kUnknown);
  return tensor;
}

KernelLaunch ReadKernel(const Json& json, absl::Status& status) {
  Reader r(json, "kernel", status);
  KernelLaunch kernel{.name = r.Text("name"),
                      .block = r.Int("block"),
                      .shared_bytes = r.Int("shared_bytes"),
                      .cluster = r.Int("cluster"),
                      .cooperative = r.Bool("cooperative"),
                      .pdl = r.Bool("pdl"),
                      .skipped = r.Bool("skipped")};
  const std::vector<int64_t> grid = r.Ints("grid");
  if (grid.size() != 3) {
    r.Fail("grid", "three integers");
    return kernel;
  }
  for (size_t d = 0; d < 3; ++d) kernel.grid[d] = grid[d];
  return kernel;
}

TensorMapPlan ReadTensorMap(const Json& json, absl::Status& status) {
  Reader r(json, "tensor map", status);
  TensorMapPlan map{.name = r.Text("name"),
                    .tensor = r.Text("tensor"),
                    .extents = r.Ints("extents"),
                    .strides = r.Ints("strides"),
                    .element_bytes = r.Int("element_bytes"),
                    .box = r.Ints("box"),
                    .swizzle_bytes = r.Int("swizzle_bytes"),
                    .used = r.Bool("used")};
  const std::optional<ir::DType> dtype = ir::ParseDType(r.Text("dtype"));
  if (!dtype) r.Fail("dtype", "a data type");
  const size_t rank = map.extents.size();
  if (rank < 1 || rank > 5) r.Fail("extents", "an array of 1 to 5 integers");
  if (map.strides.size() != rank) r.Fail("strides", "as long as the extents");
  if (map.box.size() != rank) r.Fail("box", "as long as the extents");
  map.dtype = dtype.value_or(ir::DType::kUnknown);
  return map;
}

}  // namespace

std::string ToJson(const LaunchPlan& plan) {
  Json json = {{"program", plan.program},  {"canonical_hash", plan.canonical_hash},
               {"target", plan.target},    {"arguments", Json::array()},
               {"tensors", Json::array()}, {"kernels", Json::array()}};
  for (const ArgumentSlot& slot : plan.arguments) json["arguments"].push_back(ToJsonValue(slot));
  for (const TensorPlan& tensor : plan.tensors) json["tensors"].push_back(ToJsonValue(tensor));
  for (const KernelLaunch& kernel : plan.kernels) json["kernels"].push_back(ToJsonValue(kernel));
  json["tensor_maps"] = Json::array();
  for (const TensorMapPlan& map : plan.tensor_maps) {
    json["tensor_maps"].push_back(ToJsonValue(map));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<LaunchPlan> LaunchPlanFromJson(std::string_view text) {
  if (text.size() > kMaxPlanBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("launch plan: ", text.size(), " bytes, more than ", kMaxPlanBytes));
  }
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return absl::InvalidArgumentError("launch plan: not JSON");
  absl::Status status;
  Reader r(json, "field", status);
  LaunchPlan plan{.program = r.Text("program"),
                  .canonical_hash = r.Text("canonical_hash"),
                  .target = r.Text("target")};
  for (const Json& slot : r.Array("arguments")) plan.arguments.push_back(ReadSlot(slot, status));
  for (const Json& tensor : r.Array("tensors")) plan.tensors.push_back(ReadTensor(tensor, status));
  for (const Json& kernel : r.Array("kernels")) plan.kernels.push_back(ReadKernel(kernel, status));
  for (const Json& map : r.Array("tensor_maps")) {
    plan.tensor_maps.push_back(ReadTensorMap(map, status));
  }
  if (!status.ok()) return status;
  return plan;
}

}  // namespace compiler::facts
