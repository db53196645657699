// A protocol judged by its happens-before relation alone, without running it: events, the order of
// each agent's program, what an mbarrier's generation hands over, and conditions on the relation.
//
//   po     the steps of an agent, in order
//   issue  the step that asks for a copy -> its accesses -> its end
//   ret    the end of a copy -> the wait of its thread that retires it (PTX ISA,
//   cp.async.wait_group,
//          cp.async.bulk.wait_group)
//   sw     every contribution to generation g of a barrier (arrivals, ends of loads) -> the return
//          of every wait for g (PTX ISA, mbarrier.try_wait: acquires what the arrivals released)
//   meet   every contribution to a generation of a named barrier -> the return of its waits (PTX
//          ISA, bar.sync, bar.arrive)
//   fence  a generic write and a copy by an engine are ordered when a proxy fence lies between
//          (PTX ISA, fence.proxy.async)
// Use k is generation k / stages: that waits and arrivals meet the generation that they name is
// what the conditions on recycling and on the parity window say.
#pragma once

#include <string>

#include "tests/mutation/protocol.h"

namespace mutation {

// The first condition that does not hold, in words; "" where all do.
std::string Breach(const Protocol& protocol);

}  // namespace mutation
