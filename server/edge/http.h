// The dashboard, its JSON and its event stream, metrics and a health answer, on a loopback port.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/edge/core_thread.h"
#include "store/store.h"

namespace server::edge {

inline constexpr int kSseClientsMax = 72;  // each holds a thread

struct Desk;

class HttpServer {
 public:
  // `healthy` is asked for /healthz. UNAVAILABLE when the port cannot be listened on.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const Desk& desk,
                                                           std::function<bool()> healthy,
                                                           std::function<std::string()> metrics,
                                                           const std::string& host, int port);
  virtual ~HttpServer() = default;
  virtual void Stop() = 0;
};

}  // namespace server::edge
