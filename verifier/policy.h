// What becomes of a program when a property stays unknown, and what the proxies of memory are taken
// to order: the two tables that the verdict rests on, in one place, printed with every report.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/facts/derived.h"
#include "compiler/ir/program.h"
#include "verifier/verify.h"

namespace verifier {

// Unknown blocks where a device would hang, race or touch what is not its own; elsewhere it warns.
struct UnknownRule {
  std::string_view property;
  bool blocks = false;
};
std::span<const UnknownRule> UnknownRules();
bool UnknownBlocks(std::string_view property);

// Of a verdict without errors: one for each property that is unknown all the same, error or
// warning by the table. Nothing may pass because nobody looked.
void ReportUnknown(const compiler::ir::Program& program,
                   const std::vector<PropertyStatus>& properties, compiler::diag::Report& report);

// Order between two accesses of one place, the first of which happens before the second.
struct ProxyRule {
  std::string_view first, then;
  std::string_view needs;         // beside the order of barriers and events
  std::string_view strict_needs;  // under --strict-proxies, where that is more
  std::string_view source;        // what it rests on
  std::string_view assumption;    // what is assumed, where no vendor's text says it; "": nothing
};
std::span<const ProxyRule> ProxyRules();

// What a verdict on this program rests on, beside the checks: contracts of contents, the launcher,
// and the axioms that it needs (verifier-theory.md, 10).
std::vector<std::string> AssumptionsOf(const compiler::ir::Program& program,
                                       const compiler::facts::Facts& facts, const Policy& policy);

}  // namespace verifier
