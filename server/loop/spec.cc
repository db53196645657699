#include "server/loop/spec.h"

#include <nlohmann/json.hpp>

#include "server/state/error.h"

namespace server::loop {

using nlohmann::json;

std::string ToJson(const RunSpec& spec) {
  return json{{"open", spec.open},
              {"plateau", spec.plateau},
              {"target_ratio", spec.target_ratio},
              {"ordered", spec.ordered},
              {"round_slots", spec.round_slots},
              {"explore_share", spec.explore_share},
              {"keep_share", spec.keep_share},
              {"keep_min", spec.keep_min},
              {"wave_members", spec.wave_members},
              {"expand_members", spec.expand_members}}
      .dump();
}

absl::StatusOr<RunSpec> RunSpecFromJson(std::string_view text) {
  const json in = json::parse(text, nullptr, false);
  if (!in.is_object()) return state::BadField("spec", "not a JSON object");
  RunSpec spec;
  spec.open = in.value("open", spec.open);
  spec.plateau = in.value("plateau", spec.plateau);
  spec.target_ratio = in.value("target_ratio", spec.target_ratio);
  spec.ordered = in.value("ordered", spec.ordered);
  spec.round_slots = in.value("round_slots", spec.round_slots);
  spec.explore_share = in.value("explore_share", spec.explore_share);
  spec.keep_share = in.value("keep_share", spec.keep_share);
  spec.keep_min = in.value("keep_min", spec.keep_min);
  spec.wave_members = in.value("wave_members", spec.wave_members);
  spec.expand_members = in.value("expand_members", spec.expand_members);
  if (const absl::Status status = Check(spec); !status.ok()) return status;
  return spec;
}

absl::Status Check(const RunSpec& spec) {
  if (spec.round_slots < 1 || spec.round_slots > 256) {
    return state::BadField("round_slots", "must be in 1..256");
  }
  if (!(spec.explore_share >= 0 && spec.explore_share <= 1)) {
    return state::BadField("explore_share", "must be in 0..1");
  }
  if (!(spec.keep_share > 0 && spec.keep_share <= 1)) {
    return state::BadField("keep_share", "must be in (0, 1]");
  }
  if (!(spec.target_ratio >= 0 && spec.target_ratio < 1e6)) {
    return state::BadField("target_time_ratio", "must be in 0..1e6");
  }
  if (spec.keep_min < 1 || spec.wave_members < 1 || spec.expand_members < 1 ||
      spec.wave_members > kFamilyMembersMax || spec.expand_members > 64) {
    return state::BadField("spec", "a count is out of range");
  }
  return absl::OkStatus();
}

}  // namespace server::loop
