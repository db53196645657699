// Products of pairs of CTAs: `umma.2cta` and `umma.commit.2cta`.
#include "compiler/ir/tensor_memory.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr diag::Def<Name, int64_t> kNoPair{
    "CK1471", Severity::kError, Category::kHardware,
    "`{0}` in a kernel whose clusters have {1} CTAs",
    "PTX ISA, tcgen05 CTA pair: two CTAs of a cluster whose ranks differ in the last bit, so a "
    "cluster has an even number of them"};
constexpr diag::Def<Name, int64_t> kRows{
    "CK1472", Severity::kError, Category::kHardware,
    "`umma.2cta` into `{0}`, which has {1} rows; each CTA of a pair has 128",
    "PTX ISA, tcgen05 data path layouts: a pair multiplies 256 rows, one lane a row in each CTA "
    "(layout A), or 128, whose columns fold into two halves of the lanes (layout B)"};
constexpr diag::Def<int64_t, int64_t> kColumns{
    "CK1473", Severity::kError, Category::kHardware,
    "`umma.2cta` of {0} columns; it has a multiple of {1} up to 256",
    "PTX ISA, tcgen05 matrix shape for .cta_group::2; half of the columns come from each CTA, so "
    "that one instruction takes them all"};
constexpr diag::Def<Name> kFolds{
    "CK1490", Severity::kError, Category::kHardware,
    "`umma.2cta` of 64 rows of `{0}` in each CTA, {0} in tensor memory or with scales",
    "PTX ISA, tcgen05 data path layout B: the columns of the accumulator fold into two halves of "
    "the lanes; a left operand in tensor memory and scales need 128 rows in each CTA"};
constexpr diag::Def<Name, Name> kBothGroups{
    "CK1474", Severity::kError, Category::kHardware, "`{0}` in a kernel that has `{1}`",
    "PTX ISA, tcgen05: all instructions of a kernel have the same .cta_group, of one CTA or of "
    "pairs"};

}  // namespace

bool Elaborator::NeedPair(const text::Stmt& stmt) {
  const std::string name = std::string(stmt.op->name) + ".2cta";
  if (!NeedCluster(stmt.op_name.span, name)) return false;
  if (kernel_->cluster % 2 == 0) return true;
  if (b_.dead == 0) {
    report_.Add(kNoPair, stmt.op_name.span, Name{name}, kernel_->cluster)
        .Fix("say `cluster 2`", {}, Applicability::kManual);
  }
  return false;
}

bool Elaborator::PairRows(const ViewRef& d, const text::Expr& expr,
                          const std::vector<int64_t>& shape) {
  if (shape[0] == ir::kTmemLanes) return true;
  if (b_.dead == 0) report_.Add(kRows, expr.span, Name{d.buffer->name}, shape[0]);
  return false;
}

bool Elaborator::FoldFits(const text::Stmt& stmt, const ViewRef& a) {
  if (a.buffer->space == ir::Space::kShared && stmt.scale_a == nullptr) return true;
  if (b_.dead == 0) report_.Add(kFolds, stmt.left->span, Name{a.buffer->name});
  return false;
}

bool Elaborator::PairColumns(const ir::UmmaShape& shape, int64_t columns, const text::Stmt& stmt) {
  if (ir::PairHasColumns(shape, columns)) return true;
  if (b_.dead == 0) {
    report_.Add(kColumns, stmt.span, columns, int64_t{shape.d == DType::kI32 ? 32 : 16});
  }
  return false;
}

// At the end of a kernel: products of one CTA and of pairs do not mix, and a commit of pairs
// follows products of pairs.
void Elaborator::CheckCtaGroups() {
  const ir::Stmt* single = nullptr;
  const ir::Stmt* paired = nullptr;
  std::vector<const ir::Stmt*> commits;
  const auto visit = [&](const auto& self, const std::vector<ir::StmtId>& body) -> void {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = (*program_)[id];
      if (stmt.dead) continue;
      self(self, stmt.body);
      self(self, stmt.else_body);
      if (stmt.op == nullptr) continue;
      const bool pair = ir::OfPair(stmt);
      const bool copy = stmt.op->effects.copy == ir::CopyEffect::kTensorMemoryCopy;
      const bool product = stmt.accumulator_view != ir::ViewId::kNone;
      if (copy || product) (pair ? paired : single) = &stmt;
      if (stmt.op->effects.sync == ir::SyncEffect::kTensorCommit && pair) commits.push_back(&stmt);
    }
  };
  for (const ir::Role& role : kernel_->roles) visit(visit, role.body);
  if (single != nullptr && paired != nullptr) {
    const auto name = [](const ir::Stmt& stmt, std::string_view end) {
      return Name{std::string(stmt.op->name) + std::string(end)};
    };
    report_.Add(kBothGroups, single->source.span, name(*single, ""), name(*paired, ".2cta"))
        .Label(paired->source.span, "here");
  }
  for (const ir::Stmt* commit : commits) {
    if (single == nullptr || paired != nullptr) continue;
    report_.Add(kBothGroups, commit->source.span, Name{"umma.commit.2cta"}, Name{"umma"})
        .Label(single->source.span, "here");
  }
}

}  // namespace compiler::sema
