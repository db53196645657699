// Who can perform memory accesses in a CTA, as numbers of a clock: its warps, then the queues of
// its asynchronous engines. Only the queues that a kernel can use have a number, so that clocks
// stay as short as the kernel is simple.
#pragma once

#include <cstddef>

#include "compiler/ir/program.h"
#include "compiler/machine/clock.h"

namespace compiler::machine {

class Agents {
 public:
  Agents() = default;
  // Numbers the warps of all roles, then per warp the queues of cp.async, of bulk stores and of
  // a warpgroup's products, then one queue for each of `mbarriers`, whose generations complete
  // loads. `first`: the number of the first warp, where several CTAs share a space of clocks.
  Agents(const ir::Program& program, const ir::Kernel& kernel, size_t mbarriers, size_t first = 0);

  size_t count() const { return count_; }
  size_t warps() const { return warps_; }
  // Agents below this one, of a CTA with clocks of its own, access memory as threads do.
  AgentId Engines() const { return static_cast<AgentId>(first_ + warps_ * (has_copies_ ? 2 : 1)); }
  bool IsWarp(AgentId agent) const { return agent - first_ < warps_; }

  // cp.async of one warp: epochs are groups, completed in order (PTX ISA, cp.async.wait_group).
  AgentId AsyncCopies(AgentId warp) const { return static_cast<AgentId>(copies_ + warp); }
  // Bulk stores of one warp: when their sources are read, and when their results are visible.
  AgentId BulkReads(AgentId warp) const { return static_cast<AgentId>(reads_ + warp); }
  AgentId BulkWrites(AgentId warp) const { return static_cast<AgentId>(writes_ + warp); }
  // Products of the warpgroup that begins with this warp: epochs are groups, lanes are its warps,
  // each of which learns of completed groups by itself.
  AgentId Products(AgentId first_warp) const {
    return static_cast<AgentId>(products_ + first_warp);
  }
  // Loads that complete bytes on this mbarrier: those of generation g have epoch g + 1, so a
  // completed wait knows a prefix of them.
  AgentId Loads(size_t mbarrier) const { return static_cast<AgentId>(first_ + loads_ + mbarrier); }

  // Of one warp: its loads from and stores to tensor memory, and the products it issues.
  AgentId TensorLoads(AgentId warp) const { return static_cast<AgentId>(tensor_ + warp); }
  AgentId TensorStores(AgentId warp) const { return static_cast<AgentId>(tensor_ + warps_ + warp); }
  AgentId TensorProducts(AgentId warp) const {
    return static_cast<AgentId>(tensor_ + 2 * warps_ + warp);
  }
  // Waits that one warp has returned from. An arrival of the tensor cores says that the warp has
  // come so far, and nothing of what it has accessed.
  AgentId Waits(AgentId warp) const {
    return has_tensor_ ? static_cast<AgentId>(tensor_ + 3 * warps_ + warp) : warp;
  }

  bool has_tensor_memory() const { return has_tensor_; }
  bool has_async_copies() const { return has_copies_; }
  bool has_bulk_stores() const { return has_stores_; }
  bool has_loads() const { return has_loads_; }
  bool has_products() const { return has_products_; }
  // Whether any accesses memory through a proxy of its own.
  bool has_engines() const { return has_stores_ || has_loads_ || has_products_ || has_tensor_; }
  // The warp on whose behalf an agent acts; the first one for loads, which name no warp.
  size_t WarpOf(AgentId agent) const;

 private:
  size_t first_ = 0, warps_ = 0, copies_ = 0, reads_ = 0, writes_ = 0, loads_ = 0, count_ = 0;
  size_t products_ = 0, tensor_ = 0;
  bool has_copies_ = false, has_stores_ = false, has_loads_ = false;
  bool has_products_ = false, has_tensor_ = false;
};

}  // namespace compiler::machine
