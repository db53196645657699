// What the wire says in codes, in words for people.
#pragma once

#include <string>
#include <string_view>

#include "cake/v1/common.pb.h"
#include "cake/v1/event.pb.h"
#include "cake/v1/operator.pb.h"

namespace clients::cli::remote {

// VERDICT_CORRECT -> "CORRECT": enum values lose their prefix for people.
std::string Bare(const std::string& name, std::string_view prefix);
std::string Word(cake::v1::Verdict verdict);  // "in work" while there is none
std::string Word(cake::v1::Blame blame);      // empty while there is none
std::string Word(cake::v1::ObjectiveSource source);
std::string Word(cake::v1::RunState state);

// {"BN":128,"WARPS":4} -> "BN=128 WARPS=4"; other text as it is, escaped.
std::string BindingWords(const std::string& json);

// "imported with i-3 (r-1 of campaign smoke), on NVIDIA H200": where something ran that did not run
// here.
std::string ImportedWords(const cake::v1::Evidence& evidence);

// One event in one line: what it is about and the few values that a person follows a run by.
std::string EventWords(const cake::v1::Event& event);

// "528 MB", "189.12 us", "0.5 share": a value with its unit.
std::string Quantity(double value, const std::string& unit);

}  // namespace clients::cli::remote
