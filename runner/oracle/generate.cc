#include "runner/oracle/generate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "runner/oracle/indices.h"
#include "runner/oracle/philox.h"
#include "runner/reference/numbers.h"
#include "runner/reference/parallel.h"
#include "runner/reference/reference.h"

namespace runner::oracle {
namespace {

using compiler::ir::DType;
using contract::Dist;
using reference::ElementBytes;

constexpr uint64_t kFixedSeed = 0x43616B65;  // of generators with a fixed seed policy

double Unit(uint32_t word) { return (word + 0.5) * 0x1p-32; }  // in (0, 1)

double Normal(const std::array<uint32_t, 4>& words) {
  return std::sqrt(-2 * std::log(Unit(words[0]))) * std::cos(2 * std::numbers::pi * Unit(words[1]));
}

double Special(const std::array<uint32_t, 4>& words, double fraction, double stddev) {
  if (Unit(words[2]) >= fraction) return Normal(words) * stddev;
  switch (words[3] & 3) {
    case 0: return std::numeric_limits<double>::quiet_NaN();
    case 1: return std::numeric_limits<double>::infinity();
    case 2: return -std::numeric_limits<double>::infinity();
    default: return -0.0;
  }
}

// One value of a generator; it is rounded once to the dtype when it is stored.
double Draw(const contract::Generator& generator, DType dtype, uint64_t key, uint64_t element) {
  const auto words =
      Philox({static_cast<uint32_t>(element), static_cast<uint32_t>(element >> 32), 1, 0},
             {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
  switch (generator.dist) {
    case Dist::kNormal: return generator.first + generator.second * Normal(words);
    case Dist::kUniform: {
      const double span = generator.second - generator.first;
      if (compiler::ir::Info(dtype).is_float) return generator.first + span * Unit(words[0]);
      return generator.first + std::floor((span + 1) * Unit(words[0]));
    }
    case Dist::kConstant: return generator.first;
    case Dist::kDenormal: {
      const double sign = words[1] & 1 ? -1 : 1;
      const double steps = reference::UnitRoundoff(dtype);  // 2^-(mantissa bits + 1)
      const double count = std::floor(Unit(words[0]) * (0.5 / steps - 1)) + 1;
      return sign * count * reference::SmallestPositive(dtype);
    }
    case Dist::kSpecials: return Special(words, generator.first, generator.second);
    case Dist::kTies: return std::floor(Unit(words[0]) * generator.first) * generator.second;
    case Dist::kBelow:
    case Dist::kDistinct:
    case Dist::kOffsets: break;  // FillIndices
  }
  return 0;
}

uint64_t Hash(std::string_view text, uint64_t key) {
  for (unsigned char c : text) key = PhiloxWord(key, c);
  return key;
}

// Whoever reads there reads what is not his: it shows in every float that comes of it. A page table
// or an offset of random bits would lead anywhere instead.
void FillBetween(DType dtype, std::span<std::byte> memory, int threads) {
  if (compiler::ir::Info(dtype).is_float) {
    FillPoison(dtype, 0, 0, memory, threads);
  } else {
    std::fill(memory.begin(), memory.end(), std::byte{0});
  }
}

}  // namespace

absl::Status FillInput(const contract::Workload& workload, const contract::Case& at,
                       const contract::CaseTensor& tensor, uint64_t seed, int input_set,
                       std::span<std::byte> memory, int threads) {
  const std::string& name = tensor.tensor->name;
  const contract::Generator* generator = contract::FindGenerator(workload, name, at.variant);
  if (generator == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("input `", name, "` has no generator"));
  }
  if (static_cast<int64_t>(memory.size()) != tensor.bytes) {
    return absl::InvalidArgumentError(absl::StrCat("input `", name, "`: wrong buffer size"));
  }
  const bool fixed = generator->seed_policy == contract::SeedPolicy::kFixed;
  const auto key_of = [&](int set) {
    const uint64_t base = DeriveKey(fixed ? kFixedSeed : seed, "input", static_cast<uint64_t>(set));
    return Hash(name, Hash(at.name, base));
  };
  const bool perturbed = input_set >= kPerturbedSets;
  const uint64_t key = key_of(perturbed ? 0 : input_set);
  const DType dtype = tensor.tensor->dtype;
  if (!tensor.tensor->strides.empty()) FillBetween(dtype, memory, threads);
  if (contract::IsIndexDist(generator->dist)) {
    const auto range = contract::EvaluateSize(generator->range, at.dims);
    if (!range.ok()) return range.status();
    return FillIndices(tensor, *generator, *range, key, memory);
  }
  const auto put = [&](int64_t i, uint64_t from) {
    const int64_t offset = reference::OffsetOf(tensor, i) * ElementBytes(dtype);
    reference::StoreElement(dtype, Draw(*generator, dtype, from, static_cast<uint64_t>(i)),
                            memory.data() + offset);
  };
  reference::ParallelFor(tensor.elements, 1, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) put(i, key);
  });
  if (!perturbed || tensor.elements == 0) return absl::OkStatus();
  const uint64_t other = key_of(input_set);
  const auto changed = 1 + PhiloxWord(other, 0) % kPerturbedElementsMax;
  for (uint64_t k = 1; k <= changed; ++k) {
    put(static_cast<int64_t>(PhiloxWord(other, k) % static_cast<uint64_t>(tensor.elements)), other);
  }
  return absl::OkStatus();
}

uint64_t PoisonStart(uint64_t poison, int index) {
  return poison + static_cast<uint64_t>(index) * 0xD1B54A32D192ED03ull;
}

// Constants again, since a remainder by a constant costs the host a fraction of one by a variable;
// a test compares both.
std::optional<PoisonForm> PoisonFormOf(DType dtype) {
  switch (dtype) {
    case DType::kTF32:
    case DType::kF32: return PoisonForm{.add = 0x7F800001, .modulo = 0x3FFFFF};
    case DType::kBF16: return PoisonForm{.add = 0x7F81, .modulo = 0x3F};
    case DType::kF16: return PoisonForm{.add = 0x7C01, .modulo = 0x1FF};
    case DType::kE4M3: return PoisonForm{.add = 0x7F, .mask = 0x80};
    case DType::kE5M2: return std::nullopt;
    default: {
      const int bits = compiler::ir::Info(dtype).bits;
      return PoisonForm{.mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1};
    }
  }
}

uint64_t PoisonElement(DType dtype, uint64_t poison, int index, int64_t element) {
  // A mix of its own (SplitMix64's finaliser): poison needs to differ, not to be random, and
  // gigabytes of it are made several times a case.
  uint64_t z = PoisonStart(poison, index) + static_cast<uint64_t>(element) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  switch (dtype) {
    case DType::kTF32:
    case DType::kF32: return 0x7F800001u + (z % 0x3FFFFF);  // quiet bit clear, mantissa not 0
    case DType::kBF16: return 0x7F81u + (z % 0x3F);
    case DType::kF16: return 0x7C01u + (z % 0x1FF);
    case DType::kE4M3: return 0x7Fu | (z & 0x80);  // its only NaNs
    case DType::kE5M2: return (0x7Du + (z >> 8) % 3) | (z & 0x80);
    default: {
      const int bits = compiler::ir::Info(dtype).bits;
      return bits >= 64 ? z : z & ((uint64_t{1} << bits) - 1);
    }
  }
}

void FillPoison(DType dtype, uint64_t poison, int index, std::span<std::byte> memory, int threads) {
  const int64_t bytes = ElementBytes(dtype);
  const auto count = static_cast<int64_t>(memory.size()) / bytes;
  reference::ParallelFor(count, 1, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t word = PoisonElement(dtype, poison, index, i);
      std::memcpy(memory.data() + i * bytes, &word, static_cast<size_t>(bytes));  // little endian
    }
  });
}

void FillGuard(uint64_t poison, int index, int side, std::span<std::byte> guard) {
  const uint64_t key =
      DeriveKey(poison, "guard", static_cast<uint64_t>(index) * 2 + static_cast<uint64_t>(side));
  for (size_t i = 0; i < guard.size(); i += 8) {
    const uint64_t word = PhiloxWord(key, i);
    std::memcpy(guard.data() + i, &word, std::min<size_t>(8, guard.size() - i));
  }
}

int64_t FirstBrokenGuardByte(uint64_t poison, int index, int side,
                             std::span<const std::byte> guard) {
  std::vector<std::byte> want(guard.size());
  FillGuard(poison, index, side, want);
  const auto at = std::mismatch(guard.begin(), guard.end(), want.begin()).first;
  return at == guard.end() ? -1 : at - guard.begin();
}

}  // namespace runner::oracle
