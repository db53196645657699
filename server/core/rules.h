// Learnt rules: kept, gated over their own programs and the corpus, asked of live candidates in the
// shadow, approved by a person, demoted when they refuse what the oracle accepts.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "server/core/context.h"
#include "server/core/gate.h"
#include "server/core/pages.h"

namespace server::core {

inline constexpr size_t kRuleTextBytesMax = 64 * 1024, kFailuresMax = 64;
inline constexpr size_t kGatingsMax = 16, kGatingsOfCallerMax = 2;  // on their way through gates
inline constexpr size_t kRulesAskedMax = 64;  // each costs up to a millisecond a member
inline constexpr int64_t kRuleP99NsMax = 1'000'000;
inline constexpr size_t kTrueHitsMin = 2, kTrueHitLineagesMin = 2;

// A program that no rule may refuse.
struct CorpusProgram {
  std::string name, source;
};
// The programs beside the contracts, each text once, by name.
std::vector<CorpusProgram> CorpusOf(const std::vector<ContractFile>& contracts);

struct ProposeRequest {
  Meta meta;
  std::string kind, body;
  std::vector<std::string> failures;  // candidates
};

enum class ProposalDecision : uint8_t { kShadow, kApprove, kReject, kDemote, kRetire };

struct DecideRequest {
  Meta meta;
  std::string proposal;  // "p-3"
  ProposalDecision decision = ProposalDecision::kReject;
  std::string reason;
};

struct ProposalRequest {
  Meta meta;
  std::string proposal;
};

struct ProposalView {
  state::Proposal row;
  std::string author, decided_by, text;
  std::vector<std::string> failures;           // candidates' names
  std::map<std::string, std::string> reports;  // of gates, JSON
  int64_t lineages = 0;                        // of its true hits
  int64_t shadow_candidates_min = 0;
  std::string next;  // what has to happen now, in words
};

class Rules {
 public:
  using Start = std::function<void(uint64_t task, GateRequest request)>;
  Rules(Context& context, Start start, std::vector<CorpusProgram> corpus);

  // Keeps a text as a new proposal, or as the next revision of its author's, and gates it.
  void Propose(const ProposeRequest& request, Done<ProposalView> done);
  // Gates what is kept once more: the corpus or the verifier has changed, or the daemon has.
  void Gate(const ProposalRequest& request, Done<ProposalView> done);
  absl::StatusOr<ProposalView> Decide(const DecideRequest& request);
  absl::StatusOr<ProposalView> Show(const std::string& proposal);
  absl::StatusOr<PageOf<ProposalView>> List(const PageRequest& request);

  // What candidates are asked now.
  const std::vector<GateRule>& Asked();

  // What follows from the log by itself; true if anything did.
  bool Step();
  void Answered(uint64_t task, const absl::StatusOr<GateReply>& reply);
  void AnswerAll(const absl::Status& why);

 private:
  // One proposal on its way through the gates.
  struct Gating {
    int64_t proposal = 0, rev = 0;  // 0: not kept yet, the text may be no rule
    ProposeRequest propose;
    int64_t principal = 0;
    std::vector<int64_t> failures;
    std::string text, id;
    Done<ProposalView> done;
    std::deque<size_t> waiting;  // programs of the corpus, then failures, by number
    size_t open = 0;
    int64_t asked = 0, not_asked = 0;
    std::vector<std::string> refused, missed;
    std::vector<int64_t> cpu_ns;
    absl::Status failed;  // the world's
  };
  struct Task {
    uint64_t gating = 0;
    bool specimens = false;
    size_t program = 0;
  };

  absl::Status CheckPropose(const ProposeRequest& request, std::vector<int64_t>& failures) const;
  absl::Status HasRoom() const;
  // Whether what is being gated is still what it was when that began: another revision, or a
  // decision in the meantime, ends it.
  absl::StatusOr<const state::Proposal*> StillGated(const Gating& gating,
                                                    const std::vector<std::string_view>& in) const;
  absl::StatusOr<const state::Proposal*> Named(const std::string& name) const;
  void StartSpecimens(Gating gating);
  void SpecimensDone(uint64_t id, const GateReply& reply);
  absl::Status Keep(Gating& gating, const GateSpecimens& specimens);
  void StartCorpus(uint64_t id);
  bool StartNext(uint64_t id);
  void Judged(Gating& gating, size_t program, const absl::StatusOr<GateReply>& reply);
  void CorpusDone(uint64_t id);
  void Finish(uint64_t id, const absl::Status& status);
  absl::Status Move(const state::Proposal& proposal, std::string_view to,
                    std::vector<store::GateRun> runs = {}, std::vector<std::string> reports = {});
  store::ProposalState EventOf(const state::Proposal& proposal, std::string_view to) const;
  bool Follow(const state::Proposal& proposal);
  ProposalView ViewOf(const state::Proposal& proposal, bool whole);

  Context& c_;
  Start start_;
  std::vector<CorpusProgram> corpus_;
  std::string corpus_hash_;
  uint64_t next_ = 1;
  std::map<uint64_t, Gating> gatings_;
  std::map<uint64_t, Task> tasks_;
  std::string asked_key_;
  std::vector<GateRule> asked_;
};

// Lineages of the candidates.
size_t LineagesOf(const state::State& state, const std::set<int64_t>& candidates);

}  // namespace server::core
