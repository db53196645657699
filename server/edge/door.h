// Who calls, and what they may: bearer tokens, roles, the walls around experiments.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "server/state/state.h"

namespace server::edge {

// A set of roles.
using Roles = uint8_t;
inline constexpr Roles kAgent = 1, kWorker = 2, kOperator = 4, kResearcher = 8, kEverybody = 15;

struct Caller {
  int64_t principal = 0;
  Roles roles = 0;
  int64_t experiment = 0;  // sees this one only; 0: all
};

// Safe from any thread.
class Door {
 public:
  // `tokens`: also callers on loopback addresses need one. The UNIX socket is the owner's: who
  // opens it is `local`.
  Door(int64_t local, bool tokens) : local_(local), tokens_(tokens) {}

  // After every change of a principal.
  void Know(const state::State& state);

  // `peer` as gRPC writes it; `authorization`: "Bearer TOKEN" or, of a browser, "Basic ..". ROLE:
  // there is no such token, it was revoked, or its role is not among `allowed`.
  absl::StatusOr<Caller> Enter(std::string_view peer, std::string_view authorization,
                               Roles allowed) const;
  bool tokens() const { return tokens_; }

 private:
  const int64_t local_;
  const bool tokens_;
  mutable std::mutex mutex_;
  std::map<std::string, Caller> callers_;  // by token hash; guarded by mutex_
};

// Asks the door whenever it is called, about one caller of one call.
using Knock = std::function<absl::StatusOr<Caller>()>;

// What a caller with an experiment asks for, kept within it: a request that names nothing is given
// the experiment, one that names something of another is refused with HIDDEN_BY_EXPERIMENT, as is
// every call that is not one of an author's. Others' requests are left alone.
absl::Status KeepWithin(const state::State& state, const Caller& caller,
                        google::protobuf::Message* request);

}  // namespace server::edge
