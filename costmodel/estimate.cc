// From counts to time: each resource's time, the largest plus a share of the others, waves,
// launches.
#include "costmodel/estimate.h"

#include <algorithm>

#include "costmodel/counts.h"
#include "costmodel/resources.h"

namespace costmodel {

namespace ir = compiler::ir;

namespace {

// Bytes that must move whatever the schedule: every input once, every output once.
absl::StatusOr<double> UnavoidableBytes(const ir::Program& program,
                                        const ir::LaunchValues& values) {
  double total = 0;
  for (const ir::Tensor& tensor : program.tensors) {
    if (tensor.direction == ir::Direction::kWorkspace) continue;
    double bytes = std::max(1, ir::Info(tensor.dtype).bits / 8);
    for (const ir::ExprId extent : tensor.shape) {
      const absl::StatusOr<int64_t> value =
          compiler::facts::EvaluateLaunch(program, extent, values);
      if (!value.ok()) return value.status();
      bytes *= static_cast<double>(*value);
    }
    total += tensor.direction == ir::Direction::kInOut ? 2 * bytes : bytes;
  }
  return total;
}

// The time of all kernels one after the other, with what-if changes applied.
Times Sum(const std::vector<KernelModel>& kernels, const compiler::arch::Device& device,
          const Change& change) {
  Times sum;
  for (const KernelModel& kernel : kernels) {
    const Times one = TimeOf(kernel, device, change);
    sum.total_ns += one.total_ns;
    sum.low_ns += one.low_ns;
    sum.high_ns += one.high_ns;
    for (const auto& [resource, ns] : one.busy_ns) sum.busy_ns[resource] += ns;
    for (const auto& [resource, ns] : one.share_ns) sum.share_ns[resource] += ns;
  }
  return sum;
}

void NameBottleneck(const Times& times, Estimate& estimate) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [resource, ns] : times.share_ns) order.emplace_back(ns, resource);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (!order.empty()) estimate.bottleneck = order[0].second;
  if (order.size() > 1) estimate.runner_up = order[1].second;
  for (const auto& [resource, ns] : times.busy_ns) {
    estimate.utilisation[resource] = times.total_ns > 0 ? std::min(1.0, ns / times.total_ns) : 0;
  }
}

// Each resource's share of the time goes to the statements in proportion to their use of it.
void Attribute(const ir::Program& program, const std::vector<KernelModel>& kernels,
               const compiler::arch::Device& device, Estimate& estimate) {
  for (const KernelModel& kernel : kernels) {
    const Times times = TimeOf(kernel, device, {});
    const std::map<std::string, double> totals = UseOf(kernel.total);
    for (size_t s = 0; s < kernel.counts.statements.size(); ++s) {
      if (kernel.counts.statements[s].warp_executions <= 0) continue;
      SpanTime at{.span = program.stmts[kernel.counts.first + s].source.span};
      double largest = 0;
      for (const auto& [resource, use] : UseOf(kernel.counts.statements[s])) {
        const double total = totals.at(resource);
        const auto share = times.share_ns.find(resource);
        if (total <= 0 || use <= 0 || share == times.share_ns.end()) continue;
        const double ns = share->second * use / total;
        at.ns += ns;
        if (ns > largest) {
          largest = ns;
          at.resource = resource;
        }
      }
      if (at.ns > 0) estimate.attribution.push_back(std::move(at));
    }
  }
  std::sort(estimate.attribution.begin(), estimate.attribution.end(),
            [](const SpanTime& a, const SpanTime& b) {
              return a.ns != b.ns ? a.ns > b.ns : a.span.begin < b.span.begin;
            });
}

// Whether an SM has warps and slots for another CTA, so that only memory or registers stand in the
// way.
bool HoldsOneMore(const KernelModel& kernel, const compiler::arch::Device& device) {
  const double ctas = kernel.ctas_per_sm + 1;
  return ctas * static_cast<double>(kernel.counts.warps) <=
             static_cast<double>(device.max_warps_per_sm) &&
         ctas <= static_cast<double>(device.max_blocks_per_sm);
}

struct NamedChange {
  std::string_view text;
  Change change;
};

constexpr NamedChange kChanges[] = {
    {"one more CTA resident on each SM", {.more_ctas_per_sm = 1}},
    {"twice the bytes in each global access", {.access_width = 2}},
    {"no shared-memory bank conflicts", {.no_conflicts = true}},
    {"global accesses touch only whole sectors", {.coalesced = true}},
    {"a whole number of waves", {.whole_waves = true}},
    {"all kernels in one launch", {.one_launch = true}},
};

void AddWhatIfs(const std::vector<KernelModel>& kernels, const compiler::arch::Device& device,
                Estimate& estimate) {
  for (const NamedChange& named : kChanges) {
    if (named.change.one_launch && kernels.size() < 2) continue;
    const bool room = std::any_of(kernels.begin(), kernels.end(), [&](const KernelModel& kernel) {
      return HoldsOneMore(kernel, device);
    });
    if (named.change.more_ctas_per_sm > 0 && !room) continue;
    double ns = 0;
    for (size_t k = 0; k < kernels.size(); ++k) {
      Change change = named.change;
      change.one_launch = named.change.one_launch && k > 0;
      ns += TimeOf(kernels[k], device, change).total_ns;
    }
    // A change that does not shorten the time is no advice.
    if (ns < 0.999 * estimate.time_ns) {
      estimate.what_if.push_back({.change = std::string(named.text), .time_ns = ns});
    }
  }
  std::stable_sort(estimate.what_if.begin(), estimate.what_if.end(),
                   [](const WhatIf& a, const WhatIf& b) { return a.time_ns < b.time_ns; });
}

}  // namespace

absl::StatusOr<Estimate> EstimateLaunch(const ir::Program& program,
                                        const compiler::facts::Facts& facts,
                                        const ir::LaunchValues& values,
                                        const compiler::arch::Device& described,
                                        const Calibration* calibration) {
  if (calibration != nullptr && calibration->arch != described.arch) calibration = nullptr;
  const compiler::arch::Device device =
      calibration != nullptr ? Calibrated(described, *calibration) : described;
  if (const absl::Status s = compiler::facts::CheckGuard(program, values); !s.ok()) return s;
  Estimate estimate;
  std::vector<KernelModel> kernels;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    absl::StatusOr<KernelCounts> counts = CountKernel(program, facts, k, values);
    if (!counts.ok()) return counts.status();
    if (counts->skipped) continue;
    absl::StatusOr<KernelModel> model =
        ModelOf(program, facts, k, *std::move(counts), values, device);
    if (!model.ok()) return model.status();
    if (calibration != nullptr && calibration->exposed_share > 0) {
      model->exposed_share = calibration->exposed_share;
    }
    kernels.push_back(*std::move(model));
  }
  const Times times = Sum(kernels, device, {});
  estimate.time_ns = times.total_ns;
  estimate.low_ns = times.low_ns;
  estimate.high_ns = times.high_ns;
  if (calibration != nullptr) {
    estimate.calibration = calibration->id;
    estimate.rank_only = !calibration->claims_time;
    if (calibration->low > 0) {
      estimate.low_ns = calibration->low * times.total_ns;
      estimate.high_ns = calibration->high * times.total_ns;
    }
  }
  NameBottleneck(times, estimate);
  Attribute(program, kernels, device, estimate);
  double longest = -1, product_ns = 0, scalar_flops = 0;
  for (const KernelModel& kernel : kernels) {
    estimate.global_bytes += kernel.total.global_bytes_read + kernel.total.global_bytes_written;
    estimate.flops += kernel.total.flops + kernel.total.product_flops;
    scalar_flops += kernel.total.flops;
    product_ns += PeakProductNs(device, kernel.total);
    const double ns = TimeOf(kernel, device, {}).total_ns;
    if (ns <= longest) continue;  // the longest kernel speaks for the launch
    longest = ns;
    estimate.waves = kernel.waves;
    estimate.occupancy = kernel.occupancy;
    estimate.ctas = static_cast<double>(kernel.counts.ctas);
  }
  const absl::StatusOr<double> bytes = UnavoidableBytes(program, values);
  if (!bytes.ok()) return bytes.status();
  estimate.roofline_ns = std::max({*bytes / device.hbm_gb_per_s, PeakFlopsNs(device, scalar_flops),
                                   product_ns});
  AddWhatIfs(kernels, device, estimate);
  return estimate;
}

}  // namespace costmodel
