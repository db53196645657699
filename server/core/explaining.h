// What is derived from a member, asked of the gate children: the daemon itself never reads a
// program.
#pragma once

#include <map>
#include <string>

#include "server/core/context.h"
#include "server/core/gate.h"

namespace server::core {

struct ExplainRequest {
  std::string candidate;
  std::string binding;  // canonical JSON; "": of its best member
};

struct ExplainReply {
  std::string candidate, binding, arch, hardware;
  std::string map_json;  // "": the program is rejected
};

class Explaining {
 public:
  Explaining(Context& context, GateRunner& gates) : c_(context), gates_(gates) {}

  // RATE when too many are asked for at a time.
  void Explain(const ExplainRequest& request, Done<ExplainReply> done);

  // Gate work of this class has ids of its own.
  static bool Owns(uint64_t id) { return id >= kFirstId; }
  void GateDone(uint64_t id, absl::StatusOr<GateReply> reply);
  void AnswerAll(const absl::Status& status);

 private:
  static constexpr uint64_t kFirstId = uint64_t{1} << 62;

  struct Asked {
    ExplainReply reply;
    Done<ExplainReply> done;
  };

  Context& c_;
  GateRunner& gates_;
  uint64_t next_id_ = kFirstId;
  std::map<uint64_t, Asked> asked_;
};

}  // namespace server::core
