#include "tests/device/events/compare.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"

namespace device::events {
namespace {

namespace ir = compiler::ir;

using Logs = std::vector<const WarpLog*>;

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
    if (want.records == got.records && got.missing == 0) return;
    ++out_.mismatches;
    if (out_.told.size() == kMismatchesToldMax) return;
    const size_t at = static_cast<size_t>(std::mismatch(want.records.begin(), want.records.end(),
                                                        got.records.begin(), got.records.end())
                                              .first -
                                          want.records.begin());
    const WarpLog& named = want.records.empty() ? got : want;
    Mismatch told{
        .kernel = program_.kernels[named.kernel].name,
        .role = named.role < 0
                    ? "none"
                    : program_.kernels[named.kernel].roles[static_cast<size_t>(named.role)].name,
        .cta = named.cta,
        .warp = named.warp,
        .index = static_cast<int64_t>(at),
        .machine = "nothing",
        .device = got.missing > 0 ? absl::StrCat(got.missing, " records without room") : "nothing"};
    if (at < got.records.size()) {
      told.device = Text(got.records[at]);
      told.line = got.records[at].line;
    }
    if (at < want.records.size()) {
      told.machine = Text(want.records[at]);
      told.line = want.records[at].line;
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
                      ", record ", m.index, " (line ", m.line, "): the machine has ", m.machine,
                      ", the device ", m.device);
}

bool HasTickets(const ir::Program& program, const ir::Kernel& kernel) {
  bool found = false;
  for (const ir::Role& role : kernel.roles) {
    compiler::facts::ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
      for (const ir::ExprId root : compiler::facts::OwnExprs(program, stmt)) {
        compiler::facts::ForEachExpr(program, root, [&](ir::ExprId, const ir::Expr& expr) {
          found |=
              expr.kind == ir::ExprKind::kAtomic && program[expr.view].space == ir::Space::kGlobal;
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
