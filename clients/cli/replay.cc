// replay: the job of a receipt again, and what came out otherwise.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "clients/cli/worker.h"
#include "runner/contract/hash.h"

namespace clients::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr size_t kPrefixMin = 8, kIdBytes = 64;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The folder of a bundle: a path, or a receipt's id or the beginning of one.
absl::StatusOr<fs::path> FindBundle(const std::string& id) {
  std::error_code error;
  if (fs::is_regular_file(fs::path(id) / "receipt.json", error)) return fs::path(id);
  std::vector<fs::path> found;
  for (const auto& at : fs::directory_iterator(ReceiptsFolder(), error)) {
    const std::string name = at.path().filename();
    if (id.size() >= kPrefixMin && name.size() == kIdBytes && name.starts_with(id)) {
      found.push_back(at.path());
    }
  }
  if (found.size() == 1) return found[0];
  return absl::InvalidArgumentError(
      absl::StrCat(found.size(), " receipts begin with `", id, "` in ", ReceiptsFolder(),
                   "; a receipt is a folder, or at least ", kPrefixMin, " digits of its id"));
}

struct Bundle {
  std::string id, job;
  json receipt;
};

// Everything is named by its hash: what was changed is refused.
absl::StatusOr<Bundle> ReadBundle(const fs::path& folder) {
  const std::string receipt = ReadFile(folder / "receipt.json");
  Bundle out{.id = runner::contract::Sha256Hex(receipt), .job = ReadFile(folder / "job.json")};
  out.receipt = json::parse(receipt, nullptr, false);
  const bool whole = out.receipt.is_object() && out.receipt.contains("hashes") &&
                     out.receipt["hashes"].is_object() && out.receipt.contains("checks");
  const std::string name = folder.filename();
  if (!whole || (name.size() == kIdBytes && name != out.id) ||
      out.receipt["hashes"].value("job", "") != runner::contract::Sha256Hex(out.job)) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder.string(), ": the bundle is not what its receipt says"));
  }
  return out;
}

struct Change {
  std::string what, then, now;
};

std::map<std::string, std::string> Facts(const json& receipt) {
  std::map<std::string, std::string> out;
  out["verdict"] = receipt.value("verdict", "");
  for (const json& check : receipt.value("checks", json::array())) {
    out[absl::StrCat("check ", check.value("name", ""))] = check.value("outcome", "");
  }
  // Samples are never the same twice; what was judged and built is.
  const json hashes = receipt.value("hashes", json::object());
  for (const auto& [name, hash] : hashes.items()) {
    if (name != "samples" && hash.is_string()) out["hash " + name] = hash.get<std::string>();
  }
  const json oracle = receipt.value("oracle", json::object());
  out["oracle revision"] = oracle.value("revision", json(0)).dump();
  return out;
}

std::vector<Change> Changes(const json& then, const json& now) {
  std::vector<Change> out;
  const auto before = Facts(then), after = Facts(now);
  for (const auto& [what, value] : before) {
    const auto found = after.find(what);
    const std::string other = found == after.end() ? "" : found->second;
    if (other != value) out.push_back({what, value, other});
  }
  for (const auto& [what, value] : after) {
    if (!before.contains(what)) out.push_back({what, "", value});
  }
  return out;
}

int Print(const ReplayOptions& options, const Bundle& bundle, const std::string& outcome,
          const std::vector<Change>& changes, const json& result) {
  const int code = outcome == "same"        ? kFine
                   : outcome == "different" ? kCandidateAtFault
                                            : kWorldAtFault;
  if (options.json) {
    json out{{"receipt", bundle.id},
             {"outcome", outcome},
             {"replayed", result.value("receipt_id", "")},
             {"verdict", result.value("verdict", "")},
             {"detail", result.value("detail", "")},
             {"differences", json::array()}};
    for (const Change& change : changes) {
      out["differences"].push_back(
          {{"what", change.what}, {"then", change.then}, {"now", change.now}});
    }
    std::printf("%s\n", out.dump(2).c_str());
    return code;
  }
  std::printf("receipt %s: %s\n", bundle.id.c_str(),
              Paint(outcome, code == kFine ? Style::kGood : Style::kBad).c_str());
  if (outcome == "cannot run here") {
    std::printf("%s\n", Printable(result.value("detail", "")).c_str());
    PrintNext(absl::StrCat("cake replay ", bundle.id.substr(0, 12), " --device cpu"));
    return code;
  }
  Table table({"what", "then", "now"});
  for (const Change& change : changes) {
    table.Add({Printable(change.what), Printable(change.then), Printable(change.now)});
  }
  if (!changes.empty()) std::fputs(table.Text().c_str(), stdout);
  PrintNext(absl::StrCat("cake replay ", result.value("receipt_id", bundle.id).substr(0, 12)));
  return code;
}

}  // namespace

int Replay(const ReplayOptions& options) {
  const auto folder = FindBundle(options.receipt);
  if (!folder.ok()) return Fail(folder.status());
  const auto bundle = ReadBundle(*folder);
  if (!bundle.ok()) return Fail(bundle.status());
  if (bundle->receipt.value("source", "") == "REPLAY") {
    return Print(options, *bundle, "cannot run here", {},
                 {{"detail", "it was answered from a replay file: nothing ran"}});
  }
  const json device = bundle->receipt.value("device", json::object());
  const bool gpu = device.is_object() && device.contains("uuid");
  const std::string on = options.device.empty() ? (gpu ? "cuda" : "cpu") : options.device;
  const auto ran = RunWorker(on, bundle->job);
  if (!ran.ok()) return Fail(ran.status());
  const json& result = ran->result;
  // The job may be wrong for what is here; a verdict about the world was never about the candidate.
  if (result.value("blame", "") == "INFRA" &&
      bundle->receipt.value("verdict", "") != result.value("verdict", "")) {
    return Print(options, *bundle, "cannot run here", {}, result);
  }
  const auto changes = Changes(bundle->receipt, result.value("receipt", json::object()));
  return Print(options, *bundle, changes.empty() ? "same" : "different", changes, result);
}

}  // namespace clients::cli
