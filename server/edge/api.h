// The JSON that the HTTP port answers, by name: /api/NAME?field=value. HTTP.md lists the names.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "server/edge/core_thread.h"
#include "store/store.h"

namespace server::edge {

using Query = std::multimap<std::string, std::string>;

class Api {
 public:
  Api(CoreThread& core, store::Store& store);

  // Any thread; waits for the core where it must. NOT_FOUND for a name that is not listed,
  // DEADLINE_EXCEEDED when the daemon is busy.
  absl::StatusOr<std::string> Answer(const std::string& name, const Query& query);

 private:
  using Handler = std::function<absl::StatusOr<std::string>(const Query&)>;

  template <typename In, typename Out>
  void OfCore(const char* name);
  template <typename In, typename Out>
  void OfStore(const char* name);
  absl::StatusOr<std::string> Explain(const Query& query);

  CoreThread& core_;
  store::Store& store_;
  std::map<std::string, Handler> handlers_;
};

// A message as the JSON of the API: field names as in the protos, every field written.
std::string Json(const google::protobuf::Message& message);

}  // namespace server::edge
