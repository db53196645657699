#include "server/loop/spec.h"

#include <algorithm>
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
              {"expand_members", spec.expand_members},
              {"evolve", spec.evolve},
              {"random", spec.random},
              {"rank", spec.rank},
              {"archive", spec.archive},
              {"fixes", spec.fixes},
              {"islands", spec.islands},
              {"migrate_every", spec.migrate_every},
              {"audit_share", spec.audit_share},
              {"recheck_share", spec.recheck_share},
              {"barren_max", spec.barren_max}}
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
  spec.evolve = in.value("evolve", spec.evolve);
  spec.random = in.value("random", spec.random);
  spec.rank = in.value("rank", spec.rank);
  spec.archive = in.value("archive", spec.archive);
  spec.fixes = in.value("fixes", spec.fixes);
  spec.islands = in.value("islands", spec.islands);
  spec.migrate_every = in.value("migrate_every", spec.migrate_every);
  spec.audit_share = in.value("audit_share", spec.audit_share);
  spec.recheck_share = in.value("recheck_share", spec.recheck_share);
  spec.barren_max = in.value("barren_max", spec.barren_max);
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
  if (spec.islands < 1 || spec.islands > kIslandsMax) {
    return state::BadField("islands", "must be in 1..16");
  }
  if (spec.migrate_every < 1 || spec.barren_max < 1) {
    return state::BadField("spec", "migrate_every and barren_max must be at least 1");
  }
  if (!(spec.audit_share >= 0 && spec.audit_share <= 0.5 && spec.recheck_share >= 0 &&
        spec.recheck_share <= 0.5)) {
    return state::BadField("spec", "audit_share and recheck_share must be in 0..0.5");
  }
  return absl::OkStatus();
}

absl::StatusOr<RunSpec> SpecOfArm(RunSpec base, std::string_view arm) {
  if (arm == "sweep") return base;
  base.evolve = true;
  // A wave of proposals for each round of slots: the gates are cheap beside a device.
  base.wave_members = 32;
  base.keep_min = std::min<int64_t>(base.round_slots, 16);
  base.keep_share = static_cast<double>(base.keep_min) / static_cast<double>(base.wave_members);
  base.audit_share = 0.02;
  base.recheck_share = 0.05;
  if (arm == "full") return base;
  if (arm == "no-ranking") {
    base.rank = false;
  } else if (arm == "no-archive") {
    base.archive = false;
  } else if (arm == "no-fixes") {
    base.fixes = false;
  } else if (arm == "random") {
    // Whatever is drawn is run: a filter is what this arm is without.
    base.random = true;
    base.rank = false;
    base.wave_members = base.keep_min;
    base.keep_share = 1;
    base.archive = false;
    base.fixes = false;
  } else {
    return state::BadField("arm",
                           "is none of full, random, no-ranking, no-archive, no-fixes, sweep");
  }
  return base;
}

}  // namespace server::loop
