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

// A value that is not defined, and accesses without an order (findings.cc and findings_*.cc of the
// machine).
bool Undefined(const Diagnostic& d) { return d.code == "CK2010" || d.code == "CK2011"; }
bool Unordered(const Diagnostic& d) {
  static constexpr std::string_view kCodes[] = {"CK2020", "CK2021", "CK2022", "CK2023", "CK2100",
                                                "CK2103", "CK2161", "CK2162", "CK2426", "CK2427",
                                                "CK2440", "CK2442", "CK2444"};
  return std::find(std::begin(kCodes), std::end(kCodes), d.code) != std::end(kCodes);
}

bool OnOneLine(std::string_view source, Span a, Span b) {
  const size_t begin = std::min<size_t>(std::min(a.begin, b.begin), source.size());
  const size_t end = std::min<size_t>(std::max(a.begin, b.begin), source.size());
  return source.substr(begin, end - begin).find('\n') == std::string_view::npos;
}

}  // namespace

bool RacesInsideCtasOnly(const compiler::ir::Program& program, const Report& report) {
  const auto& all = report.diagnostics();
  return std::none_of(all.begin(), all.end(), BetweenCtas) &&
         std::any_of(all.begin(), all.end(),
                     [&](const Diagnostic& d) { return InsideCta(d) && NamesTensor(program, d); });
}

Report ClearestRaces(const compiler::ir::Program& program, const Report& report) {
  Report clear;
  const auto& all = report.diagnostics();
  for (const Diagnostic& d : all) {
    const bool told = InsideCta(d) && std::any_of(all.begin(), all.end(), [&](const auto& wide) {
                        return BetweenCtas(wide) && SamePlaces(d, wide);
                      });
    // What is read too early is not there yet: one cause.
    const bool early =
        Undefined(d) && std::any_of(all.begin(), all.end(), [&](const auto& order) {
          return Unordered(order) && OnOneLine(program.source, d.primary, order.primary);
        });
    if (!told && !early) clear.AddMade(d);
  }
  return clear;
}

}  // namespace verifier
