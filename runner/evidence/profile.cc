#include "runner/evidence/profile.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace runner::evidence {
namespace {

constexpr size_t kColumnsMax = 512, kCellBytesMax = 4096;
constexpr std::string_view kError = "==ERROR==";
constexpr double kHigh = 80, kLow = 60, kCoalescedLow = 50, kOccupancyLow = 25, kStallHigh = 2;

// One row of RFC 4180 from the front of `text`.
std::vector<std::string> TakeRow(std::string_view& text) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (quoted && c == '"' && !text.empty() && text.front() == '"') {
      cells.back().push_back('"');
      text.remove_prefix(1);
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      if (cells.size() == kColumnsMax) break;
      cells.emplace_back();
    } else if (c == '\n' && !quoted) {
      break;
    } else if (c != '\r' && cells.back().size() < kCellBytesMax) {
      cells.back().push_back(c);
    }
  }
  return cells;
}

// "1,234.5": thousands are grouped by commas.
bool Number(std::string cell, double& value) {
  cell.erase(std::remove(cell.begin(), cell.end(), ','), cell.end());
  return absl::SimpleAtod(cell, &value);
}

// Nsight Compute picks a unit for each value; here each metric has one.
double Factor(std::string_view unit) {
  for (const auto& [word, factor] : {std::pair{"nsecond", 1.0},
                                     {"ns", 1.0},
                                     {"usecond", 1e3},
                                     {"us", 1e3},
                                     {"msecond", 1e6},
                                     {"ms", 1e6},
                                     {"second", 1e9},
                                     {"s", 1e9},
                                     {"byte", 1.0},
                                     {"Kbyte", 1e3},
                                     {"Mbyte", 1e6},
                                     {"Gbyte", 1e9}}) {
    if (unit == word) return factor;
  }
  return 1;
}

size_t ColumnOf(const std::vector<std::string>& header, std::string_view name) {
  return static_cast<size_t>(std::find(header.begin(), header.end(), name) - header.begin());
}

absl::Status ToolError(std::string_view output) {
  const size_t at = output.find(kError);
  if (at == std::string_view::npos) return absl::OkStatus();
  std::string_view line = output.substr(at + kError.size());
  line = line.substr(0, line.find('\n'));
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  return absl::UnavailableError(absl::StrCat("Nsight Compute: ", std::string(line)));
}

struct Stall {
  std::string_view metric, words;
};
constexpr Stall kStalls[] = {
    {"stall_long_scoreboard", "for global or local memory"},
    {"stall_short_scoreboard", "for shared memory or special functions"},
    {"stall_barrier", "at barriers of the CTA"},
    {"stall_mio_throttle", "for the queue of shared memory and special functions"},
    {"stall_math_pipe", "for a busy arithmetic pipe"},
    {"stall_membar", "for memory fences"},
    {"stall_gmma", "for products of warpgroups"}};

}  // namespace

// Metrics of Nsight Compute's documentation ("Metrics Guide"), of compute capability 7.0 and later.
const std::vector<Metric>& Metrics() {
  static const std::vector<Metric> all = {
      {"time_ns", "gpu__time_duration.sum", "ns"},
      {"compute_pct", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
      {"memory_pct", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%"},
      {"dram_pct", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
      {"dram_read_bytes", "dram__bytes_read.sum", "B"},
      {"dram_write_bytes", "dram__bytes_write.sum", "B"},
      {"l2_hit_pct", "lts__t_sector_hit_rate.pct", "%"},
      {"l1_hit_pct", "l1tex__t_sector_hit_rate.pct", "%"},
      {"tensor_pct", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "%"},
      {"occupancy_pct", "sm__warps_active.avg.pct_of_peak_sustained_active", "%"},
      {"issue_pct", "smsp__issue_active.avg.pct_of_peak_sustained_active", "%"},
      {"registers", "launch__registers_per_thread", ""},
      {"waves", "launch__waves_per_multiprocessor", ""},
      {"limit_registers", "launch__occupancy_limit_registers", "CTAs"},
      {"limit_shared", "launch__occupancy_limit_shared_mem", "CTAs"},
      {"limit_warps", "launch__occupancy_limit_warps", "CTAs"},
      {"shared_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", ""},
      {"coalesced_load_pct", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "%"},
      {"coalesced_store_pct", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "%"},
      {"stall_long_scoreboard",
       "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "warps"},
      {"stall_short_scoreboard",
       "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", "warps"},
      {"stall_barrier", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
       "warps"},
      {"stall_mio_throttle",
       "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", "warps"},
      {"stall_math_pipe",
       "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio", "warps"},
      {"stall_membar", "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio", "warps"},
      {"stall_gmma", "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio", "warps"}};
  return all;
}

std::string CountersWanted() {
  std::string out;
  for (const Metric& metric : Metrics())
    absl::StrAppend(&out, out.empty() ? "" : ",", std::string(metric.counter));
  return out;
}

absl::StatusOr<std::vector<ProfiledKernel>> ParseProfile(std::string_view output) {
  std::string_view table = output;
  const bool first = table.starts_with("\"ID\"");
  const size_t at = first ? 0 : table.find("\n\"ID\"");
  if (at == std::string_view::npos) {
    if (auto error = ToolError(output); !error.ok()) return error;
    return absl::InvalidArgumentError("no table of Nsight Compute");
  }
  table.remove_prefix(first ? 0 : at + 1);
  const std::vector<std::string> header = TakeRow(table), units = TakeRow(table);
  const size_t kernel = ColumnOf(header, "Kernel Name");
  if (kernel == header.size() || units.size() != header.size())
    return absl::InvalidArgumentError("the table has no kernel names, or no row of units");
  std::vector<ProfiledKernel> out;
  while (!table.empty() && out.size() < kProfiledKernelsMax) {
    const std::vector<std::string> row = TakeRow(table);
    if (row.size() != header.size()) continue;  // the program's own words behind the table
    ProfiledKernel& one = out.emplace_back(ProfiledKernel{.name = row[kernel]});
    for (const Metric& metric : Metrics()) {
      const size_t column = ColumnOf(header, metric.counter);
      double value = 0;
      if (column == header.size() || !Number(row[column], value)) continue;
      one.metrics[std::string(metric.name)] = value * Factor(units[column]);
    }
  }
  if (out.empty()) return absl::InvalidArgumentError("the table has no kernel");
  return out;
}

std::vector<std::string> FindingsOf(const ProfiledKernel& kernel) {
  const auto value = [&](std::string_view name) {
    const auto found = kernel.metrics.find(std::string(name));
    return found == kernel.metrics.end() ? -1.0 : found->second;
  };
  std::vector<std::string> out;
  const double dram = value("dram_pct"), compute = value("compute_pct"),
               tensor = value("tensor_pct"), memory = value("memory_pct");
  if (dram >= kHigh)
    out.push_back(
        absl::StrFormat("bound by device memory: it moves bytes at %.0f%% of its peak", dram));
  if (tensor >= kHigh)
    out.push_back(absl::StrFormat("bound by tensor units: busy in %.0f%% of the cycles", tensor));
  else if (compute >= kHigh)
    out.push_back(
        absl::StrFormat("bound by the multiprocessors: at %.0f%% of their peak", compute));
  const bool known = memory >= 0 && compute >= 0;
  if (known && out.empty() && memory < kLow && compute < kLow)
    out.push_back(
        absl::StrFormat("bound by latency: memory at %.0f%% and multiprocessors at %.0f%% "
                        "of their peaks",
                        memory, compute));
  const Stall* worst = nullptr;
  for (const Stall& stall : kStalls) {
    if (worst == nullptr || value(stall.metric) > value(worst->metric)) worst = &stall;
  }
  if (value(worst->metric) >= kStallHigh)
    out.push_back(absl::StrFormat("warps wait mostly %s: %.1f of them at each issue",
                                  std::string(worst->words), value(worst->metric)));
  const double occupancy = value("occupancy_pct");
  if (occupancy >= 0 && occupancy < kOccupancyLow) {
    const double registers = value("limit_registers"), shared = value("limit_shared");
    const char* by = registers > 0 && (shared <= 0 || registers <= shared) ? "registers"
                     : shared > 0                                          ? "shared memory"
                                                                           : "the launch";
    out.push_back(absl::StrFormat("few warps: %.0f%% of what fits, limited by %s", occupancy, by));
  }
  const double waves = value("waves");
  if (waves > 0 && waves < 1)
    out.push_back(absl::StrFormat("the grid fills %.0f%% of the device once", 100 * waves));
  for (const auto& [name, what] :
       {std::pair{"coalesced_load_pct", "loads"}, {"coalesced_store_pct", "stores"}}) {
    const double share = value(name);
    if (share >= 0 && share < kCoalescedLow)
      out.push_back(absl::StrFormat("%s use %.0f%% of the bytes of the sectors that they touch",
                                    what, share));
  }
  if (const double conflicts = value("shared_conflicts"); conflicts >= 1)
    out.push_back(absl::StrFormat("%.0f bank conflicts in shared memory", conflicts));
  return out;
}

std::string ToJson(const std::vector<ProfiledKernel>& kernels) {
  nlohmann::json all = nlohmann::json::array();
  for (const ProfiledKernel& kernel : kernels) {
    all.push_back(
        {{"name", kernel.name}, {"metrics", kernel.metrics}, {"findings", FindingsOf(kernel)}});
  }
  return nlohmann::json({{"kernels", all}})
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace runner::evidence
