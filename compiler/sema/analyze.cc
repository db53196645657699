#include "compiler/sema/analyze.h"

#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

constexpr diag::Def<> kNotUnderstood{
    "CK1112", diag::Severity::kError, diag::Category::kType, "this has no value",
    "a part of the program without meaning is never dropped silently"};

}  // namespace

std::unique_ptr<ir::Program> Elaborate(const text::File& file, const text::Program& program,
                                       const Binding& binding, const ir::OpTable& ops,
                                       diag::Report& report) {
  diag::Report found;
  Params(program, found);
  Elaborator elaborator(file, program, binding, ops, found);
  std::unique_ptr<ir::Program> elaborated = elaborator.Run(report.has_errors());
  if (elaborated != nullptr && !report.has_errors() && elaborator.FirstUnknown()) {
    found.Add(kNotUnderstood, *elaborator.FirstUnknown());
  }
  // Inlined bodies report once for each call; the same words at the same place are one finding.
  found.Sort();
  report.Append(found);
  return report.has_errors() ? nullptr : std::move(elaborated);
}

}  // namespace compiler::sema
