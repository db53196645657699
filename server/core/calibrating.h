// Calibrations of the cost model: held against what was measured, put in force by an operator,
// taken back.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "server/core/context.h"
#include "server/core/gate.h"

namespace server::core {

inline constexpr size_t kCalibrationBytesMax = 64 * 1024;
// Measured members that a trial predicts anew: the newest of each workload, and of all.
inline constexpr size_t kTrialMembersOfWorkload = 64, kTrialMembersMax = 512;
inline constexpr size_t kFamilyJudgedMin = 8;  // fewer say nothing about an order
inline constexpr size_t kClaimMembersMin = 20;

struct CalibrateRequest {
  Meta meta;
  std::string body;  // costmodel/calibration.h
  std::string undo;  // instead: an architecture that goes back to what was in force before
  bool dry_run = false;
  std::string reason;
};

// One workload's measured members, by what was in force and by what is tried.
struct FamilyTrial {
  std::string workload;
  int64_t members = 0;
  double spearman_before = 0, spearman_after = 0;
  double regret_before = 0,
         regret_after = 0;  // the best of the three predicted best, above the best
  bool judged = false;
};

struct CalibrateReply {
  std::string arch, in_force, before;  // names such as sm_90a@3; @0: the data sheet's rates
  bool activated = false, claims_time = false;
  std::vector<FamilyTrial> families;
  int64_t members = 0, not_predicted = 0;
  double covered_before = 0, covered_after = 0;  // share of measured times within the interval
  std::string refused_because;                   // dry run: why it would be
  int64_t event_seq = 0;
};

class Calibrating {
 public:
  Calibrating(Context& context, GateRunner& gates) : c_(context), gates_(gates) {}

  // Refused where it ranks a judged workload worse than what is in force, or improves nothing.
  // Where nothing was measured it is put in force and claims no time.
  void Activate(const CalibrateRequest& request, Done<CalibrateReply> done);

  // What the gates estimate with now; of a run that is scored by predictions, what it began with.
  std::vector<GateCalibration> InForce(const state::Run* run);

  static bool Owns(uint64_t id) { return id >= kFirstId && id < kFirstId * 2; }
  void GateDone(uint64_t id, const absl::StatusOr<GateReply>& reply);
  void AnswerAll(const absl::Status& status);

 private:
  static constexpr uint64_t kFirstId = uint64_t{1} << 60;
  struct Measured {
    int64_t variant = 0;
    std::string workload;
    double time_ns = 0;
    double before_ns = 0, after_ns = 0;  // predicted; 0: not
    bool covered_before = false, covered_after = false;
  };
  struct Trial {
    CalibrateRequest request;
    Done<CalibrateReply> done;
    int64_t principal = 0, since_seq = 0;
    std::string arch;
    std::vector<Measured> members;
    std::deque<size_t> waiting;
    size_t open = 0;
  };

  absl::Status Undo(const CalibrateRequest& request, CalibrateReply& reply);
  std::vector<Measured> MeasuredOn(std::string_view arch, int64_t after_seq) const;
  bool StartNext();
  void Finish();
  CalibrateReply ReportOf(const Trial& trial) const;
  absl::Status PutInForce(const Trial& trial, CalibrateReply& reply);
  absl::Status Commit(const CalibrateRequest& request, int64_t principal,
                      store::CalibrationActivated event, std::string body);
  const GateCalibration* Read(const state::Calibration& calibration);

  Context& c_;
  GateRunner& gates_;
  std::optional<Trial> trial_;  // one at a time
  uint64_t next_id_ = kFirstId;
  std::map<uint64_t, size_t> tasks_;
  std::map<std::string, GateCalibration> read_;  // by the hash of the body
};

// Rank correlation with ties at their mean rank; 0 for fewer than two.
double Spearman(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace server::core
