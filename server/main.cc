// caked: flags -> store -> gate children -> core -> gRPC and HTTP.
#include <csignal>

#include "server/edge/admin.h"
#include "server/edge/config.h"
#include "server/edge/daemon.h"
#include "server/gates/child.h"

int main(int argc, char** argv) {
  const server::edge::Parsed parsed = server::edge::ParseCommandLine(argc, argv);
  if (parsed.exit_code) return *parsed.exit_code;
  switch (parsed.config.mode) {
    case server::edge::Mode::kGateChild: return server::gates::RunGateChild();
    case server::edge::Mode::kRebuildCheck: return server::edge::RebuildCheck(parsed.config);
    case server::edge::Mode::kListFailpoints: return server::edge::ListFailpoints();
    case server::edge::Mode::kDemoSeed: return server::edge::DemoSeed(parsed.config);
    case server::edge::Mode::kAdmin:
      return server::edge::RunAdmin(parsed.config.data_dir, parsed.config.admin,
                                    parsed.config.admin_request);
    case server::edge::Mode::kServe: break;
  }
  // Before any thread exists, so that none of them takes the signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return server::edge::Serve(parsed.config);
}
