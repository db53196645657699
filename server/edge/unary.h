// Unary gRPC calls that the core answers on its own thread.
#pragma once

#include <grpcpp/grpcpp.h>

#include <utility>

#include "server/edge/core_thread.h"
#include "server/edge/looking.h"
#include "server/edge/status.h"
#include "server/state/error.h"
#include "store/store.h"

namespace server::edge {

// A call that looks: Look(core, in, out) on the core's thread.
template <typename In, typename Out>
grpc::ServerUnaryReactor* LookNow(CoreThread& core, grpc::CallbackServerContext* context,
                                  const In* in, Out* out) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const absl::Status posted = core.Post([reactor, out, request = *in](core::Core& core) {
    reactor->Finish(ToGrpc(Look(core, request, out)));
  });
  if (!posted.ok()) reactor->Finish(ToGrpc(posted));
  return reactor;
}

// One over a snapshot of the store; gRPC's own threads must not wait for a disk.
template <typename In, typename Out>
grpc::ServerUnaryReactor* LookInStore(CoreThread& core, store::Store& store,
                                      grpc::CallbackServerContext* context, const In* in,
                                      Out* out) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const absl::Status posted = core.Post([reactor, out, &store, request = *in](core::Core&) {
    auto view = store.Snapshot();
    const absl::Status status =
        view.ok() ? Look((*view)->reads(), request, out) : state::FromStore(view.status());
    reactor->Finish(ToGrpc(status));
  });
  if (!posted.ok()) reactor->Finish(ToGrpc(posted));
  return reactor;
}

}  // namespace server::edge
