// What the two proxies of memory ask of the lowering: where a thread's reads must be over before
// it hands their place on, and how far `fence async` reaches.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/program.h"

namespace compiler::facts {

// The memory that a proxy fence is about (PTX ISA, fence.proxy.async: the state space). One of all
// memory also waits for what threads have under way in global memory, which is not what the fence
// of an epilogue or of a slot is for.
enum class FenceSpace : uint8_t { kSharedCta, kSharedCluster, kAll };

struct ProxyFacts {
  FenceSpace fence = FenceSpace::kSharedCta;  // of the kernel's `fence async`
  // By role: whether its threads read bytes of shared memory that asynchronous copies fill. A
  // hand-over alone does not keep the next copy behind such reads: arrivals and barriers do not
  // wait for loads that are queued, and `ldmatrix` has been seen to read what the refill wrote.
  // So what hands over, and a copy that the role itself issues, is lowered with a fence before it.
  std::vector<bool> reads_filled;
};

ProxyFacts DeriveProxies(const ir::Program& program, const ir::Kernel& kernel);

// Whether the lowering of the statement begins with the fence.
bool FencesReads(const ProxyFacts& proxies, const ir::Stmt& stmt, size_t role);

}  // namespace compiler::facts
