// The lines of a replay file.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/contract/hash.h"
#include "runner/contract/kernel_class.h"
#include "runner/replay/table.h"

namespace runner::replay {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;
constexpr std::string_view kKind = "cake-replay";
constexpr std::string_view kTimes[] = {"MEASURED", "ESTIMATED", "SYNTHETIC"};
constexpr size_t kChecksMax = 64, kTextBytesMax = 4096;

absl::Status Bad(absl::string_view what) { return absl::InvalidArgumentError(what); }

// Reads the fields of one line; the first thing that is wrong ends it.
class Fields {
 public:
  explicit Fields(const json& in) : in_(in) {}

  void Text(const char* name, std::string& out) {
    if (const json* value = Find(name)) {
      if (!value->is_string()) return Refuse(name, "is no text");
      out = value->get<std::string>();
      if (out.size() > kTextBytesMax) Refuse(name, "is too long");
    }
  }
  void Hash(const char* name, std::string& out, bool needed) {
    Text(name, out);
    if (!(out.empty() && !needed) && !contract::IsSha256Hex(out)) Refuse(name, "is no SHA-256");
  }
  void Number(const char* name, double& out) {
    if (const json* value = Find(name)) {
      if (!value->is_number()) return Refuse(name, "is no number");
      out = value->get<double>();
      if (!std::isfinite(out) || out < 0) Refuse(name, "is no time or ratio");
    }
  }
  void Truth(const char* name, bool& out) {
    if (const json* value = Find(name)) {
      if (!value->is_boolean()) return Refuse(name, "is no truth");
      out = value->get<bool>();
    }
  }
  const json* Find(const char* name) {
    const auto it = in_.find(name);
    if (it != in_.end()) ++found_;
    return it == in_.end() ? nullptr : &*it;
  }
  void Refuse(const char* name, absl::string_view what) {
    if (status_.ok()) status_ = Bad(absl::StrCat("\"", name, "\" ", what));
  }
  absl::Status Done() {
    if (status_.ok() && found_ != in_.size()) status_ = Bad("a key that is unknown");
    return status_;
  }

 private:
  const json& in_;
  absl::Status status_;
  size_t found_ = 0;
};

absl::StatusOr<json> Object(std::string_view line) {
  json in = json::parse(line, nullptr, false);
  if (!in.is_object()) return Bad("is no JSON object");
  return in;
}

json RatioJson(const timing::Ratio& ratio) {
  if (ratio.median <= 0) return nullptr;
  return {{"median", ratio.median}, {"low", ratio.low}, {"high", ratio.high}};
}

absl::Status ReadRatio(const json* in, timing::Ratio& out) {
  if (in == nullptr || in->is_null()) return absl::OkStatus();
  if (!in->is_object()) return Bad("\"ratio\" is no object");
  Fields fields(*in);
  fields.Number("median", out.median);
  fields.Number("low", out.low);
  fields.Number("high", out.high);
  if (auto status = fields.Done(); !status.ok()) return status;
  const bool ordered = out.low > 0 && out.low <= out.median && out.median <= out.high;
  return ordered ? absl::OkStatus() : Bad("\"ratio\" is not 0 < low <= median <= high");
}

absl::Status ReadChecks(const json* in, std::vector<CheckRow>& out) {
  if (in == nullptr) return absl::OkStatus();
  if (!in->is_array() || in->size() > kChecksMax) return Bad("\"checks\" is no list of checks");
  for (const json& one : *in) {
    if (!one.is_object()) return Bad("\"checks\" has one that is no object");
    CheckRow row;
    Fields fields(one);
    fields.Text("name", row.name);
    fields.Text("outcome", row.outcome);
    fields.Text("detail", row.detail);
    if (auto status = fields.Done(); !status.ok()) return status;
    out.push_back(std::move(row));
  }
  return absl::OkStatus();
}

bool IsRecorded(contract::Verdict verdict) {
  const contract::Blame blame = contract::DefaultBlame(verdict);
  return blame != contract::Blame::kInfra && verdict != contract::Verdict::kCancelled;
}

}  // namespace

std::string_view ToString(Times times) { return kTimes[static_cast<size_t>(times)]; }

std::string ToLine(const Header& header) {
  return json({{"schema", kSchema},
               {"kind", kKind},
               {"name", header.name},
               {"arch", header.arch},
               {"driver", header.driver},
               {"uuid", header.uuid},
               {"times", std::string(ToString(header.times))},
               {"noise", header.noise}})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string ToLine(const Entry& entry) {
  json checks = json::array();
  for (const CheckRow& row : entry.checks)
    checks.push_back({{"name", row.name}, {"outcome", row.outcome}, {"detail", row.detail}});
  return json({{"program", entry.key.program},
               {"contract", entry.key.contract},
               {"protocol", entry.key.protocol},
               {"purpose", entry.purpose},
               {"verdict", std::string(contract::ToString(entry.verdict))},
               {"detail", entry.detail},
               {"time_ns", entry.time_ns},
               {"ratio", RatioJson(entry.ratio)},
               {"baseline", entry.baseline},
               {"machine", entry.machine},
               {"varies", entry.varies},
               {"checks", checks},
               {"origin", entry.origin}})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

absl::StatusOr<Header> HeaderFromLine(std::string_view line) {
  const auto in = Object(line);
  if (!in.ok()) return in.status();
  if (in->value("kind", json()) != kKind || in->value("schema", json()) != kSchema)
    return Bad("is no replay file of schema 1");
  Header out;
  Fields fields(*in);
  fields.Find("kind");
  fields.Find("schema");
  fields.Text("name", out.name);
  fields.Text("arch", out.arch);
  fields.Text("driver", out.driver);
  fields.Text("uuid", out.uuid);
  std::string times;
  fields.Text("times", times);
  if (const json* noise = fields.Find("noise")) {
    for (const auto& [name, floor] : noise->items()) {
      const auto& known = contract::kKernelClasses;
      if (std::find(known.begin(), known.end(), name) == known.end() || !floor.is_number())
        return Bad("\"noise\" names no class of kernels, or gives no number");
      out.noise[name] = floor.get<double>();
    }
  }
  if (auto status = fields.Done(); !status.ok()) return status;
  const auto* found = std::find(std::begin(kTimes), std::end(kTimes), times);
  if (found == std::end(kTimes)) return Bad("\"times\" is none of MEASURED, ESTIMATED, SYNTHETIC");
  out.times = static_cast<Times>(found - std::begin(kTimes));
  if (out.arch.empty()) return Bad("\"arch\" is empty");
  return out;
}

absl::StatusOr<Entry> EntryFromLine(std::string_view line) {
  const auto in = Object(line);
  if (!in.ok()) return in.status();
  Entry out;
  Fields fields(*in);
  fields.Hash("program", out.key.program, true);
  fields.Hash("contract", out.key.contract, true);
  fields.Text("protocol", out.key.protocol);
  fields.Text("purpose", out.purpose);
  std::string verdict;
  fields.Text("verdict", verdict);
  fields.Text("detail", out.detail);
  fields.Number("time_ns", out.time_ns);
  if (auto status = ReadRatio(fields.Find("ratio"), out.ratio); !status.ok()) return status;
  fields.Hash("baseline", out.baseline, false);
  fields.Text("machine", out.machine);
  fields.Truth("varies", out.varies);
  if (auto status = ReadChecks(fields.Find("checks"), out.checks); !status.ok()) return status;
  fields.Text("origin", out.origin);
  if (auto status = fields.Done(); !status.ok()) return status;
  const auto word = contract::ParseVerdict(verdict);
  if (!word || !IsRecorded(*word)) return Bad("\"verdict\" is none that is recorded");
  if (out.key.protocol.empty()) return Bad("\"protocol\" is empty");
  out.verdict = *word;
  return out;
}

absl::StatusOr<Entry> EntryFromResult(std::string_view result_json, const std::string& purpose) {
  const auto in = Object(result_json);
  if (!in.ok()) return in.status();
  const json hashes = in->value("hashes", json::object());
  const auto text = [](const json& from, const char* name) {
    const auto it = from.find(name);
    return it != from.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  Entry out{.purpose = purpose, .detail = text(*in, "detail")};
  out.key = {text(hashes, "canonical"), text(hashes, "contract"), text(*in, "protocol")};
  if (out.key.program.empty()) out.key.program = text(hashes, "source");
  const auto verdict = contract::ParseVerdict(text(*in, "verdict"));
  if (!verdict || !IsRecorded(*verdict))
    return Bad(absl::StrCat("verdict ", text(*in, "verdict"), " is not recorded"));
  out.verdict = *verdict;
  const auto time = in->find("time_ns");
  if (time != in->end() && time->is_number()) out.time_ns = time->get<double>();
  const auto ratio = in->find("ratio");
  if (auto status = ReadRatio(ratio == in->end() ? nullptr : &*ratio, out.ratio); !status.ok())
    return status;
  out.baseline = text(hashes, "baseline");
  if (const std::string machine = text(*in, "machine"); !machine.empty()) out.machine = machine;
  const auto varies = in->find("varies");
  out.varies = varies != in->end() && varies->is_boolean() && varies->get<bool>();
  const auto checks = in->find("checks");
  if (auto s = ReadChecks(checks == in->end() ? nullptr : &*checks, out.checks); !s.ok()) return s;
  const std::string receipt = text(*in, "receipt_id");
  out.origin = receipt.empty() ? absl::StrCat("job ", text(*in, "job")) : "receipt " + receipt;
  // What is written is what can be read.
  return EntryFromLine(ToLine(out));
}

}  // namespace runner::replay
