// Things that cost more to make than to keep, up to so many bytes of them: what was not asked for
// longest goes first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace runner::oracle {

template <typename T>
class BoundedCache {
 public:
  explicit BoundedCache(int64_t bytes_max) : bytes_max_(bytes_max) {}

  // nullptr: not known, or forgotten.
  std::shared_ptr<const T> Find(const std::string& key) {
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
    if (found == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, found);
    return kept_.front().value;
  }
  // What is larger than all of the room is not kept.
  void Keep(const std::string& key, std::shared_ptr<const T> value, int64_t bytes) {
    if (bytes > bytes_max_) return;
    Forget(key);
    while (bytes_ + bytes > bytes_max_) {
      bytes_ -= kept_.back().bytes;
      kept_.pop_back();
    }
    kept_.push_front({key, std::move(value), bytes});
    bytes_ += bytes;
  }
  void Forget(const std::string& key) {
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
    if (found == kept_.end()) return;
    bytes_ -= found->bytes;
    kept_.erase(found);
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> out;
    for (const Kept& kept : kept_) out.push_back(kept.key);
    return out;
  }
  int64_t bytes() const { return bytes_; }

 private:
  struct Kept {
    std::string key;
    std::shared_ptr<const T> value;
    int64_t bytes = 0;
  };
  const int64_t bytes_max_;
  int64_t bytes_ = 0;
  std::list<Kept> kept_;  // the newest use first
};

}  // namespace runner::oracle
