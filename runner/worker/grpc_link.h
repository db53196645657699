// The worker's link to the daemon over gRPC: one thread a lane, so that the supervisor itself never
// blocks.
#pragma once

#include <memory>
#include <string>

#include "runner/worker/supervisor.h"

namespace runner::worker {

class GrpcLink : public Link {
 public:
  // `target`: "unix:/path/caked.sock" or "host:port". Fails as proto::dial::CredentialsFor does.
  static absl::StatusOr<std::unique_ptr<GrpcLink>> Open(const std::string& target);
  ~GrpcLink() override;

  void Send(Lane lane, Call call) override;
  std::optional<absl::StatusOr<Answer>> Poll(Lane lane) override;
  // Readable when an answer waits.
  int wake_fd() const;
  // Ends outstanding calls with Cancelled; nothing can be sent afterwards.
  void Shutdown();

 private:
  class Impl;
  explicit GrpcLink(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace runner::worker
