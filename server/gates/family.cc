#include "server/gates/family.h"

#include <algorithm>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/state/philox.h"

namespace server::gates {
namespace {

using compiler::sema::ParamDomain;

absl::Status NarrowOne(std::vector<ParamDomain>& params, const core::Narrowed& narrow) {
  const auto it = std::find_if(params.begin(), params.end(),
                               [&](const ParamDomain& p) { return p.name == narrow.name; });
  if (it == params.end()) {
    return absl::InvalidArgumentError(absl::StrCat("the program has no param `", narrow.name, "`"));
  }
  std::vector<int64_t> values;
  for (const std::string& text : narrow.values) {
    int64_t value = 0;
    if (!absl::SimpleAtoi(text, &value) ||
        std::find(it->values.begin(), it->values.end(), value) == it->values.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("`", text, "` is not in the domain of param `", narrow.name, "`"));
    }
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  it->values = std::move(values);
  const bool kept =
      std::find(it->values.begin(), it->values.end(), it->default_value) != it->values.end();
  if (!kept) it->default_value = it->values.front();
  return absl::OkStatus();
}

// Index of the default binding in mixed radix order, last param fastest.
int64_t DefaultIndex(const std::vector<ParamDomain>& params) {
  int64_t index = 0;
  for (const ParamDomain& param : params) {
    const auto at = std::find(param.values.begin(), param.values.end(), param.default_value);
    const auto digit = at == param.values.end() ? 0 : at - param.values.begin();
    index = index * static_cast<int64_t>(param.values.size()) + digit;
  }
  return index;
}

}  // namespace

absl::StatusOr<Family> Family::Make(std::vector<ParamDomain> params,
                                    const std::vector<core::Narrowed>& narrow, int64_t members_max,
                                    uint64_t seed) {
  for (const core::Narrowed& one : narrow) {
    if (auto status = NarrowOne(params, one); !status.ok()) return status;
  }
  Family family;
  family.params_ = std::move(params);
  family.size_ = compiler::sema::FamilySize(family.params_);
  if (members_max > 0 && family.size_ > members_max) {
    family.drawn_.push_back(-1);  // the default binding, by name: its index may not fit
    std::set<int64_t> used;
    state::Rng rng(seed, 0, 0, state::DrawFor::kSample);
    while (static_cast<int64_t>(family.drawn_.size()) < members_max) {
      const auto index = static_cast<int64_t>(rng.Below(static_cast<uint64_t>(family.size_)));
      if (used.insert(index).second) family.drawn_.push_back(index);
    }
    return family;
  }
  family.default_index_ = DefaultIndex(family.params_);
  return family;
}

int64_t Family::reachable() const {
  return sampled() ? static_cast<int64_t>(drawn_.size()) : size_;
}

compiler::sema::Binding Family::At(int64_t i) const {
  if (sampled()) {
    const int64_t index = drawn_[static_cast<size_t>(i)];
    return index < 0 ? compiler::sema::DefaultBinding(params_)
                     : compiler::sema::FamilyMember(params_, index);
  }
  if (i == 0) return compiler::sema::DefaultBinding(params_);
  // The default one was taken out of its place.
  return compiler::sema::FamilyMember(params_, i <= default_index_ ? i - 1 : i);
}

}  // namespace server::gates
