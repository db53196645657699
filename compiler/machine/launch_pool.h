// The CTAs of a launch that have not begun, and may be cancelled by those that run: they work in
// their place (PTX ISA, clusterlaunchcontrol). Groups are clusters, or CTAs where there are none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <set>

namespace compiler::machine {

class LaunchPool {
 public:
  // A launch of `groups`, which begin in order; `first_cta(i)` is the number of the first CTA of
  // group i. Under a seed (Options::schedule_seed) some requests fail.
  void Start(int64_t groups, uint64_t seed, std::function<int64_t(int64_t)> first_cta);
  // The launch follows another one, in which the groups with these first CTAs were cancelled; what
  // requests give there is for those who read the answers to say.
  void Follow(const std::set<int64_t>& cancelled);
  // Group i begins; false: it has been cancelled.
  bool Begin(int64_t i);
  // A request of a CTA that has had `granted`: the first CTA of a group that will not begin.
  std::optional<int64_t> Cancel(int64_t granted);

 private:
  int64_t groups_ = 0, begun_ = 0;
  bool seeded_ = false;
  std::mt19937_64 random_;
  std::function<int64_t(int64_t)> first_cta_;
  std::set<int64_t> cancelled_;
  bool follows_ = false;
};

}  // namespace compiler::machine
