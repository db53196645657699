// The calls that are streams. Each object lives until gRPC says that the call is done.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>

#include "cake/v1/agent.pb.h"
#include "cake/v1/worker.pb.h"
#include "server/edge/core_thread.h"
#include "server/edge/door.h"

namespace server::edge {

inline constexpr size_t kWatchBufferMax = 1024;  // messages of one slow watcher
inline constexpr size_t kSubmitWindow = 64;      // open requests of one SubmitMany
inline constexpr uint64_t kObjectBytesMax = 64ull << 20;
inline constexpr size_t kObjectChunkBytes = 256 << 10;

// A caller that may not come in gets the reason as the end of the stream.
using MaybeCaller = absl::StatusOr<Caller>;

// These two ask at every message, and end when the caller may no longer come in.
grpc::ServerWriteReactor<cake::v1::WatchReply>* MakeWatch(CoreThread& core, Knock knock,
                                                          const cake::v1::WatchRequest& request);
grpc::ServerBidiReactor<cake::v1::SubmitRequest, cake::v1::SubmitManyReply>* MakeSubmitMany(
    CoreThread& core, Knock knock);
// What open uploads hold in memory, all together.
inline constexpr uint64_t kUploadBytesMax = 256ull << 20;
struct Uploads {
  std::atomic<uint64_t> bytes = 0;
};
grpc::ServerReadReactor<cake::v1::PutObjectRequest>* MakePutObject(CoreThread& core,
                                                                   Uploads& uploads,
                                                                   const MaybeCaller& caller,
                                                                   cake::v1::PutObjectReply* reply);
grpc::ServerWriteReactor<cake::v1::GetObjectReply>* MakeGetObject(
    CoreThread& core, const MaybeCaller& caller, const cake::v1::GetObjectRequest& request);

}  // namespace server::edge
