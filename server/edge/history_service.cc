#include "server/edge/history_service.h"

#include "cake/v1/history.grpc.pb.h"
#include "server/edge/unary.h"

namespace server::edge {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

class HistoryService : public wire::History::CallbackService {
 public:
  HistoryService(CoreThread& core, store::Store& store) : core_(core), store_(store) {}

  Reactor* GetCandidate(Context* context, const wire::GetCandidateRequest* in,
                        wire::Candidate* out) override {
    return LookNow(core_, context, in, out);
  }
  Reactor* ListCandidates(Context* context, const wire::ListCandidatesRequest* in,
                          wire::ListCandidatesReply* out) override {
    return LookNow(core_, context, in, out);
  }
  Reactor* ListRuns(Context* context, const wire::ListRunsRequest* in,
                    wire::ListRunsReply* out) override {
    return LookNow(core_, context, in, out);
  }
  Reactor* GetOverview(Context* context, const wire::GetOverviewRequest* in,
                       wire::Overview* out) override {
    return LookNow(core_, context, in, out);
  }
  Reactor* ListExperiments(Context* context, const wire::ListExperimentsRequest* in,
                           wire::ListExperimentsReply* out) override {
    return LookNow(core_, context, in, out);
  }
  Reactor* ListQueue(Context* context, const wire::ListQueueRequest* in,
                     wire::ListQueueReply* out) override {
    return LookNow(core_, context, in, out);
  }
  Reactor* ListDevices(Context* context, const wire::ListDevicesRequest* in,
                       wire::ListDevicesReply* out) override {
    return LookNow(core_, context, in, out);
  }
  Reactor* GetCurve(Context* context, const wire::GetCurveRequest* in, wire::Curve* out) override {
    return LookInStore(core_, store_, context, in, out);
  }
  Reactor* GetLineage(Context* context, const wire::GetLineageRequest* in,
                      wire::Lineage* out) override {
    return LookInStore(core_, store_, context, in, out);
  }
  Reactor* ListFindings(Context* context, const wire::ListFindingsRequest* in,
                        wire::ListFindingsReply* out) override {
    return LookInStore(core_, store_, context, in, out);
  }
  Reactor* GetFinding(Context* context, const wire::GetFindingRequest* in,
                      wire::Finding* out) override {
    return LookInStore(core_, store_, context, in, out);
  }
  Reactor* ListEvents(Context* context, const wire::ListEventsRequest* in,
                      wire::ListEventsReply* out) override {
    return LookInStore(core_, store_, context, in, out);
  }

 private:
  CoreThread& core_;
  store::Store& store_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeHistoryService(CoreThread& core, store::Store& store) {
  return std::make_unique<HistoryService>(core, store);
}

}  // namespace server::edge
