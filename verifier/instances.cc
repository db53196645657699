#include "verifier/instances.h"

#include <algorithm>
#include <bit>
#include <set>

#include "compiler/facts/walk.h"

namespace verifier {
namespace {

constexpr size_t kMaxTileConstants = 8;
constexpr size_t kMaxValuesPerSymbol = 24;
constexpr size_t kMaxCombinations = 4096;
constexpr int64_t kLargestTile = 16384;
constexpr int64_t kMaxBytes = int64_t{256} << 20;  // of all tensors of one shape
constexpr int64_t kSmsValues[] = {4, 1};           // rulings-compiler.md 2.3
constexpr int64_t kStridePadding = 64;             // elements, keeps every vector alignment

// The sizes at which control changes: integer constants of the program, and the CTA's threads.
std::vector<int64_t> TileConstants(const ir::Program& program,
                                   const compiler::facts::Facts& facts) {
  std::set<int64_t> found;
  const auto note = [&](ir::ExprId, const ir::Expr& expr) {
    if (expr.kind != ir::ExprKind::kInt || expr.type.dtype == ir::DType::kBool) return;
    if (expr.int_value >= 2 && expr.int_value <= kLargestTile) found.insert(expr.int_value);
  };
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const ir::Kernel& kernel = program.kernels[k];
    for (const ir::ExprId extent : kernel.grid) {
      compiler::facts::ForEachExpr(program, extent, note);
    }
    const auto visit = [&](ir::StmtId, const ir::Stmt& stmt) {
      for (const ir::ExprId root : {stmt.low, stmt.high, stmt.step}) {
        compiler::facts::ForEachExpr(program, root, note);
      }
      if (stmt.kind == ir::StmtKind::kIf || stmt.kind == ir::StmtKind::kWhile) {
        compiler::facts::ForEachExpr(program, stmt.value, note);
      }
    };
    for (const ir::Role& role : kernel.roles) {
      compiler::facts::ForEachStmt(program, role.body, visit);
    }
    compiler::facts::ForEachStmt(program, kernel.lets, [&](ir::StmtId id, const ir::Stmt& stmt) {
      visit(id, stmt);
      compiler::facts::ForEachExpr(program, stmt.value, note);
    });
    found.insert(facts.kernels[k].threads);
  }
  // Few, spread over the sizes: the smallest, the largest, and evenly between.
  std::vector<int64_t> all(found.begin(), found.end());
  if (all.size() <= kMaxTileConstants) return all;
  std::vector<int64_t> some;
  for (size_t i = 0; i < kMaxTileConstants; ++i) {
    some.push_back(all[i * (all.size() - 1) / (kMaxTileConstants - 1)]);
  }
  return some;
}

// Values of one symbol, each a multiple of `divisor` and inside its range; smaller ones first.
std::vector<int64_t> ValuesOf(const ir::Symbol& symbol, int64_t divisor,
                              const std::vector<int64_t>& tiles) {
  if (symbol.kind == ir::SymbolKind::kSms) return {std::begin(kSmsValues), std::end(kSmsValues)};
  const ir::DTypeInfo& info = ir::Info(symbol.dtype);
  if (info.is_float) return {std::bit_cast<uint32_t>(0.5f)};
  if (symbol.dtype == ir::DType::kBool) return {0, 1};
  int64_t low = symbol.has_range ? symbol.low : 0;
  const int64_t high = symbol.has_range ? symbol.high : (int64_t{1} << 20);
  low = (low + divisor - 1) / divisor * divisor;
  std::set<int64_t> values;
  const auto add = [&](int64_t value) {
    for (const int64_t v : {value / divisor * divisor, (value + divisor - 1) / divisor * divisor}) {
      if (v >= low && v <= high) values.insert(v);
    }
  };
  add(low);
  add(low + divisor);
  for (const int64_t tile : tiles) {
    for (const int64_t value : {tile - 1, tile, tile + 1, 2 * tile + 1}) add(value);
  }
  std::vector<int64_t> sorted(values.begin(), values.end());
  if (sorted.size() > kMaxValuesPerSymbol) sorted.resize(kMaxValuesPerSymbol);
  return sorted;
}

// Counts combinations in mixed radix, at most kMaxCombinations of them.
class Combinations {
 public:
  explicit Combinations(const std::vector<std::vector<int64_t>>& domains) : domains_(domains) {
    for (const auto& domain : domains) {
      total_ *= domain.size();
      if (total_ > (size_t{1} << 40)) total_ = size_t{1} << 40;
    }
    // A stride that shares no factor with the sizes walks every domain.
    stride_ = total_ <= kMaxCombinations ? 1 : total_ / kMaxCombinations * 2 + 1;
  }
  size_t count() const { return std::min(total_, kMaxCombinations); }
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
  size_t total_ = 1, stride_ = 1;
};

// The row-major strides and the plan of one combination; nothing when the guard does not admit it.
std::optional<Shape> ShapeOf(const ir::Program& program, const compiler::facts::Facts& facts,
                             const std::vector<size_t>& symbols, const std::vector<int64_t>& values,
                             bool pad_strides) {
  std::map<std::string, int64_t> named;
  for (size_t i = 0; i < symbols.size(); ++i) named[program.symbols[symbols[i]].name] = values[i];
  absl::StatusOr<ir::LaunchValues> bound = compiler::facts::BindLaunch(program, named);
  if (!bound.ok()) return std::nullopt;
  if (pad_strides) {
    for (size_t i = 0; i < program.symbols.size(); ++i) {
      if (program.symbols[i].kind == ir::SymbolKind::kStride && bound->values[i] > 1) {
        bound->values[i] += kStridePadding;
      }
    }
  }
  absl::StatusOr<compiler::facts::LaunchPlan> plan =
      compiler::facts::PlanLaunch(program, facts, *bound, "");
  if (!plan.ok()) return std::nullopt;
  Shape shape{.values = *std::move(bound), .plan = *std::move(plan)};
  int64_t bytes = 0;
  for (const compiler::facts::TensorPlan& tensor : shape.plan.tensors) {
    bytes += std::min(tensor.bytes, kMaxBytes);
    shape.cost += static_cast<double>(tensor.bytes);
  }
  if (bytes > kMaxBytes) return std::nullopt;
  for (const compiler::facts::KernelLaunch& kernel : shape.plan.kernels) {
    if (kernel.skipped) continue;
    shape.cost += static_cast<double>(kernel.grid[0]) * static_cast<double>(kernel.grid[1]) *
                  static_cast<double>(kernel.grid[2]) * static_cast<double>(kernel.block);
  }
  shape.text = compiler::facts::DescribeLaunch(program, shape.values);
  return shape;
}

}  // namespace

Selection SelectShapes(const ir::Program& program, const compiler::facts::Facts& facts,
                       const std::vector<KernelAnalysis>& kernels, const Policy& policy) {
  const std::vector<int64_t> tiles = TileConstants(program, facts);
  std::vector<size_t> symbols;
  std::vector<std::vector<int64_t>> domains;
  bool strides = false;
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    if (program.symbols[i].kind == ir::SymbolKind::kStride) {
      strides = true;
      continue;
    }
    int64_t divisor = 1;
    if (!kernels.empty()) divisor = kernels[0].atoms[static_cast<AtomId>(i)].divisor;
    symbols.push_back(i);
    domains.push_back(ValuesOf(program.symbols[i], divisor, tiles));
    if (domains.back().empty()) return {};
  }
  std::vector<Shape> admitted;
  std::vector<std::vector<int64_t>> choices;
  const Combinations combinations(domains);
  for (size_t i = 0; i < combinations.count(); ++i) {
    const std::vector<int64_t> values = combinations.At(i);
    std::optional<Shape> shape = ShapeOf(program, facts, symbols, values, false);
    if (!shape) continue;
    admitted.push_back(*std::move(shape));
    choices.push_back(values);
  }
  std::vector<size_t> order(admitted.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return admitted[a].cost < admitted[b].cost; });

  // The cheapest shape for each value of each symbol that no chosen shape shows yet.
  Selection selection;
  std::set<std::pair<size_t, int64_t>> wanted, covered;
  for (const std::vector<int64_t>& values : choices) {
    for (size_t s = 0; s < values.size(); ++s) wanted.emplace(s, values[s]);
  }
  for (const size_t i : order) {
    bool adds = false;
    for (size_t s = 0; s < choices[i].size(); ++s) adds |= !covered.contains({s, choices[i][s]});
    if (!adds) continue;
    if (static_cast<int>(selection.shapes.size()) >= policy.max_instances - (strides ? 1 : 0))
      break;
    for (size_t s = 0; s < choices[i].size(); ++s) covered.emplace(s, choices[i][s]);
    selection.shapes.push_back(admitted[i]);
    if (strides && selection.shapes.size() == 2) {
      if (auto padded = ShapeOf(program, facts, symbols, choices[i], true)) {
        padded->text += ", strides wider than the rows";
        selection.shapes.push_back(*std::move(padded));
      }
    }
  }
  selection.wanted = static_cast<int64_t>(wanted.size());
  selection.covered = static_cast<int64_t>(covered.size());
  return selection;
}

}  // namespace verifier
