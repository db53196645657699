#include "server/edge/sql.h"

#include <algorithm>
#include <thread>

#include "server/edge/export.h"
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

void Queries::Run(std::function<absl::Status(const std::function<bool()>&)> work,
                  std::function<bool()> gone, std::function<void(absl::Status)> done) {
  {
    const std::lock_guard lock(mutex_);
    if (running_ < kQueriesMax && !stopping_) {
      ++running_;
      std::thread([this, work = std::move(work), gone = std::move(gone), done] {
        done(work([this, &gone] {
          const std::lock_guard lock(mutex_);
          return stopping_ || gone();
        }));
        const std::lock_guard lock(mutex_);
        --running_;
        ended_.notify_all();
      }).detach();
      return;
    }
  }
  done(state::Error(state::Reason::kRate, "too many queries are running"));
}

void Queries::Start(const wire::QueryRequest& in, wire::QueryReply* out, int64_t left_ns,
                    std::function<bool()> gone, std::function<void(absl::Status)> done) {
  const auto work = [this, in, out, left_ns](const std::function<bool()>& stop) {
    store::QueryLimits limits;
    if (in.max_rows() > 0) limits.rows_max = in.max_rows();
    limits.deadline_ns = std::min(left_ns, store::kQueryLimitNs);
    limits.cancelled = stop;
    auto result = store::RunQuery(store_.dir(), in.sql(), limits, store::SystemClock());
    if (result.ok()) ToWire(*result, out);
    return result.status();
  };
  Run(work, std::move(gone), std::move(done));
}

namespace {

// Collects the lines of an export into parts of a size that travels well.
class Parts {
 public:
  Parts(wire::ExportFormat format, const std::function<bool(wire::ExportReply)>& send)
      : format_(format), send_(send) {}

  void Begin(const std::vector<std::string>& names, int64_t as_of_seq) {
    names_ = names;
    part_.set_as_of_seq(static_cast<uint64_t>(as_of_seq));
    part_.set_data(ExportHead(format_, names_));
  }
  // False: more than an export, or all of them, may hold.
  bool Add(const std::vector<store::QueryCell>& row) {
    const std::string line = ExportLine(format_, names_, row);
    bytes_ += line.size();
    if (bytes_ > kExportBytesMax) return false;
    part_.mutable_data()->append(line);
    part_.set_rows(part_.rows() + 1);
    if (part_.data().size() >= kExportChunkBytes) Send();
    return !refused_;
  }
  void End() {
    part_.set_last(true);
    Send();
  }
  absl::Status status() const {
    if (bytes_ > kExportBytesMax) {
      return state::Error(state::Reason::kRate,
                          "the export is over 64 MiB: ask for a part of it at a time");
    }
    if (!refused_) return absl::OkStatus();
    return state::Error(state::Reason::kRate, "too many exports wait for their readers");
  }

 private:
  void Send() {
    refused_ = !send_(part_) || refused_;
    part_.clear_data();
  }

  const wire::ExportFormat format_;
  const std::function<bool(wire::ExportReply)>& send_;
  std::vector<std::string> names_;
  wire::ExportReply part_;
  size_t bytes_ = 0;
  bool refused_ = false;
};

}  // namespace

void Queries::Export(const std::string& sql, wire::ExportFormat format, std::function<bool()> gone,
                     std::function<bool(wire::ExportReply)> part,
                     std::function<void(absl::Status)> done) {
  const auto work = [this, sql, format,
                     part = std::move(part)](const std::function<bool()>& stop) -> absl::Status {
    Parts parts(format, part);
    store::QuerySink sink;
    sink.columns = [&](const auto& names, int64_t seq) { parts.Begin(names, seq); };
    sink.row = [&](const auto& row) { return parts.Add(row); };
    store::QueryLimits limits;
    limits.cancelled = stop;
    auto status = store::StreamQuery(store_.dir(), sql, limits, store::SystemClock(), sink);
    if (!status.ok()) return status;
    if (absl::Status whole = parts.status(); !whole.ok()) return whole;
    parts.End();
    return parts.status();
  };
  Run(work, std::move(gone), std::move(done));
}

}  // namespace server::edge
