#include "server/edge/sql.h"

#include <algorithm>
#include <thread>

#include "server/state/error.h"
#include "store/clock.h"
#include "store/query.h"

namespace server::edge {
namespace {

void ToWire(const store::QueryResult& in, wire::QueryReply* out) {
  for (const std::string& column : in.columns) out->add_columns(column);
  for (const auto& row : in.rows) {
    wire::QueryRow* line = out->add_rows();
    for (const store::QueryCell& cell : row) {
      wire::QueryValue* value = line->add_values();
      if (const auto* integer = std::get_if<int64_t>(&cell)) value->set_integer(*integer);
      if (const auto* real = std::get_if<double>(&cell)) value->set_real(*real);
      if (const auto* text = std::get_if<std::string>(&cell)) value->set_text(*text);
    }
  }
  out->set_truncated(in.truncated);
  out->set_as_of_seq(in.as_of_seq);
}

}  // namespace

Queries::~Queries() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  ended_.wait(lock, [this] { return running_ == 0; });
}

void Queries::Start(const wire::QueryRequest& in, wire::QueryReply* out, int64_t left_ns,
                    std::function<bool()> gone, std::function<void(absl::Status)> done) {
  {
    const std::lock_guard lock(mutex_);
    if (running_ < kQueriesMax && !stopping_) {
      ++running_;
      std::thread([this, in, out, left_ns, gone, done] {
        store::QueryLimits limits;
        if (in.max_rows() > 0) limits.rows_max = in.max_rows();
        limits.deadline_ns = std::min(left_ns, store::kQueryLimitNs);
        limits.cancelled = [this, gone] {
          const std::lock_guard lock(mutex_);
          return stopping_ || gone();
        };
        auto result = store::RunQuery(store_.dir(), in.sql(), limits, store::SystemClock());
        if (result.ok()) ToWire(*result, out);
        done(result.status());
        const std::lock_guard lock(mutex_);
        --running_;
        ended_.notify_all();
      }).detach();
      return;
    }
  }
  done(state::Error(state::Reason::kRate, "too many queries are running"));
}

}  // namespace server::edge
