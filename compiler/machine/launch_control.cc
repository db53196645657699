// clc.try_cancel: its answer is two words that a copy brings (PTX ISA, clusterlaunchcontrol).
#include <cstring>
#include <set>

#include "compiler/machine/cta.h"

namespace compiler::machine {

// CTAs that another run has cancelled in this kernel never begin.
void RunState::FollowLaunch(const ir::Kernel& kernel) {
  if (replay.empty()) return;
  const auto index = static_cast<size_t>(&kernel - program.kernels.data());
  std::set<int64_t> cancelled;
  bool answers = false;
  for (const auto& [place, tickets] : replay) {
    if (std::get<0>(place) != index) continue;
    for (const std::vector<int32_t>& lane : tickets->answers) {
      answers |= !lane.empty();
      cancelled.insert(lane.begin(), lane.end());
    }
  }
  if (answers) pool.Follow(cancelled);
}

void Cta::CancelLaunch(Warp& warp, const Copy& copy, int lane) {
  const RoleCode& code = code_.roles[static_cast<size_t>(warp.role)];
  const Access& to = code.accesses[static_cast<size_t>(copy.to)];
  CopyRun run{.copy = &copy, .lane = lane, .to = &to, .from = &to, .async_proxy = true};
  if (!BoxPieces(warp, to, lane, false, run.to_pieces) || !CopyAligned(warp, run)) return;
  if (refusal_ && warp.clocks.happened.Covers(refusal_->agent, refusal_->epoch, kAllLanes)) {
    run_.findings.CancelAfterRefusal(PlaceOf(warp), refusal_->stmt);
    return run_.Stop(Outcome::kFault);
  }
  const std::optional<EventUse> at = CopyEvent(warp, copy, lane);
  if (!at) return;
  LogLoad(warp, copy, *at);
  const std::optional<int64_t> cta = refusal_ ? std::nullopt : run_.pool.Cancel(grants_);
  const uint64_t answer[] = {cta ? static_cast<uint64_t>(*cta + 1) : 0, 0};
  if (cta) ++grants_;
  const auto bytes = static_cast<int64_t>(sizeof answer);
  for (Cta* const target : Receivers(warp, copy, lane)) {
    const std::optional<LoadStamp> stamp = target->IssueLoad(warp, *at, bytes);
    if (!stamp) return;
    if (!cta && target == this) refusal_ = {stamp->agent, stamp->epoch, copy.stmt};
    run.read_agent = run.write_agent = stamp->agent;
    run.epoch = stamp->epoch;
    target->issuers_[stamp->agent] = {warp.agent, stamp->epoch, copy.stmt};
    memory_ = target;
    const int64_t first = run.to_pieces.front().first;
    std::memcpy(Data(to) + first * static_cast<int64_t>(sizeof answer[0]), answer, sizeof answer);
    if (run_.options.check_definedness) MarkShared(to, first, 2, 0);
    if (run_.options.check_races) CheckCopyRaces(warp, run, to, run.to_pieces, true);
    memory_ = this;
    if (run_.options.count) {
      run_.result.statements[static_cast<size_t>(warp.stmt)].shared_bytes_written += bytes;
    }
    if (run_.stopped) return;
    target->CompleteBytes(warp, *at, bytes);
  }
}

}  // namespace compiler::machine
