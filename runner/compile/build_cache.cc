#include "runner/compile/build_cache.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "runner/child/pack.h"
#include "runner/child/write_file.h"
#include "runner/contract/hash.h"

namespace runner::compile {
namespace {

constexpr int64_t kEntryBytesMax = 64 * 1024 * 1024;

}  // namespace

std::string BuildKey(const Request& request, const std::string& compiler) {
  std::vector<std::string_view> parts = {"cake-build-1", compiler, request.arch, request.cuda};
  parts.insert(parts.end(), request.options.begin(), request.options.end());
  return contract::Sha256Hex(child::Pack(parts));
}

std::string BuildCache::PathOf(const std::string& key) const {
  return absl::StrCat(folder_, "/", key.substr(0, 2), "/", key);
}

std::optional<CachedBuild> BuildCache::Get(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::string path = PathOf(key);
  const auto bytes = child::ReadWholeFile(path, kEntryBytesMax);
  if (!bytes.ok()) return std::nullopt;
  // The first 64 bytes are the hash of the rest.
  const std::string_view rest =
      std::string_view(*bytes).substr(std::min<size_t>(64, bytes->size()));
  const auto parts = child::Unpack(rest);
  if (bytes->substr(0, 64) != contract::Sha256Hex(rest) || !parts || parts->size() != 3) {
    unlink(path.c_str());
    return std::nullopt;
  }
  return CachedBuild{(*parts)[0], (*parts)[1], (*parts)[2]};
}

absl::Status BuildCache::Put(const std::string& key, const CachedBuild& build) const {
  if (folder_.empty()) return absl::OkStatus();
  const std::string rest = child::Pack({build.cubin, build.ptx, build.log});
  return child::WriteFileAtomically(PathOf(key), contract::Sha256Hex(rest) + rest);
}

}  // namespace runner::compile
