// How long callers of the daemon wait: durable Submits by 1, 16 and 64 clients, what a full queue
// answers, and the memory that idle watchers cost. Started by serve.py, which has the daemon;
// prints one JSON object.
//   serve_bench ADDRESS RUNS SECONDS WATCHERS
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cake/v1/agent.grpc.pb.h"
#include "cake/v1/operator.grpc.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace {

using Clock = std::chrono::steady_clock;
using Stub = cake::v1::Agent::Stub;

struct Bench {
  std::string address;
  int runs = 0;
  double seconds = 0;
  std::atomic<uint64_t> sent = 0;
};

std::unique_ptr<Stub> Connect(const std::string& address, int number) {
  grpc::ChannelArguments arguments;
  arguments.SetInt("cake.client", number);  // a connection of its own for each client
  return cake::v1::Agent::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
}

cake::v1::SubmitRequest Program(uint64_t number, int run) {
  cake::v1::SubmitRequest request;
  request.mutable_meta()->set_request_id("bench-" + std::to_string(10'000'000 + number));
  request.mutable_meta()->set_run("r-" + std::to_string(run));
  request.mutable_source()->set_cake_ir("program vector_add target sm_80\n// " +
                                        std::to_string(number) + std::string(600, 'x') + "\n");
  request.set_wait_for(cake::v1::WAIT_FOR_ACK);
  return request;
}

// Runs r-1 to r-RUNS and one more, made and not started: what is handed in waits for its gates.
bool CreateRuns(const Bench& bench) {
  const auto stub = cake::v1::Operator::NewStub(
      grpc::CreateChannel(bench.address, grpc::InsecureChannelCredentials()));
  constexpr int kOfOneExperiment = 100;
  for (int made = 0; made <= bench.runs; made += kOfOneExperiment) {
    const std::string name = "bench-runs-" + std::to_string(made);
    cake::v1::CreateExperimentRequest request;
    request.mutable_meta()->set_request_id(name);
    request.set_name(name);
    request.set_workload("vector_add");
    request.set_repeats(static_cast<uint32_t>(std::min(kOfOneExperiment, bench.runs + 1 - made)));
    grpc::ClientContext context;
    cake::v1::ExperimentReply reply;
    const grpc::Status status = stub->CreateExperiment(&context, request, &reply);
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.error_message().c_str());
    if (!status.ok()) return false;
  }
  return true;
}

struct Row {
  int clients = 0;
  std::vector<double> milliseconds;
  uint64_t refused = 0;
  double seconds = 0;
};

// Closed loop: each client hands the next program in when the last one is acknowledged.
Row Submit(Bench& bench, int clients) {
  Row row{.clients = clients};
  std::vector<std::vector<double>> taken(clients);
  std::vector<uint64_t> refused(clients);
  const Clock::time_point begin = Clock::now();
  const auto end = begin + std::chrono::duration<double>(bench.seconds);
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      const auto stub = Connect(bench.address, i);
      while (Clock::now() < end) {
        const uint64_t number = bench.sent.fetch_add(1);
        const auto request = Program(number, 1 + static_cast<int>(number % bench.runs));
        grpc::ClientContext context;
        cake::v1::SubmitReply reply;
        const auto start = Clock::now();
        const grpc::Status status = stub->Submit(&context, request, &reply);
        if (!status.ok()) {
          ++refused[i];
          continue;
        }
        taken[i].push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  row.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  for (int i = 0; i < clients; ++i) {
    row.milliseconds.insert(row.milliseconds.end(), taken[i].begin(), taken[i].end());
    row.refused += refused[i];
  }
  std::sort(row.milliseconds.begin(), row.milliseconds.end());
  return row;
}

double Quantile(const std::vector<double>& sorted, double at) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<size_t>(at * static_cast<double>(sorted.size() - 1))];
}

// One run more than the bench uses is filled until it refuses; what the refusal carries.
std::string FullQueue(Bench& bench) {
  const auto stub = Connect(bench.address, 1000);
  for (uint64_t i = 0; i < 100'000; ++i) {
    grpc::ClientContext context;
    cake::v1::SubmitReply reply;
    const auto status = stub->Submit(&context, Program(5'000'000 + i, bench.runs + 1), &reply);
    if (status.ok()) continue;
    google::rpc::Status rich;
    google::rpc::ErrorInfo info;
    google::rpc::RetryInfo retry;
    rich.ParseFromString(status.error_details());
    bool has_retry = false;
    for (const auto& detail : rich.details()) {
      detail.UnpackTo(&info);
      has_retry = detail.UnpackTo(&retry) || has_retry;
    }
    const double delay = static_cast<double>(retry.retry_delay().seconds()) +
                         static_cast<double>(retry.retry_delay().nanos()) / 1e9;
    char text[200];
    std::snprintf(text, sizeof(text),
                  "{\"after\":%llu,\"code\":%d,\"reason\":\"%s\",\"retry_info\":%s,\"retry_s\":%g}",
                  static_cast<unsigned long long>(i), static_cast<int>(status.error_code()),
                  info.reason().c_str(), has_retry ? "true" : "false", delay);
    return text;
  }
  return "null";
}

// So many watchers of one candidate that nothing happens to; open until the deadline.
int Watch(Bench& bench, int count) {
  struct Open {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<cake::v1::WatchReply>> stream;
  };
  std::vector<std::unique_ptr<Open>> open;
  std::vector<std::unique_ptr<Stub>> stubs;
  int live = 0;
  for (int i = 0; i < count; ++i) {
    if (i % 100 == 0) stubs.push_back(Connect(bench.address, 2000 + i));
    open.push_back(std::make_unique<Open>());
    cake::v1::WatchRequest request;
    request.mutable_meta()->set_run("r-1");
    request.set_from_seq(UINT64_MAX / 4);
    open.back()->stream = stubs.back()->Watch(&open.back()->context, request);
  }
  // A heartbeat says that a stream is served.
  for (const auto& one : open) {
    cake::v1::WatchReply reply;
    live += one->stream->Read(&reply) ? 1 : 0;
  }
  std::printf("{\"watching\":%d}\n", live);
  std::fflush(stdout);
  std::this_thread::sleep_for(std::chrono::duration<double>(bench.seconds));
  for (const auto& one : open) one->context.TryCancel();
  return live;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  Bench bench{.address = argv[1], .runs = std::atoi(argv[2]), .seconds = std::atof(argv[3])};
  if (const int watchers = std::atoi(argv[4]); watchers > 0) {
    return Watch(bench, watchers) == watchers ? 0 : 1;
  }
  if (!CreateRuns(bench)) return 1;
  std::string rows;
  for (const int clients : {1, 16, 64}) {
    const Row row = Submit(bench, clients);
    char text[256];
    std::snprintf(text, sizeof(text),
                  "%s{\"clients\":%d,\"acknowledged\":%zu,\"refused\":%llu,\"per_second\":%.1f,"
                  "\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f}",
                  rows.empty() ? "" : ",", clients, row.milliseconds.size(),
                  static_cast<unsigned long long>(row.refused),
                  static_cast<double>(row.milliseconds.size()) / row.seconds,
                  Quantile(row.milliseconds, 0.5), Quantile(row.milliseconds, 0.99),
                  Quantile(row.milliseconds, 1));
    rows += text;
  }
  std::printf("{\"submit\":[%s],\"full_queue\":%s}\n", rows.c_str(), FullQueue(bench).c_str());
  return 0;
}
