#include "tests/device/events/record.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"

namespace device::events {
namespace {

using compiler::emit::EventLogRecord;
using compiler::emit::EventVerb;
using compiler::facts::KernelFacts;
using compiler::ir::Kernel;
using compiler::machine::EventAction;
using compiler::machine::EventRecord;

size_t Size(int64_t value) { return static_cast<size_t>(value); }

int64_t LineOf(const std::string& source, uint32_t offset) {
  return 1 +
         std::count(source.begin(), source.begin() + std::min<size_t>(offset, source.size()), '\n');
}

constexpr std::string_view kTicket = "ticket", kAnswer = "answer";

// The hardware's number of the barrier that a statement of this warp means.
int64_t BarrierNumber(const KernelFacts& facts, int role, const EventRecord& record) {
  if (record.barrier >= 0) {
    return facts.barriers[Size(record.barrier)].first_id + record.barrier_index;
  }
  switch (record.scope) {
    case compiler::ir::Scope::kRole: return facts.role_sync_id[Size(role)];
    case compiler::ir::Scope::kWg: return facts.wg_sync_id[Size(role)][Size(record.group)];
    default: return 0;
  }
}

std::string Barrier(std::string_view verb, int64_t number) {
  return verb == "grid.sync" ? "grid" : absl::StrCat("barrier ", number);
}

std::string Mbarrier(const std::string& name, const char* side, int64_t stage) {
  return absl::StrCat(name, side, "[", stage, "]");
}

std::string AnswerText(uint64_t value) {
  return absl::StrCat("CTA ", static_cast<int32_t>(static_cast<uint32_t>(value)));
}

// What the machine's warp did, as the hardware should have been told of it.
Record Expected(const compiler::ir::Program& program, const Kernel& kernel,
                const KernelFacts& facts, int role, const EventRecord& from) {
  Record out{.verb = ToString(from.action),
             .use = from.use,
             .lanes = LanesOf(from),
             .line = LineOf(program.source, program[from.stmt].source.span.begin)};
  if (from.action == EventAction::kTicket) {
    out.object = absl::StrCat("value ", from.value);
    return out;
  }
  if (from.action == EventAction::kAnswer) {
    out.object = AnswerText(from.value);
    return out;
  }
  if (from.ring < 0 && from.event < 0) {
    out.object = Barrier(out.verb, BarrierNumber(facts, role, from));
    return out;
  }
  if (from.ring >= 0) {
    const compiler::ir::Ring& ring = kernel.rings[Size(from.ring)];
    out.object = Mbarrier(ring.name, from.empty ? " empty" : " full", from.use % ring.stages);
  } else {
    const compiler::ir::Event& event = kernel.events[Size(from.event)];
    out.object = Mbarrier(event.name, "", from.use % event.stages);
  }
  const bool waits = from.action == EventAction::kAcquire || from.action == EventAction::kWait ||
                     from.action == EventAction::kTest;
  if (waits) out.parity = static_cast<int>(from.generation & 1);
  return out;
}

// The mbarrier that lies at a byte of the CTA's dynamic shared memory.
std::string MbarrierAt(const Kernel& kernel, const KernelFacts& facts, int64_t byte) {
  constexpr int64_t kBytes = compiler::facts::kMbarrierBytes;
  const auto stage_in = [&](int64_t first, int64_t stages) {
    const int64_t distance = byte - first;
    return distance >= 0 && distance % kBytes == 0 && distance / kBytes < stages ? distance / kBytes
                                                                                 : int64_t{-1};
  };
  for (size_t i = 0; i < kernel.rings.size(); ++i) {
    const compiler::ir::Ring& ring = kernel.rings[i];
    const int64_t full = stage_in(facts.rings[i].full_offset_bytes, ring.stages);
    if (full >= 0) return Mbarrier(ring.name, " full", full);
    const int64_t empty = stage_in(facts.rings[i].empty_offset_bytes, ring.stages);
    if (empty >= 0) return Mbarrier(ring.name, " empty", empty);
  }
  for (size_t i = 0; i < kernel.events.size(); ++i) {
    const compiler::ir::Event& event = kernel.events[i];
    const int64_t stage = stage_in(facts.events[i].offset_bytes, event.stages);
    if (stage >= 0) return Mbarrier(event.name, "", stage);
  }
  return absl::StrCat("shared byte ", byte);
}

bool IsBarrier(EventVerb verb) {
  return verb == EventVerb::kSync || verb == EventVerb::kBarSync || verb == EventVerb::kBarArrive ||
         verb == EventVerb::kGridSync;
}

uint64_t ValueOf(const EventLogRecord& ticket) {
  return ticket.at | uint64_t{static_cast<uint32_t>(ticket.use)} << 32;
}

Record Got(const Kernel& kernel, const KernelFacts& facts, const EventLogRecord& from) {
  Record out{
      .verb = ToString(from.verb()), .use = from.use, .lanes = from.lanes, .line = from.line()};
  if (out.verb.empty()) out.verb = "no record";
  // What nobody did is in everybody's way.
  if (out.lanes == 0) out.lanes = compiler::machine::kWholeWarp;
  if (out.verb == kTicket) {
    out.object = absl::StrCat("value ", ValueOf(from));
    out.use = -1;
    return out;
  }
  if (out.verb == kAnswer) {
    out.object = AnswerText(ValueOf(from));
    out.use = -1;
    return out;
  }
  out.object =
      IsBarrier(from.verb()) ? Barrier(out.verb, from.at) : MbarrierAt(kernel, facts, from.at);
  if (from.parity() != compiler::emit::kNoParity) out.parity = static_cast<int>(from.parity());
  return out;
}

// Role and warp in it of a warp of the block.
std::pair<int, int64_t> RoleOf(const KernelFacts& facts, int64_t warp) {
  for (size_t role = 0; role < facts.roles.size(); ++role) {
    const int64_t inside = warp - facts.roles[role].first_warp;
    if (inside >= 0 && inside < facts.roles[role].warps) return {static_cast<int>(role), inside};
  }
  return {-1, warp};
}

}  // namespace

std::string Text(const Record& record) {
  std::string text = absl::StrCat(std::string(record.verb), " ", record.object);
  if (record.parity >= 0) absl::StrAppend(&text, " parity ", record.parity);
  if (record.use >= 0) absl::StrAppend(&text, " use ", record.use);
  if (std::has_single_bit(record.lanes)) {
    absl::StrAppend(&text, " by lane ", std::countr_zero(record.lanes));
  } else if (record.lanes != compiler::machine::kWholeWarp) {
    absl::StrAppend(&text, " by lanes 0x", absl::Hex(record.lanes, absl::kZeroPad8));
  }
  return text;
}

std::vector<WarpLog> FromMachine(const compiler::ir::Program& program,
                                 const compiler::facts::Facts& facts,
                                 const compiler::machine::Result& result) {
  std::vector<WarpLog> out;
  for (const compiler::machine::WarpEvents& warp : result.events) {
    WarpLog& log = out.emplace_back(
        WarpLog{.kernel = warp.kernel, .cta = warp.cta, .role = warp.role, .warp = warp.warp});
    for (const EventRecord& record : warp.records) {
      log.records.push_back(Expected(program, program.kernels[warp.kernel],
                                     facts.kernels[warp.kernel], warp.role, record));
    }
  }
  std::sort(out.begin(), out.end(), [](const WarpLog& a, const WarpLog& b) {
    return std::tie(a.kernel, a.cta, a.role, a.warp) < std::tie(b.kernel, b.cta, b.role, b.warp);
  });
  return out;
}

std::vector<WarpLog> FromDevice(const compiler::ir::Program& program,
                                const compiler::facts::Facts& facts, size_t kernel, int64_t ctas,
                                std::span<const uint32_t> counts,
                                std::span<const EventLogRecord> records, int64_t limit) {
  const KernelFacts& of = facts.kernels[kernel];
  const int64_t warps = of.threads / compiler::ir::kLanes;
  std::vector<WarpLog> out;
  for (int64_t slot = 0; slot < ctas * warps; ++slot) {
    const auto [role, warp] = RoleOf(of, slot % warps);
    const int64_t made = counts[Size(slot)];
    if (role < 0 && made == 0) continue;
    WarpLog& log = out.emplace_back(
        WarpLog{.kernel = kernel, .cta = slot / warps, .role = role, .warp = warp});
    log.tickets = {
        .kernel = kernel, .cta = slot / warps, .role = role, .warp = static_cast<int>(warp)};
    log.missing = std::max<int64_t>(0, made - limit);
    for (int64_t i = 0; i < std::min(made, limit); ++i) {
      const EventLogRecord& record = records[Size(slot * limit + i)];
      log.records.push_back(Got(program.kernels[kernel], of, record));
      if (record.verb() == EventVerb::kTicket && std::has_single_bit(record.lanes)) {
        log.tickets.of_lane[Size(std::countr_zero(record.lanes))].push_back(ValueOf(record));
      }
      if (record.verb() == EventVerb::kAnswer && std::has_single_bit(record.lanes)) {
        log.tickets.answers[Size(std::countr_zero(record.lanes))].push_back(
            static_cast<int32_t>(record.at));
      }
    }
  }
  std::sort(out.begin(), out.end(), [](const WarpLog& a, const WarpLog& b) {
    return std::tie(a.cta, a.role, a.warp) < std::tie(b.cta, b.role, b.warp);
  });
  return out;
}

}  // namespace device::events
