#include "server/edge/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <chrono>

#include "absl/strings/str_cat.h"
#include "cake/v1/agent.grpc.pb.h"
#include "cake/v1/operator.grpc.pb.h"
#include "cake/v1/worker.grpc.pb.h"
#include "server/edge/history_service.h"
#include "server/edge/status.h"
#include "server/edge/streams.h"
#include "server/edge/translate.h"
#include "server/edge/unary.h"
#include "store/failpoint.h"

namespace server::edge {
namespace {

using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;

template <typename Reply, typename Wire>
void Answer(ServerUnaryReactor* reactor, Wire* out, const absl::StatusOr<Reply>& reply) {
  if (reply.ok()) ToWire(*reply, out);
  CAKE_FAILPOINT("server.reply.before_send");
  reactor->Finish(ToGrpc(reply.status()));
  CAKE_FAILPOINT("server.reply.after_send");
}

template <typename T>
absl::StatusOr<T> Checked(T value) {
  return value;
}
template <typename T>
absl::StatusOr<T> Checked(absl::StatusOr<T> value) {
  return value;
}

// A call that the core answers now: `call(core, request)` gives the reply.
template <typename In, typename Wire, typename F>
ServerUnaryReactor* Now(CoreThread& core, CallbackServerContext* context, const In& in, Wire* out,
                        F call) {
  ServerUnaryReactor* reactor = context->DefaultReactor();
  auto request = Checked(FromWire(in));
  if (!request.ok()) {
    reactor->Finish(ToGrpc(request.status()));
    return reactor;
  }
  const absl::Status posted =
      core.Post([reactor, out, call, request = *std::move(request)](core::Core& core) {
        Answer(reactor, out, call(core, request));
      });
  if (!posted.ok()) reactor->Finish(ToGrpc(posted));
  return reactor;
}

// A call that is answered later: `call(core, request, done)`.
template <typename Reply, typename In, typename Wire, typename F>
ServerUnaryReactor* Later(CoreThread& core, CallbackServerContext* context, const In& in, Wire* out,
                          F call) {
  ServerUnaryReactor* reactor = context->DefaultReactor();
  auto request = Checked(FromWire(in));
  if (!request.ok()) {
    reactor->Finish(ToGrpc(request.status()));
    return reactor;
  }
  core::Done<Reply> done = [reactor, out](absl::StatusOr<Reply> reply) {
    Answer(reactor, out, reply);
  };
  const absl::Status posted = core.Post(
      [call, done, request = *std::move(request)](core::Core& core) { call(core, request, done); });
  if (!posted.ok()) reactor->Finish(ToGrpc(posted));
  return reactor;
}

class AgentService : public wire::Agent::CallbackService {
 public:
  explicit AgentService(CoreThread& core) : core_(core) {}

  ServerUnaryReactor* Brief(CallbackServerContext* context, const wire::BriefRequest* in,
                            wire::BriefReply* out) override {
    return Now(core_, context, *in, out,
               [](core::Core& core, const core::BriefRequest& r) { return core.Brief(r); });
  }
  ServerUnaryReactor* Check(CallbackServerContext* context, const wire::CheckRequest* in,
                            wire::CheckReply* out) override {
    return Later<core::CheckReply>(
        core_, context, *in, out,
        [](core::Core& core, const core::CheckRequest& r, core::Done<core::CheckReply> done) {
          core.Check(r, std::move(done));
        });
  }
  ServerUnaryReactor* Submit(CallbackServerContext* context, const wire::SubmitRequest* in,
                             wire::SubmitReply* out) override {
    return Later<core::SubmitReply>(
        core_, context, *in, out,
        [](core::Core& core, const core::SubmitRequest& r, core::Done<core::SubmitReply> done) {
          core.Submit(r, std::move(done));
        });
  }
  grpc::ServerBidiReactor<wire::SubmitRequest, wire::SubmitManyReply>* SubmitMany(
      CallbackServerContext*) override {
    return MakeSubmitMany(core_);
  }
  grpc::ServerWriteReactor<wire::WatchReply>* Watch(CallbackServerContext*,
                                                    const wire::WatchRequest* in) override {
    return MakeWatch(core_, *in);
  }
  ServerUnaryReactor* Diagnose(CallbackServerContext* context, const wire::DiagnoseRequest* in,
                               wire::DiagnoseReply* out) override {
    return LookNow(core_, context, in, out);
  }
  ServerUnaryReactor* Compare(CallbackServerContext* context, const wire::CompareRequest* in,
                              wire::CompareReply* out) override {
    return LookNow(core_, context, in, out);
  }
  ServerUnaryReactor* Explain(CallbackServerContext* context, const wire::ExplainRequest* in,
                              wire::ExplainReply* out) override {
    return Later<core::ExplainReply>(
        core_, context, *in, out,
        [](core::Core& core, const core::ExplainRequest& r, core::Done<core::ExplainReply> done) {
          core.Explain(r, std::move(done));
        });
  }

 private:
  CoreThread& core_;
};

class OperatorService : public wire::Operator::CallbackService {
 public:
  explicit OperatorService(CoreThread& core) : core_(core) {}

  ServerUnaryReactor* CreateExperiment(CallbackServerContext* context,
                                       const wire::CreateExperimentRequest* in,
                                       wire::ExperimentReply* out) override {
    return Now(core_, context, *in, out,
               [](core::Core& core, const core::CreateExperimentRequest& r) {
                 return core.CreateExperiment(r);
               });
  }
  ServerUnaryReactor* StartExperiment(CallbackServerContext* context,
                                      const wire::ExperimentRequest* in,
                                      wire::ExperimentReply* out) override {
    return Change(context, in, out, &core::Core::StartExperiment);
  }
  ServerUnaryReactor* PauseExperiment(CallbackServerContext* context,
                                      const wire::ExperimentRequest* in,
                                      wire::ExperimentReply* out) override {
    return Change(context, in, out, &core::Core::PauseExperiment);
  }
  ServerUnaryReactor* ResumeExperiment(CallbackServerContext* context,
                                       const wire::ExperimentRequest* in,
                                       wire::ExperimentReply* out) override {
    return Change(context, in, out, &core::Core::ResumeExperiment);
  }
  ServerUnaryReactor* StopExperiment(CallbackServerContext* context,
                                     const wire::ExperimentRequest* in,
                                     wire::ExperimentReply* out) override {
    return Change(context, in, out, &core::Core::StopExperiment);
  }
  ServerUnaryReactor* GetExperiment(CallbackServerContext* context,
                                    const wire::GetExperimentRequest* in,
                                    wire::ExperimentReply* out) override {
    return Now(core_, context, *in, out, [](core::Core& core, const core::ExperimentRequest& r) {
      return core.GetExperiment(r);
    });
  }
  ServerUnaryReactor* ImportEvidence(CallbackServerContext* context,
                                     const wire::ImportEvidenceRequest* in,
                                     wire::ImportEvidenceReply* out) override {
    return Now(core_, context, *in, out, [](core::Core& core, const core::ImportRequest& r) {
      return core.ImportEvidence(r);
    });
  }

 private:
  using Method =
      absl::StatusOr<core::ExperimentReply> (core::Core::*)(const core::ExperimentRequest&);

  ServerUnaryReactor* Change(CallbackServerContext* context, const wire::ExperimentRequest* in,
                             wire::ExperimentReply* out, Method method) {
    return Now(
        core_, context, *in, out,
        [method](core::Core& core, const core::ExperimentRequest& r) { return (core.*method)(r); });
  }

  CoreThread& core_;
};

class WorkerService : public wire::Worker::CallbackService {
 public:
  explicit WorkerService(CoreThread& core) : core_(core) {}

  ServerUnaryReactor* Register(CallbackServerContext* context, const wire::RegisterRequest* in,
                               wire::RegisterReply* out) override {
    return Now(core_, context, *in, out,
               [](core::Core& core, const core::RegisterRequest& r) { return core.Register(r); });
  }
  ServerUnaryReactor* Acquire(CallbackServerContext* context, const wire::AcquireRequest* in,
                              wire::AcquireReply* out) override {
    ServerUnaryReactor* reactor = context->DefaultReactor();
    core::Done<core::AcquireReply> done = [reactor, out](absl::StatusOr<core::AcquireReply> r) {
      Answer(reactor, out, r);
    };
    const absl::Status posted = core_.Post([done, request = *in](core::Core& core) {
      core.Acquire(request.worker(), request.incarnation(), request.wait_ms(), done);
    });
    if (!posted.ok()) reactor->Finish(ToGrpc(posted));
    return reactor;
  }
  ServerUnaryReactor* Report(CallbackServerContext* context, const wire::ReportRequest* in,
                             wire::ReportReply* out) override {
    return Later<core::ReportReply>(
        core_, context, *in, out,
        [](core::Core& core, const core::ReportRequest& r, core::Done<core::ReportReply> done) {
          core.Report(r, std::move(done));
        });
  }
  ServerUnaryReactor* Complete(CallbackServerContext* context, const wire::CompleteRequest* in,
                               wire::CompleteReply* out) override {
    return Now(core_, context, *in, out,
               [](core::Core& core, const core::CompleteRequest& r) { return core.Complete(r); });
  }
  grpc::ServerReadReactor<wire::PutObjectRequest>* PutObject(CallbackServerContext*,
                                                             wire::PutObjectReply* out) override {
    return MakePutObject(core_, out);
  }
  grpc::ServerWriteReactor<wire::GetObjectReply>* GetObject(
      CallbackServerContext*, const wire::GetObjectRequest* in) override {
    return MakeGetObject(core_, *in);
  }

 private:
  CoreThread& core_;
};

class Server : public GrpcServer {
 public:
  Server(CoreThread& core, store::Store& store)
      : agent_(core), history_(MakeHistoryService(core, store)), operator_(core), worker_(core) {}

  absl::Status Listen(const std::string& socket_path, const std::string& host, int port) {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(kMessageBytesMax);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort(absl::StrCat("unix:", socket_path), grpc::InsecureServerCredentials());
    builder.AddListeningPort(absl::StrCat(host, ":", port), grpc::InsecureServerCredentials(),
                             &port_);
    builder.RegisterService(&agent_);
    builder.RegisterService(history_.get());
    builder.RegisterService(&operator_);
    builder.RegisterService(&worker_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port_ == 0) {
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", socket_path, " and ", host, ":", port));
    }
    SetServing(true);
    return absl::OkStatus();
  }

  int port() const override { return port_; }
  void SetServing(bool serving) override {
    server_->GetHealthCheckService()->SetServingStatus(serving);
  }
  void Shutdown(int64_t grace_ms) override {
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(grace_ms));
    server_->Wait();
  }

 private:
  AgentService agent_;
  std::unique_ptr<grpc::Service> history_;
  OperatorService operator_;
  WorkerService worker_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(CoreThread& core, store::Store& store,
                                                              const std::string& socket_path,
                                                              const std::string& host, int port) {
  auto server = std::make_unique<Server>(core, store);
  if (auto status = server->Listen(socket_path, host, port); !status.ok()) return status;
  return server;
}

}  // namespace server::edge
