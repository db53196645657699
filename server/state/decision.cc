#include "server/state/decision.h"

#include <nlohmann/json.hpp>

namespace server::state {

using nlohmann::json;

std::string ToJson(const Choice& choice) {
  json out = json::object();
  if (choice.candidate) out["candidate"] = choice.candidate;
  if (choice.kind == kExpand) {
    out["from"] = choice.from;
    out["count"] = choice.count;
  }
  if (choice.variant) {
    out["variant"] = choice.variant;
    out["purpose"] = std::string(store::ToString(choice.purpose));
  }
  if (choice.kind == kNoProposal || choice.kind == kMigrate) out["from"] = choice.from;
  if (!choice.tactic.empty()) out["tactic"] = choice.tactic;
  if (choice.other) out["other"] = choice.other;
  if (choice.pick) out["pick"] = choice.pick;
  if (choice.island) out["island"] = choice.island;
  if (choice.structural) out["structural"] = true;
  if (choice.time_ns > 0) out["time_ns"] = choice.time_ns;
  if (!choice.detail.empty()) out["detail"] = choice.detail;
  return out.dump();
}

Choice ChoiceFromJson(std::string_view kind, std::string_view text) {
  Choice choice;
  choice.kind = std::string(kind);
  const json in = json::parse(text, nullptr, false);
  if (!in.is_object()) return choice;
  choice.candidate = in.value("candidate", int64_t{0});
  choice.from = in.value("from", int64_t{0});
  choice.count = in.value("count", int64_t{0});
  choice.variant = in.value("variant", int64_t{0});
  choice.time_ns = in.value("time_ns", 0.0);
  choice.detail = in.value("detail", std::string());
  choice.tactic = in.value("tactic", std::string());
  choice.other = in.value("other", int64_t{0});
  choice.pick = in.value("pick", uint64_t{0});
  choice.island = in.value("island", int64_t{0});
  choice.structural = in.value("structural", false);
  choice.purpose = store::ParseEnum<store::Purpose>(in.value("purpose", "SEARCH"))
                       .value_or(store::Purpose::kSearch);
  return choice;
}

}  // namespace server::state
