// How the daemon was asked to run: flags, which are also the keys of caked.toml and, in capitals
// with CAKE_ before them, environment variables. A flag wins over a variable, a variable over the
// file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace server::edge {

enum class Mode : uint8_t { kServe, kGateChild, kRebuildCheck, kListFailpoints, kDemoSeed, kAdmin };

struct Config {
  Mode mode = Mode::kServe;
  std::string data_dir;
  std::vector<std::string> workloads;
  std::string host = "127.0.0.1";
  int port = 7420, http_port = 7421;
  int gate_children = 0;  // 0: one a core, at most 8
  int64_t disk_reserve_bytes = int64_t{256} << 20;
  int64_t grace_ms = 3000;
  std::string log_level = "info";
  int lease_ttl_ms = 30'000;
  int64_t demo_rows = 0;  // kDemoSeed
  uint64_t demo_seed = 1;
  std::string admin, admin_request;              // kAdmin
  bool tokens = false;                           // loopback callers need one too
  std::string tls_cert, tls_key, tls_client_ca;  // files
};

// The configuration, or the exit code with which the process should end (help: 0, usage: 2).
struct Parsed {
  Config config;
  std::optional<int> exit_code;
};
Parsed ParseCommandLine(int argc, char** argv);

// 127.0.0.0/8, ::1 or localhost. Anything else needs TLS and tokens.
bool IsLoopback(const std::string& host);

// The first port from `wanted` on (at most 100 tried) that nobody listens on; for 0 any one. 0:
// none.
int FreePort(const std::string& host, int wanted);

}  // namespace server::edge
