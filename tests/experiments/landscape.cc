#include "tests/experiments/landscape.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "store/store.h"

namespace experiments {
namespace {

// Normally distributed, a function of the text. Box and Muller.
double NormalOf(const std::string& text) {
  const std::string hash = store::Sha256Hex(text);
  const auto word = [&](size_t at) {
    return (static_cast<double>(std::stoull(hash.substr(at, 13), nullptr, 16)) + 1) /
           (static_cast<double>(uint64_t{1} << 52) + 2);
  };
  return std::sqrt(-2 * std::log(word(0))) * std::cos(2 * M_PI * word(16));
}

// One term for the value of each coordinate that says how a program is built, and not how much of a
// resource follows from that: see server/state/features.h.
double InheritedTerms(const server::state::Features& features) {
  constexpr size_t kRoles = 0, kFirstWord = 7;
  double sum = 0;
  for (size_t i = 0; i < features.point.size(); ++i) {
    if (i == kRoles || i >= kFirstWord) sum += NormalOf(absl::StrCat(i, " is ", features.point[i]));
  }
  return sum;
}

}  // namespace

double EffectOf(const std::vector<server::state::Features>& members, Landscape landscape) {
  double sum = 0, squares = 0;
  for (const server::state::Features& member : members) {
    const double terms = InheritedTerms(member);
    sum += terms;
    squares += terms * terms;
  }
  const auto count = static_cast<double>(members.size());
  const double variance = squares / count - sum / count * (sum / count);
  return variance > 0 ? landscape.spread * std::sqrt(landscape.inherited / variance) : 0;
}

double DeviceNs(double predicted_ns, const std::string& canon_hash,
                const server::state::Features& features, double effect, Landscape landscape) {
  if (predicted_ns <= 0) return 0;
  const double own = landscape.spread * std::sqrt(1 - landscape.inherited);
  return predicted_ns *
         std::exp(effect * InheritedTerms(features) + own * NormalOf("device " + canon_hash));
}

}  // namespace experiments
