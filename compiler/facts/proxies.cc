#include "compiler/facts/proxies.h"

#include <algorithm>

#include "compiler/facts/copies.h"
#include "compiler/facts/walk.h"

namespace compiler::facts {
namespace {

using ir::CopyEffect;

// How the accesses of a kernel meet one tensor.
struct TensorUse {
  bool thread_reads = false, thread_writes = false;
  bool copy_reads = false, copy_writes = false;

  bool Mixed() const {
    return (thread_writes && (copy_reads || copy_writes)) ||
           (copy_writes && (thread_reads || thread_writes));
  }
};

bool FillsShared(CopyEffect copy) {
  return copy == CopyEffect::kTensorLoad || copy == CopyEffect::kBulkLoad ||
         copy == CopyEffect::kGatherLoad || copy == CopyEffect::kLaunchCancel;
}

bool StoresGlobal(CopyEffect copy) {
  return copy == CopyEffect::kTensorStore || copy == CopyEffect::kBulkStore ||
         copy == CopyEffect::kTensorReduce || copy == CopyEffect::kBulkReduce;
}

class Reader {
 public:
  Reader(const ir::Program& program, const ir::Kernel& kernel)
      : program_(program), kernel_(kernel), tensors_(program.tensors.size()) {
    fills_.resize(kernel.shared.size());
    reads_.resize(kernel.roles.size());
  }

  ProxyFacts Run() {
    for (size_t role = 0; role < kernel_.roles.size(); ++role) {
      reads_[role].assign(kernel_.shared.size(), false);
      Block(kernel_.roles[role].body, {.role = role});
    }
    ProxyFacts facts;
    const bool mixed = std::any_of(tensors_.begin(), tensors_.end(),
                                   [](const TensorUse& use) { return use.Mixed(); });
    const bool copies = std::any_of(tensors_.begin(), tensors_.end(), [](const TensorUse& use) {
      return use.copy_reads || use.copy_writes;
    });
    if (mixed || (copies && !program_.aliases.empty())) {
      facts.fence = FenceSpace::kAll;
    } else if (remote_) {
      facts.fence = FenceSpace::kSharedCluster;
    }
    facts.refilled_rings.resize(kernel_.roles.size());
    facts.refilled_alone.assign(kernel_.roles.size(), false);
    for (size_t role = 0; role < kernel_.roles.size(); ++role) {
      for (size_t i = 0; i < kernel_.shared.size(); ++i) {
        const ir::RingId ring = kernel_.shared[i].ring;
        if (!reads_[role][i] || fills_[i] == 0) continue;
        if (ring != ir::RingId::kNone) facts.refilled_rings[role].insert(ring);
        const bool by_some = ring != ir::RingId::kNone && by_some_.contains({role, ring});
        if (by_some || (ring == ir::RingId::kNone && fills_[i] > 1)) {
          facts.refilled_alone[role] = true;
        }
      }
    }
    return facts;
  }

 private:
  struct Where {
    size_t role = 0;
    bool looped = false, guarded = false;
  };

  void Block(const std::vector<ir::StmtId>& body, Where at) {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      Statement(stmt, at);
      const bool loop = stmt.kind == ir::StmtKind::kFor || stmt.kind == ir::StmtKind::kWhile;
      const Where inside{at.role, at.looped || loop, at.guarded || !loop};
      Block(stmt.body, inside);
      Block(stmt.else_body, inside);
    }
  }

  void Statement(const ir::Stmt& stmt, Where at) {
    const size_t role = at.role;
    for (const ir::ExprId root : OwnExprs(program_, stmt)) {
      ForEachExpr(program_, root, [&](ir::ExprId, const ir::Expr& expr) {
        if (expr.view == ir::ViewId::kNone) return;
        ThreadAccess(expr.view, role, /*writes=*/expr.kind == ir::ExprKind::kAtomic);
      });
    }
    if (stmt.kind != ir::StmtKind::kOp || stmt.op == nullptr) return;
    if (stmt.op->effects.sync == ir::SyncEffect::kRelease && at.guarded) {
      by_some_.insert({role, stmt.ring});
    }
    const CopyEffect copy = stmt.op->effects.copy;
    if (FillsShared(copy)) {
      const ir::View& to = program_[stmt.destination];
      if (to.space == ir::Space::kShared) {
        fills_[static_cast<size_t>(to.shared)] += at.looped ? 2 : 1;
      }
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
    remote_ |= view.remote != ir::ExprId::kNone;
    if (view.space == ir::Space::kShared) {
      if (!writes) reads_[role][static_cast<size_t>(view.shared)] = true;
    } else if (view.space == ir::Space::kGlobal) {
      (writes ? TensorOf(id).thread_writes : TensorOf(id).thread_reads) = true;
    }
  }

  TensorUse& TensorOf(ir::ViewId view) {
    return tensors_[static_cast<size_t>(program_[view].tensor)];
  }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  std::vector<TensorUse> tensors_;
  std::vector<int> fills_;                // of each buffer: 0, 1, or more
  std::vector<std::vector<bool>> reads_;  // by threads, of each role and buffer
  // Rings that a role gives back under a condition: perhaps one of its warps, for the others behind
  // a barrier.
  std::set<std::pair<size_t, ir::RingId>> by_some_;
  bool remote_ = false;  // threads reach the shared memory of other CTAs
};

}  // namespace

ProxyFacts DeriveProxies(const ir::Program& program, const ir::Kernel& kernel) {
  return Reader(program, kernel).Run();
}

bool FencesReads(const ProxyFacts& proxies, const ir::Stmt& stmt, size_t role) {
  if (stmt.op == nullptr) return false;
  switch (stmt.op->effects.sync) {
    case ir::SyncEffect::kRelease: return proxies.refilled_rings[role].contains(stmt.ring);
    case ir::SyncEffect::kScopeSync: return proxies.refilled_alone[role] && stmt.word != "warp";
    case ir::SyncEffect::kArrive:
    case ir::SyncEffect::kArriveThread:
    case ir::SyncEffect::kNamedSync:
    case ir::SyncEffect::kNamedArrive:
    case ir::SyncEffect::kClusterArrive:
    case ir::SyncEffect::kClusterSync: return proxies.refilled_alone[role];
    default: return false;
  }
}

}  // namespace compiler::facts
