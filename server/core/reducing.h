// Makes the failing program of a finding small. Each attempt is a candidate of a run of its own
// that goes the whole way: gates, job, worker. An attempt that fails the same way is the new text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "server/core/context.h"
#include "server/core/gate.h"
#include "server/state/state.h"

namespace server::core {

inline constexpr std::string_view kFindingsExperiment = "findings";
inline constexpr int64_t kReductionTriesMax = 400;
inline constexpr int64_t kReductionsAtOnce = 2;

class Reducing {
 public:
  // `start` hands a request to the gate children; the answer comes to Answered with the same
  // finding.
  using Start = std::function<void(int64_t finding, GateRequest request)>;
  Reducing(Context& context, Start start) : c_(context), start_(std::move(start)) {}

  // True if anything was started or recorded.
  bool Step();
  void Answered(int64_t finding, const absl::StatusOr<GateReply>& reply);

 private:
  // Delta debugging: chunks of half the units first, then half of that.
  struct Search {
    int64_t run = 0;
    std::string source, params_json, binding_json;  // of the smallest text that still fails
    int64_t units = 0, size = 0, from = 0, tries = 0;
    bool asked = false, shrank = false;
    int64_t attempt = 0;  // candidate that is being judged
    std::string attempt_source;
  };

  bool Open(const state::Finding& finding);
  bool Advance(int64_t finding, Search& search);
  void Ask(int64_t finding, Search& search);
  void Next(Search& search, bool shrunk);
  bool Submit(Search& search, const GateProposal& made);
  bool StillFails(const state::Finding& finding, int64_t attempt) const;
  bool Close(int64_t finding, const Search& search);

  Context& c_;
  Start start_;
  std::map<int64_t, Search> searches_;  // by finding
  std::set<int64_t> given_up_;          // that have nothing to reduce
};

// Whether the run exists to reduce findings: its failures make no findings of their own.
bool IsReduction(const state::State& state, const state::Run& run);

}  // namespace server::core
