// What the run itself has learned about one program: members beside it that did better, as edits of
// its text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/core/api.h"
#include "server/state/state.h"

namespace server::core {

inline constexpr size_t kNeighbourAdviceMax = 4;

// Variants of the run whose text is the same and whose binding differs in one param, that are
// better by the run's objective: measured ones before predicted ones, the largest gain first. Each
// comes with the edit that makes it the default, where `source` writes that default as a number.
std::vector<Advice> AdviceOfNeighbours(const state::State& state, const state::Variant& variant,
                                       std::string_view source);

// The fix that changes the default of a param, as the pipeline writes fixes; "" where the text does
// not declare it with a number.
std::string DefaultEdit(std::string_view source, std::string_view param, std::string_view value);

}  // namespace server::core
