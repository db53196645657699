#include "runner/oracle/hidden.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "runner/oracle/philox.h"

namespace runner::oracle {
namespace {

using contract::Case;
using contract::Workload;

constexpr int kTries = 16;

struct Range {
  std::string dim;
  int64_t low = 0, high = 0;
};

std::vector<Range> VaryingDims(const Workload& workload) {
  std::vector<Range> out;
  for (const contract::Dim& dim : workload.dims) {
    Range range{.dim = dim.name, .low = INT64_MAX, .high = INT64_MIN};
    for (const Case& at : workload.cases) {
      const auto value = at.dims.find(dim.name);
      if (at.tier != contract::Tier::kMachine || value == at.dims.end()) continue;
      range.low = std::min(range.low, value->second);
      range.high = std::max(range.high, value->second);
    }
    range.low = std::max<int64_t>(range.low, 1);  // empty shapes are cases of their own
    if (range.low < range.high) out.push_back(range);
  }
  return out;
}

// Whether the contract with this case is as sound as without it.
bool Fits(const Workload& workload, const Case& at) {
  if (!contract::TensorsOf(workload, at).ok()) return false;
  Workload more = workload;
  more.cases.push_back(at);
  return contract::Lint(more).size() <= contract::Lint(workload).size();
}

}  // namespace

std::vector<Case> HiddenCases(const Workload& workload, uint64_t seed, int count) {
  std::vector<Case> out;
  const std::vector<Range> ranges = VaryingDims(workload);
  std::vector<const Case*> bases;
  for (const Case& at : workload.cases) {
    if (at.tier == contract::Tier::kMachine) bases.push_back(&at);
  }
  if (ranges.empty() || bases.empty()) return out;
  std::set<std::map<std::string, int64_t>> known;
  for (const Case& at : workload.cases) known.insert(at.dims);
  uint64_t drawn = 0;
  const auto draw = [&](uint64_t below) { return DeriveKey(seed, "hidden", drawn++) % below; };
  for (int i = 0; i < count; ++i) {
    for (int attempt = 0; attempt < kTries; ++attempt) {
      Case at = *bases[draw(bases.size())];
      const Range& range = ranges[draw(ranges.size())];
      const auto span = static_cast<uint64_t>(range.high - range.low + 1);
      const int64_t value = range.low + static_cast<int64_t>(draw(span));
      at.dims[range.dim] = value;
      at.name = absl::StrCat(std::string(kHiddenPrefix), out.size(), "_", range.dim, "_", value);
      at.set = contract::Set::kHeldOut;
      at.weight = 0;
      if (known.contains(at.dims) || !Fits(workload, at)) continue;
      known.insert(at.dims);
      out.push_back(std::move(at));
      break;
    }
  }
  return out;
}

}  // namespace runner::oracle
