// The memory order and scope of one use of an instruction, read from its entry and its modifiers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/ir/op_def.h"

namespace compiler::ir {

// Whose accesses an ordered access or a fence is ordered with, narrowest first.
enum class SyncScope : uint8_t { kCta, kCluster, kGpu, kSys };

struct Ordering {
  bool strong = false;  // relaxed at least: no race with other strong accesses of its scope
  bool acquire = false, release = false;
  SyncScope scope = SyncScope::kCta;  // of strong accesses
};

SyncScope ParseSyncScope(std::string_view word);
std::string_view ToString(SyncScope scope);

// PTX ISA, memory consistency model: `volatile` is relaxed at system scope.
Ordering OrderingOf(const OpDef& op, std::span<const std::string_view> modifiers);

// Of a fence statement: acquires and releases at the scope of its word.
Ordering OrderingOfFence(std::string_view word);

}  // namespace compiler::ir
