// Two candidates side by side: sources line by line, what the best member of each came to, and the
// findings that only one of them has.
#pragma once

#include <string>
#include <vector>

#include "server/core/context.h"
#include "server/core/text_diff.h"

namespace server::core {

inline constexpr int64_t kContextLinesMax = 1000;

struct CompareRequest {
  std::string from, to;
  int64_t context = 0;  // 0: 3
};

struct Compared {
  std::string candidate, binding, workload;
  state::Judged judged;
  store::ScoreSource objective = store::ScoreSource::kNone;
  std::vector<std::string> codes;  // of its diagnostics, each once
};

struct ComparedMetric {
  Metric metric;  // its value is `to`
  double from = 0;
  bool has_from = false, has_to = false;
};

struct CompareReply {
  Compared from, to;
  TextDiff diff;
  std::vector<ComparedMetric> metrics;
  bool related = false;  // one is an ancestor of the other
};

class Comparing {
 public:
  explicit Comparing(Context& context) : c_(context) {}

  // NOT_FOUND names the candidate that does not exist.
  absl::StatusOr<CompareReply> Compare(const CompareRequest& request);

 private:
  struct Side;
  absl::StatusOr<Side> Read(const std::string& name);
  bool IsAncestor(int64_t ancestor, int64_t of) const;

  Context& c_;
};

}  // namespace server::core
