#include "verifier/rules.h"

namespace verifier {

std::span<const Rule* const> Rules() {
  static const Rule* const rules[] = {
      &kArchitecture,    &kGridLimits,    &kAccessBounds, &kRegisterIndex,
      &kVectorAlignment, &kIndexOverflow, &kLoopStep,     &kDivisor,
      &kBarrierIndex,    &kCtaDisjoint,   &kResidency,    &kCopyAlignment,
      &kTensorMemory,    &kCluster,       &kCopyPadding,  &kProductRegisters,
  };
  return rules;
}

}  // namespace verifier
