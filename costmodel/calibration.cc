#include "costmodel/calibration.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace costmodel {
namespace {

using compiler::arch::Device;

struct Rate {
  std::string_view name;
  double Device::*field;
};

constexpr Rate kRates[] = {
    {"clock_ghz", &Device::clock_ghz},
    {"hbm_gb_per_s", &Device::hbm_gb_per_s},
    {"l2_gb_per_s", &Device::l2_gb_per_s},
    {"shared_bytes_per_clock_per_sm", &Device::shared_bytes_per_clock_per_sm},
    {"fma_lanes_per_clock_per_sm", &Device::fma_lanes_per_clock_per_sm},
    {"sfu_lanes_per_clock_per_sm", &Device::sfu_lanes_per_clock_per_sm},
    {"issue_slots_per_clock_per_sm", &Device::issue_slots_per_clock_per_sm},
    {"mma_flops_per_clock_per_sm", &Device::mma_flops_per_clock_per_sm},
    {"wgmma_flops_per_clock_per_sm", &Device::wgmma_flops_per_clock_per_sm},
    {"launch_overhead_ns", &Device::launch_overhead_ns},
    {"dram_latency_ns", &Device::dram_latency_ns},
};
constexpr double kFactorMax = 16;

const Rate* FindRate(std::string_view name) {
  for (const Rate& rate : kRates) {
    if (rate.name == name) return &rate;
  }
  return nullptr;
}

absl::Status Wrong(std::string_view key, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("calibration: ", std::string(key), " ", std::string(what)));
}

// Numbers of one table by name; every one of them is finite.
absl::Status ReadNumbers(const toml::table& file, std::string_view name,
                         std::map<std::string, double>& out) {
  const toml::node_view<const toml::node> node = file[name];
  if (!node) return absl::OkStatus();
  if (!node.is_table()) return Wrong(name, "is no table");
  for (const auto& [key, value] : *node.as_table()) {
    const std::optional<double> number = value.value<double>();
    if (!value.is_number() || !number || !std::isfinite(*number)) {
      return Wrong(key.str(), "is no number");
    }
    out[std::string(key.str())] = *number;
  }
  return absl::OkStatus();
}

absl::Status CheckRates(const Device& device, const std::map<std::string, double>& rates) {
  for (const auto& [name, value] : rates) {
    const Rate* rate = FindRate(name);
    if (rate == nullptr) return Wrong(name, "is no rate of a device");
    const double known = device.*rate->field;
    if (value <= 0) return Wrong(name, "must be above 0");
    if (known > 0 && (value > known * kFactorMax || value < known / kFactorMax)) {
      return Wrong(name, absl::StrCat("is ", value, "; the device description has ", known,
                                      ", and 16 times more or less is a slip"));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadModel(const std::map<std::string, double>& model, Calibration& out) {
  for (const auto& [name, value] : model) {
    double* const field = name == "exposed_share" ? &out.exposed_share
                          : name == "low"         ? &out.low
                          : name == "high"        ? &out.high
                                                  : nullptr;
    if (field == nullptr) return Wrong(name, "is no part of [model]");
    *field = value;
  }
  if (out.exposed_share < 0 || out.exposed_share > 1) return Wrong("exposed_share", "is in 0..1");
  const bool interval = model.contains("low") || model.contains("high");
  if (interval && !(out.low > 0 && out.low <= 1 && out.high >= 1 && out.high <= 100)) {
    return Wrong("low and high", "are factors of the time around 1, both given");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Calibration> ParseCalibration(std::string_view text) {
  toml::table file;
  try {
    file = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return absl::InvalidArgumentError(absl::StrCat("calibration: line ", error.source().begin.line,
                                                   ": ", std::string(error.description())));
  }
  for (const auto& [key, value] : file) {
    constexpr std::string_view kKeys[] = {"arch", "fitted_through_seq", "rates", "model"};
    if (std::find(std::begin(kKeys), std::end(kKeys), key.str()) == std::end(kKeys)) {
      return Wrong(key.str(), "is not known; it has arch, fitted_through_seq, [rates] and [model]");
    }
  }
  Calibration out;
  out.arch = file["arch"].value_or(std::string());
  const auto device = compiler::arch::Find(out.arch);
  if (!device.ok()) return Wrong("arch", std::string(device.status().message()));
  out.fitted_through_seq = file["fitted_through_seq"].value_or(int64_t{0});
  if (auto status = ReadNumbers(file, "rates", out.rates); !status.ok()) return status;
  if (auto status = CheckRates(**device, out.rates); !status.ok()) return status;
  std::map<std::string, double> model;
  if (auto status = ReadNumbers(file, "model", model); !status.ok()) return status;
  if (auto status = ReadModel(model, out); !status.ok()) return status;
  if (out.rates.empty() && model.empty()) return Wrong("the file", "changes nothing");
  return out;
}

Device Calibrated(const Device& device, const Calibration& calibration) {
  Device out = device;
  for (const auto& [name, value] : calibration.rates) {
    if (const Rate* rate = FindRate(name)) out.*rate->field = value;
  }
  return out;
}

}  // namespace costmodel
