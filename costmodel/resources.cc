#include "costmodel/resources.h"

#include <algorithm>
#include <cmath>

#include "compiler/facts/launch.h"
#include "compiler/facts/registers.h"
#include "compiler/ir/fragment.h"

namespace costmodel {

namespace ir = compiler::ir;
using compiler::arch::Device;

namespace {

constexpr int64_t kLanes = ir::kLanes;
constexpr double kSectorsPerClock = 2;  // 64 B a clock from L2 to one SM (reference, B4: 36-75)
constexpr double kSectorBytes = 32;
constexpr double kWavefrontBytes = 128;
// Latencies in clocks (reference/hardware-costmodel-verification.md, B3 and B5).
constexpr double kSharedLatency = 29;
constexpr double kShuffleLatency = 23;
constexpr double kBarrierLatency = 30;
constexpr double kDependentIssue = 4;
constexpr double kBaseRegisters = 24;  // addresses, indices and temporaries of a small kernel
constexpr double kWideInterval = 1.5;  // beyond no overlap: rates are data sheets', not measured

void Accumulate(const StatementCost& from, StatementCost& to) {
  to.warp_executions += from.warp_executions;
  to.lane_executions += from.lane_executions;
  to.global_bytes_read += from.global_bytes_read;
  to.global_bytes_written += from.global_bytes_written;
  to.shared_bytes_read += from.shared_bytes_read;
  to.shared_bytes_written += from.shared_bytes_written;
  to.sector_bytes += from.sector_bytes;
  to.shared_wavefronts += from.shared_wavefronts;
  to.shared_wavefronts_ideal += from.shared_wavefronts_ideal;
  to.issue_slots += from.issue_slots;
  to.fma_slots += from.fma_slots;
  to.sfu_slots += from.sfu_slots;
  to.flops += from.flops;
  to.product_flops += from.product_flops;
  to.tensor_work += from.tensor_work;
  to.warpgroup_work += from.warpgroup_work;
  to.global_loads += from.global_loads;
  to.shared_loads += from.shared_loads;
  to.shuffles += from.shuffles;
  to.barriers += from.barriers;
  to.atomics += from.atomics;
}

// 32-bit registers: the arrays a thread holds plus a base. An estimate until the build reports its
// own.
double RegistersOf(const ir::Kernel& kernel) {
  double most = 0;
  for (size_t role = 0; role < kernel.roles.size(); ++role) {
    double arrays = 0;
    for (const ir::Local& local : kernel.locals) {
      if (local.role >= 0 && local.role != static_cast<int>(role)) continue;
      double elements = local.type.shape.empty() ? 0 : 1;
      for (const int64_t extent : local.type.shape) elements *= static_cast<double>(extent);
      if (local.type.is_fragment()) {
        elements = static_cast<double>(ir::MapOf(local.type).Elements());
      }
      arrays += elements * ir::Info(local.type.dtype).bits / 32.0;
    }
    const double regs = static_cast<double>(kernel.roles[role].regs);
    most = std::max(most, regs > 0 ? regs : kBaseRegisters + arrays);
  }
  return most;
}

void SetOccupancy(const compiler::facts::KernelFacts& facts, int64_t ctas_per_sm,
                  const Device& device, KernelModel& model) {
  const double warps = static_cast<double>(facts.threads) / kLanes;
  const double unit = static_cast<double>(device.register_allocation_unit);
  const double regs = std::min(
      model.registers_per_thread,
      static_cast<double>(compiler::facts::LaunchRegisters(
          device.registers_per_sm, device.registers_per_thread, facts.threads, ctas_per_sm)));
  const double warp_registers = std::ceil(regs * kLanes / unit) * unit;
  const double shared =
      static_cast<double>(facts.shared_bytes + device.reserved_shared_bytes_per_block);
  const std::pair<double, const char*> limits[] = {
      {std::floor(static_cast<double>(device.max_warps_per_sm) / warps), "threads"},
      {std::floor(static_cast<double>(device.shared_bytes_per_sm) / shared), "shared memory"},
      {std::floor(static_cast<double>(device.registers_per_sm) / (warp_registers * warps)),
       "registers"},
      {static_cast<double>(device.max_blocks_per_sm), "CTAs"}};
  model.ctas_per_sm = limits[0].first;
  model.occupancy_limit = limits[0].second;
  for (const auto& [ctas, name] : limits) {
    if (ctas >= model.ctas_per_sm) continue;
    model.ctas_per_sm = ctas;
    model.occupancy_limit = name;
  }
  model.ctas_per_sm = std::max(model.ctas_per_sm, 1.0);
  model.occupancy = model.ctas_per_sm * warps / static_cast<double>(device.max_warps_per_sm);
  model.waves = static_cast<double>(model.counts.ctas) /
                (model.ctas_per_sm * static_cast<double>(device.sm_count));
}

}  // namespace

double PeakFlopsNs(const Device& device, double flops) {
  return flops / (2 * device.fma_lanes_per_clock_per_sm * static_cast<double>(device.sm_count) *
                  device.clock_ghz);
}

double TensorClocks(const Device& device, const StatementCost& cost) {
  double clocks = 0;
  if (cost.tensor_work > 0 && device.mma_flops_per_clock_per_sm > 0) {
    clocks += cost.tensor_work / device.mma_flops_per_clock_per_sm;
  }
  if (cost.warpgroup_work > 0 && device.wgmma_flops_per_clock_per_sm > 0) {
    clocks += cost.warpgroup_work / device.wgmma_flops_per_clock_per_sm;
  }
  return clocks;
}

double PeakProductNs(const Device& device, const StatementCost& cost) {
  return TensorClocks(device, cost) / (static_cast<double>(device.sm_count) * device.clock_ghz);
}

std::map<std::string, double> UseOf(const StatementCost& cost) {
  return {{"hbm", cost.sector_bytes},
          {"l2", cost.sector_bytes},
          {"smem", cost.shared_wavefronts},
          {"issue", cost.issue_slots},
          {"sfu", cost.sfu_slots},
          {"tensor", cost.tensor_work + cost.warpgroup_work},
          {"latency/sync", cost.global_loads * 16 + cost.shared_loads + cost.barriers +
                               cost.shuffles + cost.atomics}};
}

namespace {

absl::StatusOr<double> BytesOf(const ir::Program& program, const ir::Tensor& tensor,
                               const ir::LaunchValues& values) {
  double size = std::max(1, ir::Info(tensor.dtype).bits / 8);
  for (const ir::ExprId extent : tensor.shape) {
    const absl::StatusOr<int64_t> value = compiler::facts::EvaluateLaunch(program, extent, values);
    if (!value.ok()) return value.status();
    size *= static_cast<double>(std::max<int64_t>(*value, 0));
  }
  return size;
}

// Each byte of a tensor comes from memory once; reading it again hits L2 as far as what the
// resident CTAs read of it fits there.
double DramBytes(const KernelModel& model, const Device& device, double sectors, double size) {
  const double once = std::min(sectors, std::max(size, kSectorBytes));
  const double reuse = sectors / once;
  const double resident = std::min(static_cast<double>(model.counts.ctas),
                                   model.ctas_per_sm * static_cast<double>(device.sm_count));
  const double working_set = once / static_cast<double>(model.counts.ctas) * resident;
  const double l2 = static_cast<double>(device.l2_mib) * 1024 * 1024;
  const double missed = working_set > l2 && reuse > 1 ? 1 - l2 / working_set : 0;
  return once + (sectors - once) * missed;
}

}  // namespace

absl::StatusOr<KernelModel> ModelOf(const ir::Program& program, const compiler::facts::Facts& facts,
                                    size_t kernel_index, KernelCounts counts,
                                    const ir::LaunchValues& values, const Device& device) {
  const ir::Kernel& kernel = program.kernels[kernel_index];
  KernelModel model{.counts = std::move(counts)};
  for (const StatementCost& cost : model.counts.statements) Accumulate(cost, model.total);
  model.registers_per_thread = RegistersOf(kernel);
  SetOccupancy(facts.kernels[kernel_index], kernel.ctas_per_sm, device, model);
  for (const bool reads : {true, false}) {
    const auto& sectors =
        reads ? model.counts.sector_bytes_read : model.counts.sector_bytes_written;
    for (const auto& [index, bytes] : sectors) {
      const absl::StatusOr<double> size =
          BytesOf(program, program.tensors[static_cast<size_t>(index)], values);
      if (!size.ok()) return size.status();
      model.dram_bytes += DramBytes(model, device, bytes, *size);
    }
  }
  return model;
}

namespace {

// Clocks that one warp spends waiting if it runs alone, over the launch's whole work.
double LatencyNs(const KernelModel& kernel, const Device& device, const Change& change,
                 double resident_warps) {
  const StatementCost& t = kernel.total;
  const double clock_ns = 1 / device.clock_ghz;
  const double dram_ns = device.dram_latency_ns > 0 ? device.dram_latency_ns : 500;
  const double chain_ns =
      t.global_loads / change.access_width / kernel.counts.loads_between_uses * dram_ns +
      clock_ns * (t.shared_loads * kSharedLatency + t.shuffles * kShuffleLatency +
                  t.barriers * kBarrierLatency + t.issue_slots * kDependentIssue);
  return chain_ns / std::max(resident_warps, 1.0);
}

}  // namespace

Times TimeOf(const KernelModel& kernel, const Device& device, const Change& change) {
  const StatementCost& t = kernel.total;
  const auto sms = static_cast<double>(device.sm_count);
  const auto ctas = static_cast<double>(kernel.counts.ctas);
  const double per_sm = kernel.ctas_per_sm + change.more_ctas_per_sm;
  const double used_sms = std::min(sms, ctas);
  const double clock = device.clock_ghz;
  // The fullest SM has this much more work than the mean of those that have any.
  double imbalance = std::ceil(ctas / sms) / std::max(ctas / sms, ctas < sms ? 1.0 : 0.0);
  if (change.whole_waves) imbalance = 1;

  Times times;
  const double sectors =
      change.coalesced ? std::min(t.sector_bytes, t.global_bytes_read + t.global_bytes_written)
                       : t.sector_bytes;
  times.busy_ns["hbm"] = kernel.dram_bytes / device.hbm_gb_per_s;
  double l2 = sectors / (kSectorsPerClock * kSectorBytes * used_sms * clock);
  if (device.l2_gb_per_s > 0) l2 = std::max(l2, sectors / device.l2_gb_per_s);
  times.busy_ns["l2"] = l2;
  const double wavefronts = change.no_conflicts ? t.shared_wavefronts_ideal : t.shared_wavefronts;
  times.busy_ns["smem"] =
      wavefronts * kWavefrontBytes / (device.shared_bytes_per_clock_per_sm * used_sms * clock);
  const double accesses = t.global_loads * (1 - 1 / change.access_width);
  const double issue = (t.issue_slots - accesses) / device.issue_slots_per_clock_per_sm;
  const double fma = t.fma_slots * kLanes / device.fma_lanes_per_clock_per_sm;
  times.busy_ns["issue"] = std::max(issue, fma) / (used_sms * clock);
  times.busy_ns["sfu"] =
      t.sfu_slots * kLanes / (device.sfu_lanes_per_clock_per_sm * used_sms * clock);
  if (const double tensor = TensorClocks(device, t); tensor > 0) {
    times.busy_ns["tensor"] = tensor / (used_sms * clock);
  }
  const double warps = static_cast<double>(kernel.counts.warps);
  const double resident = std::min(ctas, per_sm * sms) * warps;
  times.busy_ns["latency/sync"] = LatencyNs(kernel, device, change, resident);

  std::string longest = "hbm";
  double sum = 0;
  for (const auto& [resource, ns] : times.busy_ns) {
    sum += ns;
    if (ns > times.busy_ns[longest]) longest = resource;
  }
  const double most = times.busy_ns[longest];
  for (const auto& [resource, ns] : times.busy_ns) {
    times.share_ns[resource] = resource == longest ? ns : kernel.exposed_share * ns;
  }
  const double exposed = most + kernel.exposed_share * (sum - most);
  times.share_ns["occupancy/wave"] = exposed * (imbalance - 1);
  times.share_ns["launch"] = change.one_launch ? 0 : device.launch_overhead_ns;
  times.busy_ns["launch"] = times.share_ns["launch"];
  for (const auto& [resource, ns] : times.share_ns) times.total_ns += ns;
  times.low_ns = most + 0.5 * times.share_ns["launch"];
  times.high_ns = kWideInterval * (sum * imbalance + times.share_ns["launch"]);
  return times;
}

}  // namespace costmodel
