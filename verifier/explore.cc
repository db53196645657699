#include "verifier/explore.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <set>

#include "compiler/machine/machine.h"

namespace verifier {
namespace {

using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<Name> kNotRun{"CK2510", Severity::kError, Category::kUnproven,
                            "the reference machine does not run this program: {0}",
                            "what the machine cannot show right is not accepted"};

constexpr int kMaxFailingInstances = 4;  // later ones mostly repeat the same findings

// Small deterministic values: exact in every float type, valid indices into anything but tiny
// tensors.
uint64_t Hash(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t ValueBits(ir::DType dtype, uint64_t hash) {
  const float real = static_cast<float>(static_cast<int>(hash % 17) - 8) / 8.0f;
  switch (dtype) {
    case ir::DType::kF32: return std::bit_cast<uint32_t>(real);
    case ir::DType::kBF16: return std::bit_cast<uint32_t>(real) >> 16;
    case ir::DType::kF16: return hash % 2 == 0 ? 0x3800 : 0xbc00;  // 0.5, -1
    case ir::DType::kBool: return hash & 1;
    default: return hash % 3;
  }
}

void Fill(const compiler::facts::TensorPlan& tensor, size_t index, std::vector<std::byte>& bytes) {
  const auto element = static_cast<size_t>(std::max(1, ir::Info(tensor.dtype).bits / 8));
  for (size_t i = 0; i + element <= bytes.size(); i += element) {
    const uint64_t bits = ValueBits(tensor.dtype, Hash(i / element + (index << 40)));
    std::memcpy(&bytes[i], &bits, element);
  }
}

absl::StatusOr<compiler::machine::Result> RunShape(const ir::Program& program,
                                                   const compiler::facts::Facts& facts,
                                                   const Shape& shape, int64_t max_statements) {
  std::vector<std::vector<std::byte>> storage;
  compiler::machine::Memory memory;
  for (size_t i = 0; i < shape.plan.tensors.size(); ++i) {
    const compiler::facts::TensorPlan& tensor = shape.plan.tensors[i];
    storage.emplace_back(static_cast<size_t>(tensor.bytes));
    const bool given =
        tensor.direction == ir::Direction::kIn || tensor.direction == ir::Direction::kInOut;
    if (given) Fill(tensor, i, storage.back());
  }
  for (std::vector<std::byte>& bytes : storage) memory.tensors.emplace_back(bytes);
  compiler::machine::Options options;
  options.count = false;
  options.max_lane_statements = max_statements;
  return compiler::machine::Run(program, facts, shape.plan, shape.values, memory, options);
}

}  // namespace

Exploration Explore(const ir::Program& program, const compiler::facts::Facts& facts,
                    const Selection& selection, const Policy& policy) {
  Exploration out{.wanted = selection.wanted};
  out.launched.assign(program.kernels.size(), false);
  std::set<std::pair<size_t, int64_t>> shown;
  std::set<std::tuple<std::string_view, uint32_t, uint32_t>> seen;
  int64_t left = policy.max_lane_statements;
  int failing = 0;
  for (size_t i = 0; i < selection.shapes.size(); ++i) {
    if (failing >= kMaxFailingInstances || left <= 0) {
      out.cut += static_cast<int64_t>(selection.shapes.size() - i);
      break;
    }
    const Shape& shape = selection.shapes[i];
    // The cheapest shape with CTAs gets the whole budget: if even that does not end, the program
    // is at fault; a larger one that does not is left out.
    const bool first = std::none_of(out.launched.begin(), out.launched.end(), std::identity());
    const int64_t limit =
        first ? policy.max_lane_statements : policy.max_lane_statements_per_instance;
    const absl::StatusOr<compiler::machine::Result> result = RunShape(program, facts, shape, limit);
    if (!result.ok()) {
      out.report.Add(kNotRun, {}, Name{std::string(result.status().message())});
      out.cut += static_cast<int64_t>(selection.shapes.size() - i);
      break;
    }
    left -= result->lane_statements;
    if (result->outcome == compiler::machine::Outcome::kLimit && !first) {
      ++out.cut;
      continue;
    }
    out.instances.push_back(shape.text);
    for (size_t k = 0; k < shape.plan.kernels.size(); ++k) {
      if (!shape.plan.kernels[k].skipped) out.launched[k] = true;
    }
    shown.insert(shape.shows.begin(), shape.shows.end());
    if (result->report.has_errors()) ++failing;
    for (const compiler::diag::Diagnostic& d : result->report.diagnostics()) {
      if (seen.emplace(d.code, d.primary.begin, d.primary.end).second) out.report.AddMade(d);
    }
  }
  out.covered = static_cast<int64_t>(shown.size());
  return out;
}

}  // namespace verifier
