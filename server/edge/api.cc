#include "server/edge/api.h"

#include <google/protobuf/util/json_util.h>

#include <chrono>
#include <future>
#include <memory>

#include "server/edge/looking.h"
#include "server/state/error.h"

namespace server::edge {
namespace {

constexpr auto kAnswerLimit = std::chrono::seconds(5);
constexpr auto kExplainLimit = std::chrono::seconds(30);  // a gate child may have to start

template <typename T>
using Answered = std::shared_ptr<std::promise<absl::StatusOr<T>>>;

template <typename T>
absl::StatusOr<T> Await(const Answered<T>& answer, std::chrono::seconds limit) {
  auto future = answer->get_future();
  if (future.wait_for(limit) != std::future_status::ready) {
    return absl::DeadlineExceededError("the daemon is busy");
  }
  return future.get();
}

}  // namespace

std::string Json(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string out;
  if (!google::protobuf::util::MessageToJsonString(message, &out, options).ok()) return "{}";
  return out;
}

template <typename In, typename Out>
void Api::OfCore(const char* name) {
  handlers_[name] = [this](const Query& query) -> absl::StatusOr<std::string> {
    auto in = std::make_shared<In>();
    if (auto status = FromQuery(query, in.get()); !status.ok()) return status;
    Answered<Out> answer = std::make_shared<std::promise<absl::StatusOr<Out>>>();
    const absl::Status posted = core_.Post([in, answer](core::Core& core) {
      Out out;
      const absl::Status status = Look(core, *in, &out);
      answer->set_value(status.ok() ? absl::StatusOr<Out>(std::move(out)) : status);
    });
    if (!posted.ok()) return posted;
    auto out = Await<Out>(answer, kAnswerLimit);
    if (!out.ok()) return out.status();
    return Json(*out);
  };
}

template <typename In, typename Out>
void Api::OfStore(const char* name) {
  handlers_[name] = [this](const Query& query) -> absl::StatusOr<std::string> {
    In in;
    if (auto status = FromQuery(query, &in); !status.ok()) return status;
    auto view = store_.Snapshot();
    if (!view.ok()) return state::FromStore(view.status());
    Out out;
    if (auto status = Look((*view)->reads(), in, &out); !status.ok()) return status;
    return Json(out);
  };
}

Api::Api(CoreThread& core, store::Store& store) : core_(core), store_(store) {
  OfCore<wire::GetOverviewRequest, wire::Overview>("overview");
  OfCore<wire::ListRunsRequest, wire::ListRunsReply>("runs");
  OfCore<wire::ListExperimentsRequest, wire::ListExperimentsReply>("experiments");
  OfCore<wire::ListCandidatesRequest, wire::ListCandidatesReply>("candidates");
  OfCore<wire::GetCandidateRequest, wire::Candidate>("candidate");
  OfCore<wire::DiagnoseRequest, wire::DiagnoseReply>("diagnose");
  OfCore<wire::CompareRequest, wire::CompareReply>("compare");
  OfCore<wire::ListProposalsRequest, wire::ListProposalsReply>("proposals");
  OfCore<wire::ListQueueRequest, wire::ListQueueReply>("queue");
  OfCore<wire::ListDevicesRequest, wire::ListDevicesReply>("devices");
  OfStore<wire::GetCurveRequest, wire::Curve>("curve");
  OfStore<wire::GetLineageRequest, wire::Lineage>("lineage");
  OfStore<wire::ListFindingsRequest, wire::ListFindingsReply>("findings");
  OfStore<wire::GetFindingRequest, wire::Finding>("finding");
  OfStore<wire::ListEvaluationsRequest, wire::ListEvaluationsReply>("evaluations");
  OfStore<wire::ListEventsRequest, wire::ListEventsReply>("events");
  handlers_["map"] = [this](const Query& query) { return Explain(query); };
}

absl::StatusOr<std::string> Api::Explain(const Query& query) {
  wire::ExplainRequest in;
  if (auto status = FromQuery(query, &in); !status.ok()) return status;
  using Reply = core::ExplainReply;
  Answered<Reply> answer = std::make_shared<std::promise<absl::StatusOr<Reply>>>();
  const absl::Status posted = core_.Post([answer, request = edge::FromWire(in)](core::Core& core) {
    core.Explain(request,
                 [answer](absl::StatusOr<Reply> reply) { answer->set_value(std::move(reply)); });
  });
  if (!posted.ok()) return posted;
  auto reply = Await<Reply>(answer, kExplainLimit);
  if (!reply.ok()) return reply.status();
  wire::ExplainReply out;
  ToWire(*reply, &out);
  return Json(out);
}

absl::StatusOr<std::string> Api::Answer(const std::string& name, const Query& query) {
  const auto handler = handlers_.find(name);
  if (handler == handlers_.end()) return state::NotFound("page", name.substr(0, 64));
  return handler->second(query);
}

}  // namespace server::edge
