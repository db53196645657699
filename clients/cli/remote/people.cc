// usage, sql, and the tokens of admin: short verbs of one call each.
#include <cstdio>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/upkeep.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

using cake::v1::QueryValue;

std::string CellText(const QueryValue& value) {
  switch (value.value_case()) {
    case QueryValue::kInteger: return absl::StrCat(value.integer());
    case QueryValue::kReal: return absl::StrFormat("%.15g", value.real());
    case QueryValue::kText: return value.text();
    default: return "";
  }
}

// RFC 4180.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

template <typename Row, typename Field>
std::string Line(const Row& row, const Field& field) {
  std::string out;
  for (const auto& cell : row) absl::StrAppend(&out, out.empty() ? "" : ",", field(cell));
  return out + "\n";
}

void PrintRows(const cake::v1::QueryReply& reply, const std::string& format) {
  if (format == "csv") {
    std::fputs(Line(reply.columns(), CsvField).c_str(), stdout);
    for (const auto& row : reply.rows()) {
      const auto cell = [](const QueryValue& value) { return CsvField(CellText(value)); };
      std::fputs(Line(row.values(), cell).c_str(), stdout);
    }
    return;
  }
  Table table({reply.columns().begin(), reply.columns().end()});
  for (const auto& row : reply.rows()) {
    std::vector<std::string> cells;
    for (const auto& value : row.values()) cells.push_back(Printable(CellText(value)));
    table.Add(std::move(cells));
  }
  std::fputs(table.Text().c_str(), stdout);
}

}  // namespace

namespace {

// Every row as a stream of whole lines; one that ends without its last part is no export.
int ExportAll(const SqlOptions& options) {
  if (options.format == "table") {
    return Fail(absl::InvalidArgumentError("--all writes --format csv or --format jsonl"));
  }
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  cake::v1::ExportRequest request;
  request.set_format(options.format == "csv" ? cake::v1::EXPORT_FORMAT_CSV
                                             : cake::v1::EXPORT_FORMAT_JSONL);
  const bool view = options.sql.find(' ') == std::string::npos;
  *(view ? request.mutable_view() : request.mutable_sql()) = options.sql;
  const auto context = Deadline(600);
  const auto stream = client->history->Export(context.get(), request);
  cake::v1::ExportReply part;
  bool last = false;
  while (stream->Read(&part)) {
    std::fwrite(part.data().data(), 1, part.data().size(), stdout);
    last = part.last();
  }
  const grpc::Status status = stream->Finish();
  if (!status.ok()) return FailCall(status, client->address);
  return last ? kFine : Fail(absl::UnavailableError("the export was cut short"));
}

}  // namespace

int Sql(const SqlOptions& options) {
  if (options.all) return ExportAll(options);
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  cake::v1::QueryRequest request;
  request.set_sql(options.sql);
  request.set_max_rows(options.limit);
  cake::v1::QueryReply reply;
  const grpc::Status status = client->history->Query(Deadline(10).get(), request, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  if (options.format == "jsonl") {
    for (const auto& row : reply.rows()) std::printf("%s\n", Json(row, true).c_str());
    return kFine;
  }
  PrintRows(reply, options.format);
  if (options.format != "table") return kFine;
  if (reply.truncated()) std::printf("more rows than these: --limit, or a narrower query\n");
  PrintNextCall("cake history candidates", options.connect);
  return kFine;
}

int Usage(const UsageOptions& options) {
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  cake::v1::ReportUsageRequest request;
  request.mutable_meta()->set_request_id(options.request_id.empty() ? NewRequestId()
                                                                    : options.request_id);
  request.mutable_meta()->set_run(options.run);
  request.mutable_meta()->set_experiment(options.experiment);
  request.mutable_meta()->set_agent_session(options.session);
  request.set_model(options.model);
  cake::v1::UsageSource source{};
  cake::v1::UsageSource_Parse(absl::StrCat("USAGE_SOURCE_", absl::AsciiStrToUpper(options.source)),
                              &source);
  request.set_source(source);
  request.set_input(options.input);
  request.set_cached(options.cached);
  request.set_output(options.output);
  request.set_reasoning(options.reasoning);
  cake::v1::ReportUsageReply reply;
  const grpc::Status status = client->agent->ReportUsage(Deadline(20).get(), request, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  std::printf("%s: %llu tokens charged\n", reply.run().c_str(),
              static_cast<unsigned long long>(reply.charged_tokens()));
  PrintNextCall(absl::StrCat("cake history ", reply.run()), options.connect);
  return kFine;
}

int CreateToken(const AdminOptions& options) {
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  cake::v1::CreateTokenRequest request;
  request.mutable_meta()->set_request_id(NewRequestId());
  request.set_name(options.path);
  request.set_role(options.role);
  request.set_experiment(options.experiment);
  cake::v1::CreateTokenReply reply;
  const grpc::Status status = client->operators->CreateToken(Deadline(20).get(), request, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  std::printf("token of %s, shown once:\n%s\n", reply.name().c_str(), reply.token().c_str());
  PrintNext(absl::StrCat("CAKE_TOKEN=.. cake history, or cake admin revoke ", reply.name(),
                         " --reason WHY"));
  return kFine;
}

int RevokeToken(const AdminOptions& options) {
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  cake::v1::RevokeTokenRequest request;
  request.mutable_meta()->set_request_id(NewRequestId());
  request.set_name(options.path);
  request.set_reason(options.reason);
  cake::v1::RevokeTokenReply reply;
  const grpc::Status status = client->operators->RevokeToken(Deadline(20).get(), request, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  std::printf("the token of %s opens nothing any more\n", reply.name().c_str());
  PrintNextCall("cake admin doctor", options.connect);
  return kFine;
}

}  // namespace clients::cli::remote
