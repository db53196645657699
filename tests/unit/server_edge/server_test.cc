// The daemon's calls over a socket: who may stay in a stream, who the log names, who can open it.
#include <grpcpp/grpcpp.h>
#include <sys/stat.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "cake/v1/agent.grpc.pb.h"
#include "cake/v1/history.grpc.pb.h"
#include "cake/v1/operator.grpc.pb.h"
#include "cake/v1/worker.grpc.pb.h"
#include "gtest/gtest.h"
#include "server/edge/config.h"
#include "server/edge/core_thread.h"
#include "server/edge/grpc_server.h"
#include "server/edge/unary.h"
#include "store/clock.h"
#include "tests/unit/store/fixtures.h"

namespace server::edge {
namespace {

namespace wire = cake::v1;

class NoGates : public core::GateRunner {
 public:
  void Start(uint64_t, core::GateRequest, bool) override {}
};

class Served : public testing::Test {
 protected:
  Served() {
    const mode_t before = umask(0);
    store_ = *store::Store::Open({.dir = dir_.path(), .disk_reserve_bytes = 0});
    auto core = core::Core::Open(*store_, store::SystemClock(), gates_, {});
    EXPECT_TRUE(core.ok()) << core.status();
    door_ = std::make_unique<Door>(store_->local_principal(), /*tokens=*/true);
    door_->Know((*core)->state());
    thread_ = std::make_unique<CoreThread>(*std::move(core), store::SystemClock());
    const int port = FreePort("127.0.0.1", 0);
    auto server =
        GrpcServer::Start({*thread_, *store_, *door_}, socket(), "127.0.0.1", port, Tls());
    EXPECT_TRUE(server.ok()) << server.status();
    umask(before);
    server_ = *std::move(server);
    tcp_ = grpc::CreateChannel(absl::StrCat("127.0.0.1:", server_->port()),
                               grpc::InsecureChannelCredentials());
    owner_ = wire::Operator::NewStub(
        grpc::CreateChannel("unix:" + socket(), grpc::InsecureChannelCredentials()));
    agent_ = wire::Agent::NewStub(tcp_);
  }
  ~Served() override {
    thread_->Stop();
    server_->Shutdown(0);
  }

  std::string socket() const { return dir_.path() + "/caked.sock"; }

  std::string Token(const std::string& name, const std::string& role) {
    grpc::ClientContext context;
    wire::CreateTokenRequest request;
    request.mutable_meta()->set_request_id("token-" + name);
    request.set_name(name);
    request.set_role(role);
    wire::CreateTokenReply reply;
    const auto status = owner_->CreateToken(&context, request, &reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return reply.token();
  }

  void Revoke(const std::string& name) {
    grpc::ClientContext context;
    wire::RevokeTokenRequest request;
    request.mutable_meta()->set_request_id("revoke-" + name);
    request.set_name(name);
    request.set_reason("left");
    wire::RevokeTokenReply reply;
    EXPECT_TRUE(owner_->RevokeToken(&context, request, &reply).ok());
  }

  static void As(grpc::ClientContext& context, const std::string& token) {
    context.AddMetadata("authorization", "Bearer " + token);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  }

  store::TempDir dir_;
  NoGates gates_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Door> door_;
  std::unique_ptr<CoreThread> thread_;
  std::unique_ptr<GrpcServer> server_;
  std::shared_ptr<grpc::Channel> tcp_;
  std::unique_ptr<wire::Operator::Stub> owner_;
  std::unique_ptr<wire::Agent::Stub> agent_;
};

// The fixture's mask is 0: what the socket has it has from its making.
TEST_F(Served, TheSocketIsItsOwners) {
  struct stat info {};
  ASSERT_EQ(stat(socket().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0077, 0U);
}

TEST_F(Served, ARevokedTokensSubmitManyEndsAtItsNextMessage) {
  grpc::ClientContext context;
  As(context, Token("bot", "agent"));
  auto stream = agent_->SubmitMany(&context);
  wire::SubmitRequest request;
  request.mutable_meta()->set_request_id("submit-1");
  request.set_workload("nothing");
  wire::SubmitManyReply reply;
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->Read(&reply));
  EXPECT_EQ(reply.request_id(), "submit-1");
  EXPECT_NE(reply.error_reason(),
            wire::REASON_ROLE);  // refused for what it says, not for its author
  Revoke("bot");
  request.mutable_meta()->set_request_id("submit-2");
  stream->Write(request);
  if (stream->Read(&reply)) {
    EXPECT_EQ(reply.error_reason(), wire::REASON_ROLE);
    EXPECT_FALSE(stream->Read(&reply));
  }
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(Served, ARevokedTokensWatchEnds) {
  const std::string token = Token("bot", "agent");
  grpc::ClientContext context;
  As(context, token);
  wire::WatchRequest request;
  auto stream = agent_->Watch(&context, request);
  wire::WatchReply reply;
  ASSERT_TRUE(stream->Read(&reply));
  Revoke("bot");
  uint64_t last = 0;
  bool saw_its_end = false;
  while (stream->Read(&reply)) {
    last = std::max<uint64_t>(last, reply.event().seq());
    saw_its_end = saw_its_end || reply.event().admin_action().action() == "RevokeToken";
  }
  EXPECT_FALSE(saw_its_end) << last;
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

// What open uploads hold is bounded whoever sends them: one of five that say 64 MiB each ends.
TEST_F(Served, OpenUploadsAreBounded) {
  const std::string token = Token("worker", "worker");
  const auto worker = wire::Worker::NewStub(tcp_);
  struct Upload {
    grpc::ClientContext context;
    wire::PutObjectReply reply;
    std::unique_ptr<grpc::ClientWriter<wire::PutObjectRequest>> writer;
  };
  Upload uploads[5];
  wire::PutObjectRequest part;
  part.mutable_header()->set_size(64 << 20);
  for (Upload& upload : uploads) {
    As(upload.context, token);
    upload.writer = worker->PutObject(&upload.context, &upload.reply);
    ASSERT_TRUE(upload.writer->Write(part));
  }
  part.set_data("x");
  Upload* ended = nullptr;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (ended == nullptr && std::chrono::steady_clock::now() < end) {
    for (Upload& upload : uploads) {
      if (ended == nullptr && !upload.writer->Write(part)) ended = &upload;
    }
  }
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->writer->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  for (Upload& upload : uploads) {
    if (&upload == ended) continue;
    upload.context.TryCancel();
    EXPECT_FALSE(upload.writer->Finish().ok());
  }
}

// A worker's bytes come with a lease that it holds.
TEST_F(Served, AWorkerWithoutALeaseStoresNothing) {
  const std::string token = Token("worker", "worker");
  const auto worker = wire::Worker::NewStub(tcp_);
  grpc::ClientContext context;
  As(context, token);
  wire::PutObjectReply reply;
  const auto writer = worker->PutObject(&context, &reply);
  wire::PutObjectRequest part;
  part.mutable_header()->set_size(3);
  part.mutable_header()->set_hash(store::Sha256Hex("abc"));
  part.mutable_header()->set_kind("log");
  ASSERT_TRUE(writer->Write(part));
  part.set_data("abc");
  ASSERT_TRUE(writer->Write(part));
  writer->WritesDone();
  EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::ABORTED);
}

TEST_F(Served, TheLogNamesWhoDidWhatAndNoTokenHash) {
  const std::string token = Token("boss", "operator");
  const auto theirs = wire::Operator::NewStub(tcp_);
  {
    grpc::ClientContext context;
    As(context, token);
    wire::BackupRequest request;
    request.mutable_meta()->set_request_id("backup-1");
    request.set_path(dir_.path() + "/copy");
    request.set_reason("weekly");
    wire::BackupReply reply;
    const auto status = theirs->Backup(&context, request, &reply);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  {
    grpc::ClientContext context;
    As(context, token);
    wire::CollectGarbageRequest request;
    request.mutable_meta()->set_request_id("collect-1");
    request.set_apply(true);
    request.set_reason("room");
    wire::CollectGarbageReply reply;
    const auto status = theirs->CollectGarbage(&context, request, &reply);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  grpc::ClientContext context;
  As(context, token);
  wire::ListEventsReply reply;
  ASSERT_TRUE(wire::History::NewStub(tcp_)->ListEvents(&context, {}, &reply).ok());
  std::map<std::string, int64_t> who;
  int64_t boss = 0;
  for (const wire::Event& event : reply.events()) {
    EXPECT_EQ(event.principal_changed().token_hash(), "");
    EXPECT_EQ(event.body_json().find(store::Sha256Hex(token)), std::string::npos);
    if (event.principal_changed().name() == "boss") boss = event.principal_changed().principal();
    if (event.has_admin_action()) who[event.admin_action().action()] = event.admin_action().who();
  }
  EXPECT_GT(boss, store_->local_principal());
  EXPECT_EQ(who, (std::map<std::string, int64_t>{{"Backup", boss},
                                                 {"CollectGarbage", boss},
                                                 {"CreateToken", store_->local_principal()}}));
}

}  // namespace
}  // namespace server::edge
