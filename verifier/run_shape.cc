#include "verifier/run_shape.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "compiler/facts/contents.h"
#include "compiler/machine/zeros.h"

namespace verifier {
namespace {

constexpr int64_t kMaxCtasListed = int64_t{1} << 16;

// By tensor of the plan: which one's bytes it has. The launcher lets tensors of one `alias` begin
// at the same address; then the larger one's bytes are those of both.
std::vector<size_t> StorageOf(const ir::Program& program,
                              const std::vector<compiler::facts::TensorPlan>& tensors) {
  std::vector<size_t> of(tensors.size());
  for (size_t i = 0; i < of.size(); ++i) of[i] = i;
  const auto place = [&](ir::TensorId id) {
    const auto named = std::find_if(tensors.begin(), tensors.end(), [&](const auto& tensor) {
      return tensor.name == program[id].name;
    });
    return static_cast<size_t>(named - tensors.begin());
  };
  for (const auto& [x, y] : program.aliases) {
    const size_t a = place(x), b = place(y);
    if (a == of.size() || b == of.size()) continue;
    const bool given = tensors[b].direction == ir::Direction::kIn;
    const size_t kept = of[given ? b : a], gone = of[given ? a : b];
    for (size_t& storage : of) storage = storage == gone ? kept : storage;
  }
  return of;
}

// The CTAs of the largest grid, the last one first; empty, which is all in their order, for one
// that is too large to be listed.
std::vector<int64_t> FromTheLast(const Shape& shape) {
  int64_t most = 0;
  for (const compiler::facts::KernelLaunch& kernel : shape.plan.kernels) {
    if (!kernel.skipped) most = std::max(most, kernel.grid[0] * kernel.grid[1] * kernel.grid[2]);
  }
  std::vector<int64_t> ctas;
  for (int64_t i = most; i-- > 0 && most <= kMaxCtasListed;) ctas.push_back(i);
  return ctas;
}

// The contents that contracts promise, in place of arbitrary ones.
absl::Status ObeyContracts(const ir::Program& program, const Shape& shape,
                           const compiler::machine::Memory& memory, const Variant& variant) {
  if (program.contracts.empty()) return absl::OkStatus();
  compiler::facts::TensorBytes tensors(program.tensors.size());
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    for (size_t k = 0; k < shape.plan.tensors.size(); ++k) {
      if (shape.plan.tensors[k].name == program.tensors[i].name) tensors[i] = memory.tensors[k];
    }
  }
  const std::vector<int64_t> none;
  return compiler::facts::FillContents(program, shape.plan, shape.values, tensors, 1,
                                       variant.contents,
                                       variant.cells != nullptr ? variant.cells->integers : none);
}

// Whether it makes a difference what is in a tensor: floats that nothing asks for can all be zero.
bool HasContents(const ir::Program& program, const compiler::machine::Values& values,
                 const compiler::facts::TensorPlan& tensor) {
  if (!ir::Info(tensor.dtype).is_float) return true;
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    if (program.tensors[i].name == tensor.name) return values.tensors[i];
  }
  return true;
}

// Given by the caller, and zeroed all the same.
bool IsGivenZeros(const compiler::facts::TensorPlan& tensor) {
  return tensor.zero &&
         (tensor.direction == ir::Direction::kIn || tensor.direction == ir::Direction::kInOut);
}

// Of the contents and of where each tensor ends, for the zeros that fill its last word up.
uint64_t HashOf(const compiler::machine::Memory& memory) {
  constexpr size_t kSide = 4;  // words side by side, which do not wait for each other
  std::array<uint64_t, kSide> hash{memory.tensors.size()};
  const auto add = [&](size_t i, uint64_t word) {
    hash[i] = (hash[i] ^ word) * 0x9e3779b97f4a7c15u;
    hash[i] ^= hash[i] >> 29;
  };
  for (const std::span<std::byte> bytes : memory.tensors) {
    add(0, bytes.size());
    std::array<uint64_t, kSide> words{};
    for (size_t at = 0; at < bytes.size(); at += sizeof words) {
      if (bytes.size() - at < sizeof words) words.fill(0);
      std::memcpy(words.data(), &bytes[at], std::min(sizeof words, bytes.size() - at));
      for (size_t i = 0; i < kSide; ++i) add(i, words[i]);
    }
  }
  for (size_t i = 1; i < kSide; ++i) add(0, hash[i]);
  return hash[0];
}

absl::StatusOr<compiler::machine::Result> RunWith(const compiler::machine::Values& values,
                                                  const ir::Program& program,
                                                  const compiler::facts::Facts& facts,
                                                  const Shape& shape, int64_t max_statements,
                                                  const Variant& variant, const Policy& policy,
                                                  SharedRuns& shared) {
  std::vector<std::vector<std::byte>>& storage = shared.storage;
  storage.resize(shape.plan.tensors.size());
  compiler::machine::Memory memory;
  std::vector<compiler::machine::Zeros> zeros(storage.size());  // in place of storage
  for (size_t i = 0; i < shape.plan.tensors.size(); ++i) {
    const compiler::facts::TensorPlan& tensor = shape.plan.tensors[i];
    const auto size = static_cast<size_t>(tensor.bytes);
    const bool given =
        tensor.direction == ir::Direction::kIn || tensor.direction == ir::Direction::kInOut;
    const bool filled = given && HasContents(program, values, tensor);
    if (!filled && !variant.aliased && size >= compiler::machine::Zeros::kLarge) {
      zeros[i] = compiler::machine::Zeros(size);
      continue;
    }
    storage[i].assign(size, std::byte{0});
    if (filled) shared.fillings.Fill(tensor, i, variant.cells, storage[i]);
  }
  if (variant.aliased) {
    const std::vector<size_t> of = StorageOf(program, shape.plan.tensors);
    for (size_t i = 0; i < of.size(); ++i) {
      std::vector<std::byte>& bytes = storage[of[i]];
      if (bytes.size() < storage[i].size()) bytes.resize(storage[i].size());
    }
    for (size_t i = 0; i < of.size(); ++i) {
      const auto size = static_cast<size_t>(shape.plan.tensors[i].bytes);
      memory.tensors.emplace_back(std::span(storage[of[i]]).first(size));
    }
  } else {
    for (size_t i = 0; i < storage.size(); ++i) {
      memory.tensors.push_back(zeros[i].empty() ? std::span(storage[i])
                                                : std::as_writable_bytes(std::span(
                                                      zeros[i].data(), zeros[i].size())));
    }
  }
  if (const absl::Status status = ObeyContracts(program, shape, memory, variant); !status.ok()) {
    return status;
  }
  if (!program.contracts.empty()) {
    const bool first = variant.contents == compiler::facts::Choice::kSpread;
    const uint64_t contents = HashOf(memory);
    if (first) shared.contents = contents;
    if (!first && !variant.protocol && contents == shared.contents) {
      return absl::AlreadyExistsError("these contents have run");
    }
  }
  compiler::machine::Options options;
  options.count = false;
  options.values = &values;
  options.record_written = false;
  // Contracts may have written to any tensor, and an alias is another one's contents.
  options.zeroed = program.contracts.empty() && !variant.aliased &&
                   std::none_of(shape.plan.tensors.begin(), shape.plan.tensors.end(), IsGivenZeros);
  options.scratch = shared.scratch.get();
  options.max_lane_statements = max_statements;
  options.resident_ctas = variant.resident_ctas;
  options.schedule_seed = variant.schedule_seed != 0 ? variant.schedule_seed : policy.schedule_seed;
  options.hash_order = policy.hash_order;
  options.strict_proxies = policy.strict_proxies;
  options.cuts = variant.cuts;
  options.unchecked = policy.unchecked;
  options.check_races = (policy.unchecked & compiler::machine::kNoRace) == 0;
  options.check_definedness =
      !variant.protocol && (policy.unchecked & compiler::machine::kWritten) == 0;
  if (variant.reversed) options.ctas = FromTheLast(shape);
  return compiler::machine::Run(program, facts, shape.plan, shape.values, memory, options);
}

}  // namespace

RunValues::RunValues(const ir::Program& program, std::vector<compiler::machine::Watch> watched)
    : all(compiler::machine::ValuesThatMatter(program)),
      fewer(compiler::machine::ValuesThatMatter(program, true)) {
  all.watched = fewer.watched = std::move(watched);
}

absl::StatusOr<compiler::machine::Result> RunShape(const ir::Program& program,
                                                   const compiler::facts::Facts& facts,
                                                   const RunValues& values, const Shape& shape,
                                                   int64_t max_statements, const Variant& variant,
                                                   const Policy& policy, SharedRuns& shared) {
  if (!shared.all_values) {
    auto result = RunWith(values.fewer, program, facts, shape, max_statements, variant, policy,
                          shared);
    if (!result.ok() || !result->open_pick) return result;
    shared.all_values = true;
    shared.scratch = compiler::machine::MakeScratch();  // its code computes fewer
  }
  return RunWith(values.all, program, facts, shape, max_statements, variant, policy, shared);
}

}  // namespace verifier
