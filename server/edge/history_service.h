// The History service: what happened, in pages.
#pragma once

#include <memory>

#include "server/edge/core_thread.h"
#include "store/store.h"

namespace grpc {
class Service;
}

namespace server::edge {

std::unique_ptr<grpc::Service> MakeHistoryService(CoreThread& core, store::Store& store);

}  // namespace server::edge
