#include "compiler/machine/launch_pool.h"

#include <algorithm>
#include <utility>

namespace compiler::machine {

void LaunchPool::Start(int64_t groups, uint64_t seed, std::function<int64_t(int64_t)> first_cta) {
  groups_ = groups;
  begun_ = 0;
  seeded_ = seed != 0;
  random_.seed(seed);
  first_cta_ = std::move(first_cta);
  cancelled_.clear();
  follows_ = false;
}

void LaunchPool::Follow(const std::set<int64_t>& cancelled) {
  follows_ = true;
  for (int64_t i = 0; i < groups_; ++i) {
    if (cancelled.contains(first_cta_(i))) cancelled_.insert(i);
  }
}

bool LaunchPool::Begin(int64_t i) {
  begun_ = std::max(begun_, i + 1);
  return cancelled_.erase(i) == 0;
}

// The hardware may say no while CTAs are left, which then begin by themselves. Here CTAs run one
// after the other: one that took all of them would leave none that meet others.
std::optional<int64_t> LaunchPool::Cancel(int64_t granted) {
  if (follows_) return first_cta_(0);
  constexpr int64_t kGrants = 7;
  constexpr uint64_t kOneIn = 4;
  if (seeded_ ? random_() % kOneIn == 0 : granted >= kGrants) return std::nullopt;
  for (int64_t i = begun_; i < groups_; ++i) {
    if (cancelled_.insert(i).second) return first_cta_(i);
  }
  return std::nullopt;
}

}  // namespace compiler::machine
