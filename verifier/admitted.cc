#include "verifier/admitted.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "verifier/tiles.h"

namespace verifier {
namespace {

constexpr size_t kMaxPlannedDeclarations = 12'000;
constexpr int64_t kMaxBytes = int64_t{256} << 20;  // of all tensors of one shape
constexpr int64_t kStridePadding = 64;             // elements, keeps every vector alignment

// Counts combinations in mixed radix, at most kMaxCombinations of them.
class Combinations {
 public:
  // `limit`: how many at most; a program of many declarations is planned fewer times.
  Combinations(const std::vector<std::vector<int64_t>>& domains, size_t limit)
      : domains_(domains), limit_(std::min(limit, kMaxCombinations)) {
    for (const auto& domain : domains) {
      total_ *= domain.size();
      if (total_ > (size_t{1} << 40)) total_ = size_t{1} << 40;
    }
    // A stride that shares no factor with the sizes walks every domain.
    stride_ = total_ <= limit_ ? 1 : total_ / limit_ * 2 + 1;
  }
  size_t count() const { return std::min(total_, limit_); }
  bool all() const { return total_ <= limit_; }
  std::vector<int64_t> At(size_t i) const {
    size_t index = i * stride_ % std::max<size_t>(total_, 1);
    std::vector<int64_t> values;
    for (const auto& domain : domains_) {
      values.push_back(domain[index % domain.size()]);
      index /= domain.size();
    }
    return values;
  }

 private:
  const std::vector<std::vector<int64_t>>& domains_;
  size_t limit_, total_ = 1, stride_ = 1;
};

// What each symbol is given by name; arg arrays element by element.
std::map<std::string, int64_t> NamesOf(const ir::Program& program,
                                       const std::vector<size_t>& symbols,
                                       const std::vector<int64_t>& values) {
  std::map<std::string, int64_t> named;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const ir::Symbol& symbol = program.symbols[symbols[i]];
    named[symbol.name] = values[i];
    // The elements of an array differ: they count on from the first one inside their range.
    if (ir::Info(symbol.dtype).is_float) continue;
    const int64_t low = symbol.has_range ? symbol.low : 0;
    const int64_t span = symbol.has_range ? std::min(symbol.high - low, kLargestTile) + 1 : 8;
    for (int64_t k = 0; k < symbol.elements; ++k) {
      named[absl::StrCat(symbol.name, "[", k, "]")] = low + (values[i] - low + k) % span;
    }
  }
  return named;
}

// The row-major strides of one combination; nothing when the guard does not admit it.
std::optional<ir::LaunchValues> ValuesAt(const ir::Program& program,
                                         const std::vector<size_t>& symbols,
                                         const std::vector<int64_t>& values, bool pad_strides) {
  const bool arrays = std::any_of(program.symbols.begin(), program.symbols.end(),
                                  [](const ir::Symbol& symbol) { return symbol.elements > 0; });
  absl::StatusOr<ir::LaunchValues> bound =
      arrays ? compiler::facts::BindLaunch(program, NamesOf(program, symbols, values))
             : compiler::facts::BindSymbols(program, symbols, values);
  if (!bound.ok()) return std::nullopt;
  if (pad_strides) {
    for (size_t i = 0; i < program.symbols.size(); ++i) {
      if (program.symbols[i].kind == ir::SymbolKind::kStride && bound->values[i] > 1) {
        bound->values[i] += kStridePadding;
      }
    }
  }
  if (!compiler::facts::Admits(program, *bound)) return std::nullopt;
  return *std::move(bound);
}

// Nothing for more memory than a shape may have.
std::optional<Weight> WeightOf(const compiler::facts::LaunchPlan& plan) {
  Weight weight;
  weight.runs = std::any_of(plan.kernels.begin(), plan.kernels.end(),
                            [](const auto& kernel) { return !kernel.skipped; });
  int64_t bytes = 0;
  weight.works = weight.runs;
  for (const compiler::facts::TensorPlan& tensor : plan.tensors) {
    bytes += std::min(tensor.bytes, kMaxBytes);
    // A workspace of the same size at every shape says nothing of the work.
    if (tensor.direction == ir::Direction::kWorkspace) continue;
    weight.cost += static_cast<double>(tensor.bytes);
    weight.works = weight.works && tensor.bytes != 0;
  }
  if (bytes > kMaxBytes) return std::nullopt;
  for (const compiler::facts::KernelLaunch& kernel : plan.kernels) {
    if (kernel.skipped) continue;
    weight.cost += static_cast<double>(kernel.grid[0]) * static_cast<double>(kernel.grid[1]) *
                   static_cast<double>(kernel.grid[2]) * static_cast<double>(kernel.block);
  }
  return weight;
}

}  // namespace

bool Admitted::AnyRuns() const {
  return std::any_of(weights_.begin(), weights_.end(), [](const Weight& one) { return one.runs; });
}

std::optional<size_t> Admitted::CheapestThatWorks() const {
  std::optional<size_t> cheapest;
  for (size_t i = 0; i < size(); ++i) {
    const bool cheaper = !cheapest || weights_[i].cost < weights_[*cheapest].cost;
    if (weights_[i].works && cheaper) cheapest = i;
  }
  return cheapest;
}

void Admitted::Add(const std::vector<int64_t>& values) {
  const std::optional<ir::LaunchValues> bound = ValuesAt(*program_, *symbols_, values, false);
  if (!bound || !compiler::facts::PlanSizes(*program_, *facts_, *bound, plan_).ok()) return;
  const std::optional<Weight> weight = WeightOf(plan_);
  if (!weight) return;
  weights_.push_back(*weight);
  choices_.push_back(values);
  shows_.insert(shows_.end(), symbols_->size(), weight->runs ? 1 : 0);
  for (const auto& kernel : plan_.kernels) skips_.push_back(kernel.skipped ? 1 : 0);
}

void Admitted::Settle() {
  std::vector<std::set<int64_t>> worked(symbols_->size());
  bool any = false;
  for (size_t i = 0; i < size(); ++i) {
    if (!weights_[i].works) continue;
    any = true;
    for (size_t s = 0; s < symbols_->size(); ++s) {
      if (Shows(i, s)) worked[s].insert(choices_[i][s]);
    }
  }
  for (size_t i = 0; i < size(); ++i) {
    if (!any) weights_[i].works = weights_[i].runs;
    if (weights_[i].works) continue;
    for (size_t s = 0; s < symbols_->size(); ++s) {
      if (worked[s].contains(choices_[i][s])) shows_[i * symbols_->size() + s] = 0;
    }
  }
}

Shape Admitted::ShapeAt(size_t i) const {
  Shape shape = *ShapeOf(*program_, *facts_, *symbols_, choices_[i], false);
  shape.works = weights_[i].works;
  for (size_t s = 0; s < symbols_->size(); ++s) {
    if (Shows(i, s)) shape.shows.emplace_back(s, choices_[i][s]);
  }
  shape.text = compiler::facts::DescribeLaunch(*program_, shape.values);
  return shape;
}

std::optional<Shape> ShapeOf(const ir::Program& program, const compiler::facts::Facts& facts,
                             const std::vector<size_t>& symbols, const std::vector<int64_t>& values,
                             bool pad_strides) {
  std::optional<ir::LaunchValues> bound = ValuesAt(program, symbols, values, pad_strides);
  if (!bound) return std::nullopt;
  Shape shape{.values = *std::move(bound)};
  const auto planned = compiler::facts::PlanSizes(program, facts, shape.values, shape.plan);
  const std::optional<Weight> weight = planned.ok() ? WeightOf(shape.plan) : std::nullopt;
  if (!weight) return std::nullopt;
  shape.runs = weight->runs;
  shape.works = weight->works;
  shape.cost = weight->cost;
  return shape;
}

namespace {

// Around the cheapest shape: each value of each symbol where the others stay as they are.
void AdmitNear(const std::vector<std::vector<int64_t>>& domains, Admitted& admitted) {
  const std::optional<size_t> cheapest = admitted.CheapestThatWorks();
  if (!cheapest) return;
  const std::vector<int64_t> base = admitted.ValuesOf(*cheapest);
  const std::set<std::vector<int64_t>> known(admitted.choices().begin(), admitted.choices().end());
  for (size_t s = 0; s < domains.size(); ++s) {
    for (const int64_t value : domains[s]) {
      std::vector<int64_t> values = base;
      values[s] = value;
      if (!known.contains(values)) admitted.Add(values);
    }
  }
}

}  // namespace

Admitted Admit(const ir::Program& program, const compiler::facts::Facts& facts,
               const std::vector<size_t>& symbols, const std::vector<std::vector<int64_t>>& domains,
               size_t limit) {
  Admitted admitted(program, facts, symbols);
  const size_t declarations = program.symbols.size() + program.tensors.size() +
                              program.guards.size() + program.kernels.size() + 1;
  const Combinations combinations(domains,
                                  std::min(limit, kMaxPlannedDeclarations / declarations + 1));
  for (size_t i = 0; i < combinations.count(); ++i) admitted.Add(combinations.At(i));
  admitted.Settle();
  if (!combinations.all()) {
    AdmitNear(domains, admitted);
    admitted.Settle();
  }
  return admitted;
}

}  // namespace verifier
