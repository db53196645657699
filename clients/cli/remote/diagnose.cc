#include <cstdio>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/report.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

std::string AgainstWord(cake::v1::Against against) {
  return absl::AsciiStrToLower(Bare(cake::v1::Against_Name(against), "AGAINST_"));
}

void PrintNow(const cake::v1::DiagnoseReply& reply) {
  if (reply.now_size() == 0) return;
  Table table({"now", "value", "source"});
  for (const auto& metric : reply.now()) {
    table.Add(
        {Printable(metric.name()), Quantity(metric.value(), metric.unit()), Word(metric.source())});
  }
  std::fputs(table.Text().c_str(), stdout);
}

void PrintComparisons(const cake::v1::DiagnoseReply& reply) {
  for (const auto& comparison : reply.comparisons()) {
    const bool other = comparison.candidate().rfind("c-", 0) == 0;
    std::printf("against %s%s%s:", AgainstWord(comparison.against()).c_str(), other ? " " : "",
                other ? Printable(comparison.candidate()).c_str() : "");
    if (!comparison.none_because().empty())
      std::printf(" nothing, %s", Printable(comparison.none_because()).c_str());
    for (const auto& change : comparison.changes()) {
      std::printf(" %s %s (was %s)", Printable(change.name()).c_str(),
                  Quantity(change.now(), change.unit()).c_str(),
                  Quantity(change.then(), change.unit()).c_str());
    }
    std::printf("\n");
  }
}

void PrintAdvice(const cake::v1::DiagnoseReply& reply) {
  for (const auto& advice : reply.advice()) {
    std::printf("%s\n  why: %s\n",
                Paint(absl::StrCat("change: ", Printable(advice.what())), Style::kBold).c_str(),
                Printable(advice.why()).c_str());
    if (!advice.evidence().empty())
      std::printf("  evidence: %s\n", Printable(advice.evidence()).c_str());
    for (const auto& edit : advice.fix().edits()) {
      std::printf("  edit line %u:%u: %s\n", edit.span().line(), edit.span().column(),
                  Printable(edit.text()).c_str());
    }
  }
}

// A run is diagnosed by its best candidate.
absl::StatusOr<std::string> CandidateOf(const Client& client, const std::string& subject) {
  if (subject.rfind("r-", 0) != 0) return subject;
  cake::v1::ListRunsReply reply;
  const grpc::Status status = client.history->ListRuns(Deadline(20).get(), {}, &reply);
  if (!status.ok()) return absl::UnavailableError(status.error_message());
  for (const auto& run : reply.runs()) {
    if (run.run() == subject && !run.best().candidate().empty()) return run.best().candidate();
  }
  return absl::NotFoundError(
      absl::StrCat("run ", subject, " has no best candidate; see cake history ", subject));
}

}  // namespace

int Diagnose(const DiagnoseOptions& options) {
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  absl::StatusOr<std::string> candidate = CandidateOf(*client, options.candidate);
  if (!candidate.ok()) return Fail(candidate.status());
  cake::v1::DiagnoseRequest request;
  request.set_candidate(*candidate);
  cake::v1::DiagnoseReply reply;
  auto context = Deadline(20);
  const grpc::Status status = client->agent->Diagnose(context.get(), request, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  std::printf("candidate %s %s\nobjective source: %s\n", reply.candidate().c_str(),
              BindingWords(reply.binding()).c_str(), Word(reply.objective_source()).c_str());
  if (reply.has_imported()) std::printf("%s\n", ImportedWords(reply.imported()).c_str());
  std::fputs(ReportText(reply.report()).c_str(), stdout);
  if (reply.progress().members() > 0) std::printf("%s\n", ProgressText(reply.progress()).c_str());
  PrintNow(reply);
  PrintComparisons(reply);
  if (!reply.bottleneck().empty()) {
    std::printf("bottleneck: %s%s%s\n", Printable(reply.bottleneck()).c_str(),
                reply.bottleneck_why().empty() ? "" : ": ",
                Printable(reply.bottleneck_why()).c_str());
  }
  for (const auto& check : reply.checks()) {
    if (check.outcome() != "PASS") {
      std::printf("check %s: %s %s\n", Printable(check.name()).c_str(), check.outcome().c_str(),
                  Printable(check.evidence()).c_str());
    }
  }
  PrintAdvice(reply);
  for (const auto& finding : reply.findings())
    std::printf("finding: %s\n", Printable(finding).c_str());
  PrintNextCall(reply.next_command().empty() ? absl::StrCat("cake watch ", *candidate)
                                             : Printable(reply.next_command()),
                options.connect);
  return kFine;
}

}  // namespace clients::cli::remote
