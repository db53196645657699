// Findings about fragments and products.
#include "absl/strings/str_cat.h"
#include "compiler/machine/findings.h"

namespace compiler::machine {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

constexpr Def<int64_t, int64_t, int64_t, int64_t> kFragmentSlice{
    "CK2130", Severity::kError, Category::kSafety,
    "columns {0} to {1} of a fragment that has {2}, in tiles of {3}",
    "an instruction reads and writes whole tiles of columns, and registers have no neighbours"};
constexpr Def<Name, Name, Name> kProductStillReads{
    "CK2400", Severity::kError, Category::kSafety,
    "`{0}` overwrites `{1}` while the `{2}` may still read it",
    "the tensor cores read their operands beside the threads, until `wgmma.wait` returns for the "
    "group of the product; only then may the buffer be given back"};
constexpr Def<Name> kWarpgroupDivergence{
    "CK2401", Severity::kError, Category::kSafety,
    "`{0}` is executed by some warps of a warpgroup, and not by all four in the same order",
    "a product of a warpgroup needs all its 128 threads: the instruction is undefined without "
    "them"};
constexpr Def<Name, Name> kUnfinishedProduct{
    "CK2402", Severity::kError, Category::kSafety,
    "the CTA ends while the `{0}` may still read `{1}`",
    "the shared memory of a CTA that has ended belongs to the next one"};
constexpr Def<Name, Name, int64_t, int64_t> kOperandPlace{
    "CK2403", Severity::kError, Category::kSafety,
    "the operand begins at {1} {2} of `{0}`; it must begin at a multiple of {3}",
    "a matrix descriptor names whole repetitions of the swizzle pattern, and tiles inside of a "
    "panel"};

}  // namespace

void Findings::FragmentSlice(const Place& at, int64_t column, int64_t columns, int64_t tile,
                             int64_t unit) {
  if (!First(kFragmentSlice.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kFragmentSlice, SpanOf(at.stmt), column, column + columns, tile, unit)
      .At(InstanceOf(at));
}

namespace {

// The statement around `stmt`, or itself, that stands in a block around `other` too: what is put
// before it comes for all threads that execute `other`.
ir::StmtId BesideOf(ir::StmtId stmt, ir::StmtId other, const std::vector<ir::StmtId>& parents) {
  const auto parent = [&](ir::StmtId id) { return parents[static_cast<size_t>(id)]; };
  const auto around_other = [&](ir::StmtId block) {
    for (ir::StmtId id = parent(other);; id = parent(id)) {
      if (id == block) return true;
      if (id == ir::StmtId::kNone) return false;
    }
  };
  while (!around_other(parent(stmt))) stmt = parent(stmt);
  return stmt;
}

}  // namespace

// The statement at fault is the one that gave the buffer away, where there is one.
void Findings::ProductStillReads(const Race& race, const std::vector<ir::StmtId>& parents) {
  const Place &first = race.earlier, &second = race.later;
  if (!First(kProductStillReads.code, first.stmt, race.released_at)) return;
  const bool handed_over = race.released_at != ir::StmtId::kNone && first.role != second.role;
  const ir::StmtId at = handed_over ? race.released_at : second.stmt;
  diag::Instance instance = InstanceOf(second);
  instance.byte_begin = race.byte_begin;
  instance.byte_end = race.byte_end;
  auto builder =
      report_.Add(kProductStillReads, SpanOf(at), Name{OpName(second.stmt, "st")},
                  Name{BufferName(*second.kernel, race.later_view)}, Name{OpName(first.stmt, "")});
  builder.At(std::move(instance));
  builder.Label(SpanOf(first.stmt), absl::StrCat("issued here by role ", RoleName(first)));
  if (handed_over) {
    builder.Label(ViewSpan(race.later_view, second.stmt),
                  absl::StrCat("overwritten here by role ", RoleName(second)));
  }
  if (first.role != second.role && !handed_over) return;
  // Each warp waits for itself: who overwrites must know that the others have waited too.
  InsertBefore(builder, BesideOf(at, first.stmt, parents),
               handed_over ? "wgmma.wait 0" : "wgmma.wait 0; sync role", Applicability::kMachine);
}

void Findings::WarpgroupDivergence(const Place& at, ir::StmtId others) {
  if (!First(kWarpgroupDivergence.code, others, ir::StmtId::kNone)) return;
  auto builder = report_.Add(kWarpgroupDivergence, SpanOf(others),
                             Name{std::string(program_[others].op->name)});
  builder.At(InstanceOf(at));
  if (at.stmt == ir::StmtId::kNone || at.stmt == others) return;
  builder.Label(SpanOf(at.stmt), absl::StrCat("warp ", at.warp, " is here"));
}

void Findings::UnfinishedProduct(const Place& at, bool closed) {
  if (!First(kUnfinishedProduct.code, at.stmt, ir::StmtId::kNone)) return;
  const ir::Stmt& stmt = program_[at.stmt];
  auto builder = report_.Add(kUnfinishedProduct, SpanOf(at.stmt), Name{std::string(stmt.op->name)},
                             Name{BufferName(*at.kernel, stmt.right_view)});
  builder.At(InstanceOf(at));
  const uint32_t end = stmt.source.span.end;
  const std::string missing = closed ? "wgmma.wait 0" : "wgmma.commit; wgmma.wait 0";
  builder.Fix(absl::StrCat("add `", missing, "` behind it"),
              {{diag::Span{end, end}, absl::StrCat("; ", missing)}}, Applicability::kMaybe);
}

void Findings::OperandPlace(const Place& at, const Access& access, bool row, int64_t begin,
                            int64_t unit) {
  if (!First(kOperandPlace.code, at.stmt, ir::StmtId::kNone)) return;
  report_
      .Add(kOperandPlace, ViewSpan(access.view, at.stmt), Name{BufferName(*at.kernel, access.view)},
           Name{row ? "row" : "column"}, begin, unit)
      .At(InstanceOf(at));
}

}  // namespace compiler::machine
