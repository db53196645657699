// The state of one warp: everything needed to resume it at any instruction.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/machine/bytecode.h"
#include "compiler/machine/clock.h"

namespace compiler::machine {

constexpr uint32_t kAllLanes = ~uint32_t{0};

enum class FrameKind : uint8_t { kBranch, kLoop };

// One open control construct. Divergence is structured: lanes that are masked off wait here.
struct Frame {
  FrameKind kind = FrameKind::kBranch;
  bool uniform = false;   // kLoop: all lanes entered, and have the same trips
  uint32_t outer = 0;     // mask to restore
  uint32_t other = 0;     // kBranch: lanes of the else part
  int64_t iteration = 0;  // kLoop
};

// kPolling: in a loop that only reads memory until another thread changes it.
// kHeld: at a cut (cuts.h).
enum class WarpState : uint8_t { kReady, kBlocked, kPolling, kHeld, kDone };

// What some lanes have fenced: their later strong writes publish it.
struct FenceMark {
  uint32_t lanes = 0;
  bool wide = false;  // scope gpu or sys
  Epoch epoch = 0;    // each lane publishes its own past up to here
  Clock clock;        // and what the warp knew of others
};

// A warp's side of ordered accesses.
struct OrderState {
  std::vector<LaneKnowledge> acquired;  // until the warp converges
  std::vector<LaneKnowledge> observed;  // read by relaxed loads, not acquired
  Clock
      missed_far;  // done by other CTAs of the cluster before arrivals that a wait did not acquire
  ir::StmtId missed_far_at = ir::StmtId::kNone;
  std::vector<LaneKnowledge> missed;  // published with a scope that does not reach the reader
  std::vector<FenceMark> fences;
  ir::StmtId observed_at = ir::StmtId::kNone, released_at = ir::StmtId::kNone;
  int32_t missed_site = -1;

  // The iteration of the innermost loop: has read ordered words, has changed something.
  bool polled = false, acted = false;
  ir::ViewId polled_view = ir::ViewId::kNone;
  uint64_t poll_version = 0;
  uint32_t launch_waited = 0;  // lanes that have waited for the kernels before
};

// Registers of one warp and, beside each, where its undefined lanes come from (an origin number;
// one for all lanes, as it only names the place in a finding).
class RegisterFile {
 public:
  // Of registers that were there before nothing is undefined, and any bits are left in them: code
  // writes what it reads.
  void Resize(Register fixed, Register registers) {
    fixed_ = fixed;
    vectors_.resize(static_cast<size_t>(fixed + registers));
    for (ir::LaneVector& vector : vectors_) vector.undefined = 0;
    origins_.assign(vectors_.size(), 0);
  }
  ir::LaneVector& operator[](Register r) { return vectors_[static_cast<size_t>(r + fixed_)]; }
  int32_t& origin(Register r) { return origins_[static_cast<size_t>(r + fixed_)]; }

 private:
  Register fixed_ = 0;
  std::vector<ir::LaneVector> vectors_;
  std::vector<int32_t> origins_;
};

// The last time that a warp gave a slot of a ring back.
struct GivenBack {
  int32_t ring = -1;
  int64_t use = -1;
  int64_t stage = 0;
  Epoch epoch = 0;
  ir::StmtId stmt = ir::StmtId::kNone;
};

// A warp is one lane group: every instruction of this build that waits is executed by whole warps,
// so its lanes always share one clock. An instruction that lets a subset wait would split the group
// here.
struct Warp {
  int role = 0;
  int index = 0;      // in the role
  AgentId agent = 0;  // in the CTA
  WarpState state = WarpState::kReady;
  int32_t pc = 0;
  uint32_t mask = kAllLanes;
  ir::StmtId stmt = ir::StmtId::kNone;
  uint32_t step = 0;  // statements executed in this CTA
  std::vector<Frame> frames;
  RegisterFile registers;

  Clocks clocks;  // happened.All(agent): up to here its own lanes know each other
  Epoch epoch = 1;
  ir::StmtId last_sync = ir::StmtId::kNone;
  ir::StmtId last_release = ir::StmtId::kNone;  // the last statement that published its clock
  int32_t waits_for = -1;                       // barrier object
  ir::StmtId waits_at = ir::StmtId::kNone;
  // Events: the mbarrier and generation it waits for, the use index as written, and whether the
  // wait acquires.
  int32_t waits_event = -1;
  int64_t waits_generation = 0, waits_use = 0;
  bool waits_relaxed = false;
  // By ring: the next use of acquire, commit and release, which are dense.
  std::vector<std::array<int64_t, 3>> next_use;
  std::vector<GivenBack> given_back;  // one a ring and stage
  // Bytes of this warp's loads that its next arrival on that (mbarrier, generation) carries.
  std::map<std::pair<int32_t, int64_t>, int64_t> load_bytes;
  size_t event_log = 0;              // in Result::events
  bool waits_cluster_scope = false;  // its wait learns of other CTAs of the cluster
  // Barrier of the cluster: arrivals and waits of this warp, the last arrival.
  bool waits_cluster = false;
  int64_t cluster_arrivals = 0, cluster_waits = 0;
  ir::StmtId cluster_at = ir::StmtId::kNone;
  int64_t cta = 0;         // linear id of its CTA
  bool gives_way = false;  // has found an event incomplete: others run first
  OrderState order;
  uint64_t order_hash = 0;  // of its clock at each wait, with Options::hash_order

  // Iteration of the innermost open loop, -1 outside loops.
  int64_t Iteration() const {
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if (frame->kind == FrameKind::kLoop) return frame->iteration;
    }
    return -1;
  }
  // Back to the kernel's entry; registers keep their constants.
  void Restart(size_t agents) {
    state = WarpState::kReady;
    pc = 0;
    mask = kAllLanes;
    stmt = ir::StmtId::kNone;
    step = 0;
    frames.clear();
    clocks.Reset(agents);
    epoch = 1;
    last_sync = ir::StmtId::kNone;
    last_release = ir::StmtId::kNone;
    waits_for = -1;
    waits_at = ir::StmtId::kNone;
    waits_event = -1;
    waits_cluster = false;
    cluster_arrivals = cluster_waits = 0;
    cluster_at = ir::StmtId::kNone;
    for (std::array<int64_t, 3>& next : next_use) next.fill(0);
    given_back.clear();
    load_bytes.clear();
    gives_way = false;
    order_hash = 0;
    order = {};
  }
};

}  // namespace compiler::machine
