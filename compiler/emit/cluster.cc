// Clusters: their barrier, arrivals and stores in other CTAs, masks of multicast loads.
#include <bit>

#include "absl/strings/str_cat.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"

namespace compiler::emit {

// PTX ISA, barrier.cluster: arrival releases unless it is relaxed, the wait acquires.
bool KernelEmitter::ClusterBarrier(const ir::Stmt& stmt) {
  const ir::SyncEffect sync = stmt.op->effects.sync;
  const bool both = sync == ir::SyncEffect::kClusterSync ||
                    (sync == ir::SyncEffect::kScopeSync && stmt.word == "cluster");
  const bool arrive = both || sync == ir::SyncEffect::kClusterArrive;
  const bool wait = both || sync == ir::SyncEffect::kClusterWait;
  if (!arrive && !wait) return false;
  out_.Line("__syncwarp();");
  if (arrive) {
    Volatile(stmt, absl::StrCat("barrier.cluster.arrive.",
                                stmt.modifiers.empty() ? "release" : "relaxed", ".aligned"));
  }
  if (wait) Volatile(stmt, "barrier.cluster.wait.acquire.aligned");
  return true;
}

// What stands between the beginning of a kernel and its roles, and behind each of them: before it
// nobody may name this CTA's memory, after it nobody does.
void KernelEmitter::BeginTogether(Writer& out) {
  if (facts_.reaches_other_ctas) {
    out.Line("cake::cluster_sync();");
  } else if (facts_.mbarriers > 0) {
    out.Line("__syncthreads();");
  }
}

void KernelEmitter::EndTogether() {
  if (!facts_.reaches_other_ctas) return;
  out_.Line("// Other CTAs of the cluster may still reach this one's memory.");
  out_.Line("__syncwarp();");
  out_.Line("cake::cluster_sync();");
}

void KernelEmitter::ReleaseToCluster(const ir::Stmt& stmt, const std::string& address) {
  LogUse(EventVerb::kRelease, LoggedBy::kWarp, stmt, stmt.use, address);
  out_.Line("__syncwarp();");
  const std::string lane = Builtin(ir::BuiltinValue::kLane).code;
  out_.Line(absl::StrCat("if (", lane, " < ", kernel_.cluster, ") cake::mbarrier_release_at(",
                         address, ", ", lane, ");"));
}

// An arrival at `address`, here or in the CTA that the statement names.
std::string KernelEmitter::Arrival(const ir::Stmt& stmt, const std::string& address,
                                   const std::string& bytes) {
  const bool remote = stmt.remote != ir::ExprId::kNone;
  return absl::StrCat("cake::mbarrier_arrive", bytes.empty() ? "" : "_expect", remote ? "_at" : "",
                      "(", address, remote ? ", " : "", remote ? Code(stmt.remote) : "",
                      bytes.empty() ? "" : ", ", bytes, ");");
}

void KernelEmitter::RemoteStore(const ir::Stmt& stmt) {
  ir::View view = program_[stmt.destination];
  const std::string rank = Code(view.remote);
  const int64_t count = SliceElements(view);
  const std::string value =
      count == 0 ? Code(stmt.value)
                 : ArrayValue(stmt.value, {.dtype = BufferType(view), .shape = {count}});
  view.remote = ir::ExprId::kNone;
  out_.Line(absl::StrCat("cake::store_async(&", Place(view), ", ", rank, ", ", value, ", ",
                         FullMbarrier(stmt.on_ring, stmt.on_event, stmt.on_use), ");"));
}

// How many CTAs a load reaches: 1, a constant, or the number of bits in its mask.
std::string KernelEmitter::Receivers(const ir::Stmt& stmt) {
  if (stmt.multicast == ir::ExprId::kNone) return "1";
  const ir::Expr& mask = program_[stmt.multicast];
  if (mask.kind == ir::ExprKind::kInt) {
    return absl::StrCat(std::popcount(static_cast<uint64_t>(mask.int_value)));
  }
  return absl::StrCat("__popc(", Code(stmt.multicast), ")");
}

}  // namespace compiler::emit
