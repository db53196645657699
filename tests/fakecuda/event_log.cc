#include "tests/fakecuda/event_log.h"

#include <algorithm>
#include <cstring>

#include "compiler/machine/event_lanes.h"

namespace fakecuda {
namespace {

using compiler::emit::EventLogRecord;
using compiler::emit::EventVerb;
using compiler::emit::ProgressWord;
using compiler::machine::EventAction;
using compiler::machine::EventRecord;

size_t Size(int64_t value) { return static_cast<size_t>(value); }

uint32_t VerbOf(EventAction action) {
  for (int verb = 1; verb <= compiler::emit::kEventVerbs; ++verb) {
    if (ToString(static_cast<EventVerb>(verb)) == ToString(action)) {
      return static_cast<uint32_t>(verb);
    }
  }
  return 0;
}

uint32_t ParityOf(const EventRecord& record) {
  const bool waits = record.action == EventAction::kAcquire ||
                     record.action == EventAction::kWait || record.action == EventAction::kTest;
  return waits ? static_cast<uint32_t>(record.generation & 1) : compiler::emit::kNoParity;
}

int64_t PlaceOf(const compiler::ir::Kernel& kernel, const compiler::facts::KernelFacts& facts,
                int role, const EventRecord& record) {
  constexpr int64_t kBytes = compiler::facts::kMbarrierBytes;
  if (record.ring >= 0) {
    const auto& place = facts.rings[Size(record.ring)];
    return (record.empty ? place.empty_offset_bytes : place.full_offset_bytes) +
           record.use % kernel.rings[Size(record.ring)].stages * kBytes;
  }
  if (record.event >= 0) {
    return facts.events[Size(record.event)].offset_bytes +
           record.use % kernel.events[Size(record.event)].stages * kBytes;
  }
  if (record.barrier >= 0) {
    return facts.barriers[Size(record.barrier)].first_id + record.barrier_index;
  }
  if (record.scope == compiler::ir::Scope::kRole) return facts.role_sync_id[Size(role)];
  if (record.scope == compiler::ir::Scope::kWg) {
    return facts.wg_sync_id[Size(role)][Size(record.group)];
  }
  return 0;
}

}  // namespace

bool WriteEventLog(const compiler::ir::Program& program, const compiler::facts::Facts& facts,
                   const compiler::machine::Result& result, int64_t ctas,
                   const compiler::emit::EventLogParameter& to,
                   const std::function<std::span<std::byte>(uint64_t, int64_t)>& find) {
  for (const compiler::machine::WarpEvents& warp : result.events) {
    const compiler::ir::Kernel& kernel = program.kernels[warp.kernel];
    const compiler::facts::KernelFacts& of = facts.kernels[warp.kernel];
    const int64_t warps = of.threads / compiler::ir::kLanes;
    const int64_t slot = warp.cta * warps + of.roles[Size(warp.role)].first_warp + warp.warp;
    const auto counts = find(to.counts, ctas * warps * int64_t{sizeof(uint32_t)});
    const auto records =
        find(to.records, ctas * warps * to.limit * int64_t{sizeof(EventLogRecord)});
    if (counts.empty() || records.empty()) return false;
    const auto made = static_cast<uint32_t>(warp.records.size());
    std::memcpy(counts.data() + Size(slot) * sizeof(made), &made, sizeof(made));
    for (size_t i = 0; i < std::min<size_t>(made, to.limit); ++i) {
      const EventRecord& from = warp.records[i];
      const uint32_t offset = program[from.stmt].source.span.begin;
      const auto line =
          1 + std::count(program.source.begin(), program.source.begin() + offset, '\n');
      const bool ticket =
          from.action == EventAction::kTicket || from.action == EventAction::kAnswer;
      const auto high = static_cast<int64_t>(from.value >> 32);
      const EventLogRecord record{
          .what = VerbOf(from.action) | ParityOf(from) << 6 | static_cast<uint32_t>(line) << 8,
          .at = static_cast<uint32_t>(ticket ? static_cast<int64_t>(from.value)
                                             : PlaceOf(kernel, of, warp.role, from)),
          .use = static_cast<int32_t>(ticket ? high : from.use),
          .lanes = LanesOf(from)};
      std::memcpy(records.data() + (Size(slot) * to.limit + i) * sizeof(record), &record,
                  sizeof(record));
    }
  }
  return true;
}

bool WriteProgress(const compiler::ir::Program& program, const compiler::facts::Facts& facts,
                   const compiler::machine::Result& result, int64_t ctas,
                   const compiler::emit::EventLogParameter& to,
                   const std::function<std::span<std::byte>(uint64_t, int64_t)>& find) {
  // Who waits, the machine says of a deadlock only; of a run without end nobody does.
  const auto waits_at = [&](uint32_t begin) {
    for (const auto& diagnostic : result.report.diagnostics()) {
      for (const auto& edge : diagnostic.wait_graph)
        if (edge.span.begin == begin) return true;
    }
    return false;
  };
  const bool limit = result.outcome == compiler::machine::Outcome::kLimit;
  for (const compiler::machine::WarpEvents& warp : result.events) {
    const compiler::ir::Kernel& kernel = program.kernels[warp.kernel];
    const compiler::facts::KernelFacts& of = facts.kernels[warp.kernel];
    const auto words = find(to.records, ctas * of.threads * int64_t{sizeof(ProgressWord)});
    if (words.empty()) return false;
    ProgressWord word{.state = limit ? compiler::emit::kRuns : compiler::emit::kEnded};
    if (!warp.records.empty() && !limit) {
      const EventRecord& last = warp.records.back();
      const uint32_t begin = program[last.stmt].source.span.begin;
      const auto line =
          1 + std::count(program.source.begin(), program.source.begin() + begin, '\n');
      if (waits_at(begin))
        word = {
            .what = VerbOf(last.action) | ParityOf(last) << 6 | static_cast<uint32_t>(line) << 8,
            .at = static_cast<uint32_t>(PlaceOf(kernel, of, warp.role, last)),
            .use = static_cast<int32_t>(last.use),
            .state = compiler::emit::kWaits};
    }
    const int64_t thread =
        warp.cta * of.threads +
        (of.roles[Size(warp.role)].first_warp + warp.warp) * compiler::ir::kLanes;
    for (int64_t lane = 0; lane < compiler::ir::kLanes; ++lane)
      std::memcpy(words.data() + Size(thread + lane) * sizeof(word), &word, sizeof(word));
  }
  return true;
}

}  // namespace fakecuda
