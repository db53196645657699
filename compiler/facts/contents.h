// The contents of integer tensors as contracts describe them: made for runs of the machine, and
// checked on request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "compiler/facts/launch.h"
#include "compiler/ir/program.h"

namespace compiler::facts {

// Host bytes of every tensor of a program, in Program::tensors order.
using TensorBytes = std::vector<std::span<std::byte>>;

// Which of the values that a range allows its elements get.
enum class Choice : uint8_t {
  kSpread,  // any
  kHighest  // all the last, and every second one negative where only others must be distinct:
            // elements that nothing keeps apart are equal; of steps all but the first element,
            // which is the lowest: the first group has all there is
};

// Rewrites the tensors that contracts speak of so that they obey them; the same seed gives the same
// contents. FailedPrecondition where no contents were found: the contract cannot hold for these
// values, or it is of a form that is only listed. Elements that only ranges speak of have the
// `preferred` values in turn, as far as these are inside.
absl::Status FillContents(const ir::Program& program, const LaunchPlan& plan,
                          const ir::LaunchValues& values, const TensorBytes& tensors, uint64_t seed,
                          Choice choice = Choice::kSpread, std::span<const int64_t> preferred = {});

// FailedPrecondition names the contract and the first element that breaks it. The second form
// checks one contract of the program.
absl::Status CheckContents(const ir::Program& program, const LaunchPlan& plan,
                           const ir::LaunchValues& values, const TensorBytes& tensors);
absl::Status CheckContents(const ir::Program& program, const LaunchPlan& plan,
                           const ir::LaunchValues& values, const TensorBytes& tensors,
                           const ir::ContentContract& contract);

}  // namespace compiler::facts
