// Programs for an interpreter that knows nothing of the compiler.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "compiler/facts/launch.h"
#include "server/pipeline/pipeline.h"
#include "tests/mutation/programs/judge.h"

namespace mutation {
namespace {

constexpr size_t kShapes = 3;

std::string KindOf(std::string_view dtype) {
  const bool floating = dtype.starts_with("f") || dtype.starts_with("bf") ||
                        dtype.starts_with("e") || dtype.starts_with("tf") ||
                        dtype.starts_with("ue");
  return floating ? "FLOAT" : "INTEGER";
}

int64_t ElementBytes(std::string_view dtype) {
  if (dtype.find("64") != std::string_view::npos) return 8;
  if (dtype.find("32") != std::string_view::npos) return 4;
  if (dtype.find("16") != std::string_view::npos) return 2;
  return 1;
}

std::string PlanText(const compiler::facts::LaunchPlan& plan) {
  using Kind = compiler::facts::ArgumentSlot::Kind;
  std::ostringstream out;
  for (const auto& a : plan.arguments) {
    if (a.kind == Kind::kSymbol) {
      out << "arg symbol " << a.bytes;
      if (a.elements.empty()) out << " " << a.value;
      for (const int64_t v : a.elements) out << " " << v;
      out << "\n";
    } else {
      out << "arg " << (a.kind == Kind::kTensorMap ? "map " : "tensor ") << a.name << "\n";
    }
  }
  for (const auto& t : plan.tensors) {
    const std::string_view dtype = compiler::ir::ToString(t.dtype);
    constexpr std::string_view kDirections[] = {"in", "out", "inout", "workspace"};
    out << "tensor " << t.name << " " << kDirections[static_cast<size_t>(t.direction)] << " "
        << KindOf(dtype) << " " << t.bytes << " " << t.zero << " " << ElementBytes(dtype) << "\n";
  }
  for (const auto& m : plan.tensor_maps) {
    if (!m.used) continue;
    out << "map " << m.name << " " << m.tensor << " " << m.element_bytes << " " << m.swizzle_bytes
        << " " << m.extents.size();
    for (const auto* all : {&m.extents, &m.strides, &m.box}) {
      for (const int64_t v : *all) out << " " << v;
    }
    out << "\n";
  }
  for (const auto& k : plan.kernels) {
    out << "kernel " << k.name << " " << k.grid[0] << " " << k.grid[1] << " " << k.grid[2] << " "
        << k.block << " " << k.shared_bytes << " " << k.cluster << " " << k.skipped << "\n";
  }
  return out.str();
}

}  // namespace

Emitted Emit(const std::string& source, std::string_view program, const Member& member,
             const std::map<std::string, int64_t>& shape) {
  server::pipeline::Options options;
  options.program = program;
  options.run_gates = false;
  const server::pipeline::Candidate candidate(source, options);
  if (!candidate.ok()) return {};
  const auto binding = candidate.Bind(member);
  if (!binding.ok()) return {};
  const server::pipeline::Member made = candidate.CheckMember(*binding);
  if (!made.cuda) return {};
  const auto plan = server::pipeline::PlanCase(made, shape);
  if (!plan.ok()) return {};
  return {made.cuda->cuda, PlanText(*plan)};
}

std::vector<std::map<std::string, int64_t>> Shapes(const Base& base, const Member& member) {
  server::pipeline::Options options;
  options.emit_cuda = false;
  options.program = base.program().name.text;
  const server::pipeline::Candidate candidate(base.source(), options);
  if (!candidate.ok()) return {};
  const auto binding = candidate.Bind(member);
  if (!binding.ok()) return {};
  const server::pipeline::Member judged = candidate.CheckMember(*binding);
  // "N=1, SMS=4" each.
  std::vector<std::pair<int64_t, std::map<std::string, int64_t>>> shapes;
  for (const std::string& text : judged.instances) {
    std::map<std::string, int64_t> shape;
    int64_t size = 0;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
      const size_t equals = part.find('='), first = part.find_first_not_of(' ');
      if (equals == std::string::npos) continue;
      // A float by its bits.
      const std::string written = part.substr(equals + 1);
      const bool real = written.find_first_of(".e") != std::string::npos;
      const float number = std::strtof(written.c_str(), nullptr);
      const int64_t value =
          real ? std::bit_cast<uint32_t>(number) : std::strtoll(written.c_str(), nullptr, 10);
      shape[part.substr(first, equals - first)] = value;
      if (!real) size += value;
    }
    shapes.emplace_back(-size, shape);
  }
  std::sort(shapes.begin(), shapes.end());
  std::vector<std::map<std::string, int64_t>> out;
  for (const auto& [size, shape] : shapes) {
    if (out.size() < kShapes) out.push_back(shape);
  }
  return out;
}

}  // namespace mutation
