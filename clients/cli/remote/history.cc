#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/history_pages.h"
#include "clients/cli/remote/report.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

int ShowRuns(const Client& client, const HistoryOptions& options) {
  cake::v1::ListRunsReply reply;
  auto context = Deadline(20);
  const grpc::Status status = client.history->ListRuns(context.get(), {}, &reply);
  if (!status.ok()) return FailCall(status, client.address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  Table table({"run", "experiment", "workload", "state", "reason", "objective", "candidates",
               "evaluated", "best", "ran"});
  for (const auto& run : reply.runs()) {
    table.Add({run.run(), Printable(run.experiment()), Printable(run.workload()), Word(run.state()),
               Printable(run.reason()), Word(run.objective_source()),
               absl::StrCat(run.candidates()), absl::StrCat(run.progress().evaluated()),
               run.best().candidate().empty() ? "none" : run.best().candidate(),
               run.has_imported() ? ImportedWords(run.imported()) : "here"});
  }
  std::fputs(table.Text().c_str(), stdout);
  PrintNextCall(reply.runs_size() == 0
                    ? "cake evolve --help"
                    : absl::StrCat("cake history --run ", reply.runs(reply.runs_size() - 1).run()),
                options.connect);
  return kFine;
}

int ShowCandidate(const Client& client, const HistoryOptions& options) {
  cake::v1::GetCandidateRequest request;
  request.set_candidate(options.what);
  request.set_with_source(true);
  cake::v1::Candidate reply;
  auto context = Deadline(20);
  const grpc::Status status = client.history->GetCandidate(context.get(), request, &reply);
  if (!status.ok()) return FailCall(status, client.address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  if (options.source) {
    // Shown on a terminal it is somebody else's text; in a file it is the program, byte for byte.
    const std::string& text = reply.source();
    std::fputs(isatty(STDOUT_FILENO) == 1 ? Printable(text).c_str() : text.c_str(), stdout);
    PrintNextCall(absl::StrCat("cake diagnose ", reply.id()), options.connect, Stream::kErr);
    return kFine;
  }
  std::printf("%s%s  %s%s; workload %s, run %s\n", reply.id().c_str(),
              reply.kind() == "direct-cuda" ? " (direct CUDA)" : "", Word(reply.verdict()).c_str(),
              reply.blame() == cake::v1::BLAME_UNSPECIFIED
                  ? ""
                  : absl::StrCat(", blame ", Word(reply.blame())).c_str(),
              Printable(reply.workload()).c_str(), reply.run().c_str());
  if (reply.has_imported()) std::printf("%s\n", ImportedWords(reply.imported()).c_str());
  if (!reply.intent().empty()) std::printf("intent: %s\n", Printable(reply.intent()).c_str());
  for (const auto& parent : reply.parents()) std::printf("parent: %s\n", parent.c_str());
  if (!reply.duplicate_of().empty())
    std::printf("duplicate of: %s\n", reply.duplicate_of().c_str());
  Table table({"member", "verdict", "predicted", "bottleneck", "canonical"});
  for (const auto& v : reply.variants()) {
    table.Add({BindingWords(v.binding()), Word(v.verdict()),
               v.estimate_ns() > 0 ? Duration(v.estimate_ns()) : "", Printable(v.bottleneck()),
               v.canon_hash().substr(0, 12)});
  }
  if (reply.variants_size() > 0) std::fputs(table.Text().c_str(), stdout);
  PrintNextCall(absl::StrCat("cake history ", reply.id(), " --source"), options.connect);
  return kFine;
}

bool ParseVerdict(const std::string& word, cake::v1::ListCandidatesRequest& request) {
  cake::v1::Verdict verdict;
  if (word.empty()) return true;
  if (!cake::v1::Verdict_Parse("VERDICT_" + word, &verdict)) return false;
  request.add_verdicts(verdict);
  return true;
}

int ListCandidates(const Client& client, const HistoryOptions& options) {
  cake::v1::ListCandidatesRequest request;
  request.mutable_meta()->set_run(options.run);
  request.set_run(options.run);
  request.set_workload(options.workload);
  request.set_tactic(options.tactic);
  request.set_code(options.code);
  request.set_text(options.text);
  request.set_newest_first(options.newest);
  request.set_page_size(static_cast<uint32_t>(std::min<uint64_t>(options.limit, kPageRows)));
  if (!ParseVerdict(options.verdict, request)) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(
        "--verdict ", options.verdict, ": no such verdict, write for example CORRECT")));
  }
  cake::v1::ListCandidatesReply reply;
  auto context = Deadline(20);
  const grpc::Status status = client.history->ListCandidates(context.get(), request, &reply);
  if (!status.ok()) return FailCall(status, client.address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  Table table({"candidate", "verdict", "blame", "workload", "author", "best predicted", "intent"});
  for (const auto& c : reply.candidates()) {
    // Its numbers stand beside those of programs that the gates know.
    const std::string id = c.kind() == "direct-cuda" ? c.id() + " (direct CUDA)" : c.id();
    table.Add({id, Word(c.verdict()), Word(c.blame()), Printable(c.workload()),
               Printable(c.author()),
               c.best_estimate_ns() > 0 ? Duration(c.best_estimate_ns()) : "",
               Printable(c.intent()).substr(0, 40)});
  }
  std::fputs(table.Text().c_str(), stdout);
  std::printf("%d of %llu\n", reply.candidates_size(),
              static_cast<unsigned long long>(reply.total()));
  PrintNextCall(reply.candidates_size() == 0
                    ? "cake history runs"
                    : absl::StrCat("cake diagnose ", reply.candidates(0).id()),
                options.connect);
  return kFine;
}

int ShowLineage(const Client& client, const HistoryOptions& options) {
  cake::v1::GetLineageRequest request;
  request.set_candidate(options.what);
  cake::v1::Lineage reply;
  auto context = Deadline(20);
  const grpc::Status status = client.history->GetLineage(context.get(), request, &reply);
  if (!status.ok()) return FailCall(status, client.address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  Table table({"made from", "candidate", "by", "verdict"});
  for (const auto& link : reply.links()) {
    const std::string& by = link.child_tactic().empty() ? link.role() : link.child_tactic();
    table.Add({link.parent(), link.child(), Printable(by), Word(link.child_verdict())});
  }
  if (reply.links_size() == 0) {
    std::puts("made from no other candidate, and none was made from it");
  } else {
    std::fputs(table.Text().c_str(), stdout);
  }
  if (reply.truncated()) std::puts("there are more links");
  PrintNextCall(reply.links_size() == 0 ? absl::StrCat("cake diagnose ", reply.candidate())
                                        : absl::StrCat("cake diff ", reply.links(0).parent(), " ",
                                                       reply.links(0).child()),
                options.connect);
  return kFine;
}

int ShowFinding(const Client& client, const HistoryOptions& options) {
  cake::v1::GetFindingRequest request;
  request.set_finding(options.what);
  cake::v1::Finding reply;
  auto context = Deadline(20);
  const grpc::Status status = client.history->GetFinding(context.get(), request, &reply);
  if (!status.ok()) return FailCall(status, client.address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  std::printf("%s  %s, goes to %s: %s\n", reply.id().c_str(), Printable(reply.state()).c_str(),
              Printable(reply.route()).c_str(), Printable(reply.title()).c_str());
  Table table({"candidate", "verdict", "workload"});
  for (const auto& one : reply.cases()) {
    table.Add({one.candidate(), Word(one.verdict()), Printable(one.workload())});
  }
  std::fputs(table.Text().c_str(), stdout);
  if (!reply.minimised().empty()) {
    std::printf("minimised:\n%s\n", Printable(reply.minimised()).c_str());
  }
  PrintNextCall(reply.cases_size() == 0
                    ? "cake history findings"
                    : absl::StrCat("cake diagnose ", reply.cases(0).candidate()),
                options.connect);
  return kFine;
}

// The most useful command after a list, by the first thing in it.
std::string AfterList(const std::string& what, const std::string& first) {
  if (what == "experiments" && !first.empty()) {
    return absl::StrCat("cake history runs --experiment ", ShellWord(first));
  }
  if (what == "findings" && !first.empty()) return absl::StrCat("cake history ", first);
  if (what == "evaluations" && !first.empty()) return absl::StrCat("cake diagnose ", first);
  return what == "events" ? "cake history candidates --newest" : "cake history runs";
}

int ShowList(const Client& client, const HistoryOptions& options, const HistoryList& list) {
  if (options.json) {
    HistoryPage page;
    const auto rows = static_cast<uint32_t>(
        options.limit == 0 ? 50 : std::min<uint64_t>(options.limit, kPageRows));
    const grpc::Status status = list.read("", rows, &page);
    if (!status.ok()) return FailCall(status, client.address);
    std::printf("%s\n", Json(*page.reply).c_str());
    return kFine;
  }
  std::string first;
  const int code = PrintList(client, list, options, &first);
  if (code == kFine && options.format == "table") {
    PrintNextCall(AfterList(options.what, first), options.connect);
  }
  return code;
}

}  // namespace

int History(const HistoryOptions& given) {
  HistoryOptions options = given;
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  if (options.what.rfind("r-", 0) == 0) {
    options.run = options.what;
    options.what = "candidates";
  }
  cake::v1::ListCandidatesRequest checked;
  if (!ParseVerdict(options.verdict, checked)) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(
        "--verdict ", options.verdict, ": no such verdict, write for example CORRECT")));
  }
  const bool table = options.format == "table";
  const bool filtered = !options.experiment.empty() || !options.workload.empty();
  if (options.what == "runs" && table && (options.json || !filtered)) {
    return ShowRuns(*client, options);
  }
  if (options.what == "candidates" && table) return ListCandidates(*client, options);
  if (options.what.rfind("c-", 0) == 0) {
    return options.lineage ? ShowLineage(*client, options) : ShowCandidate(*client, options);
  }
  if (options.what.rfind("f-", 0) == 0) return ShowFinding(*client, options);
  const HistoryList list = ListOf(*client, options);
  if (!list.columns.empty()) return ShowList(*client, options, list);
  return Fail(absl::InvalidArgumentError(
      absl::StrCat("history ", options.what,
                   ": write candidates, runs, experiments, findings, evaluations, events, queue, "
                   "devices, a run such as"
                   " r-1, a candidate such as c-1-1 or a finding such as f-1")));
}

}  // namespace clients::cli::remote
