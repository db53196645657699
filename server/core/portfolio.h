// The best programs of a workload for each kind of device and shape, as files that stand alone:
// sources, device code, jobs and receipts, a manifest with every hash, and a C++ header that
// chooses among them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/core/context.h"

namespace server::core {

// A shape gets a program of its own where that pays so much more than the device's best.
inline constexpr double kRouteGainMin = 0.01;
inline constexpr size_t kFinalistsMax = 16;  // of each device: their samples are read
inline constexpr int64_t kEvaluationsReadMax = 20'000;

struct PortfolioRequest {
  Meta meta;
  std::string workload, experiment, run, reason;
};

struct PortfolioFile {
  std::string path;
  store::ObjectHash hash;
  int64_t size = 0;
  std::string content;  // of files that no object holds
};

struct PortfolioReply {
  std::string workload;
  std::vector<PortfolioFile> files;
  store::ObjectHash manifest;
  int64_t devices = 0, kernels = 0, routes = 0, event_seq = 0;
};

class Portfolios {
 public:
  explicit Portfolios(Context& context) : c_(context) {}

  absl::StatusOr<PortfolioReply> Export(const PortfolioRequest& request);

 private:
  Context& c_;
};

// The header and the page beside a manifest, from the manifest alone.
std::string PortfolioHeader(const std::string& manifest_json);
std::string PortfolioPage(const std::string& manifest_json);

}  // namespace server::core
