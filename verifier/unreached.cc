#include "verifier/unreached.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "compiler/facts/contents.h"
#include "compiler/ir/walk.h"
#include "verifier/outputs.h"
#include "verifier/ranges.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Report;
using compiler::diag::Severity;
using compiler::facts::KernelLaunch;
using compiler::facts::LaunchPlan;
using compiler::facts::TensorPlan;

constexpr Def<int64_t, int64_t, Name> kTooFew{
    "CK2591", Severity::kError, Category::kSafety,
    "all threads of the launch store at most {0} of the {1} elements of `{2}`",
    "memory of an output is not cleared before a launch: what no thread stores to holds what was "
    "there"};

constexpr size_t kMaxBoxes = 64;  // of one tensor; of more nothing is said
constexpr size_t kMaxShapes = 8;
constexpr int64_t kMaxContentBytes = int64_t{1} << 23;  // of tensors that contracts may speak of
constexpr long double kMostCounted = 9e18L;             // more are as many

// Elements that the executions of one statement lie in, by dimension, ends included.
struct Box {
  std::vector<ir::Range> sides;
  bool operator<(const Box& other) const {
    return std::lexicographical_compare(
        sides.begin(), sides.end(), other.sides.begin(), other.sides.end(),
        [](ir::Range a, ir::Range b) { return a.low != b.low ? a.low < b.low : a.high < b.high; });
  }
  bool Has(const std::vector<int64_t>& element) const {
    for (size_t d = 0; d < sides.size(); ++d) {
      if (element[d] < sides[d].low || element[d] > sides[d].high) return false;
    }
    return true;
  }
};

struct Stores {
  std::set<Box> boxes;
  long double elements = 0;  // at most
};

// What one kernel stores to the tensors, at one launch.
class Reader {
 public:
  Reader(const ir::Program& program, const ir::Kernel& kernel, const KernelLaunch& launch,
         const std::vector<const TensorPlan*>& tensors, const ir::LaunchValues& values,
         std::map<size_t, Stores>& stores)
      : program_(program),
        tensors_(tensors),
        ctas_(static_cast<long double>(launch.grid[0] * launch.grid[1] * launch.grid[2])),
        ranges_(program, kernel, launch, values),
        stores_(stores) {
    for (const ir::StmtId let : kernel.lets) ranges_.Declare(program[let]);
    for (const ir::Role& role : kernel.roles) {
      ranges_.EnterRole(role.warps);
      warps_ = static_cast<long double>(role.warps);
      Block(role.body, warps_ * ir::kLanes, ctas_);
    }
  }

 private:
  // `threads` of a CTA execute the body, `times` times all CTAs together.
  void Block(const std::vector<ir::StmtId>& body, long double threads, long double times) {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      Written(stmt, threads, times);
      switch (stmt.kind) {
        case ir::StmtKind::kLet: ranges_.Declare(stmt); break;
        case ir::StmtKind::kElect: Block(stmt.body, std::min(threads, warps_), times); break;
        case ir::StmtKind::kOnce: Block(stmt.body, 1, times); break;
        case ir::StmtKind::kIf: {
          const std::optional<bool> truth = ranges_.Truth(stmt.value);
          const auto before = ranges_.EnterTrue(stmt.value);
          if (truth != false) Block(stmt.body, threads, times);
          ranges_.Leave(before);
          if (truth != true) Block(stmt.else_body, threads, times);
          break;
        }
        case ir::StmtKind::kFor:
        case ir::StmtKind::kWhile: {
          const std::optional<int64_t> trips = ranges_.EnterLoop(stmt);
          if (trips == 0) break;
          Block(stmt.body, threads,
                trips ? times * static_cast<long double>(*trips) : kMostCounted);
          break;
        }
        default: break;
      }
    }
  }

  // What only adds to an element leaves it as undefined as it was.
  static bool Adds(const ir::Stmt& stmt) {
    return stmt.op != nullptr && (stmt.op->form == ir::Form::kCallStatement ||
                                  stmt.op->effects.copy == ir::CopyEffect::kTensorReduce ||
                                  stmt.op->effects.copy == ir::CopyEffect::kBulkReduce);
  }

  void Written(const ir::Stmt& stmt, long double threads, long double times) {
    if (Adds(stmt)) return;
    views_.clear();
    ir::AppendWrittenViews(program_, stmt, views_);
    for (const ir::ViewId id : views_) {
      const ir::View& view = program_[id];
      const auto tensor = static_cast<size_t>(view.tensor);
      if (view.space != ir::Space::kGlobal || !Judged(tensor)) continue;
      Box box;
      long double inside = 1, width = 1;
      for (size_t d = 0; d < view.index.size(); ++d) {
        const ir::ViewIndex& index = view.index[d];
        const int64_t extent = index.is_slice ? ranges_.Of(index.extent).high : 1;
        const ir::Range first = ranges_.Of(index.offset);
        const int64_t last = tensors_[tensor]->shape[d] - 1;
        const ir::Range side{std::max<int64_t>(first.low, 0),
                             std::min(last, first.high > last ? last : first.high + extent - 1)};
        box.sides.push_back(side);
        inside *= static_cast<long double>(std::max<int64_t>(side.high - side.low + 1, 0));
        width *= static_cast<long double>(std::min(extent, last + 1));
      }
      if (inside == 0) continue;
      // A copy between memories is issued by one thread of the warp.
      const bool copy = stmt.source_view != ir::ViewId::kNone;
      const long double issued = copy ? std::min(threads, warps_) : threads;
      Stores& stores = stores_[tensor];
      stores.boxes.insert(std::move(box));
      stores.elements += std::min(inside, issued * times * width);
    }
  }

  bool Judged(size_t tensor) const {
    return program_.tensors[tensor].direction == ir::Direction::kOut;
  }

  const ir::Program& program_;
  const std::vector<const TensorPlan*>& tensors_;  // by TensorId
  const long double ctas_;
  Ranges ranges_;
  std::map<size_t, Stores>& stores_;
  long double warps_ = 1;
  std::vector<ir::ViewId> views_;
};

// An element of the tensor that is in no box, beside one of them; nothing where none is found.
std::optional<std::vector<int64_t>> Outside(const TensorPlan& plan, const std::set<Box>& boxes) {
  const auto in_none = [&](const std::vector<int64_t>& element) {
    return std::none_of(boxes.begin(), boxes.end(),
                        [&](const Box& box) { return box.Has(element); });
  };
  for (const Box& box : boxes) {
    for (size_t d = 0; d < plan.shape.size(); ++d) {
      for (const int64_t at : {box.sides[d].high + 1, box.sides[d].low - 1}) {
        if (at < 0 || at >= plan.shape[d]) continue;
        for (const bool last : {false, true}) {
          std::vector<int64_t> element;
          for (const int64_t extent : plan.shape) element.push_back(last ? extent - 1 : 0);
          element[d] = at;
          if (in_none(element)) return element;
        }
      }
    }
  }
  return std::nullopt;
}

bool MayHaveContracts(const ir::Program& program, const TensorPlan& tensor) {
  const bool given =
      tensor.direction == ir::Direction::kIn || tensor.direction == ir::Direction::kInOut;
  return given && !program.contracts.empty() && ir::Info(tensor.dtype).is_integer;
}

// Bytes of the tensors whose contents it takes to know that a launch can be.
int64_t ContentBytes(const ir::Program& program, const LaunchPlan& plan) {
  int64_t bytes = 0;
  for (const TensorPlan& tensor : plan.tensors) {
    if (MayHaveContracts(program, tensor)) bytes += std::min(tensor.bytes, kMaxContentBytes + 1);
  }
  return bytes;
}

// Whether some contents satisfy the contracts: a shape without any is that of no launch.
bool HasContents(const ir::Program& program, const LaunchPlan& plan,
                 const ir::LaunchValues& values) {
  if (program.contracts.empty()) return true;
  if (ContentBytes(program, plan) > kMaxContentBytes) return false;
  std::vector<std::vector<std::byte>> storage(program.tensors.size());
  compiler::facts::TensorBytes bytes(program.tensors.size());
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    for (const TensorPlan& tensor : plan.tensors) {
      if (tensor.name != program.tensors[i].name || !MayHaveContracts(program, tensor)) continue;
      storage[i].resize(static_cast<size_t>(tensor.bytes));
      bytes[i] = storage[i];
    }
  }
  return compiler::facts::FillContents(program, plan, values, bytes, 1).ok();
}

// Sizes raised one after the other as far as the guard goes, each of them first once.
class Largest {
 public:
  Largest(const ir::Program& program, const compiler::facts::Facts& facts,
          const std::vector<KernelAnalysis>& kernels, const ir::LaunchValues& base)
      : program_(program), facts_(facts) {
    for (size_t i = 0; i < program.symbols.size(); ++i) {
      const ir::Symbol& symbol = program.symbols[i];
      if (symbol.kind == ir::SymbolKind::kStride) continue;
      const bool size = symbol.kind != ir::SymbolKind::kSms && symbol.has_range &&
                        ir::Info(symbol.dtype).is_integer;
      if (size && symbol.high > base.values[i]) dims_.push_back(symbols_.size());
      divisors_.push_back(kernels[0].atoms[static_cast<AtomId>(i)].divisor);
      symbols_.push_back(i);
      base_.push_back(base.values[i]);
    }
  }

  std::vector<ir::LaunchValues> All() const {
    std::set<std::vector<int64_t>> found;
    for (size_t first = 0; first < std::min(dims_.size(), kMaxShapes); ++first) {
      std::vector<int64_t> values = base_;
      for (size_t i = 0; i < dims_.size(); ++i) Raise(dims_[(first + i) % dims_.size()], values);
      found.insert(std::move(values));
    }
    std::vector<ir::LaunchValues> all;
    for (const std::vector<int64_t>& values : found) {
      auto bound = compiler::facts::BindSymbols(program_, symbols_, values);
      if (bound.ok()) all.push_back(*std::move(bound));
    }
    return all;
  }

 private:
  bool Admitted(const std::vector<int64_t>& values) const {
    const auto bound = compiler::facts::BindSymbols(program_, symbols_, values);
    if (!bound.ok() || !compiler::facts::Admits(program_, *bound)) return false;
    if (program_.contracts.empty()) return true;
    const auto plan = compiler::facts::PlanSizes(program_, facts_, *bound);
    return plan.ok() && ContentBytes(program_, *plan) <= kMaxContentBytes;
  }

  void Raise(size_t at, std::vector<int64_t>& values) const {
    const int64_t least = values[at], divisor = std::max<int64_t>(divisors_[at], 1);
    int64_t value = program_.symbols[symbols_[at]].high;
    while (value / divisor * divisor > least) {
      values[at] = value / divisor * divisor;
      if (Admitted(values)) return;
      value = least + (value - least) / 2;
    }
    values[at] = least;
  }

  const ir::Program& program_;
  const compiler::facts::Facts& facts_;
  std::vector<size_t> symbols_, dims_;  // dims: places among the symbols
  std::vector<int64_t> divisors_, base_;
};

void Judge(const ir::Program& program, const LaunchPlan& plan, const ir::LaunchValues& values,
           std::set<size_t>& told, Report& report) {
  std::map<size_t, Stores> stores;
  std::vector<const TensorPlan*> tensors;
  for (const ir::Tensor& tensor : program.tensors) {
    tensors.push_back(&*std::find_if(plan.tensors.begin(), plan.tensors.end(),
                                     [&](const TensorPlan& p) { return p.name == tensor.name; }));
  }
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    if (plan.kernels[k].skipped) continue;
    Reader(program, program.kernels[k], plan.kernels[k], tensors, values, stores);
  }
  for (const auto& [tensor, of] : stores) {
    const TensorPlan& planned = *tensors[tensor];
    long double elements = 1;
    for (const int64_t extent : planned.shape) elements *= static_cast<long double>(extent);
    if (elements > kMostCounted || of.boxes.size() > kMaxBoxes || told.contains(tensor)) continue;
    const auto element = Outside(planned, of.boxes);
    if (!element && of.elements >= elements) continue;
    if (!HasContents(program, plan, values)) return;
    const std::string shape = compiler::facts::DescribeLaunch(program, values);
    if (element) {
      AddUnwritten(program, tensor, *element, shape, report);
    } else {
      report
          .Add(kTooFew, program.tensors[tensor].declared, static_cast<int64_t>(of.elements),
               static_cast<int64_t>(elements), Name{planned.name})
          .At({.shape = shape})
          .Fix("let the grid, or a loop around, grow with the size", {}, Applicability::kManual);
    }
    told.insert(tensor);
  }
}

}  // namespace

Report UnreachedOutputs(const ir::Program& program, const compiler::facts::Facts& facts,
                        const std::vector<KernelAnalysis>& kernels, const Selection& selection) {
  Report report;
  const auto base = std::find_if(selection.shapes.begin(), selection.shapes.end(),
                                 [](const Shape& shape) { return shape.works; });
  const bool arrays = std::any_of(program.symbols.begin(), program.symbols.end(),
                                  [](const ir::Symbol& symbol) { return symbol.elements > 0; });
  if (base == selection.shapes.end() || arrays || kernels.empty() || !program.aliases.empty()) {
    return report;
  }
  std::set<size_t> told;
  for (const ir::LaunchValues& values : Largest(program, facts, kernels, base->values).All()) {
    const auto plan = compiler::facts::PlanSizes(program, facts, values);
    if (plan.ok()) Judge(program, *plan, values, told, report);
  }
  return report;
}

}  // namespace verifier
