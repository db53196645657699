#include "server/core/evidence.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/contract/hash.h"
#include "server/state/error.h"

namespace server::core {
namespace {

using nlohmann::json;

constexpr int64_t kManifestSchema = 1;
constexpr size_t kManifestTextMax = 256;
constexpr size_t kCampaignNameMax = 32;

bool IsCampaignName(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.size() <= kCampaignNameMax &&
         std::all_of(text.begin(), text.end(), fits);
}

absl::Status Refuse(std::string_view field, std::string_view why) {
  return state::BadField(absl::StrCat("manifest.", std::string(field)), why);
}

absl::Status ReadText(const json& in, const char* name, std::string& out) {
  const auto found = in.find(name);
  if (found == in.end()) return Refuse(name, "is missing");
  if (!found->is_string()) return Refuse(name, "is not a text");
  out = found->get<std::string>();
  if (out.size() <= kManifestTextMax) return absl::OkStatus();
  return Refuse(name, absl::StrCat("has ", out.size(), " bytes, at most ", kManifestTextMax));
}

absl::Status BadLine(size_t number, std::string_view why) {
  return state::BadField(absl::StrCat("events.jsonl:", number), why);
}

absl::StatusOr<LoggedEvent> ParseLine(std::string_view line, size_t number) {
  const json in = json::parse(line, nullptr, false);
  if (!in.is_object()) return BadLine(number, "is not a JSON object");
  LoggedEvent out;
  for (const char* name : {"seq", "at_us", "schema"}) {
    const auto found = in.find(name);
    if (found == in.end() || !found->is_number_integer()) {
      return BadLine(number, absl::StrCat("has no integer `", name, "`"));
    }
  }
  for (const char* name : {"kind", "body"}) {
    const auto found = in.find(name);
    if (found == in.end() || !found->is_string()) {
      return BadLine(number, absl::StrCat("has no text `", name, "`"));
    }
  }
  out.seq = in["seq"].get<int64_t>();
  out.at_us = in["at_us"].get<int64_t>();
  const auto schema = in["schema"].get<int64_t>();
  if (schema < 0 || schema > INT32_MAX) return BadLine(number, "has no schema");
  auto body = store::BodyFromJson(in["kind"].get<std::string>(), static_cast<int>(schema),
                                  in["body"].get<std::string>());
  if (!body.ok()) return BadLine(number, std::string(body.status().message()));
  out.body = *std::move(body);
  return out;
}

}  // namespace

absl::StatusOr<Manifest> ParseManifest(std::string_view text) {
  if (text.size() > kManifestBytesMax) {
    return Refuse("size", absl::StrCat(text.size(), " bytes, at most ", kManifestBytesMax));
  }
  const json in = json::parse(text, nullptr, false);
  if (!in.is_object()) return Refuse("text", "is not a JSON object");
  const auto schema = in.find("schema");
  if (schema == in.end() || !schema->is_number_integer()) return Refuse("schema", "is missing");
  if (schema->get<int64_t>() != kManifestSchema) {
    return Refuse("schema", absl::StrCat("is ", schema->get<int64_t>(), "; this daemon reads ",
                                         kManifestSchema));
  }
  Manifest out;
  const std::pair<const char*, std::string*> texts[] = {
      {"campaign", &out.campaign},  {"git", &out.git},       {"script", &out.script},
      {"bundle_hash", &out.bundle}, {"driver", &out.driver}, {"device", &out.device},
      {"events", &out.log_hash}};
  for (const auto& [name, field] : texts) {
    if (auto status = ReadText(in, name, *field); !status.ok()) return status;
  }
  if (!IsCampaignName(out.campaign)) return Refuse("campaign", "must match ^[a-z0-9-]{1,32}$");
  if (!runner::contract::IsSha256Hex(out.log_hash)) {
    return Refuse("events", "is not the sha256 of events.jsonl");
  }
  const auto simulated = in.find("simulated");
  if (simulated == in.end() || !simulated->is_boolean()) return Refuse("simulated", "is no truth");
  out.simulated = simulated->get<bool>();
  return out;
}

absl::StatusOr<std::vector<LoggedEvent>> ParseLog(std::string_view text) {
  if (text.size() > kLogBytesMax) {
    return state::BadField("events.jsonl",
                           absl::StrCat("has ", text.size(), " bytes, at most ", kLogBytesMax));
  }
  std::vector<LoggedEvent> out;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return BadLine(number, "is cut short");
    if (end > kLogLineBytesMax) {
      return BadLine(number, absl::StrCat("has ", end, " bytes, at most ", kLogLineBytesMax));
    }
    if (out.size() >= kLogEventsMax) {
      return BadLine(number, absl::StrCat("is over the limit of ", kLogEventsMax,
                                          " events a file; split the campaign"));
    }
    auto event = ParseLine(text.substr(0, end), number);
    if (!event.ok()) return event.status();
    if (event->seq <= (out.empty() ? 0 : out.back().seq)) {
      return BadLine(number, "does not come after the event before it");
    }
    out.push_back(*std::move(event));
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace server::core
