// Calibrations of the cost model and portfolios.
#include "server/edge/translate.h"

namespace server::edge {
namespace {

uint64_t Count(int64_t value) { return static_cast<uint64_t>(value); }

}  // namespace

core::CalibrateRequest FromWire(const wire::ActivateCalibrationRequest& in) {
  return {FromWire(in.meta(), in), in.calibration(), in.undo(), in.dry_run(), in.reason()};
}

core::PortfolioRequest FromWire(const wire::ExportPortfolioRequest& in) {
  return {FromWire(in.meta(), in), in.workload(), in.experiment(), in.run(), in.reason()};
}

void ToWire(const core::CalibrateReply& in, wire::ActivateCalibrationReply* out) {
  out->set_arch(in.arch);
  out->set_in_force(in.in_force);
  out->set_before(in.before);
  out->set_activated(in.activated);
  out->set_claims_time(in.claims_time);
  for (const core::FamilyTrial& one : in.families) {
    wire::CalibrationTrial* trial = out->add_trials();
    trial->set_workload(one.workload);
    trial->set_members(Count(one.members));
    trial->set_judged(one.judged);
    trial->set_spearman_before(one.spearman_before);
    trial->set_spearman_after(one.spearman_after);
    trial->set_regret_before(one.regret_before);
    trial->set_regret_after(one.regret_after);
  }
  out->set_members(Count(in.members));
  out->set_not_predicted(Count(in.not_predicted));
  out->set_covered_before(in.covered_before);
  out->set_covered_after(in.covered_after);
  out->set_refused_because(in.refused_because);
  out->set_event_seq(Count(in.event_seq));
}

void ToWire(const core::PortfolioReply& in, wire::ExportPortfolioReply* out) {
  out->set_workload(in.workload);
  for (const core::PortfolioFile& file : in.files) {
    wire::PortfolioFile* one = out->add_files();
    one->set_path(file.path);
    one->set_hash(file.hash.hex);
    one->set_size(Count(file.size));
    one->set_content(file.content);
  }
  out->set_manifest_hash(in.manifest.hex);
  out->set_event_seq(Count(in.event_seq));
  out->set_devices(Count(in.devices));
  out->set_kernels(Count(in.kernels));
  out->set_routes(Count(in.routes));
}

}  // namespace server::edge
