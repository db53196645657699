#include "server/edge/door.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cake/v1/common.pb.h"
#include "server/state/error.h"
#include "store/files.h"

namespace server::edge {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

Roles RolesOf(std::string_view word) {
  if (word == "agent") return kAgent;
  if (word == "worker") return kWorker;
  if (word == "operator") return kOperator | kAgent;
  if (word == "researcher") return kResearcher;
  return word == "all" ? kEverybody : 0;
}

std::string Words(Roles roles) {
  std::string out;
  const std::pair<Roles, const char*> all[] = {
      {kAgent, "agent"}, {kWorker, "worker"}, {kOperator, "operator"}, {kResearcher, "researcher"}};
  for (const auto& [role, word] : all) {
    if ((roles & role) != 0) absl::StrAppend(&out, out.empty() ? "" : " or ", word);
  }
  return out;
}

bool IsLocal(std::string_view peer, bool tokens) {
  if (peer.starts_with("unix:")) return true;
  if (tokens) return false;
  return peer.starts_with("ipv4:127.") || peer.starts_with("ipv6:[::1]") ||
         peer.starts_with("ipv6:%5B::1%5D");
}

// The token of a header; a browser sends it as the password of whatever name was typed.
std::string TokenOf(std::string_view authorization) {
  constexpr std::string_view kBearer = "Bearer ", kBasic = "Basic ";
  if (authorization.starts_with(kBearer)) return std::string(authorization.substr(kBearer.size()));
  std::string plain;
  if (!authorization.starts_with(kBasic) ||
      !absl::Base64Unescape(absl::string_view(authorization.data() + kBasic.size(),
                                              authorization.size() - kBasic.size()),
                            &plain)) {
    return "";
  }
  return plain.substr(std::min(plain.size(), plain.find(':') + 1));
}

// Calls of an author: nothing else is for a token that sees one experiment only.
constexpr std::string_view kAuthors[] = {
    "SubmitRequest",       "CheckRequest",          "BriefRequest",    "WatchRequest",
    "DiagnoseRequest",     "CompareRequest",        "ExplainRequest",  "ReportUsageRequest",
    "GetCandidateRequest", "ListCandidatesRequest", "ListRunsRequest", "GetCurveRequest"};

absl::Status Hidden(const std::string& name) {
  return state::Error(state::Reason::kHiddenByExperiment,
                      absl::StrCat(name, " is not of this token's experiment"));
}

absl::Status CheckRun(const state::State& state, const Caller& caller, int64_t run,
                      const std::string& name) {
  const auto it = state.runs.find(run);
  // What does not exist is hidden as well: numbers of other experiments' runs say nothing.
  if (it == state.runs.end() || it->second.experiment != caller.experiment) return Hidden(name);
  return absl::OkStatus();
}

// A text of the request that names a run, a candidate or an experiment.
absl::Status CheckName(const state::State& state, const Caller& caller, const std::string& field,
                       const std::string& value) {
  if (value.empty()) return absl::OkStatus();
  if (field == "experiment") {
    const bool mine = state.experiments.at(caller.experiment).name == value;
    return mine ? absl::OkStatus() : Hidden(value);
  }
  if (field == "run") {
    const auto run = store::ParseRowName('r', value);
    return run ? CheckRun(state, caller, *run, value) : Hidden(value);
  }
  constexpr std::string_view kCandidates[] = {"candidate", "candidates", "parent", "from", "to"};
  if (std::find(std::begin(kCandidates), std::end(kCandidates), field) == std::end(kCandidates)) {
    return absl::OkStatus();
  }
  // A watch follows a run by the same field.
  if (const auto run = store::ParseRowName('r', value)) {
    return CheckRun(state, caller, *run, value);
  }
  const auto key = store::ParseCandidateName(value);
  return key ? CheckRun(state, caller, key->run, value) : Hidden(value);
}

absl::Status CheckNames(const state::State& state, const Caller& caller, const Message& message) {
  const auto* reflection = message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message.GetDescriptor()->field(i);
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int at = 0; at < count; ++at) {
      const std::string value = field->is_repeated()
                                    ? reflection->GetRepeatedString(message, field, at)
                                    : reflection->GetString(message, field);
      if (auto status = CheckName(state, caller, field->name(), value); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

void Door::Know(const state::State& state) {
  std::map<std::string, Caller> callers;
  for (const auto& [id, principal] : state.principals) {
    if (principal.token_hash.empty() || principal.revoked) continue;
    callers[principal.token_hash] = {id, RolesOf(principal.role), principal.experiment};
  }
  const std::lock_guard lock(mutex_);
  callers_ = std::move(callers);
}

absl::StatusOr<Caller> Door::Enter(std::string_view peer, std::string_view authorization,
                                   Roles allowed) const {
  if (authorization.empty()) {
    if (IsLocal(peer, tokens_)) return Caller{local_, kEverybody, 0};
    return state::Error(state::Reason::kRole, "this address wants a bearer token");
  }
  const std::string token = TokenOf(authorization);
  Caller caller;
  {
    const std::lock_guard lock(mutex_);
    const auto it = callers_.find(store::Sha256Hex(token));
    if (token.empty() || it == callers_.end()) {
      return state::Error(state::Reason::kRole, "the token is not known, or was revoked");
    }
    caller = it->second;
  }
  if ((caller.roles & allowed) != 0) return caller;
  return state::Error(state::Reason::kRole,
                      absl::StrCat("this call is for the role ", Words(allowed),
                                   ", the token is of ", Words(caller.roles)));
}

absl::Status KeepWithin(const state::State& state, const Caller& caller, Message* request) {
  if (caller.experiment == 0) return absl::OkStatus();
  const std::string& name = request->GetDescriptor()->name();
  if (std::find(std::begin(kAuthors), std::end(kAuthors), name) == std::end(kAuthors)) {
    return Hidden(absl::StrCat("the call of ", name));
  }
  if (auto status = CheckNames(state, caller, *request); !status.ok()) return status;
  const auto* reflection = request->GetReflection();
  const std::string& mine = state.experiments.at(caller.experiment).name;
  if (const auto* field = request->GetDescriptor()->FindFieldByName("meta")) {
    auto* meta = static_cast<cake::v1::RequestMeta*>(reflection->MutableMessage(request, field));
    if (auto status = CheckNames(state, caller, *meta); !status.ok()) return status;
    if (meta->run().empty()) meta->set_experiment(mine);
  }
  // A list of an experiment's runs names it beside the request's meta.
  const auto* field = request->GetDescriptor()->FindFieldByName("experiment");
  if (field != nullptr) reflection->SetString(request, field, mine);
  return absl::OkStatus();
}

}  // namespace server::edge
