#include "compiler/ir/order.h"

#include <utility>

namespace compiler::ir {
namespace {

constexpr std::pair<std::string_view, SyncScope> kScopes[] = {{"cta", SyncScope::kCta},
                                                              {"cluster", SyncScope::kCluster},
                                                              {"gpu", SyncScope::kGpu},
                                                              {"sys", SyncScope::kSys}};
constexpr std::pair<std::string_view, Order> kOrders[] = {{"relaxed", Order::kRelaxed},
                                                          {"acquire", Order::kAcquire},
                                                          {"release", Order::kRelease},
                                                          {"acq_rel", Order::kAcqRel}};

}  // namespace

SyncScope ParseSyncScope(std::string_view word) {
  for (const auto& [name, scope] : kScopes) {
    if (name == word) return scope;
  }
  return SyncScope::kCta;
}

std::string_view ToString(SyncScope scope) { return kScopes[static_cast<size_t>(scope)].first; }

Ordering OrderingOf(const OpDef& op, std::span<const std::string_view> modifiers) {
  Ordering ordering;
  Order order = op.effects.order;
  for (const std::string_view word : modifiers) {
    if (word == "volatile") {
      order = Order::kRelaxed;
      ordering.scope = SyncScope::kSys;
    }
    if (op.effects.order == Order::kWeak) continue;
    for (const auto& [name, written] : kOrders) {
      if (name == word && op.effects.order == Order::kAsWritten) order = written;
    }
    for (const auto& [name, scope] : kScopes) {
      if (name == word) ordering.scope = scope;
    }
  }
  ordering.strong = order != Order::kWeak;
  ordering.acquire = order == Order::kAcquire || order == Order::kAcqRel;
  ordering.release = order == Order::kRelease || order == Order::kAcqRel;
  return ordering;
}

Ordering OrderingOfFence(std::string_view word) {
  return {.strong = true, .acquire = true, .release = true, .scope = ParseSyncScope(word)};
}

}  // namespace compiler::ir
