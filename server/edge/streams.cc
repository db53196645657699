#include "server/edge/streams.h"

#include "server/edge/outbox.h"
#include "server/edge/status.h"
#include "server/edge/translate.h"
#include "server/state/error.h"
#include "store/store.h"

namespace server::edge {
namespace {

class WatchReactor : public grpc::ServerWriteReactor<wire::WatchReply> {
 public:
  using Box = Outbox<WatchReactor, wire::WatchReply>;

  WatchReactor(CoreThread& core, const Knock& knock, const wire::WatchRequest& request)
      : core_(core), box_(std::make_shared<Box>(this)), id_(std::make_shared<uint64_t>(0)) {
    const MaybeCaller caller = knock();
    if (!caller.ok()) {
      box_->End(ToGrpc(caller.status()));
      return;
    }
    core::WatchSink sink;
    sink.item = [box = box_, knock](const core::WatchItem& item) {
      if (const MaybeCaller still = knock(); !still.ok()) {
        box->End(ToGrpc(still.status()));
        return true;  // the receiver is not slow: what ends it is said already
      }
      wire::WatchReply reply;
      ToWire(item, &reply);
      return box->Push(std::move(reply), kWatchBufferMax);
    };
    sink.end = [box = box_](absl::Status why) { box->End(ToGrpc(why)); };
    const absl::Status posted = core_.Post(
        [box = box_, id = id_, sink, caller = *caller, wire = request](core::Core& core) mutable {
          const absl::Status within = KeepWithin(core.state(), caller, &wire);
          if (!within.ok()) return box->End(ToGrpc(within));
          auto opened = core.Watch(FromWire(wire), sink);
          if (opened.ok())
            *id = *opened;
          else
            box->End(ToGrpc(opened.status()));
        });
    if (!posted.ok()) box_->End(ToGrpc(posted));
  }

  void OnWriteDone(bool ok) override { box_->WriteDone(ok); }
  void OnCancel() override { box_->End(grpc::Status::CANCELLED); }
  void OnDone() override {
    box_->Detach();
    core_.PostAlways([id = id_](core::Core& core) { core.Unwatch(*id); });
    delete this;
  }

 private:
  CoreThread& core_;
  std::shared_ptr<Box> box_;
  std::shared_ptr<uint64_t> id_;  // only the core's thread reads and writes it
};

class SubmitManyReactor
    : public grpc::ServerBidiReactor<wire::SubmitRequest, wire::SubmitManyReply> {
 public:
  using Box = Outbox<SubmitManyReactor, wire::SubmitManyReply>;

  SubmitManyReactor(CoreThread& core, Knock knock)
      : core_(core),
        knock_(std::move(knock)),
        box_(std::make_shared<Box>(this)),
        window_(std::make_shared<Window>(this)) {
    if (const MaybeCaller caller = knock_(); !caller.ok()) {
      box_->End(ToGrpc(caller.status()));
      return;
    }
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      if (window_->Close()) box_->End(grpc::Status::OK);
      return;
    }
    const std::string request_id = request_.meta().request_id();
    const bool read_on = window_->Add();
    auto answer = [box = box_, window = window_,
                   request_id](absl::StatusOr<core::SubmitReply> reply) {
      box->Push(ReplyOf(request_id, reply), SIZE_MAX);
      window->Remove(*box);
    };
    const absl::Status posted =
        core_.Post([box = box_, window = window_, knock = knock_, wire = request_,
                    answer](core::Core& core) mutable {
          // Asked on the core's thread, where revocations happen too.
          const MaybeCaller caller = knock();
          if (!caller.ok()) {
            answer(caller.status());
            window->Close();
            return box->End(ToGrpc(caller.status()));
          }
          const core::Core::Acting acting(core, caller->principal);
          const absl::Status within = KeepWithin(core.state(), *caller, &wire);
          if (!within.ok()) return answer(within);
          auto request = FromWire(wire);
          if (!request.ok()) return answer(request.status());
          core.Submit(*request, answer);
        });
    if (!posted.ok()) answer(posted);
    if (read_on) StartRead(&request_);
  }

  void OnWriteDone(bool ok) override { box_->WriteDone(ok); }
  void OnCancel() override {
    window_->Close();
    box_->End(grpc::Status::CANCELLED);
  }
  void OnDone() override {
    box_->Detach();
    window_->Detach();
    delete this;
  }

 private:
  // How many requests are open; reading stops at kSubmitWindow and goes on when one is answered.
  class Window {
   public:
    explicit Window(SubmitManyReactor* reactor) : reactor_(reactor) {}

    bool Add() {
      std::lock_guard lock(mutex_);
      paused_ = ++open_ >= kSubmitWindow;
      return !paused_;
    }
    // Nothing is read any more. True when nothing is open: the stream can end now. Comes before an
    // End by anything but the last answer: a read that began behind it would outlive the call.
    bool Close() {
      std::lock_guard lock(mutex_);
      closed_ = true;
      return open_ == 0;
    }
    void Remove(Box& box) {
      std::lock_guard lock(mutex_);
      --open_;
      if (closed_ && open_ == 0) box.End(grpc::Status::OK);
      if (!paused_ || closed_ || reactor_ == nullptr) return;
      paused_ = false;
      reactor_->StartRead(&reactor_->request_);
    }
    void Detach() {
      std::lock_guard lock(mutex_);
      reactor_ = nullptr;
    }

   private:
    std::mutex mutex_;
    SubmitManyReactor* reactor_;
    size_t open_ = 0;
    bool paused_ = false, closed_ = false;
  };

  static wire::SubmitManyReply ReplyOf(const std::string& request_id,
                                       const absl::StatusOr<core::SubmitReply>& reply) {
    wire::SubmitManyReply out;
    out.set_request_id(request_id);
    if (reply.ok()) {
      ToWire(*reply, out.mutable_reply());
      return out;
    }
    out.set_error_code(static_cast<int>(reply.status().code()));
    out.set_error_message(std::string(reply.status().message()));
    const state::Reason reason = state::ReasonOf(reply.status());
    wire::Reason word{};
    if (wire::Reason_Parse("REASON_" + std::string(state::RuleOf(reason).word), &word)) {
      out.set_error_reason(word);
    }
    return out;
  }

  CoreThread& core_;
  const Knock knock_;
  std::shared_ptr<Box> box_;
  std::shared_ptr<Window> window_;
  wire::SubmitRequest request_;
};

class PutObjectReactor : public grpc::ServerReadReactor<wire::PutObjectRequest> {
 public:
  PutObjectReactor(CoreThread& core, Uploads& uploads, const MaybeCaller& caller,
                   wire::PutObjectReply* reply)
      : core_(core), uploads_(uploads), reply_(reply) {
    if (!caller.ok()) {
      Finish(ToGrpc(caller.status()));
      return;
    }
    of_worker_ = (caller->roles & kOperator) == 0;
    StartRead(&part_);
  }
  ~PutObjectReactor() override { uploads_.bytes -= promised_; }

  void OnReadDone(bool ok) override {
    if (!ok) return Store();
    if (part_.has_header()) {
      if (seen_header_) return Refuse("header", "comes once, first");
      seen_header_ = true;
      header_ = part_.header();
      if (header_.size() > kObjectBytesMax) return Refuse("header.size", "is over 64 MiB");
      promised_ = header_.size();
      if (uploads_.bytes += promised_; uploads_.bytes > kUploadBytesMax) {
        return Finish(ToGrpc(state::Error(state::Reason::kRate, "too many uploads are open")));
      }
    } else {
      if (!seen_header_) return Refuse("header", "comes first");
      bytes_ += part_.data();
      if (bytes_.size() > header_.size()) return Refuse("data", "is more than header.size");
    }
    StartRead(&part_);
  }

  void OnDone() override { delete this; }

 private:
  void Refuse(std::string_view field, std::string_view why) {
    Finish(ToGrpc(state::BadField(field, why)));
  }

  void Store() {
    if (!seen_header_) return Refuse("header", "is missing");
    if (bytes_.size() != header_.size()) return Refuse("data", "is less than header.size");
    if (store::Sha256Hex(bytes_) != header_.hash()) {
      return Refuse("header.hash", "is not the sha256 of the data");
    }
    reply_->set_hash(header_.hash());
    const absl::Status posted =
        core_.Post([this, kind = ObjectKindOf(header_.kind())](core::Core& core) {
          if (of_worker_ || !header_.lease().empty()) {
            const absl::Status counted =
                core.CountUpload(header_.lease(), static_cast<int64_t>(header_.fencing_token()),
                                 static_cast<int64_t>(header_.size()));
            if (!counted.ok()) return Finish(ToGrpc(counted));
          }
          const auto known = core.GetObject({header_.hash()});
          reply_->set_existed(known.ok());
          if (known.ok()) return Finish(grpc::Status::OK);
          Finish(ToGrpc(core.PutObject(kind, std::move(bytes_)).status()));
        });
    if (!posted.ok()) Finish(ToGrpc(posted));
  }

  CoreThread& core_;
  Uploads& uploads_;
  wire::PutObjectReply* reply_;
  bool of_worker_ = true;
  uint64_t promised_ = 0;  // of uploads_
  wire::PutObjectRequest part_;
  wire::ObjectHeader header_;
  std::string bytes_;
  bool seen_header_ = false;
};

class GetObjectReactor : public grpc::ServerWriteReactor<wire::GetObjectReply> {
 public:
  using Box = Outbox<GetObjectReactor, wire::GetObjectReply>;

  GetObjectReactor(CoreThread& core, const MaybeCaller& caller, const std::string& hash)
      : box_(std::make_shared<Box>(this)) {
    if (!caller.ok()) {
      box_->End(ToGrpc(caller.status()));
      return;
    }
    const absl::Status posted = core.Post([box = box_, hash](core::Core& core) {
      auto bytes = core.GetObject({hash});
      if (!bytes.ok()) return box->End(ToGrpc(bytes.status()));
      wire::GetObjectReply part;
      part.mutable_header()->set_hash(hash);
      part.mutable_header()->set_size(bytes->size());
      box->Push(std::move(part), SIZE_MAX);
      for (size_t at = 0; at < bytes->size(); at += kObjectChunkBytes) {
        wire::GetObjectReply chunk;
        chunk.set_data(bytes->substr(at, kObjectChunkBytes));
        box->Push(std::move(chunk), SIZE_MAX);
      }
      box->End(grpc::Status::OK);
    });
    if (!posted.ok()) box_->End(ToGrpc(posted));
  }

  void OnWriteDone(bool ok) override { box_->WriteDone(ok); }
  void OnCancel() override { box_->End(grpc::Status::CANCELLED); }
  void OnDone() override {
    box_->Detach();
    delete this;
  }

 private:
  std::shared_ptr<Box> box_;
};

}  // namespace

grpc::ServerWriteReactor<wire::WatchReply>* MakeWatch(CoreThread& core, Knock knock,
                                                      const wire::WatchRequest& request) {
  return new WatchReactor(core, knock, request);
}

grpc::ServerBidiReactor<wire::SubmitRequest, wire::SubmitManyReply>* MakeSubmitMany(
    CoreThread& core, Knock knock) {
  return new SubmitManyReactor(core, std::move(knock));
}

grpc::ServerReadReactor<wire::PutObjectRequest>* MakePutObject(CoreThread& core, Uploads& uploads,
                                                               const MaybeCaller& caller,
                                                               wire::PutObjectReply* reply) {
  return new PutObjectReactor(core, uploads, caller, reply);
}

grpc::ServerWriteReactor<wire::GetObjectReply>* MakeGetObject(
    CoreThread& core, const MaybeCaller& caller, const wire::GetObjectRequest& request) {
  return new GetObjectReactor(core, caller, request.hash());
}

}  // namespace server::edge
