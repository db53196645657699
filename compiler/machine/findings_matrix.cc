// Findings about fragments.
#include "compiler/machine/findings.h"

namespace compiler::machine {
namespace {

using diag::Category;
using diag::Def;
using diag::Severity;

constexpr Def<int64_t, int64_t, int64_t, int64_t> kFragmentSlice{
    "CK2130", Severity::kError, Category::kSafety,
    "columns {0} to {1} of a fragment that has {2}, in tiles of {3}",
    "an instruction reads and writes whole tiles of columns, and registers have no neighbours"};

}  // namespace

void Findings::FragmentSlice(const Place& at, int64_t column, int64_t columns, int64_t tile,
                             int64_t unit) {
  if (!First(kFragmentSlice.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kFragmentSlice, SpanOf(at.stmt), column, column + columns, tile, unit)
      .At(InstanceOf(at));
}

}  // namespace compiler::machine
