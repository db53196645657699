#include "tests/device/events/compare.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"

namespace device::events {
namespace {

namespace ir = compiler::ir;

using Logs = std::vector<const WarpLog*>;
using Records = std::vector<Record>;

// The records of a warp's log that have a lane.
class LaneView {
 public:
  LaneView(const Records& records, int lane) : records_(records), bit_(uint32_t{1} << lane) {}
  // The next one; null behind the last.
  const Record* Next() {
    while (at_ < records_.size() && (records_[at_].lanes & bit_) == 0) ++at_;
    return at_ < records_.size() ? &records_[at_++] : nullptr;
  }

 private:
  const Records& records_;
  const uint32_t bit_;
  size_t at_ = 0;
};

// Where a lane's sequences part; null where one has ended.
struct Parting {
  int lane = 0;
  size_t index = 0;
  const Record* machine = nullptr;
  const Record* device = nullptr;
};

std::optional<Parting> WherePart(const Records& machine, const Records& device, int lane) {
  LaneView want(machine, lane), got(device, lane);
  for (Parting at{.lane = lane};; ++at.index) {
    at.machine = want.Next();
    at.device = got.Next();
    if (at.machine == nullptr && at.device == nullptr) return std::nullopt;
    if (at.machine == nullptr || at.device == nullptr || !at.machine->Same(*at.device)) return at;
  }
}

// Of all lanes the one whose sequences part soonest.
std::optional<Parting> WherePart(const Records& machine, const Records& device) {
  const bool together =
      std::equal(machine.begin(), machine.end(), device.begin(), device.end(),
                 [](const Record& a, const Record& b) { return a.Same(b) && a.lanes == b.lanes; });
  if (together) return std::nullopt;
  std::optional<Parting> first;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    const std::optional<Parting> found = WherePart(machine, device, lane);
    if (found && (!first || found->index < first->index)) first = found;
  }
  return first;
}

class Comparer {
 public:
  explicit Comparer(const ir::Program& program) : program_(program) {}

  // Two sorted lists of one kernel.
  void Places(const Logs& machine, const Logs& device) {
    auto got = device.begin();
    const WarpLog nothing;
    for (const WarpLog* want : machine) {
      while (got != device.end() && Place(**got) < Place(*want)) Warp(nothing, **got++);
      const bool same = got != device.end() && Place(**got) == Place(*want);
      Warp(*want, same ? **got++ : nothing);
    }
    while (got != device.end()) Warp(nothing, **got++);
  }

  Comparison Take() { return std::move(out_); }

 private:
  static std::tuple<int64_t, int, int64_t> Place(const WarpLog& log) {
    return {log.cta, log.role, log.warp};
  }

  void Warp(const WarpLog& want, const WarpLog& got) {
    ++out_.warps;
    out_.records += static_cast<int64_t>(want.records.size());
    out_.missing += got.missing;
    const std::optional<Parting> parting = WherePart(want.records, got.records);
    if (!parting && got.missing == 0) return;
    ++out_.mismatches;
    if (out_.told.size() == kMismatchesToldMax) return;
    const WarpLog& named = want.records.empty() ? got : want;
    const ir::Kernel& kernel = program_.kernels[named.kernel];
    Mismatch told{
        .kernel = kernel.name,
        .role = named.role < 0 ? "none" : kernel.roles[static_cast<size_t>(named.role)].name,
        .cta = named.cta,
        .warp = named.warp,
        .machine = "nothing",
        .device = "nothing"};
    if (got.missing > 0) told.device = absl::StrCat(got.missing, " records without room");
    if (parting) {
      told.lane = parting->lane;
      told.index = static_cast<int64_t>(parting->index);
      if (parting->device != nullptr) told.device = Text(*parting->device);
      if (parting->machine != nullptr) told.machine = Text(*parting->machine);
      told.line = (parting->machine != nullptr ? parting->machine : parting->device)->line;
    }
    out_.told.push_back(std::move(told));
  }

  const ir::Program& program_;
  Comparison out_;
};

Logs OfKernel(const std::vector<WarpLog>& logs, size_t kernel) {
  Logs out;
  for (const WarpLog& log : logs) {
    if (log.kernel == kernel) out.push_back(&log);
  }
  return out;
}

}  // namespace

std::string Text(const Mismatch& m) {
  return absl::StrCat("kernel ", m.kernel, ", CTA ", m.cta, ", role ", m.role, ", warp ", m.warp,
                      ", lane ", m.lane, ", record ", m.index, " (line ", m.line,
                      "): the machine has ", m.machine, ", the device ", m.device);
}

bool HasTickets(const ir::Program& program, const ir::Kernel& kernel) {
  bool found = false;
  for (const ir::Role& role : kernel.roles) {
    compiler::facts::ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
      for (const ir::ExprId root : compiler::facts::OwnExprs(program, stmt)) {
        compiler::facts::ForEachExpr(program, root, [&](ir::ExprId, const ir::Expr& expr) {
          found |=
              expr.kind == ir::ExprKind::kAtomic && program[expr.view].space == ir::Space::kGlobal;
          found |= expr.kind == ir::ExprKind::kOp &&
                   expr.op->effects.copy == ir::CopyEffect::kLaunchCancel;
        });
      }
    });
  }
  return found;
}

Comparison Compare(const ir::Program& program, const std::vector<WarpLog>& machine,
                   const std::vector<WarpLog>& device) {
  Comparer comparer(program);
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    comparer.Places(OfKernel(machine, k), OfKernel(device, k));
  }
  return comparer.Take();
}

}  // namespace device::events
