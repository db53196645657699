// Asynchronous copies: cp.async of each thread, bulk and tensor copies of one.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"

namespace compiler::emit {
namespace {

using ir::CopyEffect;
using ir::DType;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

bool IsReduction(CopyEffect effect) {
  return effect == CopyEffect::kTensorReduce || effect == CopyEffect::kBulkReduce;
}

// PTX ISA, cp.reduce.async.bulk: the type of the operation, with what adds of 16 bits need.
std::string ReductionType(std::string_view word, DType type) {
  const bool bitwise = word == "and" || word == "or" || word == "xor";
  switch (type) {
    case DType::kF16: return word == "add" ? "noftz.f16" : "f16";
    case DType::kBF16: return word == "add" ? "noftz.bf16" : "bf16";
    case DType::kF32: return "f32";
    case DType::kI32: return bitwise ? "b32" : "s32";
    case DType::kU32: return bitwise ? "b32" : "u32";
    case DType::kI64: return bitwise ? "b64" : "s64";
    case DType::kU64: return bitwise ? "b64" : "u64";
    default: Unreachable("type of a reduction");
  }
}

// "a + n" of an index text.
std::string Plus(const std::string& index, int64_t n) {
  if (n == 0) return index;
  return index == "0" ? absl::StrCat(n) : absl::StrCat(index, " + ", n);
}

}  // namespace

std::string KernelEmitter::PolicyOf(const ir::Stmt& stmt) {
  if (stmt.cache.empty() || stmt.cache == "cached") return "";
  return absl::StrCat("cake::", Absl(stmt.cache), "()");
}

bool KernelEmitter::Copy(ir::StmtId id, const ir::Stmt& stmt) {
  const CopyEffect effect = stmt.op->effects.copy;
  if (effect == CopyEffect::kAsyncCopy) {
    ThreadCopy(stmt);
    return true;
  }
  if (effect == CopyEffect::kRemoteStore) {
    RemoteStore(stmt);
    return true;
  }
  if (effect == CopyEffect::kMapUpdate) {
    SetTensorMap(stmt);
    return true;
  }
  const bool tensor = facts::IsTensorCopy(effect);
  const bool cancel = effect == CopyEffect::kLaunchCancel;
  if (!tensor && !cancel && !facts::IsBulkCopy(effect)) return false;
  const facts::CopyPlan* plan = copies_.Find(id);
  Require(cancel || plan != nullptr, "plan of a copy");
  const bool elected = single_thread_ == 0;
  if (elected) {
    out_.Open(absl::StrCat("if (", Builtin(ir::BuiltinValue::kLane).code, " == 0) {"));
    names_.Open();
  }
  if (!facts::IsMbarrierLoad(effect)) LogDelay();
  if (cancel) {
    LaunchCancel(stmt);
  } else if (tensor) {
    TensorCopy(stmt, *plan);
  } else {
    BulkCopy(stmt, *plan);
  }
  if (facts::IsMbarrierLoad(effect)) {
    const std::string counter = LoadCounter(stmt.on_ring, stmt.on_event);
    if (!counter.empty()) {
      const std::string receivers = Receivers(stmt);
      const int64_t bytes =
          plan != nullptr ? plan->bytes : facts::CopyBytes(program_, kernel_, stmt);
      out_.Line(absl::StrCat(counter, " += ", bytes,
                             receivers == "1" ? "" : absl::StrCat(" * ", receivers), ";"));
    }
  }
  if (elected) {
    names_.Close();
    out_.Close();
  }
  return true;
}

void KernelEmitter::ThreadCopy(const ir::Stmt& stmt) {
  const ir::View& to = program_[stmt.destination];
  const ir::View& from = program_[stmt.source_view];
  const int64_t element = std::max(1, ir::Info(BufferType(to)).bits / 8);
  const int64_t bytes = std::max<int64_t>(SliceElements(to), 1) * element;
  std::string size;
  if (stmt.else_value != ir::ExprId::kNone) {
    const std::string inside = InBounds(from);
    if (!inside.empty()) size = absl::StrCat(inside, " ? ", bytes, " : 0");
  }
  const bool cached = stmt.cache == "cached";
  const std::string policy = PolicyOf(stmt);
  if (size.empty() && (cached || !policy.empty())) size = absl::StrCat(bytes);
  std::string call = absl::StrCat("cake::cp_async", cached ? "_cached" : "", "<", bytes, ">(&",
                                  Place(to), ", &", Place(from));
  if (!size.empty()) absl::StrAppend(&call, ", ", size);
  if (!policy.empty()) absl::StrAppend(&call, ", ", policy);
  out_.Line(absl::StrCat(call, ");"));
}

// The first byte of the view: of a swizzled buffer where its pattern begins, as copies swizzle by
// themselves.
std::string KernelEmitter::SharedBase(const ir::View& view, int64_t bytes) {
  const int64_t element = std::max(1, ir::Info(BufferType(view)).bits / 8);
  const std::string index = Plus(SharedIndex(view, /*swizzled_address=*/false), bytes / element);
  const std::string name = BufferName(view);
  if (index == "0") return name;
  return absl::StrCat("&", name, "[", index, "]");
}

// PTX ISA, clusterlaunchcontrol.try_cancel: completes the 16 bytes of its answer as a load does.
void KernelEmitter::LaunchCancel(const ir::Stmt& stmt) {
  const bool all = stmt.multicast != ir::ExprId::kNone;
  out_.Line(absl::StrCat("cake::clc_try_cancel", all ? "_all" : "", "(",
                         SharedBase(program_[stmt.destination], 0), ", ", LoadBarrier(stmt), ");"));
}

// The shared address of the mbarrier that a load completes bytes on.
std::string KernelEmitter::LoadBarrier(const ir::Stmt& stmt) {
  const std::string address = FullMbarrier(stmt.on_ring, stmt.on_event, stmt.on_use);
  LogUse(EventVerb::kLoad, LoggedBy::kThread, stmt, stmt.on_use, address);
  return address;
}

void KernelEmitter::BulkCopy(const ir::Stmt& stmt, const facts::CopyPlan& plan) {
  const CopyEffect effect = stmt.op->effects.copy;
  const std::string policy = PolicyOf(stmt);
  const std::string hint = policy.empty() ? "" : absl::StrCat(", ", policy);
  const std::string global = absl::StrCat("&", Place(program_[facts::GlobalSide(program_, stmt)]));
  const std::string shared = SharedBase(program_[facts::SharedSide(program_, stmt)], 0);
  if (effect == CopyEffect::kBulkLoad) {
    const bool multicast = stmt.multicast != ir::ExprId::kNone;
    out_.Line(absl::StrCat("cake::bulk_load", multicast ? "_multicast" : "", "(", shared, ", ",
                           global, ", ", plan.bytes, ", ", LoadBarrier(stmt), multicast ? ", " : "",
                           multicast ? Code(stmt.multicast) : "", hint, ");"));
    return;
  }
  if (effect == CopyEffect::kBulkStore) {
    out_.Line(
        absl::StrCat("cake::bulk_store(", global, ", ", shared, ", ", plan.bytes, hint, ");"));
    return;
  }
  const std::string_view word = stmt.modifiers.front();
  const DType type = BufferType(program_[stmt.destination]);
  out_.Line(absl::StrCat(
      "asm volatile(\"cp.reduce.async.bulk.global.shared::cta.bulk_group",
      policy.empty() ? "" : ".L2::cache_hint", ".", Absl(word), ".", ReductionType(word, type),
      " [%0], [%1], %2", policy.empty() ? "" : ", %3", ";  ", SpanMarker(stmt), "\" ::\"l\"(",
      global, "), \"r\"(cake::shared_address(", shared, ")), \"r\"(", plan.bytes, ")",
      policy.empty() ? "" : absl::StrCat(", \"l\"(", policy, ")"), " : \"memory\");"));
}

// PTX ISA, cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: coordinates from the innermost
// dimension outwards.
void KernelEmitter::TensorCopy(const ir::Stmt& stmt, const facts::CopyPlan& plan) {
  const ir::View& tensor = program_[facts::GlobalSide(program_, stmt)];
  const ir::View& shared = program_[facts::SharedSide(program_, stmt)];
  const size_t rank = tensor.index.size();
  const std::string map = stmt.end != ir::ExprId::kNone
                              ? PatchedMap(plan.map)
                              : "&" + tensor_maps_[static_cast<size_t>(plan.map)];
  const std::string policy = PolicyOf(stmt);
  const bool gather = stmt.op->effects.copy == CopyEffect::kGatherLoad;
  const int64_t numbers = facts::NumbersExpanded(program_[tensor.tensor].dtype, BufferType(shared));
  const bool load = facts::IsMbarrierLoad(stmt.op->effects.copy);
  const std::string barrier = load ? LoadBarrier(stmt) : "";
  for (const facts::CopyPart& part : plan.parts) {
    std::vector<std::string> slots, inputs{absl::StrCat("\"l\"(", map, ")")};
    for (size_t d = rank; d-- > 0;) {
      if (gather && d == 0) continue;
      const ir::ExprId offset = tensor.index[d].offset;
      std::string at = offset == ir::ExprId::kNone ? "0" : Operand(offset, kAdditive);
      if (numbers > 1 && d + 1 == rank && at != "0") {
        at = absl::StrCat(Operand(offset, kMultiplicative), " * ", numbers);
      }
      slots.push_back(absl::StrCat("%", inputs.size()));
      inputs.push_back(absl::StrCat("\"r\"(", Plus(at, part.at[d]), ")"));
    }
    for (const ir::ExprId row : stmt.gather_rows) {
      slots.push_back(absl::StrCat("%", inputs.size()));
      inputs.push_back(absl::StrCat("\"r\"(", Code(row), ")"));
    }
    const auto input = [&](const std::string& text) {
      inputs.push_back(text);
      return absl::StrCat("%", inputs.size() - 1);
    };
    const std::string memory = input(
        absl::StrCat("\"r\"(cake::shared_address(", SharedBase(shared, part.shared_bytes), "))"));
    const std::string box = absl::StrCat("[%0, {", absl::StrJoin(slots, ", "), "}]");
    std::string code = absl::StrCat(IsReduction(stmt.op->effects.copy) ? "cp.reduce" : "cp",
                                    ".async.bulk.tensor.", rank, "d.");
    if (load) {
      // PTX ISA 8.6, cp.async.bulk.tensor. The older shared::cluster gives the same code up to
      // sm_103a, but on sm_120a a stack frame.
      const std::string event = input(absl::StrCat("\"r\"(", barrier, ")"));
      const bool multicast = stmt.multicast != ir::ExprId::kNone;
      absl::StrAppend(&code, multicast ? "shared::cluster" : "shared::cta", ".global",
                      gather ? ".tile::gather4" : "", ".mbarrier::complete_tx::bytes",
                      multicast ? ".multicast::cluster" : "",
                      policy.empty() ? "" : ".L2::cache_hint", " [", memory, "], ", box, ", [",
                      event, "]");
      if (multicast) {
        absl::StrAppend(&code, ", ",
                        input(absl::StrCat("\"h\"((unsigned short)(", Code(stmt.multicast), "))")));
      }
    } else {
      const std::string reduction =
          stmt.modifiers.empty() ? "" : absl::StrCat(".", Absl(stmt.modifiers.front()));
      absl::StrAppend(&code, "global.shared::cta", reduction, ".bulk_group",
                      policy.empty() ? "" : ".L2::cache_hint", " ", box, ", [", memory, "]");
    }
    if (!policy.empty()) {
      absl::StrAppend(&code, ", ", input(absl::StrCat("\"l\"(", policy, ")")));
    }
    out_.Line(absl::StrCat("asm volatile(\"", code, ";  ", SpanMarker(stmt),
                           "\" ::", absl::StrJoin(inputs, ", "), " : \"memory\");"));
  }
}

void KernelEmitter::ArriveWithCopies(const ir::Stmt& stmt) {
  const std::string address = FullMbarrier(stmt.ring, stmt.event, stmt.use);
  LogUse(EventVerb::kAsyncArrive, LoggedBy::kThreads, stmt, stmt.use, address);
  out_.Line(absl::StrCat("cake::cp_async_arrive(", address, ");"));
}

bool KernelEmitter::CopyGroup(const ir::Stmt& stmt) {
  const auto pending = [&] { return program_[stmt.amount].int_value; };
  switch (stmt.op->effects.sync) {
    case ir::SyncEffect::kAsyncCommit: out_.Line("cake::cp_async_commit();"); return true;
    case ir::SyncEffect::kAsyncWait:
      out_.Line(absl::StrCat("cake::cp_async_wait<", pending(), ">();"));
      return true;
    case ir::SyncEffect::kBulkCommit: out_.Line("cake::bulk_commit();"); return true;
    case ir::SyncEffect::kBulkWait:
      out_.Line(absl::StrCat("cake::bulk_wait", stmt.modifiers.empty() ? "" : "_read", "<",
                             pending(), ">();"));
      return true;
    case ir::SyncEffect::kFence:
      if (stmt.word != "async") return false;
      FenceAsync();
      return true;
    case ir::SyncEffect::kCommit:
      // The slot is full when the copies of all threads are in too.
      if (facts::FilledByAsyncCopies(program_, kernel_, role_index_, stmt.ring)) {
        ArriveWithCopies(stmt);
      }
      return false;
    case ir::SyncEffect::kAsyncArrive: ArriveWithCopies(stmt); return true;
    default: return false;
  }
}

// Where the last statement was a fence too, the reads before it are over.
void KernelEmitter::FenceReads(const ir::Stmt& stmt) {
  if (fenced_before_ || !facts::FencesReads(facts_.proxies, stmt, role_index_)) return;
  out_.Line("cake::fence_async_shared();  // reads are over before the next copy fills the place");
}

void KernelEmitter::FenceAsync() {
  just_fenced_ = true;
  switch (facts_.proxies.fence) {
    case facts::FenceSpace::kSharedCta: out_.Line("cake::fence_async_shared();"); return;
    case facts::FenceSpace::kSharedCluster: out_.Line("cake::fence_async_cluster();"); return;
    case facts::FenceSpace::kAll: out_.Line("cake::fence_async();"); return;
  }
}

// The hardware fetches a map before its first copy, beside what the kernel starts with.
void KernelEmitter::PrefetchMaps(Writer& out) {
  std::vector<std::string> used;
  for (size_t i = 0; i < copies_.maps.size(); ++i) {
    const std::vector<size_t>& kernels = copies_.maps[i].kernels;
    const auto index = static_cast<size_t>(&kernel_ - program_.kernels.data());
    if (std::find(kernels.begin(), kernels.end(), index) == kernels.end()) continue;
    used.push_back(tensor_maps_[i]);
  }
  if (used.empty()) return;
  out.Open("if (threadIdx.x == 0) {");
  for (const std::string& map : used) {
    out.Line(absl::StrCat("cake::prefetch_tensor_map(", map, ");"));
  }
  out.Close();
}

}  // namespace compiler::emit
