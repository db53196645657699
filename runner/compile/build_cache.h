// Builds by content: the key is everything that decides the bytes. A file is written aside, synced
// and renamed, so that a reader sees a whole one or none; a damaged one is dropped and built again.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "runner/compile/nvrtc.h"

namespace runner::compile {

struct CachedBuild {
  std::string cubin, ptx, log;
};

// 64 hex digits of source, options, architecture and compiler. The file name is not in it: it
// changes messages, never code.
std::string BuildKey(const Request& request, const std::string& compiler);

class BuildCache {
 public:
  explicit BuildCache(std::string folder) : folder_(std::move(folder)) {}  // empty: caches nothing
  std::optional<CachedBuild> Get(const std::string& key) const;
  absl::Status Put(const std::string& key, const CachedBuild& build) const;

 private:
  std::string PathOf(const std::string& key) const;
  std::string folder_;
};

}  // namespace runner::compile
