// Inputs and expected outputs that were made for a judgement before: they only depend on the
// contract, the case, the seed and the input set, and cost more than the comparison.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runner/contract/workload.h"
#include "runner/oracle/bounded_cache.h"
#include "runner/oracle/compare.h"

namespace runner::oracle {

class KnownCases {
 public:
  explicit KnownCases(int64_t bytes_max) : known_(bytes_max) {}

  // nullptr: not known, or forgotten.
  std::shared_ptr<const DrawnInputs> Find(const std::string& key) { return known_.Find(key); }
  void Keep(const std::string& key, std::shared_ptr<const DrawnInputs> drawn);
  int64_t bytes() const { return known_.bytes(); }

 private:
  BoundedCache<DrawnInputs> known_;
};

// The name of what is kept of one input set.
std::string KnownKey(std::string_view contract_hash, std::string_view case_name, uint64_t seed,
                     int input_set);

// Where a judgement looks; `contract_hash` tells contracts apart.
struct KnownScope {
  KnownCases* cases = nullptr;
  std::string contract_hash;
  // Expected values that somebody else computes; false, or empty: the reference does. They are held
  // to it: whoever gives them has compared some.
  std::function<bool(const contract::Workload& workload, const contract::Case& at,
                     const contract::CaseTensor& output, const DrawnInputs& drawn,
                     reference::Inputs::Given& given)>
      expect = {};
};

// Fills Inputs::given with what `builtin` expects of an output.
void Expect(const reference::Builtin& builtin, const contract::CaseTensor& output,
            reference::Inputs& inputs, int threads);

}  // namespace runner::oracle
