// Inputs and expected outputs that were made for a judgement before: they only depend on the
// contract, the case, the seed and the input set, and cost more than the comparison.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "runner/contract/workload.h"
#include "runner/oracle/compare.h"

namespace runner::oracle {

class KnownCases {
 public:
  explicit KnownCases(int64_t bytes_max) : bytes_max_(bytes_max) {}

  // nullptr: not known, or forgotten.
  std::shared_ptr<const DrawnInputs> Find(const std::string& key);
  // Forgets what was not asked for longest; what is larger than all of the room is not kept.
  void Keep(const std::string& key, std::shared_ptr<const DrawnInputs> drawn);
  int64_t bytes() const { return bytes_; }

 private:
  struct Known {
    std::string key;
    std::shared_ptr<const DrawnInputs> drawn;
    int64_t bytes = 0;
  };
  const int64_t bytes_max_;
  int64_t bytes_ = 0;
  std::list<Known> known_;  // the newest use first
};

// Where a judgement looks; `contract_hash` tells contracts apart.
struct KnownScope {
  KnownCases* cases = nullptr;
  std::string contract_hash;
};

// Fills Inputs::given with what `builtin` expects of an output.
void Expect(const reference::Builtin& builtin, const contract::CaseTensor& output,
            reference::Inputs& inputs, int threads);

}  // namespace runner::oracle
