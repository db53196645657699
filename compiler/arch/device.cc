#include "compiler/arch/device.h"

#include <toml++/toml.h>

#include <charconv>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace compiler::arch {

std::string_view Embedded(std::string_view file_name);  // made by cake_embed

namespace {

constexpr std::string_view kFiles[] = {"sm_80.toml",   "sm_86.toml",   "sm_89.toml",  "sm_90a.toml",
                                       "sm_100a.toml", "sm_103a.toml", "sm_120a.toml"};

// The files are part of the program: a field that is missing or of another type is our own bug, so
// reading aborts with the field's name instead of running with a limit of 0.
[[noreturn]] void Broken(std::string_view file, std::string_view what) {
  std::fprintf(stderr, "embedded device file %.*s: %.*s\n", static_cast<int>(file.size()),
               file.data(), static_cast<int>(what.size()), what.data());
  std::abort();
}

class Reader {
 public:
  Reader(std::string_view file, const toml::table& table) : file_(file), table_(table) {}

  int64_t Int(std::string_view path) const {
    const auto value = table_.at_path(path).value_exact<int64_t>();
    if (!value) Broken(file_, path);
    return *value;
  }
  double Real(std::string_view path) const {
    const auto value = table_.at_path(path).value<double>();
    if (!value) Broken(file_, path);
    return *value;
  }
  std::string Text(std::string_view path) const {
    const auto value = table_.at_path(path).value<std::string>();
    if (!value) Broken(file_, path);
    return *value;
  }
  std::vector<std::string> Words(std::string_view path) const {
    const toml::array* array = table_.at_path(path).as_array();
    if (array == nullptr) Broken(file_, path);
    std::vector<std::string> words;
    for (const auto& node : *array) words.push_back(node.value_or(std::string()));
    return words;
  }

 private:
  std::string_view file_;
  const toml::table& table_;
};

void ReadLimits(const Reader& r, Device& d) {
  d.max_threads_per_block = r.Int("limits.max_threads_per_block");
  d.max_threads_per_sm = r.Int("limits.max_threads_per_sm");
  d.max_blocks_per_sm = r.Int("limits.max_blocks_per_sm");
  d.max_warps_per_sm = r.Int("limits.max_warps_per_sm");
  d.shared_bytes_per_block_optin = r.Int("limits.shared_bytes_per_block_optin");
  d.shared_bytes_per_sm = r.Int("limits.shared_bytes_per_sm");
  d.reserved_shared_bytes_per_block = r.Int("limits.reserved_shared_bytes_per_block");
  d.registers_per_sm = r.Int("limits.registers_per_sm");
  d.registers_per_thread = r.Int("limits.registers_per_thread");
  d.register_allocation_unit = r.Int("limits.register_allocation_unit");
  d.named_barriers = r.Int("limits.named_barriers");
  d.max_cluster_size = r.Int("limits.max_cluster_size");
  d.max_grid_x = r.Int("limits.max_grid_x");
  d.max_grid_y = r.Int("limits.max_grid_y");
  d.max_grid_z = r.Int("limits.max_grid_z");
  d.vector_bytes_global = r.Int("limits.vector_bytes_global");
  d.vector_bytes_shared = r.Int("limits.vector_bytes_shared");
  d.tensor_memory_columns = r.Int("limits.tensor_memory_columns");
}

void ReadRates(const Reader& r, Device& d) {
  d.sm_count = r.Int("rates.sm_count");
  d.l2_mib = r.Int("rates.l2_mib");
  d.clock_ghz = r.Real("rates.clock_ghz");
  d.hbm_gb_per_s = r.Real("rates.hbm_gb_per_s");
  d.l2_gb_per_s = r.Real("rates.l2_gb_per_s");
  d.shared_bytes_per_clock_per_sm = r.Real("rates.shared_bytes_per_clock_per_sm");
  d.fma_lanes_per_clock_per_sm = r.Real("rates.fma_lanes_per_clock_per_sm");
  d.mma_flops_per_clock_per_sm = r.Real("rates.mma_flops_per_clock_per_sm");
  d.wgmma_flops_per_clock_per_sm = r.Real("rates.wgmma_flops_per_clock_per_sm");
  d.sfu_lanes_per_clock_per_sm = r.Real("rates.sfu_lanes_per_clock_per_sm");
  d.issue_slots_per_clock_per_sm = r.Real("rates.issue_slots_per_clock_per_sm");
  d.launch_overhead_ns = r.Real("rates.launch_overhead_ns");
  d.dram_latency_ns = r.Real("rates.dram_latency_ns");
}

Device Read(std::string_view file) {
  const std::string_view text = Embedded(file);
  if (text.empty()) Broken(file, "is not embedded");
  try {
    const toml::table table = toml::parse(text, file);
    const Reader r(file, table);
    Device d;
    d.arch = r.Text("arch");
    d.compute_capability = static_cast<int>(r.Int("compute_capability"));
    d.part = r.Text("part");
    d.features = r.Words("features.names");
    d.mma_i4_routine = r.Int("routines.mma_i4");
    d.mma_b1_and_routine = r.Int("routines.mma_b1_and");
    d.mma_b1_xor_routine = r.Int("routines.mma_b1_xor");
    ReadLimits(r, d);
    ReadRates(r, d);
    d.source = absl::StrCat("compiler/arch/", std::string(file));
    return d;
  } catch (const std::exception& e) {
    Broken(file, e.what());
  }
}

const std::vector<Device>& Devices() {
  static const std::vector<Device>* const devices = [] {
    auto* all = new std::vector<Device>;
    for (const std::string_view file : kFiles) all->push_back(Read(file));
    return all;
  }();
  return *devices;
}

struct Target {
  int compute_capability = 0;
  bool exact = false;  // written with the `a` suffix
};

std::optional<Target> ParseTarget(std::string_view text) {
  if (!text.starts_with("sm_")) return std::nullopt;
  text.remove_prefix(3);
  Target target;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), target.compute_capability);
  if (error != std::errc() || target.compute_capability <= 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (text == "a") target.exact = true;
  if (!text.empty() && !target.exact) return std::nullopt;
  return target;
}

}  // namespace

absl::StatusOr<const Device*> Find(std::string_view arch) {
  for (const Device& d : Devices()) {
    if (d.arch == arch) return &d;
  }
  std::string known;
  for (const Device& d : Devices()) absl::StrAppend(&known, known.empty() ? "" : ", ", d.arch);
  return absl::NotFoundError(
      absl::StrCat("no device description of ", std::string(arch), "; known: ", known));
}

std::vector<std::string_view> Known() {
  std::vector<std::string_view> names;
  for (const Device& d : Devices()) names.push_back(d.arch);
  return names;
}

bool Admits(std::string_view target, std::string_view arch) {
  const std::optional<Target> wanted = ParseTarget(target);
  const std::optional<Target> given = ParseTarget(arch);
  if (!wanted || !given) return false;
  if (wanted->exact) return target == arch;
  return wanted->compute_capability <= given->compute_capability;
}

absl::StatusOr<const Device*> DeviceOfTarget(std::string_view target) {
  const absl::StatusOr<const Device*> exact = Find(target);
  if (exact.ok()) return exact;
  const std::optional<Target> wanted = ParseTarget(target);
  if (!wanted || wanted->exact) return exact;
  for (const Device& d : Devices()) {
    if (d.compute_capability == wanted->compute_capability) return &d;
  }
  return exact;
}

}  // namespace compiler::arch
