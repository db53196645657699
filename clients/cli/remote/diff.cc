// diff: two candidates side by side: sources, what their best members came to, findings that only
// one of them has.
#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/remote/words.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

using cake::v1::ComparedCandidate;
using cake::v1::CompareReply;

std::string Only(const ComparedCandidate& here, const ComparedCandidate& there) {
  std::vector<std::string> codes;
  for (const std::string& code : here.codes()) {
    const auto& others = there.codes();
    if (std::find(others.begin(), others.end(), code) == others.end()) codes.push_back(code);
  }
  return codes.empty() ? "none" : absl::StrJoin(codes, ", ");
}

void PrintCandidates(const CompareReply& reply) {
  Table table({"candidate", "verdict", "blame", "member", "findings only here"});
  const auto add = [&table](const ComparedCandidate& here, const ComparedCandidate& there) {
    table.Add({here.candidate(), Word(here.verdict()), Word(here.blame()),
               BindingWords(here.binding()), Printable(Only(here, there))});
  };
  add(reply.from(), reply.to());
  add(reply.to(), reply.from());
  std::fputs(table.Text().c_str(), stdout);
  std::printf("%s\n",
              reply.related() ? "one was made from the other" : "neither was made from the other");
}

// Every figure says where it comes from, so that a prediction is never read as a measurement.
void PrintFigures(const CompareReply& reply) {
  if (reply.metrics_size() == 0) return;
  Table table({"figure", "source", reply.from().candidate(), reply.to().candidate(), "change"});
  for (const auto& metric : reply.metrics()) {
    const bool both = metric.has_from() && metric.has_to() && metric.from() > 0;
    table.Add({Printable(metric.name()), Word(metric.source()),
               metric.has_from() ? Quantity(metric.from(), metric.unit()) : "none",
               metric.has_to() ? Quantity(metric.to(), metric.unit()) : "none",
               both ? absl::StrFormat("%.3fx", metric.to() / metric.from()) : ""});
  }
  std::fputs(table.Text().c_str(), stdout);
}

void PrintSource(const CompareReply& reply) {
  if (reply.too_different()) {
    std::printf("the sources have too little in common: %llu and %llu lines\n",
                static_cast<unsigned long long>(reply.from().lines()),
                static_cast<unsigned long long>(reply.to().lines()));
    return;
  }
  if (reply.hunks_size() == 0) std::puts("the sources are equal");
  for (const auto& hunk : reply.hunks()) {
    std::puts(Paint("@@", Style::kDim).c_str());
    for (const auto& line : hunk.lines()) {
      const bool added = line.kind() == cake::v1::DIFF_KIND_ADDED;
      const bool removed = line.kind() == cake::v1::DIFF_KIND_REMOVED;
      const std::string text =
          absl::StrFormat("%5d %s %s", removed ? line.from_line() : line.to_line(),
                          added     ? "+"
                          : removed ? "-"
                                    : " ",
                          Printable(line.text()));
      std::puts(Paint(text, added ? Style::kGood : removed ? Style::kBad : Style::kPlain).c_str());
    }
  }
}

}  // namespace

int Diff(const DiffOptions& options) {
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  cake::v1::CompareRequest request;
  request.set_from(options.from);
  request.set_to(options.to);
  request.set_context(options.context);
  CompareReply reply;
  auto context = Deadline(20);
  const grpc::Status status = client->agent->Compare(context.get(), request, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  PrintCandidates(reply);
  PrintFigures(reply);
  PrintSource(reply);
  PrintNextCall(absl::StrCat("cake diagnose ", options.to), options.connect);
  return kFine;
}

}  // namespace clients::cli::remote
