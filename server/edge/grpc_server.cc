#include "server/edge/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <sys/stat.h>

#include <chrono>

#include "absl/strings/str_cat.h"
#include "cake/v1/agent.grpc.pb.h"
#include "cake/v1/operator.grpc.pb.h"
#include "cake/v1/worker.grpc.pb.h"
#include "server/edge/admin.h"
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

// What is left of the caller's time goes to the work, where that can use it.
template <typename Request>
void SetTime(const CallbackServerContext&, Request&) {}
void SetTime(const CallbackServerContext& context, core::CheckRequest& request) {
  const auto left = context.deadline() - std::chrono::system_clock::now();
  request.time_ms =
      std::max<int64_t>(1, std::chrono::duration_cast<std::chrono::milliseconds>(left).count());
}

// A call that the core answers now: `call(core, request)` gives the reply.
template <typename In, typename Wire, typename F>
ServerUnaryReactor* Now(const Desk& desk, CallbackServerContext* context, Roles allowed,
                        const In& in, Wire* out, F call) {
  return AsCaller(desk, context, allowed, in,
                  [out, call](core::Core& core, const In& wire, ServerUnaryReactor* reactor) {
                    auto request = Checked(FromWire(wire));
                    if (!request.ok()) return reactor->Finish(ToGrpc(request.status()));
                    Answer(reactor, out, call(core, *request));
                  });
}

// A call that is answered later: `call(core, request, done)`.
template <typename Reply, typename In, typename Wire, typename F>
ServerUnaryReactor* Later(const Desk& desk, CallbackServerContext* context, Roles allowed,
                          const In& in, Wire* out, F call) {
  return AsCaller(
      desk, context, allowed, in,
      [out, call, context](core::Core& core, const In& wire, ServerUnaryReactor* reactor) {
        auto request = Checked(FromWire(wire));
        if (!request.ok()) return reactor->Finish(ToGrpc(request.status()));
        SetTime(*context, *request);
        core::Done<Reply> done = [reactor, out](absl::StatusOr<Reply> reply) {
          Answer(reactor, out, reply);
        };
        call(core, *request, done);
      });
}

class AgentService : public wire::Agent::CallbackService {
 public:
  explicit AgentService(const Desk& desk) : desk_(desk) {}

  ServerUnaryReactor* Brief(CallbackServerContext* context, const wire::BriefRequest* in,
                            wire::BriefReply* out) override {
    return Now(desk_, context, kAgent | kOperator, *in, out,
               [](core::Core& core, const core::BriefRequest& r) { return core.Brief(r); });
  }
  ServerUnaryReactor* Check(CallbackServerContext* context, const wire::CheckRequest* in,
                            wire::CheckReply* out) override {
    return Later<core::CheckReply>(
        desk_, context, kAgent | kOperator, *in, out,
        [](core::Core& core, const core::CheckRequest& r, core::Done<core::CheckReply> done) {
          core.Check(r, std::move(done));
        });
  }
  ServerUnaryReactor* Submit(CallbackServerContext* context, const wire::SubmitRequest* in,
                             wire::SubmitReply* out) override {
    return Later<core::SubmitReply>(
        desk_, context, kAgent | kOperator, *in, out,
        [](core::Core& core, const core::SubmitRequest& r, core::Done<core::SubmitReply> done) {
          core.Submit(r, std::move(done));
        });
  }
  grpc::ServerBidiReactor<wire::SubmitRequest, wire::SubmitManyReply>* SubmitMany(
      CallbackServerContext* context) override {
    return MakeSubmitMany(desk_.core, KnockOf(desk_, *context, kAgent | kOperator));
  }
  grpc::ServerWriteReactor<wire::WatchReply>* Watch(CallbackServerContext* context,
                                                    const wire::WatchRequest* in) override {
    return MakeWatch(desk_.core, KnockOf(desk_, *context, kAgent | kOperator | kResearcher), *in);
  }
  ServerUnaryReactor* Diagnose(CallbackServerContext* context, const wire::DiagnoseRequest* in,
                               wire::DiagnoseReply* out) override {
    return LookNow(desk_, context, kAgent | kOperator, in, out);
  }
  ServerUnaryReactor* Compare(CallbackServerContext* context, const wire::CompareRequest* in,
                              wire::CompareReply* out) override {
    return LookNow(desk_, context, kAgent | kOperator, in, out);
  }
  ServerUnaryReactor* Explain(CallbackServerContext* context, const wire::ExplainRequest* in,
                              wire::ExplainReply* out) override {
    return Later<core::ExplainReply>(
        desk_, context, kAgent | kOperator, *in, out,
        [](core::Core& core, const core::ExplainRequest& r, core::Done<core::ExplainReply> done) {
          core.Explain(r, std::move(done));
        });
  }

  ServerUnaryReactor* Propose(CallbackServerContext* context, const wire::ProposeRequest* in,
                              wire::ProposalReply* out) override {
    return Later<core::ProposalView>(
        desk_, context, kAgent | kOperator, *in, out,
        [](core::Core& core, const core::ProposeRequest& r, core::Done<core::ProposalView> done) {
          core.rules().Propose(r, std::move(done));
        });
  }
  ServerUnaryReactor* ReportUsage(CallbackServerContext* context,
                                  const wire::ReportUsageRequest* in,
                                  wire::ReportUsageReply* out) override {
    return Now(desk_, context, kAgent | kOperator, *in, out,
               [](core::Core& core, const core::UsageRequest& r) { return core.ReportUsage(r); });
  }

 private:
  Desk desk_;
};

class OperatorService : public wire::Operator::CallbackService {
 public:
  OperatorService(const Desk& desk, Admin& admin) : desk_(desk), admin_(admin) {}

  ServerUnaryReactor* CreateExperiment(CallbackServerContext* context,
                                       const wire::CreateExperimentRequest* in,
                                       wire::ExperimentReply* out) override {
    return Now(desk_, context, kOperator, *in, out,
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
    return Now(
        desk_, context, kOperator, *in, out,
        [](core::Core& core, const core::ExperimentRequest& r) { return core.GetExperiment(r); });
  }
  ServerUnaryReactor* ImportEvidence(CallbackServerContext* context,
                                     const wire::ImportEvidenceRequest* in,
                                     wire::ImportEvidenceReply* out) override {
    return Now(
        desk_, context, kOperator, *in, out,
        [](core::Core& core, const core::ImportRequest& r) { return core.ImportEvidence(r); });
  }

  ServerUnaryReactor* GateProposal(CallbackServerContext* context, const wire::ProposalRequest* in,
                                   wire::ProposalReply* out) override {
    return Later<core::ProposalView>(
        desk_, context, kOperator, *in, out,
        [](core::Core& core, const core::ProposalRequest& r, core::Done<core::ProposalView> done) {
          core.rules().Gate(r, std::move(done));
        });
  }
  ServerUnaryReactor* DecideProposal(CallbackServerContext* context,
                                     const wire::DecideProposalRequest* in,
                                     wire::ProposalReply* out) override {
    return Now(
        desk_, context, kOperator, *in, out,
        [](core::Core& core, const core::DecideRequest& r) { return core.rules().Decide(r); });
  }

  ServerUnaryReactor* Doctor(CallbackServerContext* context, const wire::DoctorRequest* in,
                             wire::DoctorReply* out) override {
    return LookAfter(context, in, out, &Admin::Doctor);
  }
  ServerUnaryReactor* Fsck(CallbackServerContext* context, const wire::FsckRequest* in,
                           wire::FsckReply* out) override {
    return LookAfter(context, in, out, &Admin::Fsck);
  }
  ServerUnaryReactor* Backup(CallbackServerContext* context, const wire::BackupRequest* in,
                             wire::BackupReply* out) override {
    return LookAfter(context, in, out, &Admin::Backup);
  }
  ServerUnaryReactor* CollectGarbage(CallbackServerContext* context,
                                     const wire::CollectGarbageRequest* in,
                                     wire::CollectGarbageReply* out) override {
    return LookAfter(context, in, out, &Admin::CollectGarbage);
  }

  ServerUnaryReactor* CreateToken(CallbackServerContext* context,
                                  const wire::CreateTokenRequest* in,
                                  wire::CreateTokenReply* out) override {
    return Admit(
        context, FromWire(*in),
        [out](const auto& reply, auto* reactor) { Answer(reactor, out, reply); },
        &core::Core::CreateToken);
  }
  ServerUnaryReactor* RevokeToken(CallbackServerContext* context,
                                  const wire::RevokeTokenRequest* in,
                                  wire::RevokeTokenReply* out) override {
    return Admit(
        context, FromWire(*in),
        [out](const auto& reply, auto* reactor) { Answer(reactor, out, reply); },
        &core::Core::RevokeToken);
  }
  ServerUnaryReactor* SetQuota(CallbackServerContext* context, const wire::SetQuotaRequest* in,
                               wire::SetQuotaReply* out) override {
    return Now(desk_, context, kOperator, *in, out,
               [](core::Core& core, const core::QuotaRequest& r) { return core.SetQuota(r); });
  }
  ServerUnaryReactor* ActivateCalibration(CallbackServerContext* context,
                                          const wire::ActivateCalibrationRequest* in,
                                          wire::ActivateCalibrationReply* out) override {
    return Later<core::CalibrateReply>(desk_, context, kOperator, *in, out,
                                       [](core::Core& core, const core::CalibrateRequest& r,
                                          core::Done<core::CalibrateReply> done) {
                                         core.calibrating().Activate(r, std::move(done));
                                       });
  }
  ServerUnaryReactor* ExportPortfolio(CallbackServerContext* context,
                                      const wire::ExportPortfolioRequest* in,
                                      wire::ExportPortfolioReply* out) override {
    return Now(
        desk_, context, kOperator, *in, out,
        [](core::Core& core, const core::PortfolioRequest& r) { return core.ExportPortfolio(r); });
  }
  ServerUnaryReactor* DrainWorker(CallbackServerContext* context,
                                  const wire::DrainWorkerRequest* in,
                                  wire::DrainWorkerReply* out) override {
    return Now(desk_, context, kOperator, *in, out,
               [](core::Core& core, const core::MachineRequest& r) { return core.DrainWorker(r); });
  }
  ServerUnaryReactor* QuarantineDevice(CallbackServerContext* context,
                                       const wire::QuarantineDeviceRequest* in,
                                       wire::QuarantineDeviceReply* out) override {
    return Now(
        desk_, context, kOperator, *in, out,
        [](core::Core& core, const core::MachineRequest& r) { return core.QuarantineDevice(r); });
  }

 private:
  using Method =
      absl::StatusOr<core::ExperimentReply> (core::Core::*)(const core::ExperimentRequest&);

  ServerUnaryReactor* Change(CallbackServerContext* context, const wire::ExperimentRequest* in,
                             wire::ExperimentReply* out, Method method) {
    return Now(
        desk_, context, kOperator, *in, out,
        [method](core::Core& core, const core::ExperimentRequest& r) { return (core.*method)(r); });
  }

  // Who may enter is known anew after each change of a principal.
  ServerUnaryReactor* Admit(
      CallbackServerContext* context, const core::TokenRequest& request,
      std::function<void(const absl::StatusOr<core::TokenReply>&, ServerUnaryReactor*)> answer,
      absl::StatusOr<core::TokenReply> (core::Core::*method)(const core::TokenRequest&)) {
    return AsCaller(desk_, context, kOperator, wire::DoctorRequest(),
                    [request, answer, method, &door = desk_.door](
                        core::Core& core, const wire::DoctorRequest&, ServerUnaryReactor* reactor) {
                      const auto reply = (core.*method)(request);
                      door.Know(core.state());
                      core.BeatWatchers();  // each asks the door, so that who may not stay ends
                      answer(reply, reactor);
                    });
  }

  template <typename In, typename Out>
  ServerUnaryReactor* LookAfter(CallbackServerContext* context, const In* in, Out* out,
                                void (Admin::*method)(const In*, Out*, const Admin::Call&)) {
    ServerUnaryReactor* reactor = context->DefaultReactor();
    auto caller = Enter(desk_, *context, kOperator);
    if (!caller.ok()) {
      reactor->Finish(ToGrpc(caller.status()));
      return reactor;
    }
    (admin_.*method)(
        in, out,
        {.who = caller->principal,
         .gone = [context] { return context->IsCancelled(); },
         .done = [reactor](const absl::Status& status) { reactor->Finish(ToGrpc(status)); }});
    return reactor;
  }

  Desk desk_;
  Admin& admin_;
};

class WorkerService : public wire::Worker::CallbackService {
 public:
  explicit WorkerService(const Desk& desk) : desk_(desk) {}

  ServerUnaryReactor* Register(CallbackServerContext* context, const wire::RegisterRequest* in,
                               wire::RegisterReply* out) override {
    return Now(desk_, context, kWorker, *in, out,
               [](core::Core& core, const core::RegisterRequest& r) { return core.Register(r); });
  }
  ServerUnaryReactor* Acquire(CallbackServerContext* context, const wire::AcquireRequest* in,
                              wire::AcquireReply* out) override {
    return AsCaller(
        desk_, context, kWorker, *in,
        [out](core::Core& core, const wire::AcquireRequest& request, ServerUnaryReactor* reactor) {
          core.Acquire(request.worker(), request.incarnation(), request.wait_ms(),
                       [reactor, out](absl::StatusOr<core::AcquireReply> reply) {
                         Answer(reactor, out, reply);
                       });
        });
  }
  ServerUnaryReactor* Report(CallbackServerContext* context, const wire::ReportRequest* in,
                             wire::ReportReply* out) override {
    return Later<core::ReportReply>(
        desk_, context, kWorker, *in, out,
        [](core::Core& core, const core::ReportRequest& r, core::Done<core::ReportReply> done) {
          core.Report(r, std::move(done));
        });
  }
  ServerUnaryReactor* Complete(CallbackServerContext* context, const wire::CompleteRequest* in,
                               wire::CompleteReply* out) override {
    return Now(desk_, context, kWorker, *in, out,
               [](core::Core& core, const core::CompleteRequest& r) { return core.Complete(r); });
  }
  grpc::ServerReadReactor<wire::PutObjectRequest>* PutObject(CallbackServerContext* context,
                                                             wire::PutObjectReply* out) override {
    return MakePutObject(desk_.core, uploads_, Enter(desk_, *context, kWorker | kOperator), out);
  }
  grpc::ServerWriteReactor<wire::GetObjectReply>* GetObject(
      CallbackServerContext* context, const wire::GetObjectRequest* in) override {
    return MakeGetObject(desk_.core, Enter(desk_, *context, kWorker | kOperator), *in);
  }

 private:
  Desk desk_;
  Uploads uploads_;
};

// With a client CA every caller has to show a certificate of it, besides its token.
std::shared_ptr<grpc::ServerCredentials> TlsCredentials(const Tls& tls) {
  grpc::SslServerCredentialsOptions options(
      tls.client_ca.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                            : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = tls.client_ca;
  options.pem_key_cert_pairs.push_back({tls.key, tls.certificate});
  return grpc::SslServerCredentials(options);
}

class Server : public GrpcServer {
 public:
  explicit Server(const Desk& desk)
      : admin_(desk.core, desk.store),
        agent_(desk),
        history_(MakeHistoryService(desk)),
        operator_(desk, admin_),
        worker_(desk) {}

  absl::Status Listen(const std::string& socket_path, const std::string& host, int port,
                      const Tls& tls) {
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (!tls.certificate.empty()) credentials = TlsCredentials(tls);
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(kMessageBytesMax);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort(absl::StrCat("unix:", socket_path), grpc::InsecureServerCredentials());
    builder.AddListeningPort(absl::StrCat(host, ":", port), credentials, &port_);
    builder.RegisterService(&agent_);
    builder.RegisterService(history_.get());
    builder.RegisterService(&operator_);
    builder.RegisterService(&worker_);
    // The socket is its owner's from its first moment: who opens it is asked for no token. What
    // other threads make meanwhile is narrower too, which does no harm.
    const mode_t before = umask(S_IRWXG | S_IRWXO);
    server_ = builder.BuildAndStart();
    umask(before);
    if (server_ == nullptr || port_ == 0) {
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", socket_path, " and ", host, ":", port));
    }
    struct stat made {};
    if (stat(socket_path.c_str(), &made) != 0 || (made.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
      return absl::UnavailableError(absl::StrCat("others can open ", socket_path));
    }
    SetServing(true);
    return absl::OkStatus();
  }

  int port() const override { return port_; }
  void SetServing(bool serving) override {
    server_->GetHealthCheckService()->SetServingStatus(serving);
  }
  void Shutdown(int64_t grace_ms) override {
    admin_.Stop();
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(grace_ms));
    server_->Wait();
  }

 private:
  Admin admin_;
  AgentService agent_;
  std::unique_ptr<grpc::Service> history_;
  OperatorService operator_;
  WorkerService worker_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const Desk& desk,
                                                              const std::string& socket_path,
                                                              const std::string& host, int port,
                                                              const Tls& tls) {
  auto server = std::make_unique<Server>(desk);
  if (auto status = server->Listen(socket_path, host, port, tls); !status.ok()) return status;
  return server;
}

}  // namespace server::edge
