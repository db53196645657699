#include "verifier/clearest.h"

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

namespace verifier {
namespace {

using compiler::diag::Diagnostic;
using compiler::diag::Name;
using compiler::diag::Report;
using compiler::diag::Severity;
using compiler::diag::Span;

// Codes of compiler/machine/findings_sync.cc and findings_order.cc.
bool InsideCta(const Diagnostic& d) {
  return d.code == "CK2020" || d.code == "CK2021" || d.code == "CK2022";
}
bool BetweenCtas(const Diagnostic& d) {
  return d.severity == Severity::kError &&
         (d.code == "CK2023" || d.code == "CK2161" || d.code == "CK2162");
}

bool NamesTensor(const compiler::ir::Program& program, const Diagnostic& d) {
  return std::any_of(d.args.begin(), d.args.end(), [&](const auto& arg) {
    const Name* name = std::get_if<Name>(&arg);
    return name != nullptr &&
           std::any_of(program.tensors.begin(), program.tensors.end(),
                       [&](const auto& tensor) { return tensor.name == name->text; });
  });
}

// Both accesses of a race.
std::vector<Span> PlacesOf(const Diagnostic& d) {
  std::vector<Span> places{d.primary};
  for (const auto& label : d.labels) places.push_back(label.span);
  return places;
}

bool SamePlaces(const Diagnostic& a, const Diagnostic& b) {
  const std::vector<Span> of_a = PlacesOf(a), of_b = PlacesOf(b);
  return std::all_of(of_a.begin(), of_a.end(), [&](Span x) {
    return std::any_of(of_b.begin(), of_b.end(),
                       [&](Span y) { return x.begin < y.end && y.begin < x.end; });
  });
}

}  // namespace

bool RacesInsideCtasOnly(const compiler::ir::Program& program, const Report& report) {
  const auto& all = report.diagnostics();
  return std::none_of(all.begin(), all.end(), BetweenCtas) &&
         std::any_of(all.begin(), all.end(),
                     [&](const Diagnostic& d) { return InsideCta(d) && NamesTensor(program, d); });
}

Report ClearestRaces(const Report& report) {
  Report clear;
  const auto& all = report.diagnostics();
  for (const Diagnostic& d : all) {
    const bool told = InsideCta(d) && std::any_of(all.begin(), all.end(), [&](const auto& wide) {
                        return BetweenCtas(wide) && SamePlaces(d, wide);
                      });
    if (!told) clear.AddMade(d);
  }
  return clear;
}

}  // namespace verifier
