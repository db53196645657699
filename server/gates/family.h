// The members of a family in the order in which they are judged: the default binding first, then
// the rest in the written order of the params. Narrowed domains give a smaller family.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/sema/analyze.h"
#include "server/core/gate.h"

namespace server::gates {

class Family {
 public:
  // InvalidArgument: a narrowed param that does not exist, or a value outside its domain: both are
  // named. `members_max`: of a larger family so many different members are drawn by `seed`.
  static absl::StatusOr<Family> Make(std::vector<compiler::sema::ParamDomain> params,
                                     const std::vector<core::Narrowed>& narrow, int64_t members_max,
                                     uint64_t seed);

  int64_t size() const { return size_; }  // of the narrowed family, saturating
  int64_t reachable() const;              // members that At can give
  bool sampled() const { return !drawn_.empty(); }
  // The i-th member, i < reachable().
  compiler::sema::Binding At(int64_t i) const;

 private:
  std::vector<compiler::sema::ParamDomain> params_;
  int64_t size_ = 0, default_index_ = 0;
  std::vector<int64_t> drawn_;  // of a sampled family: indices in order of use
};

}  // namespace server::gates
