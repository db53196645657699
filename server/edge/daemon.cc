#include "server/edge/daemon.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/demo/seed.h"
#include "server/edge/contract_files.h"
#include "server/edge/core_thread.h"
#include "server/edge/grpc_server.h"
#include "server/edge/http.h"
#include "server/edge/unary.h"
#include "server/gates/pool.h"
#include "spdlog/spdlog.h"
#include "store/failpoint.h"
#include "store/store.h"

namespace server::edge {

std::string_view Embedded(std::string_view name);

namespace {

constexpr int kGateChildrenMax = 8;
constexpr int64_t kChecksPerChild = 8;

std::string Text(const absl::Status& status) { return std::string(status.message()); }

int FailWorld(const absl::Status& status) {
  std::fprintf(stderr, "caked: %s\n", Text(status).c_str());
  return kExitWorld;
}

// AddressSanitizer reserves terabytes of address space: a limit on it would kill every child.
constexpr int64_t kGateMemoryBytes =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    0;
#else
    int64_t{4} << 30;
#endif

gates::PoolOptions GateOptions(const Config& config) {
  gates::PoolOptions options;
  options.argv = {"/proc/self/exe", "--gate-child"};
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  options.children =
      config.gate_children > 0 ? config.gate_children : std::clamp(cores, 1, kGateChildrenMax);
  options.memory_bytes = kGateMemoryBytes;
  return options;
}

// Clients find the daemon by this file; renamed into place, so that they never read half of it.
// Two daemons that start at once may find the same port free; the one that loses looks again.
constexpr int kPortAttempts = 20;
template <typename Start>
auto OnFreePort(const std::string& host, int wanted, const Start& start) {
  for (int attempt = 1;; ++attempt) {
    auto server = start(FreePort(host, wanted));
    if (server.ok() || attempt == kPortAttempts) return server;
  }
}

absl::Status WriteAddress(const Config& config, const std::string& socket, int port,
                          const std::string& http_host, int http) {
  const nlohmann::json address = {{"unix", socket},
                                  {"grpc", absl::StrCat(config.host, ":", port)},
                                  {"http", absl::StrCat("http://", http_host, ":", http)},
                                  {"pid", getpid()}};
  const std::string path = config.data_dir + "/address.json";
  {
    std::ofstream file(path + ".new");
    file << address.dump(2) << "\n";
    if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  }
  std::error_code error;
  std::filesystem::rename(path + ".new", path, error);
  if (error) return absl::UnavailableError(absl::StrCat(path, ": ", error.message()));
  return absl::OkStatus();
}

std::string Metrics(store::Store& store) {
  const store::Stats stats = store.stats();
  return absl::StrFormat(
      "# TYPE cake_store_commits_total counter\ncake_store_commits_total %d\n"
      "# TYPE cake_store_commands_total counter\ncake_store_commands_total %d\n"
      "# TYPE cake_store_refused_total counter\ncake_store_refused_total %d\n"
      "# TYPE cake_store_last_commit_seconds gauge\ncake_store_last_commit_seconds %g\n"
      "# TYPE cake_store_wal_bytes gauge\ncake_store_wal_bytes %d\n"
      "# TYPE cake_serving gauge\ncake_serving %d\n",
      stats.commits, stats.commands, stats.refused, static_cast<double>(stats.last_commit_ns) / 1e9,
      stats.wal_bytes, stats.health == store::Health::kServing ? 1 : 0);
}

// Waits for a signal to stop, and keeps the health answer true meanwhile.
void WaitForSignal(store::Store& store, GrpcServer& grpc) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  for (;;) {
    const timespec second{.tv_sec = 1, .tv_nsec = 0};
    const int signal = sigtimedwait(&signals, nullptr, &second);
    if (signal == SIGTERM || signal == SIGINT) break;
    grpc.SetServing(store.stats().health == store::Health::kServing);
  }
  // A second signal ends the process at once; everything acknowledged is durable.
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

// The pool answers into the core's thread, which is made after it.
struct GateAnswers {
  std::mutex mutex;
  CoreThread* core = nullptr;
  void operator()(uint64_t id, absl::StatusOr<core::GateReply> reply) {
    std::lock_guard lock(mutex);
    if (core == nullptr) return;
    core->PostAlways(
        [id, reply = std::move(reply)](core::Core& core) { core.GateDone(id, reply); });
  }
};

absl::StatusOr<std::string> ReadPem(const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || text.str().find("-----BEGIN ") == std::string::npos) {
    return absl::UnavailableError(absl::StrCat(path, ": is no PEM file that can be read"));
  }
  return text.str();
}

absl::StatusOr<Tls> ReadTls(const Config& config) {
  Tls tls;
  for (const auto& [path, text] :
       {std::pair(&config.tls_cert, &tls.certificate), std::pair(&config.tls_key, &tls.key),
        std::pair(&config.tls_client_ca, &tls.client_ca)}) {
    auto read = ReadPem(*path);
    if (!read.ok()) return read.status();
    *text = *std::move(read);
  }
  return tls;
}

absl::StatusOr<std::unique_ptr<store::Store>> OpenStore(const Config& config) {
  store::Options options;
  options.dir = config.data_dir;
  options.disk_reserve_bytes = config.disk_reserve_bytes;
  return store::Store::Open(options);
}

int ServeStore(const Config& config, store::Store& store) {
  core::CoreOptions options;
  options.limits.lease_ttl_ms = config.lease_ttl_ms;
  options.limits.check_slots = GateOptions(config).children;
  // A line that is longer would wait out its callers' time when there are several.
  options.limits.caller_checks_max = kChecksPerChild * options.limits.check_slots;
  options.language = std::string(Embedded("LANGUAGE.md"));
  auto contracts = ReadContractFiles(config.workloads);
  if (!contracts.ok()) return FailWorld(contracts.status());
  options.contracts = *std::move(contracts);
  auto tls = ReadTls(config);
  if (!tls.ok()) return FailWorld(tls.status());
  GateAnswers answers;
  auto pool = std::make_unique<gates::Pool>(
      GateOptions(config), [&answers](uint64_t id, absl::StatusOr<core::GateReply> reply) {
        answers(id, std::move(reply));
      });
  auto core = core::Core::Open(store, store::SystemClock(), *pool, std::move(options));
  if (!core.ok()) return FailWorld(core.status());
  Door door(store.local_principal(), config.tokens || !IsLoopback(config.host));
  door.Know((*core)->state());
  CoreThread thread(*std::move(core), store::SystemClock());
  const Desk desk{thread, store, door};
  {
    std::lock_guard lock(answers.mutex);
    answers.core = &thread;
  }
  const std::string socket =
      (std::filesystem::absolute(config.data_dir) / "caked.sock").lexically_normal().string();
  std::filesystem::remove(socket);  // of an earlier daemon: the store's lock says it is gone
  auto grpc = OnFreePort(config.host, config.port, [&](int port) {
    return GrpcServer::Start(desk, socket, config.host, port, *tls);
  });
  if (!grpc.ok()) return FailWorld(grpc.status());
  const auto healthy = [&store] { return store.stats().health == store::Health::kServing; };
  int http_port = 0;
  // The live page has no TLS of its own: it never leaves the machine.
  const std::string http_host = IsLoopback(config.host) ? config.host : "127.0.0.1";
  auto http = OnFreePort(http_host, config.http_port, [&](int port) {
    http_port = port;
    return HttpServer::Start(
        desk, healthy, [&store] { return Metrics(store); }, http_host, port);
  });
  if (!http.ok()) return FailWorld(http.status());
  if (auto status = WriteAddress(config, socket, (*grpc)->port(), http_host, http_port);
      !status.ok()) {
    return FailWorld(status);
  }
  spdlog::info("serving {} and {}:{}, live page http://{}:{}/", socket, config.host,
               (*grpc)->port(), http_host, http_port);
  WaitForSignal(store, **grpc);
  spdlog::info("stopping");
  (*grpc)->SetServing(false);
  thread.Stop();
  (*grpc)->Shutdown(config.grace_ms);
  (*http)->Stop();
  {
    std::lock_guard lock(answers.mutex);
    answers.core = nullptr;
  }
  pool.reset();
  std::error_code ignored;
  std::filesystem::remove(config.data_dir + "/address.json", ignored);
  return kExitFine;
}

}  // namespace

int Serve(const Config& config) {
  spdlog::set_level(spdlog::level::from_str(config.log_level));
  const bool tls = !config.tls_cert.empty() && !config.tls_key.empty();
  if (!IsLoopback(config.host) && !tls) {
    std::fprintf(stderr,
                 "caked: --host %s: only loopback addresses are allowed without TLS and tokens:"
                 " give --tls-cert and --tls-key\n",
                 config.host.c_str());
    return kExitUsage;
  }
  if (!tls && !(config.tls_cert + config.tls_key + config.tls_client_ca).empty()) {
    std::fprintf(stderr, "caked: --tls-cert and --tls-key belong together\n");
    return kExitUsage;
  }
  auto store = OpenStore(config);
  if (!store.ok()) return FailWorld(store.status());
  return ServeStore(config, **store);
}

int RebuildCheck(const Config& config) {
  auto report = store::RebuildCheck(config.data_dir);
  if (!report.ok()) return FailWorld(report.status());
  nlohmann::json out = {{"equal", report->equal()},
                        {"events", report->events},
                        {"rows", report->rows},
                        {"integrity", report->integrity},
                        {"tables", report->tables},
                        {"exempt", report->exempt},
                        {"differences", nlohmann::json::array()}};
  for (const store::RebuildDifference& d : report->differences) {
    out["differences"].push_back(
        {{"table", d.table}, {"key", d.key}, {"expected", d.expected}, {"found", d.found}});
  }
  std::printf("%s\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  return report->equal() ? kExitFine : kExitWorld;
}

int DemoSeed(const Config& config) {
  auto contracts = ReadContractFiles(config.workloads);
  if (!contracts.ok()) return FailWorld(contracts.status());
  auto store = OpenStore(config);
  if (!store.ok()) return FailWorld(store.status());
  const demo::Options options{.rows = config.demo_rows, .seed = config.demo_seed};
  auto seeded = demo::Seed(**store, *contracts, options);
  if (!seeded.ok()) return FailWorld(seeded.status());
  const nlohmann::json out = {{"data_dir", config.data_dir},
                              {"rows", options.rows},
                              {"seed", options.seed},
                              {"events", seeded->events},
                              {"candidates", seeded->candidates},
                              {"runs", seeded->runs},
                              {"best", seeded->best}};
  std::printf("%s\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  return kExitFine;
}

int ListFailpoints() {
  for (const std::string_view name : store::failpoint::ListFailpoints()) {
    std::printf("%.*s\n", static_cast<int>(name.size()), name.data());
  }
  return kExitFine;
}

}  // namespace server::edge
