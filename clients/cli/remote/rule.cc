// rule: learnt rules as the daemon keeps them, from a file to a decision.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "clients/cli/input.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

using cake::v1::Proposal;

constexpr int kGateSeconds = 600;
constexpr uint32_t kListed = 499;  // the most rows of a page

void PrintGate(const cake::v1::ProposalGate& gate) {
  std::printf("gate %s: %s\n", Printable(gate.gate()).c_str(), Printable(gate.outcome()).c_str());
  const auto report = nlohmann::json::parse(gate.report(), nullptr, false);
  if (report.is_object()) {
    for (const auto& [key, value] : report.items()) {
      std::printf("  %s: %s\n", key.c_str(), Printable(value.dump()).c_str());
    }
  }
  if (!report.is_array()) return;
  for (const auto& trial : report) {
    const std::string fault = trial.value("fault", "");
    std::printf("  %s: gates %s, %lld violations%s\n",
                Printable(trial.value("program", "")).c_str(),
                Printable(trial.value("verdict", "")).c_str(),
                static_cast<long long>(trial.value("hits", int64_t{0})),
                fault.empty() ? "" : Printable(absl::StrCat("; ", fault)).c_str());
  }
}

void PrintProposal(const Proposal& p) {
  std::printf("%s %s@%llu %s: %s, by %s\n", p.proposal().c_str(), Printable(p.name()).c_str(),
              static_cast<unsigned long long>(p.rev()), Printable(p.code()).c_str(),
              p.state().c_str(), Printable(p.author()).c_str());
  for (const auto& gate : p.gates()) PrintGate(gate);
  if (p.judged() > 0 || p.hits() > 0) {
    std::printf(
        "asked of %llu candidates (%llu are needed): %llu members hit, %llu candidates of them "
        "refused by the oracle in %llu lineages, %llu accepted\n",
        static_cast<unsigned long long>(p.judged()),
        static_cast<unsigned long long>(p.judged_min()), static_cast<unsigned long long>(p.hits()),
        static_cast<unsigned long long>(p.true_hits()),
        static_cast<unsigned long long>(p.true_lineages()),
        static_cast<unsigned long long>(p.false_hits()));
  }
  if (!p.decided().empty()) {
    std::printf("%s by %s: %s\n", p.decided().c_str(), Printable(p.decided_by()).c_str(),
                Printable(p.reason()).c_str());
  }
  std::printf("%s\n", Printable(p.next()).c_str());
}

int PrintReply(const RuleOptions& options, const cake::v1::ProposalReply& reply, bool good) {
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return good ? kFine : kCandidateAtFault;
  }
  PrintProposal(reply.proposal());
  PrintNextCall(absl::StrCat("cake rule show ", reply.proposal().proposal()), options.connect);
  return good ? kFine : kCandidateAtFault;
}

// A file is proposed, a proposal gated once more.
int Gate(const RuleOptions& options, const Client& client) {
  cake::v1::ProposalReply reply;
  grpc::Status status;
  const std::string id = options.request_id.empty() ? NewRequestId() : options.request_id;
  if (NamesAFile(options.subject)) {
    auto file = ReadProgram(options.subject);
    if (!file.ok()) return Fail(file.status());
    cake::v1::ProposeRequest request;
    request.mutable_meta()->set_request_id(id);
    request.set_kind("rule");
    request.set_body(file->source);
    for (const std::string& failure : options.failures) request.add_failures(failure);
    status = client.agent->Propose(Deadline(kGateSeconds).get(), request, &reply);
  } else {
    cake::v1::ProposalRequest request;
    request.mutable_meta()->set_request_id(id);
    request.set_proposal(options.subject);
    status = client.operators->GateProposal(Deadline(kGateSeconds).get(), request, &reply);
  }
  if (!status.ok()) return FailCall(status, client.address);
  return PrintReply(options, reply, reply.proposal().state() == "CORPUS");
}

int Decide(const RuleOptions& options, const Client& client, cake::v1::ProposalDecision decision) {
  cake::v1::DecideProposalRequest request;
  request.mutable_meta()->set_request_id(options.request_id.empty() ? NewRequestId()
                                                                    : options.request_id);
  request.set_proposal(options.subject);
  request.set_decision(decision);
  request.set_reason(options.reason);
  cake::v1::ProposalReply reply;
  const grpc::Status status = client.operators->DecideProposal(Deadline(20).get(), request, &reply);
  if (!status.ok()) return FailCall(status, client.address);
  return PrintReply(options, reply, true);
}

int Show(const RuleOptions& options, const Client& client) {
  cake::v1::ListProposalsRequest request;
  request.set_proposal(options.subject);
  request.set_page_size(kListed);
  cake::v1::ListProposalsReply reply;
  const grpc::Status status = client.history->ListProposals(Deadline(20).get(), request, &reply);
  if (!status.ok()) return FailCall(status, client.address);
  if (options.json) {
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  if (options.action == "show") {
    PrintProposal(reply.proposals(0));
    for (const absl::string_view line : absl::StrSplit(reply.proposals(0).text(), '\n')) {
      std::printf("%s\n", Printable(std::string(line)).c_str());
    }
    PrintNextCall("cake rule list", options.connect);
    return kFine;
  }
  Table table({"proposal", "rule", "code", "state", "asked", "hits", "true", "false", "author"});
  for (const Proposal& p : reply.proposals()) {
    table.Add({p.proposal(), absl::StrCat(Printable(p.name()), "@", p.rev()), p.code(), p.state(),
               absl::StrCat(p.judged()), absl::StrCat(p.hits()), absl::StrCat(p.true_hits()),
               absl::StrCat(p.false_hits()), Printable(p.author())});
  }
  std::fputs(table.Text().c_str(), stdout);
  if (!reply.next_page_token().empty()) std::printf("the newest %u; there are more\n", kListed);
  PrintNextCall(reply.proposals_size() == 0
                    ? "cake rule try --help"
                    : absl::StrCat("cake rule show ", reply.proposals(0).proposal()),
                options.connect);
  return kFine;
}

}  // namespace

int Rule(const RuleOptions& options) {
  if (options.action != "list" && options.subject.empty()) {
    return Fail(absl::InvalidArgumentError(
        absl::StrCat("rule ", options.action, " needs a proposal such as p-3",
                     options.action == "gate" ? " or a rule file" : "")));
  }
  const bool looks = options.action == "list" || options.action == "show";
  if (!looks && options.action != "gate" && options.reason.empty()) {
    return Fail(absl::InvalidArgumentError("a decision needs --reason: it is kept in the log"));
  }
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  if (looks) return Show(options, *client);
  if (options.action == "gate") return Gate(options, *client);
  if (options.action == "shadow")
    return Decide(options, *client, cake::v1::PROPOSAL_DECISION_SHADOW);
  if (options.action == "approve") {
    return Decide(options, *client, cake::v1::PROPOSAL_DECISION_APPROVE);
  }
  if (options.action == "demote")
    return Decide(options, *client, cake::v1::PROPOSAL_DECISION_DEMOTE);
  if (options.action == "retire")
    return Decide(options, *client, cake::v1::PROPOSAL_DECISION_RETIRE);
  return Decide(options, *client, cake::v1::PROPOSAL_DECISION_REJECT);
}

}  // namespace clients::cli::remote
