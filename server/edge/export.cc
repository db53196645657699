#include "server/edge/export.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/edge/outbox.h"
#include "server/edge/status.h"
#include "server/state/error.h"

namespace server::edge {
namespace {

// RFC 4180: a field with a comma, a quote or a line break stands in quotes.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string CsvCell(const store::QueryCell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return absl::StrCat(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return absl::StrFormat("%.17g", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return CsvField(*text);
  return "";
}

nlohmann::json JsonCell(const store::QueryCell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return *integer;
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return nullptr;
}

class ExportReactor : public grpc::ServerWriteReactor<wire::ExportReply> {
 public:
  using Box = Outbox<ExportReactor, wire::ExportReply>;

  ExportReactor(Queries& queries, const absl::StatusOr<Caller>& caller,
                const wire::ExportRequest& request)
      : held_(std::make_shared<HeldBytes>(queries.held())), box_(std::make_shared<Box>(this)) {
    auto sql = caller.ok() ? ExportSql(request) : caller.status();
    if (!sql.ok()) {
      box_->End(ToGrpc(sql.status()));
      return;
    }
    queries.Export(
        *sql, request.format(), [cancelled = cancelled_] { return cancelled->load(); },
        [box = box_, held = held_](wire::ExportReply part) {
          return held->Take(part.data().size()) && box->Push(std::move(part), SIZE_MAX);
        },
        [box = box_](const absl::Status& status) { box->End(ToGrpc(status)); });
  }

  void OnWriteDone(bool ok) override { box_->WriteDone(ok); }
  void OnCancel() override {
    cancelled_->store(true);
    box_->End(grpc::Status::CANCELLED);
  }
  void OnDone() override {
    cancelled_->store(true);
    box_->Detach();
    delete this;
  }

 private:
  std::shared_ptr<std::atomic<bool>> cancelled_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<HeldBytes> held_;  // until the reader has it all or is gone
  std::shared_ptr<Box> box_;
};

}  // namespace

bool HeldBytes::Take(uint64_t bytes) {
  if ((*all_ += bytes) > kExportsHeldMax) {
    *all_ -= bytes;
    return false;
  }
  mine_ += bytes;
  return true;
}

std::string ExportHead(wire::ExportFormat format, const std::vector<std::string>& names) {
  if (format != wire::EXPORT_FORMAT_CSV) return "";
  std::string out;
  for (const std::string& name : names)
    absl::StrAppend(&out, out.empty() ? "" : ",", CsvField(name));
  return out + "\r\n";
}

std::string ExportLine(wire::ExportFormat format, const std::vector<std::string>& names,
                       const std::vector<store::QueryCell>& row) {
  if (format == wire::EXPORT_FORMAT_CSV) {
    std::string out;
    for (size_t i = 0; i < row.size(); ++i)
      absl::StrAppend(&out, i == 0 ? "" : ",", CsvCell(row[i]));
    return out + "\r\n";
  }
  auto out = nlohmann::ordered_json::object();
  for (size_t i = 0; i < row.size(); ++i) out[names[i]] = JsonCell(row[i]);
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

absl::StatusOr<std::string> ExportSql(const wire::ExportRequest& request) {
  if (request.format() != wire::EXPORT_FORMAT_CSV &&
      request.format() != wire::EXPORT_FORMAT_JSONL) {
    return state::BadField("format", "must be CSV or JSONL");
  }
  if (request.view().empty() == request.sql().empty()) {
    return state::BadField("view", "one of view and sql has to be given");
  }
  if (request.view().empty()) return request.sql();
  const bool plain = request.view().size() <= 64 && request.view().starts_with("v_") &&
                     std::all_of(request.view().begin(), request.view().end(), [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                     });
  if (!plain) return state::BadField("view", "is no name of a view: see store/VIEWS.md");
  return absl::StrCat("SELECT * FROM ", request.view());
}

grpc::ServerWriteReactor<wire::ExportReply>* MakeExport(Queries& queries,
                                                        const absl::StatusOr<Caller>& caller,
                                                        const wire::ExportRequest& request) {
  return new ExportReactor(queries, caller, request);
}

}  // namespace server::edge
