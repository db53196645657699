#include "verifier/policy.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/facts/launch.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/order.h"

namespace verifier {
namespace {

using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

namespace ir = compiler::ir;

constexpr Def<Name, Name> kUnknownBlocks{
    "CK2592", Severity::kError, Category::kUnproven, "{0} stays unknown: {1}",
    "a property that no proof and no run has spoken of may be violated on every launch"};
constexpr Def<Name, Name> kUnknownWarns{
    "CK2593", Severity::kWarning, Category::kUnproven, "{0} stays unknown: {1}",
    "wrong values of this kind are found where the program runs, by the comparison of its outputs"};

constexpr UnknownRule kUnknown[] = {
    {"bounds", true},       {"overflow", true},   {"alignment", true},   {"races", true},
    {"global races", true}, {"deadlock", true},   {"convergence", true}, {"interleavings", false},
    {"definedness", false}, {"resources", false},
};

constexpr ProxyRule kProxies[] = {
    {"generic access", "generic access", "", "", "PTX ISA, memory consistency model", ""},
    {"asynchronous copy or product", "any access", "its completion: a wait of its group or event",
     "", "PTX ISA, async operations: completion implies a proxy fence",
     "A2: there is one async proxy in a cluster, and completion implies the proxy fence"},
    {"generic write", "async proxy", "`fence async`, by the writer or by the issuer", "",
     "practice both ways; PTX ISA has no rule in its causality order",
     "A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA "
     "suffices"},
    {"generic read", "async proxy writes",
     "nothing written: every hand-over of a role that reads what copies fill is lowered with a "
     "fence",
     "`fence async`",
     "seen on an H200: without the fence a refill overtakes `ldmatrix` (compiler/facts/proxies.h)",
     "generic reads come before an asynchronous refill by the hand-over alone: it is lowered with "
     "a fence"},
    {"async proxy", "async proxy", "completion of the first", "",
     "practice: rings of copies and products have no fence between them", ""},
};

// Whether the program has something that waits for other threads or orders accesses among them.
struct Traits {
  bool waits = false, orders = false, products = false;
};

Traits TraitsOf(const ir::Program& program) {
  Traits traits;
  const auto body = [&](const std::vector<ir::StmtId>& statements) {
    compiler::facts::ForEachStmt(program, statements, [&](ir::StmtId, const ir::Stmt& stmt) {
      if (stmt.op != nullptr) {
        traits.waits |= stmt.op->effects.sync != ir::SyncEffect::kNone;
        traits.orders |= ir::OrderingOf(*stmt.op, stmt.modifiers).strong;
        traits.products |=
            stmt.op->effects.product && stmt.op->effects.engine != ir::ProductEngine::kWarp;
      }
      for (const ir::ExprId root : compiler::facts::OwnExprs(program, stmt)) {
        compiler::facts::ForEachExpr(program, root, [&](ir::ExprId, const ir::Expr& expr) {
          if (expr.op == nullptr) return;
          traits.waits |= expr.op->effects.collective;
          traits.orders |= ir::OrderingOf(*expr.op, expr.modifiers).strong;
        });
      }
    });
  };
  for (const ir::Kernel& kernel : program.kernels) {
    for (const ir::Role& role : kernel.roles) body(role.body);
  }
  return traits;
}

void AddAxioms(const ir::Program& program, const compiler::facts::Facts& facts,
               const Policy& policy, std::vector<std::string>& all) {
  const Traits traits = TraitsOf(program);
  if (traits.waits || traits.orders) {
    all.emplace_back("A1: the causality order of the PTX memory model, as it is read here");
  }
  const bool copies = !facts.copies.plans.empty();
  for (const ProxyRule& rule : ProxyRules()) {
    const bool needed = copies || (traits.products && rule.assumption.starts_with("A2"));
    if (rule.assumption.empty() || !needed) continue;
    if (policy.strict_proxies && !rule.strict_needs.empty()) continue;
    all.push_back(absl::StrCat("proxies: ",
                               absl::string_view(rule.assumption.data(), rule.assumption.size())));
  }
  if (traits.waits || copies || traits.products) {
    all.emplace_back("A6: ptxas keeps the order of synchronisation and asynchronous operations");
  }
  if (traits.waits) {
    all.emplace_back("A7: CTAs that are resident go on, operations that are issued complete");
  }
}

// The part of the guard that no `where` says: sizes that do not fit their type where dims are
// largest.
void AddSizes(const ir::Program& program, std::vector<std::string>& all) {
  ir::LaunchValues largest;
  for (const ir::Symbol& symbol : program.symbols) {
    largest.values.push_back(symbol.has_range ? symbol.high : 0);
  }
  for (const ir::Tensor& tensor : program.tensors) {
    for (const ir::ExprId extent : tensor.shape) {
      const ir::Expr& expr = program[extent];
      if (expr.kind != ir::ExprKind::kOp ||
          compiler::facts::EvaluateLaunch(program, extent, largest).ok()) {
        continue;
      }
      std::string said =
          absl::StrCat("`", std::string(compiler::facts::TextOf(program, expr.source.span)),
                       "` fits ", std::string(ir::ToString(expr.type.dtype)),
                       " (the launcher checks)");
      if (std::find(all.begin(), all.end(), said) == all.end()) all.push_back(std::move(said));
    }
  }
}

}  // namespace

std::span<const UnknownRule> UnknownRules() { return kUnknown; }
std::span<const ProxyRule> ProxyRules() { return kProxies; }

bool UnknownBlocks(std::string_view property) {
  const auto* const rule =
      std::find_if(std::begin(kUnknown), std::end(kUnknown),
                   [&](const UnknownRule& one) { return one.property == property; });
  // A property that the table does not name is nobody's to wave through.
  return rule == std::end(kUnknown) || rule->blocks;
}

void ReportUnknown(const ir::Program& program, const std::vector<PropertyStatus>& properties,
                   compiler::diag::Report& report) {
  if (report.has_errors()) return;
  const compiler::diag::Span place =
      program.kernels.empty() ? compiler::diag::Span{} : program.kernels[0].declared;
  for (const PropertyStatus& status : properties) {
    if (status.how != How::kUnknown) continue;
    report.Add(UnknownBlocks(status.property) ? kUnknownBlocks : kUnknownWarns, place,
               Name{status.property}, Name{status.coverage});
  }
}

std::vector<std::string> AssumptionsOf(const ir::Program& program,
                                       const compiler::facts::Facts& facts, const Policy& policy) {
  std::vector<std::string> all;
  for (const ir::ContentContract& contract : program.contracts) {
    all.push_back(absl::StrCat("contents: ", contract.text));
  }
  for (const ir::Symbol& symbol : program.symbols) {
    if (symbol.kind == ir::SymbolKind::kSms) {
      all.push_back(absl::StrCat("SMS is in ", symbol.low, "..=1024"));
    }
  }
  all.emplace_back(program.aliases.empty()
                       ? "tensors do not overlap (the launcher checks)"
                       : "tensors overlap only where `alias` says so (the launcher checks)");
  all.emplace_back("tensors begin at 16-byte boundaries (the launcher checks)");
  for (const ir::Tensor& tensor : program.tensors) {
    if (tensor.alignment <= 16) continue;
    all.push_back(absl::StrCat("`", tensor.name, "` begins at a multiple of ", tensor.alignment,
                               " bytes (the launcher checks)"));
  }
  AddSizes(program, all);
  AddAxioms(program, facts, policy, all);
  return all;
}

}  // namespace verifier
