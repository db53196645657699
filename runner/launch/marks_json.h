// Marks inside the frames and timing requests that carry them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "runner/launch/marks.h"

namespace runner::launch {

nlohmann::json ToJson(const MarksOrder& order);
nlohmann::json ToJson(const std::vector<RunMarks>& marks);
// They throw what the JSON library throws, as the readers of frames do.
MarksOrder MarksOrderFromJson(const nlohmann::json& in);
std::vector<RunMarks> RunMarksFromJson(const nlohmann::json& in);

}  // namespace runner::launch
