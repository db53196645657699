#include "costmodel/contents.h"

#include <algorithm>
#include <iterator>

#include "compiler/facts/launch.h"

namespace costmodel {

using compiler::ir::ContentContract;
using compiler::ir::ExprId;

Contents::Contents(const compiler::ir::Program& program, const compiler::ir::LaunchValues& values) {
  const auto value = [&](ExprId id) -> std::optional<int64_t> {
    if (id == ExprId::kNone) return std::nullopt;
    const auto at = compiler::facts::EvaluateLaunch(program, id, values);
    if (!at.ok()) return std::nullopt;
    return *at;
  };
  for (const ContentContract& contract : program.contracts) {
    if (contract.kind != ContentContract::Kind::kRange) continue;
    const std::optional<int64_t> high = value(contract.high);
    if (!high) continue;
    Known& known = tensors_[contract.tensor];
    const bool everywhere = std::all_of(contract.index.begin(), contract.index.end(),
                                        [](ExprId id) { return id == ExprId::kNone; });
    if (everywhere) known.most = std::min(known.most.value_or(*high), *high);
    if (contract.index.size() != 1 || value(contract.low) != high) continue;
    if (const std::optional<int64_t> index = value(contract.index[0])) known.fixed[*index] = *high;
  }
}

std::optional<int64_t> Contents::Element(compiler::ir::TensorId tensor,
                                         const std::vector<int64_t>& index) const {
  const auto found = tensors_.find(tensor);
  if (found == tensors_.end()) return std::nullopt;
  const Known& known = found->second;
  if (index.size() != 1 || known.fixed.empty()) return known.most;
  const auto behind = known.fixed.lower_bound(index[0]);
  if (behind != known.fixed.end() && behind->first == index[0]) return behind->second;
  if (behind == known.fixed.begin() || behind == known.fixed.end()) return known.most;
  const auto before = std::prev(behind);
  const double part = static_cast<double>(index[0] - before->first) /
                      static_cast<double>(behind->first - before->first);
  return before->second +
         static_cast<int64_t>(part * static_cast<double>(behind->second - before->second));
}

}  // namespace costmodel
