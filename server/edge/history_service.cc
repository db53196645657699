#include "server/edge/history_service.h"

#include <chrono>

#include "cake/v1/history.grpc.pb.h"
#include "server/edge/export.h"
#include "server/edge/sql.h"
#include "server/edge/unary.h"

namespace server::edge {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

class HistoryService : public wire::History::CallbackService {
 public:
  explicit HistoryService(const Desk& desk) : desk_(desk) {}

  Reactor* GetCandidate(Context* context, const wire::GetCandidateRequest* in,
                        wire::Candidate* out) override {
    return LookNow(desk_, context, kReaders, in, out);
  }
  Reactor* ListCandidates(Context* context, const wire::ListCandidatesRequest* in,
                          wire::ListCandidatesReply* out) override {
    return LookNow(desk_, context, kReaders, in, out);
  }
  Reactor* ListRuns(Context* context, const wire::ListRunsRequest* in,
                    wire::ListRunsReply* out) override {
    return LookNow(desk_, context, kReaders, in, out);
  }
  Reactor* GetOverview(Context* context, const wire::GetOverviewRequest* in,
                       wire::Overview* out) override {
    return LookNow(desk_, context, kReaders, in, out);
  }
  Reactor* ListExperiments(Context* context, const wire::ListExperimentsRequest* in,
                           wire::ListExperimentsReply* out) override {
    return LookNow(desk_, context, kReaders, in, out);
  }
  Reactor* ListQueue(Context* context, const wire::ListQueueRequest* in,
                     wire::ListQueueReply* out) override {
    return LookNow(desk_, context, kReaders, in, out);
  }
  Reactor* ListDevices(Context* context, const wire::ListDevicesRequest* in,
                       wire::ListDevicesReply* out) override {
    return LookNow(desk_, context, kReaders, in, out);
  }
  Reactor* GetCurve(Context* context, const wire::GetCurveRequest* in, wire::Curve* out) override {
    return LookInStore(desk_, context, kReaders, in, out);
  }
  Reactor* GetLineage(Context* context, const wire::GetLineageRequest* in,
                      wire::Lineage* out) override {
    return LookInStore(desk_, context, kReaders, in, out);
  }
  Reactor* ListFindings(Context* context, const wire::ListFindingsRequest* in,
                        wire::ListFindingsReply* out) override {
    return LookInStore(desk_, context, kReaders, in, out);
  }
  Reactor* GetFinding(Context* context, const wire::GetFindingRequest* in,
                      wire::Finding* out) override {
    return LookInStore(desk_, context, kReaders, in, out);
  }
  Reactor* ListProposals(Context* context, const wire::ListProposalsRequest* in,
                         wire::ListProposalsReply* out) override {
    return LookNow(desk_, context, kReaders, in, out);
  }
  Reactor* ListEvaluations(Context* context, const wire::ListEvaluationsRequest* in,
                           wire::ListEvaluationsReply* out) override {
    return LookInStore(desk_, context, kReaders, in, out);
  }
  Reactor* ListEvents(Context* context, const wire::ListEventsRequest* in,
                      wire::ListEventsReply* out) override {
    return LookInStore(desk_, context, kReaders, in, out);
  }

  Reactor* Query(Context* context, const wire::QueryRequest* in, wire::QueryReply* out) override {
    Reactor* reactor = context->DefaultReactor();
    auto caller = Enter(desk_, *context, kResearcher | kOperator);
    if (!caller.ok()) {
      reactor->Finish(ToGrpc(caller.status()));
      return reactor;
    }
    const auto left = context->deadline() - std::chrono::system_clock::now();
    queries_.Start(
        *in, out, std::chrono::duration_cast<std::chrono::nanoseconds>(left).count(),
        [context] { return context->IsCancelled(); },
        [reactor](const absl::Status& status) { reactor->Finish(ToGrpc(status)); });
    return reactor;
  }

  grpc::ServerWriteReactor<wire::ExportReply>* Export(Context* context,
                                                      const wire::ExportRequest* in) override {
    return MakeExport(queries_, Enter(desk_, *context, kResearcher | kOperator), *in);
  }

 private:
  static constexpr Roles kReaders = kAgent | kOperator | kResearcher;

  Desk desk_;
  Queries queries_{desk_.store};
};

}  // namespace

std::unique_ptr<grpc::Service> MakeHistoryService(const Desk& desk) {
  return std::make_unique<HistoryService>(desk);
}

}  // namespace server::edge
