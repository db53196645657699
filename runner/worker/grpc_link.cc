#include "runner/worker/grpc_link.h"

#include <grpcpp/grpcpp.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "absl/strings/str_cat.h"
#include "cake/v1/worker.grpc.pb.h"
#include "proto/dial/dial.h"
#include "runner/child/fd.h"
#include "runner/worker/translate.h"
#include "store/failpoint.h"

namespace runner::worker {
namespace {

namespace wire = cake::v1;

constexpr int64_t kCallMs = 10'000, kObjectMs = 60'000;
constexpr size_t kPieceBytes = 1 << 20;
constexpr int kMessageBytesMax = 32 * 1024 * 1024;
constexpr uint64_t kObjectBytesMax = 64 * 1024 * 1024;

// gRPC's codes and absl's are the same numbers.
absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace

class GrpcLink::Impl {
 public:
  Impl(const std::string& target, const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMessageBytesMax);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    stub_ = wire::Worker::NewStub(grpc::CreateCustomChannel(target, credentials, arguments));
    if (const char* token = std::getenv("CAKE_TOKEN")) token_ = token;
    wake_ = child::UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    for (int i = 0; i < kLanes; ++i)
      lanes_[i].thread = std::thread([this, i] { Serve(lanes_[i]); });
  }

  ~Impl() {
    Shutdown();
    for (LaneState& lane : lanes_) lane.thread.join();
  }

  void Send(Lane lane, Call call) {
    LaneState& state = lanes_[static_cast<int>(lane)];
    const std::scoped_lock lock(state.mutex);
    state.call = std::move(call);
    state.ready.notify_one();
  }

  std::optional<absl::StatusOr<Answer>> Poll(Lane lane) {
    uint64_t count = 0;
    if (read(wake_.get(), &count, sizeof(count)) < 0) count = 0;
    LaneState& state = lanes_[static_cast<int>(lane)];
    const std::scoped_lock lock(state.mutex);
    auto out = std::move(state.answer);
    state.answer.reset();
    return out;
  }

  void Shutdown() {
    for (LaneState& lane : lanes_) {
      const std::scoped_lock lock(lane.mutex);
      lane.stop = true;
      if (lane.context != nullptr) lane.context->TryCancel();
      lane.ready.notify_one();
    }
  }
  int wake_fd() const { return wake_.get(); }

 private:
  struct LaneState {
    std::mutex mutex;
    std::condition_variable ready;
    std::optional<Call> call;
    std::optional<absl::StatusOr<Answer>> answer;
    grpc::ClientContext* context = nullptr;
    bool stop = false;
    std::thread thread;
  };

  void Serve(LaneState& lane) {
    for (;;) {
      std::optional<Call> call;
      grpc::ClientContext context;
      {
        std::unique_lock lock(lane.mutex);
        lane.ready.wait(lock, [&] { return lane.stop || lane.call; });
        if (lane.stop) return;
        call = std::move(lane.call);
        lane.call.reset();
        lane.context = &context;
      }
      if (!token_.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", token_));
      auto answer = std::visit(
          [&](const auto& c) -> absl::StatusOr<Answer> { return Do(context, c); }, *call);
      {
        const std::scoped_lock lock(lane.mutex);
        lane.context = nullptr;
        lane.answer = std::move(answer);
      }
      const uint64_t one = 1;
      if (write(wake_.get(), &one, sizeof(one)) < 0)
        continue;  // full: the reader is already due to wake
    }
  }

  static void Limit(grpc::ClientContext& context, int64_t ms) {
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(ms));
  }

  template <typename Reply, typename Request>
  absl::StatusOr<Answer> Unary(grpc::ClientContext& context, const Request& request, int64_t ms,
                               grpc::Status (wire::Worker::Stub::*method)(grpc::ClientContext*,
                                                                          const Request&, Reply*)) {
    Limit(context, ms);
    Reply reply;
    const grpc::Status status = (stub_.get()->*method)(&context, request, &reply);
    if (!status.ok()) return FromGrpc(status);
    return Answer(FromWire(reply));
  }

  absl::StatusOr<Answer> Do(grpc::ClientContext& context, const RegisterCall& call) {
    CAKE_FAILPOINT("worker.register.before_send");
    auto answer =
        Unary<wire::RegisterReply>(context, ToWire(call), kCallMs, &wire::Worker::Stub::Register);
    CAKE_FAILPOINT("worker.register.after_reply");
    return answer;
  }
  absl::StatusOr<Answer> Do(grpc::ClientContext& context, const AcquireCall& call) {
    CAKE_FAILPOINT("worker.acquire.before_send");
    auto answer = Unary<wire::AcquireReply>(context, ToWire(call), kCallMs + call.wait_ms,
                                            &wire::Worker::Stub::Acquire);
    CAKE_FAILPOINT("worker.acquire.after_reply");
    return answer;
  }
  absl::StatusOr<Answer> Do(grpc::ClientContext& context, const ReportCall& call) {
    CAKE_FAILPOINT("worker.report.before_send");
    auto answer =
        Unary<wire::ReportReply>(context, ToWire(call), kCallMs, &wire::Worker::Stub::Report);
    CAKE_FAILPOINT("worker.report.after_reply");
    return answer;
  }
  absl::StatusOr<Answer> Do(grpc::ClientContext& context, const CompleteCall& call) {
    CAKE_FAILPOINT("worker.complete.before_send");
    auto answer =
        Unary<wire::CompleteReply>(context, ToWire(call), kCallMs, &wire::Worker::Stub::Complete);
    CAKE_FAILPOINT("worker.complete.after_reply");
    return answer;
  }

  absl::StatusOr<Answer> Do(grpc::ClientContext& context, const PutCall& call) {
    CAKE_FAILPOINT("worker.put_object.before_send");
    Limit(context, kObjectMs);
    wire::PutObjectReply reply;
    auto writer = stub_->PutObject(&context, &reply);
    wire::PutObjectRequest part;
    part.mutable_header()->set_hash(call.hash);
    part.mutable_header()->set_kind(call.kind);
    part.mutable_header()->set_size(call.bytes.size());
    part.mutable_header()->set_lease(call.lease);
    part.mutable_header()->set_fencing_token(call.token);
    bool open = writer->Write(part);
    for (size_t at = 0; open && at < call.bytes.size(); at += kPieceBytes) {
      part.set_data(call.bytes.substr(at, kPieceBytes));
      open = writer->Write(part);
    }
    writer->WritesDone();
    const grpc::Status status = writer->Finish();
    CAKE_FAILPOINT("worker.put_object.after_reply");
    if (!status.ok()) return FromGrpc(status);
    return Answer(PutAnswer{});
  }

  absl::StatusOr<Answer> Do(grpc::ClientContext& context, const GetCall& call) {
    CAKE_FAILPOINT("worker.get_object.before_send");
    Limit(context, kObjectMs);
    wire::GetObjectRequest request;
    request.set_hash(call.hash);
    auto reader = stub_->GetObject(&context, request);
    wire::GetObjectReply part;
    GetAnswer answer;
    bool too_large = false;
    while (reader->Read(&part)) {
      too_large = too_large || answer.bytes.size() + part.data().size() > kObjectBytesMax;
      if (!too_large && part.has_data()) answer.bytes += part.data();
    }
    const grpc::Status status = reader->Finish();
    CAKE_FAILPOINT("worker.get_object.after_reply");
    if (!status.ok()) return FromGrpc(status);
    if (too_large)
      return absl::InvalidArgumentError(absl::StrCat("object ", call.hash, " is over 64 MiB"));
    return Answer(std::move(answer));
  }

  std::string token_;  // of $CAKE_TOKEN; set before the lanes run
  std::unique_ptr<wire::Worker::Stub> stub_;
  child::UniqueFd wake_;
  LaneState lanes_[kLanes];
};

absl::StatusOr<std::unique_ptr<GrpcLink>> GrpcLink::Open(const std::string& target) {
  auto credentials = proto::dial::CredentialsFor(target);
  if (!credentials.ok()) return credentials.status();
  return std::unique_ptr<GrpcLink>(new GrpcLink(std::make_unique<Impl>(target, *credentials)));
}

GrpcLink::GrpcLink(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GrpcLink::~GrpcLink() = default;
void GrpcLink::Send(Lane lane, Call call) { impl_->Send(lane, std::move(call)); }
std::optional<absl::StatusOr<Answer>> GrpcLink::Poll(Lane lane) { return impl_->Poll(lane); }
int GrpcLink::wake_fd() const { return impl_->wake_fd(); }
void GrpcLink::Shutdown() { impl_->Shutdown(); }

}  // namespace runner::worker
