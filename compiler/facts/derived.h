// Everything mechanical that follows from a program, made once: `cake explain` prints it, the
// emitter reads it, the machine is checked against it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/arch/device.h"
#include "compiler/diag/diagnostic.h"
#include "compiler/facts/copies.h"
#include "compiler/facts/proxies.h"
#include "compiler/ir/program.h"

namespace compiler::facts {

struct SharedPlacement {
  int64_t offset_bytes = 0;  // from the start of the CTA's dynamic shared memory
  int64_t stage_bytes = 0;   // distance of two stages
  int64_t total_bytes = 0;
  std::vector<int64_t> strides;  // elements, per declared dimension (padding included)
};
struct RolePlacement {
  int64_t first_warp = 0;
  int64_t warps = 0;
};
struct BarrierPlacement {
  int64_t first_id = 0;
  int64_t count = 0;
  int64_t threads = 0;
};
// Mbarriers are 8 bytes each, stages of one array side by side, behind the buffers.
struct RingPlacement {
  int64_t full_offset_bytes = 0, empty_offset_bytes = 0;
  int64_t full_count = 1, empty_count = 1;     // arrivals a generation, declared or derived
  std::vector<int64_t> committing, releasing;  // warps, by the ring's `from` and `to`
};
struct EventPlacement {
  int64_t offset_bytes = 0;
};
constexpr int64_t kMbarrierBytes = 8;
// Columns of 32 bits, from the start of the CTA's allocation of tensor memory.
struct TmemPlacement {
  int64_t first_column = 0, columns = 0;
};

struct KernelFacts {
  std::vector<RolePlacement> roles;
  int64_t threads = 0;  // block size, idle padding warps included
  std::vector<SharedPlacement> shared;
  int64_t shared_bytes = 0;
  std::vector<RingPlacement> rings;
  std::vector<EventPlacement> events;
  int64_t mbarriers = 0;
  int64_t mbarrier_offset_bytes = 0;  // of the first one
  std::vector<TmemPlacement> tmem;
  int64_t tmem_columns = 0;            // allocated; 0: the kernel has no tensor memory
  int64_t tmem_word_offset_bytes = 0;  // of the shared word that receives its address
  std::vector<BarrierPlacement> barriers;
  std::vector<int64_t> role_sync_id;  // named barrier id of `sync role` of a role, -1: not used; 0
                                      // for a single-role kernel
  std::vector<std::vector<int64_t>> wg_sync_id;  // per role, per warpgroup; -1: not used
  int64_t named_barriers = 0;                    // in use, id 0 included
  // CTAs that are surely resident at the same time: at least so many on each of the description's
  // SMs, whatever registers the compiler gives the kernel within its launch bounds.
  int64_t ctas_per_sm = 1, sms = 1;
  // CTAs of a cluster name each other's memory: all meet before the roles begin and after they end.
  bool reaches_other_ctas = false;
  ProxyFacts proxies;
  bool cooperative = false;  // uses `grid.sync`: launched only where all its CTAs are resident
  ir::TensorId grid_word = ir::TensorId::kNone;  // workspace word of its barrier
  ir::TensorId map_words = ir::TensorId::kNone;  // workspace of its patched tensor maps
};

struct Facts {
  std::vector<KernelFacts> kernels;
  CopyFacts copies;  // of all kernels: tensor maps are parameters of the program
  const arch::Device* device = nullptr;  // of which they hold
};

// Fills ctas_per_sm, sms, cooperative and grid_word; the rest must be derived already.
void DeriveResidency(const ir::Program& program, const ir::Kernel& kernel,
                     const arch::Device& device, KernelFacts& facts);

// Derives all facts; limits of `device` that do not hold are reported (CK3xxx) with both numbers.
Facts Derive(const ir::Program& program, const arch::Device& device, diag::Report& report);

// Text and JSON of `cake explain`.
std::string ExplainText(const ir::Program& program, const Facts& facts);
std::string ExplainJson(const ir::Program& program, const Facts& facts);

}  // namespace compiler::facts
