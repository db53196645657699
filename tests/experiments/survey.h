// What each tactic finds in each program of the corpus, and what the gates say of it.
#pragma once

#include <nlohmann/json.hpp>

namespace experiments {

// {"<folder>/<file>": {"<tactic>": {"found": n, "accepted": n, "why": ".."}}}: of `picks` draws of
// every tactic that edits a text, from the program's default binding. "why": the first reason why
// there was no program, or the code of the first rejection. Programs whose name holds `only`.
nlohmann::json SurveyTactics(int picks, const std::string& only);

}  // namespace experiments
