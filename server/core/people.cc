// Who spends and who may call: tokens of models that sessions report, tokens that callers bear.
#include <algorithm>
#include <iterator>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "server/core/core.h"
#include "store/files.h"

namespace server::core {
namespace {

constexpr size_t kModelBytesMax = 128, kNameBytesMax = 64, kTokenBytes = 32;
constexpr int64_t kCounterMax = int64_t{1} << 53;  // what JSON numbers of any client can hold
constexpr std::string_view kRoles[] = {"agent", "worker", "operator", "researcher"};

absl::Status CheckUsage(const UsageRequest& request) {
  if (request.meta.session.empty()) {
    return state::BadField("meta.agent_session", "is empty: counters belong to a session");
  }
  if (request.model.empty() || request.model.size() > kModelBytesMax) {
    return state::BadField("model", "must have 1..128 bytes");
  }
  const std::pair<const char*, int64_t> counters[] = {{"input", request.input},
                                                      {"cached", request.cached},
                                                      {"output", request.output},
                                                      {"reasoning", request.reasoning}};
  for (const auto& [name, value] : counters) {
    if (value < 0 || value > kCounterMax) return state::BadField(name, "must be in 0..2^53");
  }
  if (request.cached > request.input) return state::BadField("cached", "is more than input");
  if (request.reasoning > request.output) {
    return state::BadField("reasoning", "is more than output");
  }
  return absl::OkStatus();
}

absl::Status CheckPrincipalName(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (!name.empty() && name.size() <= kNameBytesMax &&
      std::all_of(name.begin(), name.end(), fits)) {
    return absl::OkStatus();
  }
  return state::BadField("name", "must match ^[A-Za-z0-9._-]{1,64}$");
}

constexpr int64_t kWeightMax = 100, kChecksMax = 512, kOpenMax = 100'000;

// The row of a principal as an event, to be changed in a part.
store::PrincipalChanged Again(const state::Principal& principal) {
  return {.principal = principal.id,
          .name = principal.name,
          .role = principal.role,
          .token_hash = principal.token_hash,
          .experiment = principal.experiment,
          .revoked = principal.revoked,
          .weight = principal.weight,
          .checks_max = principal.checks_max,
          .open_max = principal.open_max};
}

const state::Principal* FindPrincipal(const state::State& state, const std::string& name) {
  for (const auto& [id, principal] : state.principals) {
    if (principal.name == name) return &principal;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<UsageReply> Core::ReportUsage(const UsageRequest& request) {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return status;
  if (auto status = CheckServing(context_); !status.ok()) return status;
  context_.active.EndTurn(request.meta.session, ledger_.NowNs());
  if (auto status = CheckUsage(request); !status.ok()) return status;
  auto run = NamedRun(state(), request.meta);
  if (!run.ok()) return run.status();
  if (*run == nullptr) return state::BadField("meta.run", "names no run to charge");
  if ((*run)->import != 0) return state::BadField("meta.run", "ran elsewhere");
  const int64_t id = (*run)->id;
  store::Batch batch;
  batch.idem = IdempotencyOf(context_, "ReportUsage", request.meta);
  batch.events.push_back(store::UsageReported{.run = id,
                                              .session = request.meta.session,
                                              .model = request.model,
                                              .source = request.source,
                                              .input = request.input,
                                              .cached = request.cached,
                                              .output = request.output,
                                              .reasoning = request.reasoning});
  auto done = ledger_.Commit(std::move(batch));
  if (!done.ok()) return done.status();
  context_.active.BeginTurn(id, request.meta.session, ledger_.NowNs());
  const state::Run& charged = state().runs.at(id);
  UsageReply reply{.run = RunName(id), .charged_tokens = charged.tokens};
  reply.budget = charged.budgets;
  // Tokens are spent as they are reported.
  if (const auto it = reply.budget.find("tokens"); it != reply.budget.end()) {
    it->second.spent = std::min(charged.tokens, it->second.limit);
  }
  reply.event_seq = state().last_seq;
  return reply;
}

absl::StatusOr<TokenReply> Core::CreateToken(const TokenRequest& request) {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return status;
  if (auto status = CheckServing(context_); !status.ok()) return status;
  store::Batch batch;
  batch.idem = IdempotencyOf(context_, "CreateToken", request.meta);
  auto answered = ledger_.Answered(*batch.idem);
  if (!answered.ok()) return answered.status();
  if (answered->has_value()) return TokenReply{request.name, "", state().last_seq};
  if (auto status = CheckPrincipalName(request.name); !status.ok()) return status;
  if (std::find(std::begin(kRoles), std::end(kRoles), request.role) == std::end(kRoles)) {
    return state::BadField("role", "must be agent, worker, operator or researcher");
  }
  if (FindPrincipal(state(), request.name) != nullptr) {
    return absl::AlreadyExistsError(absl::StrCat("principal ", request.name, " exists"));
  }
  const state::Experiment* experiment = nullptr;
  if (!request.experiment.empty()) {
    experiment = state().FindExperiment(request.experiment);
    if (experiment == nullptr) return state::NotFound("experiment", request.experiment);
    if (request.role != "agent") {
      return state::BadField("experiment", "only an agent's token can be for one experiment");
    }
  }
  const std::string token = absl::StrCat("cake_", store::RandomHex(kTokenBytes));
  batch.events.push_back(store::PrincipalChanged{.name = request.name,
                                                 .role = request.role,
                                                 .token_hash = store::Sha256Hex(token),
                                                 .experiment = experiment ? experiment->id : 0});
  batch.events.push_back(store::AdminAction{.who = context_.principal,
                                            .action = "CreateToken",
                                            .subject = request.name,
                                            .reason = request.reason.substr(0, kIntentBytesMax)});
  auto done = ledger_.Commit(std::move(batch));
  if (!done.ok()) return done.status();
  return TokenReply{request.name, token, done->last_seq};
}

absl::StatusOr<TokenReply> Core::RevokeToken(const TokenRequest& request) {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return status;
  store::Batch batch;
  batch.idem = IdempotencyOf(context_, "RevokeToken", request.meta);
  batch.ends_held_work = true;  // a full disk keeps nobody in
  auto answered = ledger_.Answered(*batch.idem);
  if (!answered.ok()) return answered.status();
  if (answered->has_value()) return TokenReply{request.name, "", state().last_seq};
  const state::Principal* principal = FindPrincipal(state(), request.name);
  if (principal == nullptr) return state::NotFound("principal", request.name);
  if (principal->token_hash.empty()) return state::BadField("name", "has no token");
  if (request.reason.empty()) return state::BadField("reason", "is empty: say why");
  store::PrincipalChanged changed = Again(*principal);
  changed.revoked = true;
  batch.events.push_back(std::move(changed));
  batch.events.push_back(store::AdminAction{.who = context_.principal,
                                            .action = "RevokeToken",
                                            .subject = request.name,
                                            .reason = request.reason.substr(0, kIntentBytesMax)});
  auto done = ledger_.Commit(std::move(batch));
  if (!done.ok()) return done.status();
  return TokenReply{request.name, "", done->last_seq};
}

absl::StatusOr<QuotaReply> Core::SetQuota(const QuotaRequest& request) {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return status;
  if (auto status = CheckServing(context_); !status.ok()) return status;
  const state::Principal* principal = FindPrincipal(state(), request.name);
  if (principal == nullptr) return state::NotFound("principal", request.name);
  const auto reply = [&](int64_t seq) {
    // What is in force for whoever calls under this name.
    const Acting acting(*this, principal->id);
    const Quota quota = QuotaOf(context_);
    return QuotaReply{principal->name, quota.weight, quota.checks_max, quota.open_max, seq};
  };
  store::Batch batch;
  batch.idem = IdempotencyOf(context_, "SetQuota", request.meta);
  auto answered = ledger_.Answered(*batch.idem);
  if (!answered.ok()) return answered.status();
  if (answered->has_value()) return reply(state().last_seq);
  if (request.reason.empty()) return state::BadField("reason", "is empty: say why");
  const std::tuple<const char*, int64_t, int64_t> fields[] = {
      {"weight", request.weight, kWeightMax},
      {"checks_max", request.checks_max, kChecksMax},
      {"open_max", request.open_max, kOpenMax}};
  for (const auto& [name, value, most] : fields) {
    if (value < 0 || value > most)
      return state::BadField(name, absl::StrCat("must be in 0..", most));
  }
  store::PrincipalChanged changed = Again(*principal);
  changed.weight = request.weight;
  changed.checks_max = request.checks_max;
  changed.open_max = request.open_max;
  batch.events.push_back(std::move(changed));
  batch.events.push_back(store::AdminAction{.who = context_.principal,
                                            .action = "SetQuota",
                                            .subject = request.name,
                                            .reason = request.reason.substr(0, kIntentBytesMax)});
  auto done = ledger_.Commit(std::move(batch));
  if (!done.ok()) return done.status();
  return reply(done->last_seq);
}

}  // namespace server::core
