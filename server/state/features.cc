#include "server/state/features.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

namespace server::state {
namespace {

using nlohmann::json;

constexpr double kNumberMax = 1e9;
constexpr size_t kFormBytesMax = 32;
constexpr size_t kParamsMax = 16;  // coordinates that a binding adds
constexpr double kWordWeight = 2;  // a different instruction form is two doublings away

double Number(const json& in, const char* key) {
  const auto it = in.find(key);
  return it != in.end() && it->is_number() ? std::clamp(it->get<double>(), 0.0, kNumberMax) : 1;
}

std::string RingWord(double depth) {
  if (depth < 2) return "1";
  if (depth < 4) return "2-3";
  return depth < 8 ? "4-7" : "8+";
}

std::string RolesWord(double roles) {
  return roles < 3 ? absl::StrCat(static_cast<int>(roles)) : "3+";
}

int TileClass(double elements) {
  return elements < 1 ? 0 : static_cast<int>(std::floor(std::log2(elements) / 2));
}

bool Flag(const json& in, const char* key) {
  const auto it = in.find(key);
  return it != in.end() && it->is_boolean() && it->get<bool>();
}

std::string ScheduleWord(const json& in) {
  if (Flag(in, "split")) return "split";
  return Flag(in, "persistent") ? "persistent" : "tiles";
}

// A word as a coordinate of its own: the same word is the same place, another one is far enough.
double WordAt(std::string_view word) {
  uint32_t hash = 2166136261u;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return static_cast<double>(hash % 4096) * kWordWeight;
}

}  // namespace

Features FeaturesFromJson(std::string_view text) {
  const json in = json::parse(text, nullptr, false);
  if (!in.is_object()) return {};
  const std::string form = in.contains("form") && in["form"].is_string()
                               ? in["form"].get<std::string>().substr(0, kFormBytesMax)
                               : std::string("none");
  Features out;
  out.cell = absl::StrCat("roles ", RolesWord(Number(in, "roles")), ", ring ",
                          RingWord(Number(in, "ring")), ", ", form, ", tile 4^",
                          TileClass(Number(in, "tile")), ", ", ScheduleWord(in), ", cluster ",
                          static_cast<int>(Number(in, "cluster")));
  for (const char* key : {"roles", "ring", "tile", "cluster", "warps", "access", "shared"}) {
    out.point.push_back(std::log2(1 + Number(in, key)));
  }
  out.point.push_back(WordAt(form));
  out.point.push_back(WordAt(ScheduleWord(in)));
  const auto params = in.find("params");
  size_t added = 0;
  if (params != in.end() && params->is_object()) {
    for (const auto& [name, value] : params->items()) {
      if (added++ == kParamsMax) break;
      out.point.push_back(value.is_number() ? std::log2(1 + std::abs(value.get<double>())) : 0);
    }
  }
  out.point.resize(9 + kParamsMax, 0);
  return out;
}

std::string FormOfCell(std::string_view cell) {
  for (int comma = 0; comma < 2; ++comma) {
    const size_t at = cell.find(", ");
    if (at == std::string_view::npos) return "";
    cell.remove_prefix(at + 2);
  }
  return std::string(cell.substr(0, cell.find(", ")));
}

double Distance(const Features& a, const Features& b) {
  double sum = 0;
  for (size_t i = 0; i < std::min(a.point.size(), b.point.size()); ++i) {
    sum += std::min(std::abs(a.point[i] - b.point[i]), kWordWeight);
  }
  return sum;
}

}  // namespace server::state
