#include "compiler/facts/proxies.h"

#include <algorithm>

#include "compiler/facts/copies.h"
#include "compiler/facts/overlay.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/tensor_memory.h"

namespace compiler::facts {
namespace {

using ir::CopyEffect;
using ir::SyncEffect;

// How the accesses of a launch meet one tensor. Copies of different CTAs are ordered by no
// completion of their own, so that a tensor that they write and read is met both ways too.
struct TensorUse {
  bool thread_reads = false, thread_writes = false;
  bool copy_reads = false, copy_writes = false;

  bool Mixed() const {
    return (thread_writes && (copy_reads || copy_writes)) ||
           (copy_writes && (thread_reads || thread_writes || copy_reads));
  }
};

bool StoresGlobal(CopyEffect copy) {
  return (IsTensorCopy(copy) || IsBulkCopy(copy)) && !IsMbarrierLoad(copy);
}

// The accesses of one kernel.
class Accesses {
 public:
  Accesses(const ir::Program& program, const ir::Kernel& kernel)
      : tensors(program.tensors.size()),
        filled(kernel.shared.size()),
        reads(kernel.roles.size()),
        program_(program) {
    for (size_t role = 0; role < kernel.roles.size(); ++role) {
      reads[role].assign(kernel.shared.size(), false);
      ForEachStmt(program, kernel.roles[role].body,
                  [&](ir::StmtId, const ir::Stmt& stmt) { Statement(stmt, role); });
    }
  }

  std::vector<TensorUse> tensors;
  std::vector<bool> filled;              // by asynchronous copies, of each buffer
  std::vector<std::vector<bool>> reads;  // by threads, of each role and buffer
  bool remote = false;                   // other CTAs' shared memory is reached

 private:
  void Statement(const ir::Stmt& stmt, size_t role) {
    for (const ir::ExprId root : OwnExprs(program_, stmt)) {
      ForEachExpr(program_, root, [&](ir::ExprId, const ir::Expr& expr) {
        if (expr.view == ir::ViewId::kNone) return;
        ThreadAccess(expr.view, role, /*writes=*/expr.kind == ir::ExprKind::kAtomic);
      });
    }
    if (stmt.kind != ir::StmtKind::kOp || stmt.op == nullptr) return;
    remote |= ir::OfPair(stmt);
    const CopyEffect copy = stmt.op->effects.copy;
    if (IsMbarrierLoad(copy)) {
      const ir::View& to = program_[stmt.destination];
      if (to.space == ir::Space::kShared) filled[static_cast<size_t>(to.shared)] = true;
      if (copy != CopyEffect::kLaunchCancel) TensorOf(GlobalSide(program_, stmt)).copy_reads = true;
    } else if (StoresGlobal(copy)) {
      TensorOf(GlobalSide(program_, stmt)).copy_writes = true;
    } else if (copy != CopyEffect::kTensorMemoryCopy && copy != CopyEffect::kMapUpdate) {
      ThreadAccess(stmt.source_view, role, /*writes=*/false);
      ThreadAccess(stmt.destination, role, /*writes=*/true);
    }
  }

  void ThreadAccess(ir::ViewId id, size_t role, bool writes) {
    if (id == ir::ViewId::kNone) return;
    const ir::View& view = program_[id];
    remote |= view.remote != ir::ExprId::kNone;
    if (view.space == ir::Space::kShared) {
      if (!writes) reads[role][static_cast<size_t>(view.shared)] = true;
    } else if (view.space == ir::Space::kGlobal) {
      (writes ? TensorOf(id).thread_writes : TensorOf(id).thread_reads) = true;
    }
  }

  TensorUse& TensorOf(ir::ViewId view) {
    return tensors[static_cast<size_t>(program_[view].tensor)];
  }

  const ir::Program& program_;
};

void Join(std::vector<TensorUse>& all, const std::vector<TensorUse>& more) {
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].thread_reads |= more[i].thread_reads;
    all[i].thread_writes |= more[i].thread_writes;
    all[i].copy_reads |= more[i].copy_reads;
    all[i].copy_writes |= more[i].copy_writes;
  }
}

FenceSpace SpaceOf(const ir::Program& program, const Accesses& own) {
  std::vector<TensorUse> uses = own.tensors;
  const bool overlap = std::any_of(program.kernels.begin(), program.kernels.end(),
                                   [](const ir::Kernel& kernel) { return kernel.pdl; });
  if (overlap) {  // kernels run side by side
    for (const ir::Kernel& other : program.kernels) Join(uses, Accesses(program, other).tensors);
  }
  const bool mixed =
      std::any_of(uses.begin(), uses.end(), [](const TensorUse& use) { return use.Mixed(); });
  const bool copies = std::any_of(uses.begin(), uses.end(), [](const TensorUse& use) {
    return use.copy_reads || use.copy_writes;
  });
  if (mixed || (copies && !program.aliases.empty())) return FenceSpace::kAll;
  return own.remote ? FenceSpace::kSharedCluster : FenceSpace::kSharedCta;
}

// Whether an asynchronous copy fills bytes of the buffer, its own or those of an alternative.
bool IsFilled(const ir::Kernel& kernel, const Accesses& accesses, size_t buffer) {
  for (size_t i = 0; i < kernel.shared.size(); ++i) {
    const bool shares = i == buffer || Exclusive(kernel.shared[i], kernel.shared[buffer]);
    if (accesses.filled[i] && shares) return true;
  }
  return false;
}

}  // namespace

ProxyFacts DeriveProxies(const ir::Program& program, const ir::Kernel& kernel) {
  const Accesses accesses(program, kernel);
  ProxyFacts facts;
  facts.fence = SpaceOf(program, accesses);
  for (const std::vector<bool>& reads : accesses.reads) {
    bool any = false;
    for (size_t i = 0; i < reads.size(); ++i) any |= reads[i] && IsFilled(kernel, accesses, i);
    facts.reads_filled.push_back(any);
  }
  return facts;
}

bool FencesReads(const ProxyFacts& proxies, const ir::Stmt& stmt, size_t role) {
  if (stmt.op == nullptr || !proxies.reads_filled[role]) return false;
  switch (stmt.op->effects.sync) {
    case SyncEffect::kWarpSync:
    case SyncEffect::kScopeSync:
    case SyncEffect::kNamedSync:
    case SyncEffect::kNamedArrive:
    case SyncEffect::kRelease:
    case SyncEffect::kCommit:
    case SyncEffect::kArrive:
    case SyncEffect::kArriveThread:
    case SyncEffect::kExpect:
    case SyncEffect::kGridSync:
    case SyncEffect::kClusterArrive:
    case SyncEffect::kClusterSync: return true;
    default: return IsMbarrierLoad(stmt.op->effects.copy);
  }
}

}  // namespace compiler::facts
