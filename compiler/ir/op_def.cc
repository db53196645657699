#include "compiler/ir/op_def.h"

#include <algorithm>
#include <utility>

namespace compiler::ir {
namespace {

std::string Join(std::span<const std::string_view> parts) {
  std::string name;
  for (std::string_view part : parts) {
    if (!name.empty()) name += '.';
    name += part;
  }
  return name;
}

}  // namespace

bool Arrives(SyncEffect effect) {
  switch (effect) {
    case SyncEffect::kCommit:
    case SyncEffect::kRelease:
    case SyncEffect::kArrive:
    case SyncEffect::kArriveThread:
    case SyncEffect::kExpect:
    case SyncEffect::kTensorCommit:
    case SyncEffect::kAsyncArrive: return true;
    default: return false;
  }
}

OpTable::OpTable(std::vector<OpDef> ops) : ops_(std::move(ops)) {
  std::stable_sort(ops_.begin(), ops_.end(),
                   [](const OpDef& a, const OpDef& b) { return a.name < b.name; });
}

const OpDef* OpTable::Find(std::string_view name) const {
  const auto it = std::lower_bound(ops_.begin(), ops_.end(), name,
                                   [](const OpDef& op, std::string_view n) { return op.name < n; });
  return it != ops_.end() && it->name == name ? &*it : nullptr;
}

const OpDef* OpTable::FindLongest(std::span<const std::string_view> parts, size_t* taken) const {
  for (size_t n = parts.size(); n > 0; --n) {
    if (const OpDef* op = Find(Join(parts.first(n)))) {
      if (taken != nullptr) *taken = n;
      return op;
    }
  }
  return nullptr;
}

const OpDef* OpTable::FindOperator(std::string_view token, int arity) const {
  // The unary and the binary minus share a name; they are neighbours in the sorted list.
  auto it = std::lower_bound(ops_.begin(), ops_.end(), token,
                             [](const OpDef& op, std::string_view n) { return op.name < n; });
  for (; it != ops_.end() && it->name == token; ++it) {
    if (it->form == Form::kOperator && static_cast<int>(it->args.size()) == arity) return &*it;
  }
  return nullptr;
}

}  // namespace compiler::ir
