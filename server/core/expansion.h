// From what a gate child said of some members of a family to the events that record it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/core/gate.h"
#include "server/core/ledger.h"

namespace server::core {

// Objects and events of one answer. `candidate` is the row as it stands; members are those from its
// cursor on. A member whose canonical form is known under the run's dedupe key is DUPLICATE.
// `default_report_json` is the report kept when the default member was judged ("" while it is in
// this very reply). `audit_share` of the rejected members get a row and will be run all the same.
store::Batch ExpansionOf(const state::State& state, const state::Candidate& candidate,
                         const GateReply& reply, int64_t next_variant,
                         std::string_view default_report_json, double audit_share);

store::Verdict GateVerdict(std::string_view word);  // "PASSED" -> kPending

// "verdict" of a member's report.
store::Verdict VerdictOfReport(std::string_view member_report_json);

}  // namespace server::core
