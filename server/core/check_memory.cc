#include "server/core/check_memory.h"

#include "store/store.h"

namespace server::core {

std::string CheckMemory::KeyOf(const GateRequest& request) {
  GateRequest asked = request;
  asked.cpu_limit_ms = 0;  // an answer that came does not depend on how long it might have taken
  return store::Sha256Hex(ToJson(asked));
}

std::shared_ptr<const GateReply> CheckMemory::Find(const std::string& key) {
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) return nullptr;
  rows_.splice(rows_.begin(), rows_, it->second);
  return it->second->reply;
}

void CheckMemory::Keep(const std::string& key, const GateReply& reply) {
  if (by_key_.contains(key)) return;
  Row row{key, std::make_shared<const GateReply>(reply), ToJson(reply).size()};
  if (row.bytes > kRememberedBytesMax / 8) return;
  bytes_ += row.bytes;
  rows_.push_front(std::move(row));
  by_key_[key] = rows_.begin();
  while (rows_.size() > kRememberedChecksMax || bytes_ > kRememberedBytesMax) {
    bytes_ -= rows_.back().bytes;
    by_key_.erase(rows_.back().key);
    rows_.pop_back();
  }
}

}  // namespace server::core
