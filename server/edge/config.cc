#include "server/edge/config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

namespace server::edge {
namespace {

constexpr int kPortsTried = 100;

constexpr const char* kFooter =
    R"(Each option is also a key of caked.toml and a variable: --http-port,
http-port = 7421, CAKE_HTTP_PORT. Flags win over variables, variables over the file.

Exit codes: 0 fine, 2 usage, 3 the world is at fault (folder taken, no port, no disk).
Example: caked --data-dir .cake --workloads tests/corpus)";

std::string DefaultDataDir() {
  if (const char* home = std::getenv("CAKE_HOME"); home != nullptr && *home != '\0') return home;
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : ".") + "/.local/share/cake";
}

}  // namespace

Parsed ParseCommandLine(int argc, char** argv) {
  Parsed parsed;
  Config& c = parsed.config;
  c.data_dir = DefaultDataDir();
  bool gate_child = false, rebuild_check = false, list_failpoints = false;
  CLI::App app{"caked: the daemon that checks, ranks, schedules and remembers GPU programs."};
  app.footer(kFooter);
  app.set_config("--config", c.data_dir + "/caked.toml", "a TOML file with these keys");
  app.add_option("--data-dir", c.data_dir, "where everything is kept")->envname("CAKE_DATA_DIR");
  app.add_option("--workloads", c.workloads, "folder with *.workload.textproto; repeatable")
      ->envname("CAKE_WORKLOADS");
  app.add_option("--host", c.host,
                 "address to listen on; one that is not loopback needs --tls-cert and --tls-key, "
                 "and callers need tokens")
      ->envname("CAKE_HOST");
  app.add_option("--port", c.port, "gRPC; the next free one if busy")
      ->envname("CAKE_PORT")
      ->check(CLI::Range(0, 65535));
  app.add_option("--http-port", c.http_port, "live page; the next free one if busy")
      ->envname("CAKE_HTTP_PORT")
      ->check(CLI::Range(0, 65535));
  app.add_flag("--tokens", c.tokens, "callers on loopback addresses need a token too")
      ->envname("CAKE_TOKENS");
  app.add_option("--tls-cert", c.tls_cert, "PEM file: certificate chain of this daemon")
      ->envname("CAKE_TLS_CERT");
  app.add_option("--tls-key", c.tls_key, "PEM file: its key")->envname("CAKE_TLS_KEY");
  app.add_option("--tls-client-ca", c.tls_client_ca,
                 "PEM file: callers need a certificate of this authority")
      ->envname("CAKE_TLS_CLIENT_CA");
  app.add_option("--gate-children", c.gate_children, "processes that judge; 0: one a core")
      ->envname("CAKE_GATE_CHILDREN")
      ->check(CLI::Range(0, 64));
  app.add_option("--disk-reserve-bytes", c.disk_reserve_bytes, "kept free for a full disk")
      ->envname("CAKE_DISK_RESERVE_BYTES");
  app.add_option("--grace-ms", c.grace_ms, "for calls in flight when stopping")
      ->envname("CAKE_GRACE_MS");
  app.add_option("--lease-ttl-ms", c.lease_ttl_ms, "a lease without a report ends after this")
      ->envname("CAKE_LEASE_TTL_MS")
      ->check(CLI::Range(100, 600'000));
  app.add_option("--log-level", c.log_level, "trace, debug, info, warn, error")
      ->envname("CAKE_LOG_LEVEL")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error"}));
  app.add_flag("--rebuild-check", rebuild_check,
               "fold the event log afresh and compare every table; beside a running daemon too");
  CLI::Option* demo = app.add_option("--demo-rows", c.demo_rows,
                                     "fill a folder without runs with demo data, and end")
                          ->check(CLI::Range(0, 100'000));
  app.add_option("--demo-seed", c.demo_seed, "the same seed makes the same demo data")->needs(demo);
  app.add_flag("--list-failpoints", list_failpoints, "names for CAKE_FAILPOINTS, one a line");
  CLI::Option* admin =
      app.add_option("--admin", c.admin, "look after a folder that no daemon has, and end")
          ->check(CLI::IsMember({"doctor", "fsck", "backup", "restore", "gc"}));
  app.add_option("--request", c.admin_request, "the call of cake.v1.Operator as JSON")
      ->needs(admin);
  app.add_flag("--gate-child", gate_child, "serve gate requests on descriptor 3")->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    parsed.exit_code = code == 0 ? 0 : 2;
  }
  if (gate_child) c.mode = Mode::kGateChild;
  if (rebuild_check) c.mode = Mode::kRebuildCheck;
  if (list_failpoints) c.mode = Mode::kListFailpoints;
  if (demo->count() > 0) c.mode = Mode::kDemoSeed;
  if (admin->count() > 0) c.mode = Mode::kAdmin;
  return parsed;
}

bool IsLoopback(const std::string& host) {
  in_addr address{};
  // A number, not a name that begins like one: 127.0.0.1.example.org is somebody else's.
  const bool number = inet_pton(AF_INET, host.c_str(), &address) == 1;
  return host == "localhost" || host == "::1" || (number && ntohl(address.s_addr) >> 24 == 127);
}

int FreePort(const std::string& host, int wanted) {
  // 0 asks the system for one: clients have to be told a number.
  const int last = wanted == 0 ? 0 : std::min(wanted + kPortsTried - 1, 65535);
  for (int port = wanted; port <= last; ++port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
    socklen_t size = sizeof(address);
    const bool free = bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    close(fd);
    if (free) return ntohs(address.sin_port);
  }
  return 0;
}

}  // namespace server::edge
