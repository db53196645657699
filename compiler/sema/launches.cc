// What concerns several kernels, or the whole grid of one: `pdl`, `static`, `grid.sync`.
#include <charconv>
#include <set>

#include "compiler/ir/walk.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr diag::Def<Name> kGridSyncRoles{
    "CK1224", Severity::kError, Category::kType,
    "`grid.sync` in kernel `{0}`, which has several roles",
    "every thread of the grid has to reach it, and roles run different code"};
constexpr diag::Def<Name, Name> kStaticWritten{
    "CK1225", Severity::kError, Category::kType,
    "`{0}` is declared `static` and written by kernel `{1}`, which is not the last",
    "`static` promises later kernels that no earlier one writes the tensor, so that they may read "
    "it before `pdl.wait`"};
constexpr diag::Def<Name> kFirstPdl{
    "CK1226", Severity::kWarning, Category::kType, "kernel `{0}` is marked `pdl` and is the first",
    "there is no kernel before it whose end it could overlap; it is launched as any other"};
constexpr diag::Def<Name, Name> kPdlTarget{
    "CK1227", Severity::kError, Category::kType,
    "`pdl` on kernel `{0}` needs sm_90; the target is {1}",
    "programmatic dependent launch is a feature of compute capability 9.0 and later"};
constexpr diag::Def<Name> kNeverWaits{
    "CK1228", Severity::kWarning, Category::kType,
    "kernel `{0}` is marked `pdl` and never executes `pdl.wait`",
    "nothing orders it after the kernel before it; what it reads and writes must concern no other"};

// The number in "sm_90a".
int ComputeCapability(std::string_view target) {
  int number = 0;
  if (target.starts_with("sm_")) {
    std::from_chars(target.data() + 3, target.data() + target.size(), number);
  }
  return number;
}

template <typename F>
void ForEach(const ir::Program& program, const std::vector<ir::StmtId>& body, const F& visit) {
  for (const ir::StmtId id : body) {
    const ir::Stmt& stmt = program[id];
    if (stmt.dead) continue;
    visit(stmt);
    ForEach(program, stmt.body, visit);
    ForEach(program, stmt.else_body, visit);
  }
}

bool Uses(const ir::Program& program, const ir::Kernel& kernel, ir::SyncEffect effect,
          Span* where) {
  bool uses = false;
  for (const ir::Role& role : kernel.roles) {
    ForEach(program, role.body, [&](const ir::Stmt& stmt) {
      if (uses || stmt.op == nullptr || stmt.op->effects.sync != effect) return;
      uses = true;
      *where = stmt.source.span;
    });
  }
  return uses;
}

}  // namespace

void Elaborator::CheckLaunches() {
  Span where;
  bool grid_word = false;
  for (size_t k = 0; k < program_->kernels.size(); ++k) {
    const ir::Kernel& kernel = program_->kernels[k];
    const Name name{kernel.name};
    if (Uses(*program_, kernel, ir::SyncEffect::kGridSync, &where)) {
      grid_word = true;
      if (kernel.roles.size() > 1) report_.Add(kGridSyncRoles, where, name);
    }
    AddMapWords(kernel);
    if (kernel.pdl) CheckEarlyStart(kernel, k);
    if (k + 1 < program_->kernels.size()) CheckStatic(kernel);
  }
  if (grid_word) AddGridWord();
}

void Elaborator::CheckEarlyStart(const ir::Kernel& kernel, size_t index) {
  constexpr int kLeast = 90;
  Span where;
  const Name name{kernel.name};
  if (ComputeCapability(program_->target) < kLeast) {
    report_.Add(kPdlTarget, kernel.declared, name, Name{program_->target});
  } else if (index == 0) {
    report_.Add(kFirstPdl, kernel.declared, name);
  } else if (!Uses(*program_, kernel, ir::SyncEffect::kLaunchWait, &where)) {
    report_.Add(kNeverWaits, kernel.declared, name);
  }
}

void Elaborator::CheckStatic(const ir::Kernel& kernel) {
  std::vector<ir::ViewId> views;
  for (const ir::Role& role : kernel.roles) {
    ForEach(*program_, role.body,
            [&](const ir::Stmt& stmt) { ir::AppendWrittenViews(*program_, stmt, views); });
  }
  std::set<ir::TensorId> reported;
  for (const ir::ViewId id : views) {
    const ir::View& view = (*program_)[id];
    if (view.tensor == ir::TensorId::kNone || !(*program_)[view.tensor].is_static) continue;
    if (!reported.insert(view.tensor).second) continue;
    const ir::Tensor& tensor = (*program_)[view.tensor];
    report_.Add(kStaticWritten, view.source.span, Name{tensor.name}, Name{kernel.name})
        .Label(tensor.declared, "declared here");
  }
}

// The word of `grid.sync`: a workspace that the launcher clears like any other. Its name is none
// that a program can write.
void Elaborator::AddGridWord() {
  const ExprId one = b_.Int(1, DType::kI64, {});
  program_->tensors.push_back({.name = "grid.sync",
                               .direction = ir::Direction::kWorkspace,
                               .dtype = DType::kU32,
                               .shape = {one},
                               .strides = {one},
                               .zero = true,
                               .written_by_program = true});
}

}  // namespace compiler::sema
