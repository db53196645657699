#include "clients/cli/remote/history_pages.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace clients::cli::remote {
namespace {

using Rpc = cake::v1::History::Stub;

// The usual shape: a request with page_size and page_token, a reply with rows and next_page_token.
template <typename Request, typename Reply, typename Rows, typename Cells>
ReadPage PagesOf(Rpc& stub, grpc::Status (Rpc::*call)(grpc::ClientContext*, const Request&, Reply*),
                 Request request, Rows rows_of, Cells cells_of) {
  return [&stub, call, request, rows_of, cells_of](const std::string& token, uint32_t rows,
                                                   HistoryPage* page) mutable {
    request.set_page_size(rows);
    request.set_page_token(token);
    auto reply = std::make_shared<Reply>();
    auto context = Deadline(20);
    const grpc::Status status = (stub.*call)(context.get(), request, reply.get());
    if (!status.ok()) return status;
    for (const auto& row : rows_of(*reply)) page->rows.push_back({cells_of(row), &row});
    page->next_token = reply->next_page_token();
    page->reply = reply;
    return status;
  };
}

std::string Number(double value) { return value > 0 ? absl::StrCat(value) : ""; }

HistoryList Candidates(Rpc& stub, const HistoryOptions& options) {
  cake::v1::ListCandidatesRequest request;
  request.mutable_meta()->set_run(options.run);
  request.set_run(options.run);
  request.set_workload(options.workload);
  request.set_tactic(options.tactic);
  request.set_code(options.code);
  request.set_text(options.text);
  request.set_newest_first(options.newest);
  cake::v1::Verdict verdict;
  if (cake::v1::Verdict_Parse("VERDICT_" + options.verdict, &verdict)) {
    request.add_verdicts(verdict);
  }
  const auto rows = [](const cake::v1::ListCandidatesReply& r) -> auto& { return r.candidates(); };
  const auto cells = [](const cake::v1::Candidate& c) {
    return std::vector<std::string>{c.id(),
                                    Word(c.verdict()),
                                    Word(c.blame()),
                                    c.workload(),
                                    c.author(),
                                    c.tactic(),
                                    absl::StrJoin(c.parents(), " "),
                                    c.duplicate_of(),
                                    absl::StrCat(c.progress().members()),
                                    absl::StrCat(c.progress().evaluated()),
                                    Number(c.best_estimate_ns()),
                                    c.intent()};
  };
  return {{"candidate", "verdict", "blame", "workload", "author", "tactic", "parents",
           "duplicate_of", "members", "evaluated", "predicted_ns", "intent"},
          PagesOf(stub, &Rpc::ListCandidates, request, rows, cells),
          "no candidate fits"};
}

HistoryList Runs(Rpc& stub, const HistoryOptions& options) {
  cake::v1::ListRunsRequest request;
  request.set_workload(options.workload);
  request.set_experiment(options.experiment);
  const auto rows = [](const cake::v1::ListRunsReply& r) -> auto& { return r.runs(); };
  const auto cells = [](const cake::v1::RunSummary& r) {
    return std::vector<std::string>{r.run(),
                                    r.experiment(),
                                    r.workload(),
                                    Word(r.state()),
                                    r.reason(),
                                    Word(r.objective_source()),
                                    absl::StrCat(r.candidates()),
                                    absl::StrCat(r.progress().evaluated()),
                                    r.best().candidate(),
                                    Number(r.best().objective_ns())};
  };
  return {{"run", "experiment", "workload", "state", "reason", "objective", "candidates",
           "evaluated", "best", "best_ns"},
          PagesOf(stub, &Rpc::ListRuns, request, rows, cells),
          "no run yet"};
}

HistoryList Experiments(Rpc& stub, const HistoryOptions&) {
  const auto rows = [](const cake::v1::ListExperimentsReply& r) -> auto& {
    return r.experiments();
  };
  const auto cells = [](const cake::v1::Experiment& e) {
    return std::vector<std::string>{e.name(),
                                    e.visibility(),
                                    absl::StrJoin(e.workloads(), " "),
                                    absl::StrJoin(e.arms(), " "),
                                    absl::StrCat(e.runs()),
                                    absl::StrCat(e.candidates()),
                                    absl::StrCat(e.evaluations())};
  };
  return {{"experiment", "visibility", "workloads", "arms", "runs", "candidates", "evaluations"},
          PagesOf(stub, &Rpc::ListExperiments, cake::v1::ListExperimentsRequest(), rows, cells),
          "no experiment yet"};
}

HistoryList Findings(Rpc& stub, const HistoryOptions&) {
  const auto rows = [](const cake::v1::ListFindingsReply& r) -> auto& { return r.findings(); };
  const auto cells = [](const cake::v1::Finding& f) {
    return std::vector<std::string>{f.id(),          f.route(), f.state(), absl::StrCat(f.count()),
                                    f.fingerprint(), f.title()};
  };
  return {{"finding", "goes_to", "state", "candidates", "fingerprint", "title"},
          PagesOf(stub, &Rpc::ListFindings, cake::v1::ListFindingsRequest(), rows, cells),
          "no finding"};
}

HistoryList Events(Rpc& stub, const HistoryOptions& options) {
  cake::v1::ListEventsRequest request;
  request.set_run(options.run);
  request.set_kind(options.kind);
  const auto rows = [](const cake::v1::ListEventsReply& r) -> auto& { return r.events(); };
  const auto cells = [](const cake::v1::Event& e) {
    return std::vector<std::string>{
        absl::StrCat(e.seq()), absl::StrCat(e.at_unix_us()), e.run(), e.kind(), e.subject(),
        e.body_json()};
  };
  return {{"seq", "at_unix_us", "run", "kind", "subject", "body"},
          PagesOf(stub, &Rpc::ListEvents, request, rows, cells),
          "nothing happened yet"};
}

HistoryList Evaluations(Rpc& stub, const HistoryOptions& options) {
  cake::v1::ListEvaluationsRequest request;
  request.set_run(options.run);
  request.set_candidate(options.candidate);
  request.set_workload(options.workload);
  request.set_device(options.device);
  request.set_charged_only(options.charged);
  cake::v1::Verdict verdict;
  if (cake::v1::Verdict_Parse("VERDICT_" + options.verdict, &verdict)) {
    request.add_verdicts(verdict);
  }
  cake::v1::Purpose purpose;
  if (cake::v1::Purpose_Parse("PURPOSE_" + options.purpose, &purpose)) {
    request.set_purpose(purpose);
  }
  const auto rows = [](const cake::v1::ListEvaluationsReply& r) -> auto& {
    return r.evaluations();
  };
  const auto cells = [](const cake::v1::ListedEvaluation& e) {
    const cake::v1::Evaluation& one = e.evaluation();
    return std::vector<std::string>{
        e.candidate(),
        e.binding(),
        Word(one.verdict()),
        Word(one.blame()),
        one.purpose(),
        Word(one.source()),
        e.workload(),
        absl::StrCat(one.device(), one.simulated() ? " (simulated)" : ""),
        one.protocol(),
        Number(one.ratio_med()),
        Number(one.ratio_low()),
        Number(one.ratio_high()),
        Number(one.time_ns()),
        absl::StrCat(one.at_unix_us()),
        one.receipt()};
  };
  return {{"candidate", "binding", "verdict", "blame", "purpose", "source", "workload", "device",
           "protocol", "ratio", "low", "high", "time_ns", "at_unix_us", "receipt"},
          PagesOf(stub, &Rpc::ListEvaluations, request, rows, cells),
          "nothing was evaluated yet"};
}

HistoryList Queue(Rpc& stub, const HistoryOptions& options) {
  cake::v1::ListQueueRequest request;
  request.set_run(options.run);
  const auto rows = [](const cake::v1::ListQueueReply& r) -> auto& { return r.jobs(); };
  const auto cells = [](const cake::v1::QueuedJob& j) {
    return std::vector<std::string>{j.job(),
                                    j.state(),
                                    j.candidate(),
                                    j.run(),
                                    Bare(cake::v1::Purpose_Name(j.purpose()), "PURPOSE_"),
                                    absl::StrCat(j.priority()),
                                    absl::StrCat(j.attempt()),
                                    j.worker(),
                                    absl::StrJoin(j.needs(), " "),
                                    j.waits_because()};
  };
  return {{"job", "state", "candidate", "run", "purpose", "priority", "attempt", "worker", "needs",
           "waits_because"},
          PagesOf(stub, &Rpc::ListQueue, request, rows, cells),
          "no job waits or runs"};
}

HistoryList Devices(Rpc& stub, const HistoryOptions&) {
  const auto rows = [](const cake::v1::ListDevicesReply& r) -> auto& { return r.devices(); };
  const auto cells = [](const cake::v1::Device& d) {
    std::vector<std::string> workers;
    for (const auto& worker : d.workers()) {
      workers.push_back(absl::StrCat(worker.name(), "=", worker.state()));
    }
    return std::vector<std::string>{d.uuid(),
                                    d.name(),
                                    d.arch(),
                                    d.state(),
                                    d.simulated() ? "simulated" : "",
                                    absl::StrJoin(workers, " "),
                                    d.reason()};
  };
  return {{"device", "name", "arch", "state", "simulated", "workers", "reason"},
          PagesOf(stub, &Rpc::ListDevices, cake::v1::ListDevicesRequest(), rows, cells),
          "no worker has registered"};
}

void PrintCsvRow(const std::vector<std::string>& cells) {
  std::vector<std::string> quoted;
  for (const std::string& cell : cells) quoted.push_back(CsvCell(cell));
  std::printf("%s\r\n", absl::StrJoin(quoted, ",").c_str());
}

}  // namespace

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

HistoryList ListOf(const Client& client, const HistoryOptions& options) {
  Rpc& stub = *client.history;
  if (options.what == "candidates") return Candidates(stub, options);
  if (options.what == "runs") return Runs(stub, options);
  if (options.what == "experiments") return Experiments(stub, options);
  if (options.what == "findings") return Findings(stub, options);
  if (options.what == "events") return Events(stub, options);
  if (options.what == "evaluations") return Evaluations(stub, options);
  if (options.what == "queue") return Queue(stub, options);
  if (options.what == "devices") return Devices(stub, options);
  return {};
}

int PrintList(const Client& client, const HistoryList& list, const HistoryOptions& options,
              std::string* first) {
  constexpr size_t kCellBytesMax = 48;
  const bool file = options.format != "table";
  uint64_t left = options.limit != 0 ? options.limit : file ? UINT64_MAX : 50;
  Table table(list.columns);
  if (options.format == "csv") PrintCsvRow(list.columns);
  uint64_t printed = 0;
  std::string token;
  do {
    HistoryPage page;
    const auto rows = static_cast<uint32_t>(std::min<uint64_t>(left, kPageRows));
    const grpc::Status status = list.read(token, rows, &page);
    if (!status.ok()) return FailCall(status, client.address);
    for (const HistoryRow& row : page.rows) {
      if (printed == 0) *first = row.cells.front();
      if (left == 0) break;
      --left, ++printed;
      if (options.format == "csv") {
        PrintCsvRow(row.cells);
      } else if (options.format == "jsonl") {
        std::printf("%s\n", Json(*row.message, true).c_str());
      } else {
        std::vector<std::string> cells;
        for (const std::string& cell : row.cells) {
          cells.push_back(Printable(cell).substr(0, kCellBytesMax));
        }
        table.Add(std::move(cells));
      }
    }
    token = page.next_token;
  } while (!token.empty() && left > 0);
  if (file) return kFine;
  std::fputs(printed == 0 ? absl::StrCat(list.nothing, "\n").c_str() : table.Text().c_str(),
             stdout);
  if (!token.empty()) std::printf("%llu shown, there are more\n", (unsigned long long)printed);
  return kFine;
}

}  // namespace clients::cli::remote
