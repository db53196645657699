// The History service: what happened, in pages.
#pragma once

#include <memory>

namespace grpc {
class Service;
}

namespace server::edge {

struct Desk;

std::unique_ptr<grpc::Service> MakeHistoryService(const Desk& desk);

}  // namespace server::edge
