// `cake explain --map`: where everything of a kernel lies and who has what: the launch, registers
// of each role, shared memory with stages and overlays, mbarriers with their counts and phases,
// named barriers, tensor memory, tensor maps. Collected once, printed as text and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/arch/device.h"
#include "compiler/facts/derived.h"
#include "compiler/ir/program.h"

namespace compiler::facts {

struct MapRole {
  std::string name;  // empty: warps that only fill the CTA up
  int64_t first_warp = 0, warps = 0;
  int64_t registers = 0;  // a thread while the role runs; 0: what the compiler needs, up to `most`
  int64_t most = 0;       // a thread may have by the launch bounds
  std::string_view setmaxnreg;  // "inc", "dec" or nothing
};

// A buffer of shared memory or of tensor memory.
struct MapBuffer {
  std::string name, type, form;
  int64_t first = 0, size = 0;         // of stage 0: bytes, or columns of tensor memory
  int64_t stages = 1, distance = 0;    // of two stages
  std::vector<std::string> same_room;  // buffers that this one takes turns with
};

// A place of the text that arrives on an mbarrier or waits for it.
struct MapUse {
  std::string role;
  int line = 0;
  std::string verb;
  int64_t bytes = 0;  // of loads: what one execution completes, for each CTA that it reaches
};

struct MapEvent {
  std::string name;
  enum class Kind : uint8_t { kFull, kEmpty, kEvent };
  Kind kind = Kind::kEvent;
  int64_t first_byte = 0, stages = 1, arrivals = 1;
  bool cluster = false;  // arrivals come from every CTA of the cluster
  std::vector<MapUse> arrive, wait;
};

struct MapTensorMap {
  std::string name, tensor, dtype;
  std::vector<std::string> patched_by;  // roles each of whose warps patches a copy of its own
  std::vector<int64_t> box;
  int64_t swizzle_bytes = 0;
};

struct KernelMap {
  std::string name, function, grid, when;
  int64_t threads = 0, cluster = 1, ctas_per_sm = 1;
  bool meets_in_cluster = false, cooperative = false, pdl = false;
  std::vector<std::string> cleared;  // workspaces that are zero before the run
  std::vector<MapRole> roles;
  std::vector<MapBuffer> shared, tmem;
  int64_t shared_bytes = 0, shared_limit = 0, padding_bytes = 0;
  int64_t mbarrier_byte = 0, mbarriers = 0;
  std::vector<MapEvent> events;
  std::vector<BarrierPlacement> barriers;
  std::vector<std::string> barrier_names;
  int64_t named_barriers = 0, barrier_limit = 0;
  int64_t tmem_columns = 0, tmem_limit = 0, tmem_word_byte = 0;
  std::vector<MapTensorMap> maps;
};

std::vector<KernelMap> MapOf(const ir::Program& program, const Facts& facts,
                             const arch::Device& device);

// Columns of fixed width, numbers aligned; the same facts as MapJson.
std::string MapText(const ir::Program& program, const Facts& facts, const arch::Device& device);
std::string MapJson(const ir::Program& program, const Facts& facts, const arch::Device& device);

}  // namespace compiler::facts
