// The gRPC side of the daemon: services, health, reflection, on a UNIX socket and a loopback port.
// Who opens the socket is the principal `local`; see door.h for everybody else.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/edge/core_thread.h"
#include "store/store.h"

namespace server::edge {

inline constexpr int kMessageBytesMax = 8 * 1024 * 1024;

struct Desk;

// PEM texts; empty: none. client_ca: callers need a certificate of it.
struct Tls {
  std::string certificate, key, client_ca;
};

class GrpcServer {
 public:
  // `socket_path`: absolute; `port` 0: any. UNAVAILABLE when neither can be listened on.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const Desk& desk,
                                                           const std::string& socket_path,
                                                           const std::string& host, int port,
                                                           const Tls& tls);
  virtual ~GrpcServer() = default;

  virtual int port() const = 0;
  // Answers health checks with NOT_SERVING; new calls are still taken.
  virtual void SetServing(bool serving) = 0;
  // Takes no new calls, waits for those in flight at most `grace_ms`, ends.
  virtual void Shutdown(int64_t grace_ms) = 0;
};

}  // namespace server::edge
