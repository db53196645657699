// What the gates said of sources lately. They say the same of the same request, and agents ask
// again and again: an answer from here costs no gate's time, and an event of the log.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>

#include "server/core/gate.h"

namespace server::core {

inline constexpr size_t kRememberedChecksMax = 1024;
inline constexpr size_t kRememberedBytesMax = size_t{32} << 20;

class CheckMemory {
 public:
  // Everything of the request that an answer follows from.
  static std::string KeyOf(const GateRequest& request);

  std::shared_ptr<const GateReply> Find(const std::string& key);
  void Keep(const std::string& key, const GateReply& reply);
  size_t size() const { return by_key_.size(); }
  size_t bytes() const { return bytes_; }

 private:
  struct Row {
    std::string key;
    std::shared_ptr<const GateReply> reply;
    size_t bytes = 0;
  };
  std::list<Row> rows_;  // the last used first
  std::map<std::string, std::list<Row>::iterator> by_key_;
  size_t bytes_ = 0;
};

}  // namespace server::core
