// The only place that knows both the worker's plain values and their wire form.
#pragma once

#include "absl/status/status.h"
#include "cake/v1/worker.pb.h"
#include "runner/worker/protocol.h"

namespace runner::worker {

cake::v1::RegisterRequest ToWire(const RegisterCall& call);
cake::v1::AcquireRequest ToWire(const AcquireCall& call);
cake::v1::ReportRequest ToWire(const ReportCall& call);
// A verdict that only the daemon may give (a rejection of what it has accepted) becomes
// LOWERING_FAILED: the two disagree, and that is ours to explain.
cake::v1::CompleteRequest ToWire(const CompleteCall& call);

RegisterAnswer FromWire(const cake::v1::RegisterReply& reply);
AcquireAnswer FromWire(const cake::v1::AcquireReply& reply);
ReportAnswer FromWire(const cake::v1::ReportReply& reply);
CompleteAnswer FromWire(const cake::v1::CompleteReply& reply);

}  // namespace runner::worker
