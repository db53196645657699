#include "compiler/sema/analyze.h"

#include "compiler/sema/elaborator.h"

namespace compiler::sema {

std::unique_ptr<ir::Program> Elaborate(const text::File& file, const text::Program& program,
                                       const Binding& binding, const ir::OpTable& ops,
                                       diag::Report& report) {
  diag::Report found;
  Params(program, found);
  Elaborator elaborator(file, program, binding, ops, found);
  std::unique_ptr<ir::Program> elaborated = elaborator.Run();
  // Inlined bodies report once for each call; the same words at the same place are one finding.
  found.Sort();
  report.Append(found);
  return report.has_errors() ? nullptr : std::move(elaborated);
}

}  // namespace compiler::sema
