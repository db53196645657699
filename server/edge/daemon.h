// The daemon from a configuration to its end.
#pragma once

#include "server/edge/config.h"

namespace server::edge {

inline constexpr int kExitFine = 0, kExitUsage = 2, kExitWorld = 3;

// Serves until SIGTERM or SIGINT. SIGTERM and SIGINT must be blocked in every thread.
int Serve(const Config& config);

// Prints one JSON object with what was compared and what differs. 3 unless everything is equal.
int RebuildCheck(const Config& config);

// Fills the store with demo data; prints one JSON object with what it made.
int DemoSeed(const Config& config);

int ListFailpoints();

}  // namespace server::edge
