// Unary gRPC calls that the core answers on its own thread.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <utility>

#include "server/edge/core_thread.h"
#include "server/edge/door.h"
#include "server/edge/looking.h"
#include "server/edge/status.h"
#include "server/state/error.h"
#include "store/store.h"

namespace server::edge {

// What every service of the daemon works with.
struct Desk {
  CoreThread& core;
  store::Store& store;
  Door& door;
};

// Asks the door now and whenever it is called, also when the call's context is gone: a stream may
// outlive the right to it.
inline Knock KnockOf(const Desk& desk, const grpc::ServerContextBase& context, Roles allowed) {
  const auto it = context.client_metadata().find("authorization");
  std::string word;
  if (it != context.client_metadata().end()) word.assign(it->second.data(), it->second.size());
  return [&door = desk.door, peer = context.peer(), word = std::move(word), allowed] {
    return door.Enter(peer, word, allowed);
  };
}

inline absl::StatusOr<Caller> Enter(const Desk& desk, const grpc::ServerContextBase& context,
                                    Roles allowed) {
  return KnockOf(desk, context, allowed)();
}

// Runs `call(core, request)` as the caller on the core's thread, with the request kept within what
// the caller may see. `request` is the wire form.
template <typename In, typename Call>
grpc::ServerUnaryReactor* AsCaller(const Desk& desk, grpc::CallbackServerContext* context,
                                   Roles allowed, const In& in, Call call) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  auto caller = Enter(desk, *context, allowed);
  if (!caller.ok()) {
    reactor->Finish(ToGrpc(caller.status()));
    return reactor;
  }
  const absl::Status posted =
      desk.core.Post([reactor, call, caller = *caller, request = in](core::Core& core) mutable {
        const core::Core::Acting acting(core, caller.principal);
        const absl::Status status = KeepWithin(core.state(), caller, &request);
        if (!status.ok()) return reactor->Finish(ToGrpc(status));
        call(core, request, reactor);
      });
  if (!posted.ok()) reactor->Finish(ToGrpc(posted));
  return reactor;
}

// A call that looks: Look(core, in, out) on the core's thread.
template <typename In, typename Out>
grpc::ServerUnaryReactor* LookNow(const Desk& desk, grpc::CallbackServerContext* context,
                                  Roles allowed, const In* in, Out* out) {
  return AsCaller(desk, context, allowed, *in,
                  [out](core::Core& core, const In& request, grpc::ServerUnaryReactor* reactor) {
                    reactor->Finish(ToGrpc(Look(core, request, out)));
                  });
}

// One over a snapshot of the store; gRPC's own threads must not wait for a disk.
template <typename In, typename Out>
grpc::ServerUnaryReactor* LookInStore(const Desk& desk, grpc::CallbackServerContext* context,
                                      Roles allowed, const In* in, Out* out) {
  return AsCaller(desk, context, allowed, *in,
                  [out, &store = desk.store](core::Core&, const In& request,
                                             grpc::ServerUnaryReactor* reactor) {
                    auto view = store.Snapshot();
                    const absl::Status status = view.ok() ? Look((*view)->reads(), request, out)
                                                          : state::FromStore(view.status());
                    reactor->Finish(ToGrpc(status));
                  });
}

}  // namespace server::edge
