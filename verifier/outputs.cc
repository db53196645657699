#include "verifier/outputs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ir/walk.h"

namespace verifier {
namespace {

namespace ir = compiler::ir;
using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;
using compiler::diag::Span;

constexpr Def<Name, Name> kNeverWritten{
    "CK2546", Severity::kError, Category::kSafety, "nothing is stored to `{0}[{1}]`",
    "memory of an output is not cleared before a launch: what no thread stores to holds what was "
    "there"};

constexpr Def<Name> kNoStore{
    "CK2549", Severity::kWarning, Category::kSafety, "no statement stores to `{0}`",
    "memory of an output is not cleared before a launch: what no thread stores to holds what was "
    "there"};

// Places that store to the tensor, each once.
std::vector<Span> StoresTo(const ir::Program& program, size_t tensor) {
  std::vector<Span> places;
  std::vector<ir::ViewId> views;
  for (const ir::Stmt& stmt : program.stmts) {
    if (stmt.dead) continue;
    views.clear();
    ir::AppendWrittenViews(program, stmt, views);
    for (const ir::ViewId view : views) {
      const Span span = program[view].source.span;
      const bool known = std::any_of(places.begin(), places.end(),
                                     [&](const Span& s) { return s.begin == span.begin; });
      if (static_cast<size_t>(program[view].tensor) == tensor && !known) places.push_back(span);
    }
  }
  return places;
}

// Of an offset in elements.
std::vector<int64_t> IndexOf(const compiler::facts::TensorPlan& plan, int64_t offset) {
  // Strides of any order: the largest first.
  std::vector<size_t> order(plan.shape.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return plan.strides[a] > plan.strides[b]; });
  std::vector<int64_t> index(order.size());
  for (const size_t d : order) {
    if (plan.shape[d] == 1 || plan.strides[d] <= 0) continue;
    index[d] = offset / plan.strides[d];
    offset %= plan.strides[d];
  }
  return index;
}

}  // namespace

void AddUnwritten(const ir::Program& program, size_t tensor, const std::vector<int64_t>& element,
                  const std::string& shape, compiler::diag::Report& report) {
  const ir::Tensor& declared = program.tensors[tensor];
  const std::vector<Span> stores = StoresTo(program, tensor);
  const bool one = stores.size() == 1;
  auto builder = report.Add(kNeverWritten, one ? stores.front() : declared.declared,
                            Name{declared.name}, Name{absl::StrJoin(element, ", ")});
  if (one) builder.Label(declared.declared, "declared here");
  builder.At({.shape = shape});
  builder.Fix(absl::StrCat("store to all of it, or declare `inout ", declared.name,
                           "`: what is not stored to then keeps its value"),
              {}, Applicability::kManual);
}

compiler::diag::Report UnwrittenOutputs(const ir::Program& program, const Shape& shape,
                                        const compiler::machine::Result& result) {
  compiler::diag::Report report;
  for (size_t i = 0; i < result.unwritten.size(); ++i) {
    if (result.unwritten[i] < 0) continue;
    const compiler::facts::TensorPlan& plan = shape.plan.tensors[i];
    const auto tensor =
        std::find_if(program.tensors.begin(), program.tensors.end(),
                     [&](const ir::Tensor& each) { return each.name == plan.name; });
    if (tensor == program.tensors.end()) continue;
    const auto at = static_cast<size_t>(tensor - program.tensors.begin());
    if (StoresTo(program, at).empty()) {
      report.Add(kNoStore, tensor->declared, Name{plan.name});
      continue;
    }
    AddUnwritten(program, at, IndexOf(plan, result.unwritten[i]), shape.text, report);
  }
  return report;
}

}  // namespace verifier
