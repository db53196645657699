// The daemon as the remote verbs see it: its address, its stubs, request ids, errors in words.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cake/v1/agent.grpc.pb.h"
#include "cake/v1/history.grpc.pb.h"
#include "cake/v1/operator.grpc.pb.h"
#include "cake/v1/worker.grpc.pb.h"
#include "clients/cli/remote/words.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {

struct Address {
  std::string grpc;  // "unix:/.../caked.sock" or "127.0.0.1:7420"
  std::string http;  // "http://127.0.0.1:7421"
  int64_t pid = 0;
};

// Where the daemon listens: `connect` if given; else address.json in $CAKE_HOME, in ./.cake or in
// ~/.local/share/cake, whichever exists first. Unavailable names the places and how to start one.
absl::StatusOr<Address> FindDaemon(const std::string& connect);

struct Client {
  Address address;
  std::unique_ptr<cake::v1::Agent::Stub> agent;
  std::unique_ptr<cake::v1::Operator::Stub> operators;
  std::unique_ptr<cake::v1::History::Stub> history;
  std::unique_ptr<cake::v1::Worker::Stub> worker;  // for objects
};

absl::StatusOr<Client> Connect(const std::string& connect);

// Prints the closing line; a daemon that was named is named again, so that the command runs.
void PrintNextCall(std::string_view command, const std::string& connect,
                   Stream stream = Stream::kOut);

// A fresh random request id.
std::string NewRequestId();
// An id that is the same for the same words: repeating a command repeats its answer.
std::string FixedRequestId(std::initializer_list<std::string_view> words);

// The bearer token of $CAKE_TOKEN, if there is one. $CAKE_CA, $CAKE_CERT and $CAKE_KEY are PEM
// files for a daemon that speaks TLS: whom to trust, and who we are where it asks.
void ShowToken(grpc::ClientContext& context);

// A context with a deadline of `seconds` and the token.
std::unique_ptr<grpc::ClientContext> Deadline(int seconds);

// Prints a failed call ("cake: reason: message; remedy") and returns the exit code: 2 for what the
// caller got wrong, 1 for a candidate that cannot be taken, 3 for everything else.
int FailCall(const grpc::Status& status, const Address& address);

// A verdict's exit code: 1 the candidate's fault, 3 that of system, contract or machines, 0
// nobody's.
int ExitCodeOf(cake::v1::Blame blame);

// Protocol message as JSON with the field names of proto/cake/v1; `one_line` for streams of them.
std::string Json(const google::protobuf::Message& message, bool one_line = false);

}  // namespace clients::cli::remote
