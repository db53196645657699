// What all kernels and CTAs of one run share. Internal to compiler/machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "compiler/machine/bytecode.h"
#include "compiler/machine/findings.h"
#include "compiler/machine/launch_pool.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/scratch.h"
#include "compiler/machine/shadow.h"
#include "compiler/machine/words.h"
#include "compiler/machine/zeros.h"

namespace compiler::machine {

// Tensors that share host bytes (declared aliases) share their shadow.
struct ShadowGroup {
  std::byte* base = nullptr;
  int64_t bytes = 0;
  int64_t unit_bytes = 1;  // of a shadow cell
  bool written = false;    // by any statement: else nothing can conflict
  std::unique_ptr<ShadowMemory> memory;
  Words words;
};

constexpr uint8_t kDefined = 1, kWrittenHere = 2;

struct TensorState {
  const facts::TensorPlan* plan = nullptr;
  size_t plan_index = 0;
  std::byte* data = nullptr;
  int64_t bytes = 0, element_bytes = 1;
  bool fully_defined = false;     // inputs and zeroed workspaces
  // kDefined, where not all are from the start, kWrittenHere; by offset; empty for mere inputs.
  Zeros elements;
  int group = -1;
};

// Where an access stands in the whole run.
struct RunSite {
  const ir::Kernel* kernel = nullptr;
  Site site;
};

struct RunState {
  const ir::Program& program;
  const facts::Facts& facts;
  const facts::LaunchPlan& plan;
  const ir::LaunchValues& values;
  const Options& options;
  Result& result;
  Findings findings;

  std::vector<TensorState> tensors;  // by TensorId
  std::vector<ShadowGroup> groups;
  RaceRules global_rules;
  int64_t shadow_budget_bytes = options.max_shadow_bytes;

  // CTAs are numbered in the order they execute, from 1 and on from run to run; 0 marks an
  // untouched cell.
  Scratch& scratch;
  const uint32_t first_serial = scratch.serial;  // that of the last CTA before this run
  uint32_t serial = first_serial;
  uint32_t launch_serial = 0;
  // CTAs from here on may still run when a CTA of the present kernel starts: the launch's own first
  // one, but for a kernel that may start early.
  uint32_t early_serial = 0;
  std::vector<RunSite> sites;            // of all kernels so far
  const ir::Kernel* previous = nullptr;  // the kernel that ran before the present one
  bool previous_early = false;           // the present one could start before that had ended
  int64_t never_waited = -1;  // a CTA of the present kernel that did not wait for those before
  int64_t resident_ctas = 1;  // CTAs that run side by side
  LaunchPool pool;            // of the running launch
  int64_t event_records = 0;  // logged so far
  // Options::replay by kernel, CTA, role and warp.
  std::map<std::tuple<size_t, int64_t, int, int>, const WarpTickets*> replay;
  uint64_t memory_version = 0;  // counts what pollers may be waiting for
  std::vector<int64_t> ctas;    // of the run, in the order in which they started
  int64_t CtaOf(uint32_t serial) const { return ctas[serial - first_serial - 1]; }
  int64_t CtasStarted() const { return static_cast<int64_t>(serial - first_serial); }

  bool stopped = false;  // the run ends: result.outcome says why
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();

  // Where this run follows another one, of the kernel that begins (launch_control.cc).
  void FollowLaunch(const ir::Kernel& kernel);
  void Stop(Outcome outcome) {
    stopped = true;
    result.outcome = outcome;
  }
};

// Result::unwritten, of a run that has ended.
void NoteUnwritten(RunState& run);

}  // namespace compiler::machine
