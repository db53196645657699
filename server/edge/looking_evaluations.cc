// The list of evaluations, from wire form to wire form.
#include "server/core/pages.h"
#include "server/edge/looking.h"
#include "server/edge/translate_words.h"
#include "server/state/error.h"

namespace server::edge {
namespace {

uint64_t Count(int64_t value) { return static_cast<uint64_t>(value); }

absl::StatusOr<core::EvaluationsRequest> RequestOf(const wire::ListEvaluationsRequest& in) {
  core::EvaluationsRequest out;
  out.run = in.run().empty() ? in.meta().run() : in.run();
  out.candidate = in.candidate();
  out.filter.workload = in.workload();
  out.filter.device = in.device();
  out.filter.protocol = in.protocol();
  out.filter.charged_only = in.charged_only();
  if (in.purpose() != wire::PURPOSE_UNSPECIFIED) {
    out.filter.purpose = BareWord("PURPOSE_", wire::Purpose_Name(in.purpose()));
    if (out.filter.purpose.empty()) return state::BadField("purpose", "is not known");
  }
  for (const int verdict : in.verdicts()) {
    const auto known = FromWire(static_cast<wire::Verdict>(verdict));
    if (known == store::Verdict::kPending) return state::BadField("verdicts", "has one not known");
    out.filter.verdicts.emplace_back(store::ToString(known));
  }
  out.page = {in.page_size(), in.page_token()};
  return out;
}

void RowOf(const store::ListedEvaluationRow& in, wire::ListedEvaluation* out) {
  const store::EvaluationRow& row = in.evaluation;
  out->set_job(store::RowName('j', row.job));
  out->set_candidate(store::CandidateName(row.run, in.n));
  out->set_binding(in.params_json);
  out->set_run(core::RunName(row.run));
  out->set_workload(in.workload);
  out->set_first_verdict(ToWire(row.first_verdict));
  out->set_first_blame(ToWire(row.first_blame));
  out->set_charged(row.charged);
  out->set_contract_hash(row.contract_hash);
  out->set_samples(row.samples_hash.hex);
  out->set_report(row.report_hash.hex);
  out->set_event_seq(Count(row.seq));
  out->set_device_uuid(in.device_uuid);
  wire::Evaluation* evaluation = out->mutable_evaluation();
  evaluation->set_purpose(std::string(store::ToString(row.purpose)));
  evaluation->set_protocol(row.protocol);
  evaluation->set_round(static_cast<uint32_t>(row.round));
  evaluation->set_verdict(ToWire(row.verdict));
  evaluation->set_blame(ToWire(row.blame));
  evaluation->set_source(ToWire(row.source));
  evaluation->set_receipt(row.receipt_hash.hex);
  evaluation->set_ratio_med(row.ratio_med);
  evaluation->set_ratio_low(row.ratio_low);
  evaluation->set_ratio_high(row.ratio_high);
  evaluation->set_device(in.device_name);
  evaluation->set_time_ns(row.time_ns);
  evaluation->set_simulated(in.simulated);
  evaluation->set_at_unix_us(row.at_us);
}

}  // namespace

absl::Status Look(store::Reads& reads, const wire::ListEvaluationsRequest& in,
                  wire::ListEvaluationsReply* out) {
  auto request = RequestOf(in);
  if (!request.ok()) return request.status();
  auto page = core::EvaluationsPage(reads, *request);
  if (!page.ok()) return page.status();
  for (const store::ListedEvaluationRow& row : page->rows) RowOf(row, out->add_evaluations());
  out->set_next_page_token(page->next_token);
  out->set_as_of_seq(Count(page->as_of_seq));
  return absl::OkStatus();
}

}  // namespace server::edge
