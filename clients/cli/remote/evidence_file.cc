#include "clients/cli/remote/evidence_file.h"

#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "clients/cli/remote/objects.h"
#include "clients/cli/remote/tar_zst.h"

namespace clients::cli::remote {
namespace {

constexpr char kObjects[] = "objects/";
constexpr size_t kHashDigits = 64;
constexpr TarLimits kLimits{kEvidenceBytesMax, kEvidenceMemberBytesMax, kEvidenceObjectsMax + 2};

absl::Status Bad(const std::string& why) { return absl::InvalidArgumentError(why); }

bool IsHash(const std::string& text) {
  return text.size() == kHashDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

absl::Status WithPath(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

// The member's name without a leading "./".
std::string PlainName(const std::string& name) {
  return std::string(absl::StripPrefix(name, "./"));
}

class Reader {
 public:
  absl::Status Take(const std::string& given, const std::string& bytes) {
    const std::string name = PlainName(given);
    if (!names_.insert(name).second) return Bad(absl::StrCat("holds `", name, "` twice"));
    if (name == "manifest.json") {
      file_.manifest = bytes;
      file_.manifest_hash = Sha256Hex(bytes);
      return absl::OkStatus();
    }
    if (name == "events.jsonl") {
      file_.log = bytes;
      file_.log_hash = Sha256Hex(bytes);
      return absl::OkStatus();
    }
    const std::string hash(absl::StripPrefix(name, kObjects));
    if (!absl::StartsWith(name, kObjects) || !IsHash(hash)) {
      return Bad(absl::StrCat("holds `", name, "`, which is no part of an evidence file"));
    }
    if (Sha256Hex(bytes) != hash) {
      return Bad(absl::StrCat("object ", hash, " has other bytes than its name says"));
    }
    sizes_[hash] = bytes.size();
    return absl::OkStatus();
  }

  absl::StatusOr<EvidenceFile> Finish() {
    for (const char* name : {"manifest.json", "events.jsonl"}) {
      if (!names_.contains(name)) return Bad(absl::StrCat("has no ", name));
    }
    const auto manifest = nlohmann::json::parse(file_.manifest, nullptr, false);
    if (!manifest.is_object()) return Bad("manifest.json is not a JSON object");
    const auto events = manifest.find("events");
    if (events == manifest.end() || *events != file_.log_hash) {
      return Bad("events.jsonl is not the log that the manifest names");
    }
    const auto objects = manifest.find("objects");
    if (objects == manifest.end() || !objects->is_array()) {
      return Bad("manifest.json has no list `objects`");
    }
    for (const auto& object : *objects) {
      if (auto status = List(object); !status.ok()) return status;
    }
    for (const auto& [hash, size] : sizes_) {
      if (!file_.objects.contains(hash)) {
        return Bad(absl::StrCat("object ", hash, " is not in the manifest"));
      }
    }
    return std::move(file_);
  }

 private:
  absl::Status List(const nlohmann::json& object) {
    if (!object.is_object() || !object.contains("hash") || !object["hash"].is_string() ||
        !object.contains("kind") || !object["kind"].is_string()) {
      return Bad("an entry of `objects` has no hash or no kind");
    }
    const std::string hash = object["hash"];
    if (!sizes_.contains(hash)) {
      return Bad(absl::StrCat("object ", hash.substr(0, kHashDigits), " is missing"));
    }
    file_.objects[hash] = object["kind"];
    return absl::OkStatus();
  }

  EvidenceFile file_;
  std::set<std::string> names_;
  std::map<std::string, uint64_t> sizes_;
};

}  // namespace

absl::StatusOr<EvidenceFile> ReadEvidence(const std::string& path) {
  Reader reader;
  const absl::Status walked = WalkTarZst(
      path, kLimits,
      [&](const std::string& name, const std::string& bytes) { return reader.Take(name, bytes); });
  if (!walked.ok()) return WithPath(path, walked);
  auto file = reader.Finish();
  if (!file.ok()) return WithPath(path, file.status());
  file->path = path;
  return file;
}

absl::Status ForEachObject(const EvidenceFile& file, const ObjectSink& sink) {
  return WalkTarZst(file.path, kLimits,
                    [&](const std::string& given, const std::string& bytes) -> absl::Status {
                      const std::string hash(absl::StripPrefix(PlainName(given), kObjects));
                      const auto object = file.objects.find(hash);
                      if (object == file.objects.end())
                        return absl::OkStatus();  // the manifest, the log
                      return sink(hash, object->second, bytes);
                    });
}

}  // namespace clients::cli::remote
