// An evidence file (tests/device/run.sh writes them): tar packed with zstd, holding manifest.json,
// events.jsonl and objects/<sha256>. It comes from elsewhere, so nothing in it is believed before
// its hash was computed, and every size has a limit.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace clients::cli::remote {

inline constexpr uint64_t kEvidenceBytesMax = uint64_t{2} << 30;  // unpacked, of the whole file
inline constexpr uint64_t kEvidenceMemberBytesMax = uint64_t{64} << 20;
inline constexpr uint64_t kEvidenceObjectsMax = 65'536;

struct EvidenceFile {
  std::string path;
  std::string manifest, manifest_hash;
  std::string log, log_hash;
  std::map<std::string, std::string> objects;  // hash -> kind
};

// Reads the whole file once and keeps its manifest and its log. INVALID_ARGUMENT says what is
// wrong: not readable, cut short, a name or a size that may not be, an object that is not what its
// name says, one that the manifest does not list or lists in vain.
absl::StatusOr<EvidenceFile> ReadEvidence(const std::string& path);

// Reads it again and hands each object out; the first error ends it.
using ObjectSink = std::function<absl::Status(const std::string& hash, const std::string& kind,
                                              const std::string& bytes)>;
absl::Status ForEachObject(const EvidenceFile& file, const ObjectSink& sink);

}  // namespace clients::cli::remote
