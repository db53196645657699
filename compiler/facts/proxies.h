// What the two proxies of memory ask of the lowering: where reads must be over before a slot is
// handed back, and how far `fence async` reaches.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/program.h"

namespace compiler::facts {

// The memory that a proxy fence is about (PTX ISA, fence.proxy.async: the state space). One of all
// memory also waits for what threads have under way in global memory, which costs an epilogue more
// than the fence's purpose: on an H200 an fp8 product lost a third of its speed.
enum class FenceSpace : uint8_t { kSharedCta, kSharedCluster, kAll };

struct ProxyFacts {
  FenceSpace fence = FenceSpace::kSharedCta;  // of the kernel's `fence async`
  // By role: rings whose slots it reads as threads do and asynchronous copies fill again. The
  // hand-over alone does not keep such a copy behind the reads: an arrival does not wait for loads
  // that are queued, and on an H200 `ldmatrix` read what the refill had written. Releases of these
  // rings are lowered with a fence before them.
  std::vector<std::set<ir::RingId>> refilled_rings;
  // The same of buffers outside of rings, and of slots that perhaps one warp gives back for all:
  // every arrival and barrier of the role has the fence.
  std::vector<bool> refilled_alone;
};

ProxyFacts DeriveProxies(const ir::Program& program, const ir::Kernel& kernel);

// Whether the lowering of the statement begins with the fence.
bool FencesReads(const ProxyFacts& proxies, const ir::Stmt& stmt, size_t role);

}  // namespace compiler::facts
