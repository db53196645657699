#include "tests/device/events/compare.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"

namespace device::events {
namespace {

namespace ir = compiler::ir;

using Logs = std::vector<const WarpLog*>;

class Comparer {
 public:
  explicit Comparer(const ir::Program& program) : program_(program) {}

  // Two sorted lists of one kernel, place by place.
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

  // The same where CTAs may be permuted: those of equal logs belong together, the others are
  // compared in order.
  void Permuted(const Logs& machine, const Logs& device) {
    std::map<std::string, std::vector<Logs>> wanted;
    for (Logs& cta : ByCta(machine)) wanted[Key(cta)].push_back(std::move(cta));
    std::vector<Logs> strange;
    for (Logs& cta : ByCta(device)) {
      const auto found = wanted.find(Key(cta));
      if (found == wanted.end()) {
        strange.push_back(std::move(cta));
        continue;
      }
      Count(found->second.back(), cta);
      found->second.pop_back();
      if (found->second.empty()) wanted.erase(found);
    }
    std::vector<Logs> left;
    for (auto& [key, ctas] : wanted) std::move(ctas.begin(), ctas.end(), std::back_inserter(left));
    std::sort(left.begin(), left.end(),
              [](const Logs& a, const Logs& b) { return a.front()->cta < b.front()->cta; });
    for (size_t i = 0; i < std::max(left.size(), strange.size()); ++i) {
      PairOf(i < left.size() ? left[i] : Logs(), i < strange.size() ? strange[i] : Logs());
    }
  }

  Comparison Take() { return std::move(out_); }

 private:
  static std::tuple<int64_t, int, int64_t> Place(const WarpLog& log) {
    return {log.cta, log.role, log.warp};
  }

  static std::vector<Logs> ByCta(const Logs& logs) {
    std::vector<Logs> out;
    for (const WarpLog* log : logs) {
      if (out.empty() || out.back().front()->cta != log->cta) out.emplace_back();
      out.back().push_back(log);
    }
    return out;
  }

  static std::string Key(const Logs& cta) {
    std::string key;
    for (const WarpLog* log : cta) {
      absl::StrAppend(&key, "role ", log->role, " warp ", log->warp, " missing ", log->missing,
                      "\n");
      for (const Record& record : log->records) absl::StrAppend(&key, Text(record), "\n");
    }
    return key;
  }

  void Count(const Logs& machine, const Logs& device) {
    for (const WarpLog* log : machine) {
      ++out_.warps;
      out_.records += static_cast<int64_t>(log->records.size());
    }
    for (const WarpLog* log : device) out_.missing += log->missing;
  }

  // Two CTAs, warp by warp whatever their numbers.
  void PairOf(const Logs& machine, const Logs& device) {
    const WarpLog nothing;
    for (size_t i = 0; i < std::max(machine.size(), device.size()); ++i) {
      Warp(i < machine.size() ? *machine[i] : nothing, i < device.size() ? *device[i] : nothing);
    }
  }

  void Warp(const WarpLog& want, const WarpLog& got) {
    Count({&want}, {&got});
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
    const Logs want = OfKernel(machine, k), got = OfKernel(device, k);
    if (HasTickets(program, program.kernels[k])) {
      comparer.Permuted(want, got);
    } else {
      comparer.Places(want, got);
    }
  }
  return comparer.Take();
}

}  // namespace device::events
