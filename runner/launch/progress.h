// What the progress words of a hanging kernel say: which warps of which role wait at which event,
// for which use of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/emit/event_log.h"
#include "runner/launch/elaborate.h"

namespace runner::launch {

inline constexpr size_t kAutopsyRowsMax = 64;

// Threads that stand at one place, of all CTAs.
struct StandingRow {
  std::string kernel, role, verb, event;  // event: "full", "tiles (released)", "barrier pair"
  int64_t line = 0, use = -1, stage = -1, parity = -1;  // -1: the instruction has none
  int64_t threads = 0, warps = 0, ctas = 0;
  int64_t first_cta = 0, first_warp = 0;  // of the role
  bool operator==(const StandingRow&) const = default;
};

struct Autopsy {
  std::vector<StandingRow> waits;  // most threads first; at most kAutopsyRowsMax
  int64_t running = 0, ended = 0, not_started = 0, threads = 0;
  bool operator==(const Autopsy&) const = default;
};

// `words`: one a thread of the grid of kernel `kernel`; more or fewer are left alone.
void AddWords(const Elaborated& program, size_t kernel,
              std::span<const compiler::emit::ProgressWord> words, Autopsy& out);

std::string ToJson(const Autopsy& autopsy);
absl::StatusOr<Autopsy> AutopsyFromJson(std::string_view json);

// One sentence a row: "role producer waits at line 23 for tiles@4 to be released (use 4, stage 0,
// parity 1): 1 warp of 132 CTAs". Rows beyond `rows_max` are counted.
std::string ToText(const Autopsy& autopsy, size_t rows_max);

}  // namespace runner::launch
