// Under these premises one run decides for every interleaving; a run checks each where it could
// fail (mbarrier.h, barrier.h). Bits, so that a test of the checks can leave one out and show that
// it is needed.
#pragma once

#include <cstdint>

namespace compiler::machine {

using PremiseMask = uint8_t;

// An arrival for a generation comes after the one before it is known to be complete.
constexpr PremiseMask kRecycling = 1;
// A wait starts after that too, and returns before the generation behind its own completes.
constexpr PremiseMask kParityWindow = 2;
// What a generation expects in bytes is what its copies bring, and they come in time.
constexpr PremiseMask kBytes = 4;
// Accesses of which one writes are ordered.
constexpr PremiseMask kNoRace = 8;
// What is read was written.
constexpr PremiseMask kWritten = 16;

// How often each was looked at.
struct PremiseChecks {
  int64_t arrivals = 0, waits = 0, generations = 0, bytes = 0;

  PremiseChecks& operator+=(const PremiseChecks& other) {
    arrivals += other.arrivals;
    waits += other.waits;
    generations += other.generations;
    bytes += other.bytes;
    return *this;
  }
};

}  // namespace compiler::machine
