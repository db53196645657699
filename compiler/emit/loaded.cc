#include "compiler/emit/loaded.h"

#include <map>
#include <set>
#include <utility>

namespace compiler::emit {
namespace {

using Locals = std::set<ir::LocalId>;

class Loads {
 public:
  Loads(const ir::Program& program, const ir::Stmt& wait) : program_(program), wait_(wait) {}

  // `pending` before the block becomes what is pending behind it.
  void Block(const std::vector<ir::StmtId>& body, Locals& pending) {
    Locals declared;
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      if (stmt.kind == ir::StmtKind::kLet) declared.insert(stmt.local);
      if (stmt.op != nullptr) Operation(stmt, pending);
      Nested(stmt, pending);
    }
    for (const ir::LocalId local : declared) pending.erase(local);
  }

  const Locals& at_wait() const { return at_wait_; }

 private:
  void Operation(const ir::Stmt& stmt, Locals& pending) {
    if (stmt.op->effects.copy == ir::CopyEffect::kTensorMemoryLoad) {
      pending.insert(stmt.fragment.local);
    }
    const bool waits = stmt.op->effects.sync == ir::SyncEffect::kTensorMemoryWait;
    if (!waits || stmt.word != "ld") return;
    if (&stmt == &wait_) at_wait_.insert(pending.begin(), pending.end());
    pending.clear();
  }

  void Nested(const ir::Stmt& stmt, Locals& pending) {
    if (stmt.body.empty()) return;
    Locals other = pending;
    if (stmt.kind == ir::StmtKind::kFor || stmt.kind == ir::StmtKind::kWhile) {
      const Locals& left = LeftBy(stmt);
      pending.insert(left.begin(), left.end());
    }
    Block(stmt.body, pending);
    Block(stmt.else_body, other);
    pending.insert(other.begin(), other.end());
  }

  // What one iteration leaves is there in the next.
  const Locals& LeftBy(const ir::Stmt& loop) {
    const auto known = left_.find(&loop);
    if (known != left_.end()) return known->second;
    Locals left;
    Block(loop.body, left);
    return left_[&loop] = std::move(left);
  }

  const ir::Program& program_;
  const ir::Stmt& wait_;
  Locals at_wait_;
  std::map<const ir::Stmt*, Locals> left_;
};

}  // namespace

std::vector<ir::LocalId> LoadedAt(const ir::Program& program, const std::vector<ir::StmtId>& body,
                                  const ir::Stmt& wait) {
  Loads loads(program, wait);
  Locals pending;
  loads.Block(body, pending);
  return {loads.at_wait().begin(), loads.at_wait().end()};
}

}  // namespace compiler::emit
