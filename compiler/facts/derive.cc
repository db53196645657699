// Derive: warp ranges, shared-memory layout and named barriers of each kernel, with the limits that
// follow from them. Legality reads the device description; every finding states both numbers.
#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/facts/cluster.h"
#include "compiler/facts/derived.h"
#include "compiler/facts/events.h"
#include "compiler/facts/overlay.h"
#include "compiler/facts/registers.h"
#include "compiler/facts/tmem.h"
#include "compiler/facts/walk.h"

namespace compiler::facts {
namespace {

using diag::Category;
using diag::Name;
using diag::Severity;

constexpr int64_t kWarpgroupWarps = 4;
constexpr int64_t kSharedAlignmentBytes = 16;  // a 16-byte vector access needs a 16-byte offset
constexpr int64_t kTmemWordBytes = 4;          // PTX ISA, tcgen05.alloc: the address is 32 bits
constexpr int64_t kRowsAlignmentBytes = 128;   // of buffers of 128 bytes and more: one bank row

constexpr diag::Def<Name, int64_t, Name, int64_t> kBlockThreads{
    "CK3101", Severity::kError, Category::kHardware,
    "kernel `{0}` needs {1} threads a CTA; {2} allows {3}",
    "the hardware launches no larger CTA; warps are counted with the idle ones that align roles"};
constexpr diag::Def<Name, int64_t, Name, int64_t> kSharedBytes{
    "CK3102", Severity::kError, Category::kHardware,
    "kernel `{0}` needs {1} bytes of shared memory; {2} has {3} a CTA",
    "a CTA's shared memory must fit on one SM, beside what the system reserves there"};
constexpr diag::Def<Name, int64_t, Name, int64_t> kNamedBarriers{
    "CK3103", Severity::kError, Category::kHardware,
    "kernel `{0}` needs {1} named barriers; {2} has {3} a CTA",
    "barrier 0 is `sync cta`; each `barrier`, and each `sync role` and `sync wg` of a kernel with "
    "several roles, takes one more"};
constexpr diag::Def<Name, int64_t> kBarrierThreads{
    "CK3104", Severity::kError, Category::kHardware,
    "barrier `{0}` counts {1} threads, which is not a positive multiple of 32",
    "the hardware counts arrivals of whole warps"};
constexpr diag::Def<Name, int64_t, int64_t> kBarrierTooWide{
    "CK3105", Severity::kError, Category::kHardware,
    "barrier `{0}` counts {1} threads; the CTA has {2}",
    "an arrival count that the CTA cannot reach never completes"};
constexpr diag::Def<Name, int64_t, Name, int64_t> kCluster{
    "CK3106", Severity::kError, Category::kHardware,
    "kernel `{0}` asks for clusters of {1}; {2} allows {3}",
    "the CTAs of a cluster are placed together, on SMs that share a switch"};
constexpr diag::Def<Name, int64_t> kWholeWarpgroups{
    "CK3107", Severity::kError, Category::kHardware,
    "role `{0}` uses warpgroups but has {1} warps, which is not a multiple of 4",
    "a warpgroup is four consecutive warps, the first a multiple of four"};
constexpr diag::Def<Name, int64_t> kRegisterForm{
    "CK3108", Severity::kError, Category::kHardware,
    "role `{0}` asks for {1} registers; setmaxnreg takes multiples of 8 in 24..=256",
    "PTX ISA, setmaxnreg: the immediate is a multiple of 8 in 24 to 256"};
constexpr diag::Def<Name, int64_t, int64_t, int64_t, int64_t> kRegisterTotal{
    "CK3109", Severity::kError, Category::kHardware,
    "the roles of kernel `{0}` ask for {1} registers in all; there are {2}, {3} of each of {4} "
    "threads",
    "PTX ISA, setmaxnreg: the CTA's pool is what its launch gave, 65,536 registers of the SM over "
    "its threads, idle ones included, in units of 8; a warp that asks for more waits for ever"};
constexpr diag::Def<Name, Name, int64_t, int64_t> kRegistersDiffer{
    "CK3110", Severity::kError, Category::kHardware,
    "roles `{0}` and `{1}` share a warpgroup but ask for {2} and {3} registers",
    "setmaxnreg acts on a whole warpgroup"};
constexpr diag::Def<Name> kNoWarps{"CK3111", Severity::kError, Category::kHardware,
                                   "role `{0}` has no warps",
                                   "each role is at least one warp of every CTA"};
constexpr diag::Def<Name, int64_t, int64_t> kSwizzleRow{
    "CK3112", Severity::kError, Category::kHardware,
    "`{0}` has rows of {1} bytes, which is not a multiple of its swizzle of {2}",
    "a swizzled buffer is made of column panels as wide as the swizzle"};
constexpr diag::Def<Name, Name> kNoRegisterBudget{
    "CK3113", Severity::kError, Category::kHardware,
    "role `{0}` asks for registers of its own; target {1} has no setmaxnreg",
    "PTX ISA, setmaxnreg: from sm_90 on, of targets with the suffix `a` only"};

constexpr diag::Def<Name, int64_t, int64_t, Name, int64_t> kCtasPerSm{
    "CK3160", Severity::kError, Category::kHardware,
    "kernel `{0}` with `ctas_per_sm {1}` needs {2} {3} of an SM, which has {4}",
    "CTAs are on an SM at once if their threads, registers and shared memory, 1 KB of each CTA "
    "for the system included, fit beside each other"};
constexpr int64_t kLeastRegisters = 16;  // a thread, that any kernel is compiled to

// Sizes come from untrusted text: sums and products stop at this many units, far above every limit.
constexpr int64_t kSaturated = int64_t{1} << 50;

int64_t Add(int64_t a, int64_t b) { return std::min(a + b, kSaturated); }
int64_t Multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return kSaturated;
  return std::min(product, kSaturated);
}
int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

struct ScopeUse {
  bool role_sync = false;
  bool wg_sync = false;
  bool warpgroups = false;  // any instruction of warpgroup scope
};

ScopeUse UseOf(const ir::Program& program, const ir::Role& role) {
  ScopeUse use;
  ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
    if (stmt.kind != ir::StmtKind::kOp || stmt.op == nullptr) return;
    const ir::CopyEffect copy = stmt.op->effects.copy;
    const bool tensor_memory =
        copy == ir::CopyEffect::kTensorMemoryLoad || copy == ir::CopyEffect::kTensorMemoryStore;
    if (stmt.op->scope == ir::Scope::kWg || tensor_memory) use.warpgroups = true;
    if (stmt.op->effects.sync != ir::SyncEffect::kScopeSync) return;
    if (stmt.word == "role") use.role_sync = true;
    if (stmt.word == "wg") use.wg_sync = use.warpgroups = true;
  });
  return use;
}

// One kernel's derivation; the steps run in the order of the public function below.
class KernelDeriver {
 public:
  KernelDeriver(const ir::Program& program, const ir::Kernel& kernel, const arch::Device& device,
                diag::Report& report)
      : program_(program),
        target_(program.target),
        kernel_(kernel),
        device_(device),
        report_(report) {
    for (const ir::Role& role : kernel.roles) uses_.push_back(UseOf(program, role));
  }

  KernelFacts Run() {
    PlaceRoles();
    CheckRegisters();
    PlaceShared();
    CheckCtasPerSm();
    PlaceBarriers();
    facts_.reaches_other_ctas = ReachesOtherCtas(program_, kernel_);
    if (kernel_.cluster > device_.max_cluster_size) {
      report_.Add(kCluster, kernel_.declared, Name{kernel_.name}, kernel_.cluster,
                  Name{device_.arch}, device_.max_cluster_size);
    }
    return std::move(facts_);
  }

 private:
  bool too_wide() const { return facts_.threads > device_.max_threads_per_block; }

  bool AnyRegs() const {
    return std::any_of(kernel_.roles.begin(), kernel_.roles.end(),
                       [](const ir::Role& role) { return role.regs > 0; });
  }

  // A role that uses warpgroups starts at one; with `regs` every role of four warps and more does,
  // and the CTA ends with a whole warpgroup, since setmaxnreg acts on whole ones.
  void PlaceRoles() {
    const bool regs = AnyRegs();
    int64_t next = 0;
    for (size_t i = 0; i < kernel_.roles.size(); ++i) {
      const ir::Role& role = kernel_.roles[i];
      if (role.warps <= 0) report_.Add(kNoWarps, role.declared, Name{role.name});
      if (uses_[i].warpgroups && role.warps % kWarpgroupWarps != 0) {
        report_.Add(kWholeWarpgroups, role.declared, Name{role.name}, role.warps);
      }
      const bool aligned = uses_[i].warpgroups || (regs && role.warps >= kWarpgroupWarps);
      if (aligned) next = RoundUp(next, kWarpgroupWarps);
      // Clamped: beyond every limit, and no later arithmetic on it overflows.
      const int64_t warps = std::clamp<int64_t>(role.warps, 0, kSaturated / 64);
      facts_.roles.push_back({.first_warp = next, .warps = warps});
      next = Add(next, warps);
    }
    if (regs) next = RoundUp(next, kWarpgroupWarps);
    facts_.threads = next * ir::kLanes;
    if (too_wide()) {
      report_.Add(kBlockThreads, kernel_.declared, Name{kernel_.name}, facts_.threads,
                  Name{device_.arch}, device_.max_threads_per_block);
    }
  }

  // CUDA programming guide, "Hardware Implementation": what an SM holds of each kind.
  void CheckCtasPerSm() {
    const int64_t ctas = kernel_.ctas_per_sm;
    if (ctas == 1 || too_wide()) return;
    const int64_t shared = Add(facts_.shared_bytes, device_.reserved_shared_bytes_per_block);
    const std::tuple<int64_t, int64_t, const char*> needs[] = {
        {ctas, device_.max_blocks_per_sm, "CTAs"},
        {Multiply(facts_.threads, ctas), device_.max_threads_per_sm, "threads"},
        {Multiply(shared, ctas), device_.shared_bytes_per_sm, "bytes of shared memory"},
        {Multiply(Multiply(facts_.threads, ctas), kLeastRegisters), device_.registers_per_sm,
         "registers"}};
    for (const auto& [needed, held, what] : needs) {
      if (needed > held) {
        report_.Add(kCtasPerSm, kernel_.declared, Name{kernel_.name}, ctas, needed, Name{what},
                    held);
      }
    }
  }

  bool HasRegisterBudgets() const {
    const auto& features = device_.features;
    return target_.ends_with('a') &&
           std::find(features.begin(), features.end(), "setmaxnreg") != features.end();
  }

  void CheckRegisters() {
    if (!AnyRegs() || too_wide()) return;
    if (!HasRegisterBudgets()) {
      for (const ir::Role& role : kernel_.roles) {
        if (role.regs == 0) continue;
        report_.Add(kNoRegisterBudget, role.declared, Name{role.name}, Name{std::string(target_)});
      }
      return;
    }
    int64_t total = 0;
    std::vector<int> owner(static_cast<size_t>(facts_.threads / ir::kLanes / kWarpgroupWarps), -1);
    for (size_t i = 0; i < kernel_.roles.size(); ++i) {
      const ir::Role& role = kernel_.roles[i];
      if (role.regs == 0) continue;
      if (role.regs % 8 != 0 || role.regs < 24 || role.regs > 256) {
        report_.Add(kRegisterForm, role.declared, Name{role.name}, role.regs);
      }
      const RolePlacement& at = facts_.roles[i];
      if (at.warps == 0) continue;  // reported
      const int64_t last = (at.first_warp + at.warps - 1) / kWarpgroupWarps;
      for (int64_t wg = at.first_warp / kWarpgroupWarps; wg <= last; ++wg) {
        int& previous = owner[static_cast<size_t>(wg)];
        if (previous < 0) {
          previous = static_cast<int>(i);
          total += role.regs * kWarpgroupWarps * ir::kLanes;
          continue;
        }
        const ir::Role& other = kernel_.roles[static_cast<size_t>(previous)];
        if (other.regs != role.regs) {
          report_
              .Add(kRegistersDiffer, role.declared, Name{other.name}, Name{role.name}, other.regs,
                   role.regs)
              .Label(other.declared, "the warpgroup begins with this role");
        }
      }
    }
    // What the launch gives each thread goes to the pool; warpgroups that ask for nothing keep it.
    const int64_t given = LaunchRegisters(device_.registers_per_sm, device_.registers_per_thread,
                                          facts_.threads, kernel_.ctas_per_sm);
    for (const int previous : owner) {
      if (previous < 0) total += given * kWarpgroupWarps * ir::kLanes;
    }
    const int64_t pool = given * facts_.threads;
    if (total > pool) {
      report_.Add(kRegisterTotal, kernel_.declared, Name{kernel_.name}, total, pool, given,
                  facts_.threads);
    }
  }

  SharedPlacement Layout(const ir::SharedBuffer& buffer, int64_t stages, int64_t begin) const {
    const int64_t element_bytes = std::max(1, ir::Info(buffer.dtype).bits / 8);
    SharedPlacement place;
    place.strides.assign(buffer.shape.size(), 1);
    int64_t elements = 1;
    for (size_t d = buffer.shape.size(); d-- > 0;) {
      place.strides[d] = elements;
      int64_t extent = buffer.shape[d];
      const bool row = d + 1 == buffer.shape.size();
      if (row && buffer.form == ir::SharedForm::kPadded) extent += buffer.form_amount;
      elements = Multiply(elements, extent);
    }
    const int64_t bytes = Multiply(elements, element_bytes);
    int64_t alignment = bytes >= kRowsAlignmentBytes ? kRowsAlignmentBytes : kSharedAlignmentBytes;
    if (buffer.form == ir::SharedForm::kSwizzle && buffer.form_amount > 0) {
      alignment = 8 * buffer.form_amount;  // the XOR pattern repeats after eight rows of its width
    }
    if (HasTensorCopy(program_, kernel_,
                      static_cast<ir::SharedId>(&buffer - kernel_.shared.data()))) {
      alignment = std::max(alignment, kTensorCopyAlignmentBytes);
    }
    place.offset_bytes = RoundUp(begin, alignment);
    place.stage_bytes = stages > 1 ? RoundUp(bytes, alignment) : bytes;
    place.total_bytes = Add(Multiply(place.stage_bytes, stages - 1), bytes);
    return place;
  }

  void CheckSwizzle(const ir::SharedBuffer& buffer) {
    if (buffer.form != ir::SharedForm::kSwizzle || buffer.form_amount <= 0) return;
    const int64_t element_bytes = std::max(1, ir::Info(buffer.dtype).bits / 8);
    const int64_t row_bytes = buffer.shape.empty() ? 0 : buffer.shape.back() * element_bytes;
    if (row_bytes % buffer.form_amount == 0) return;
    report_.Add(kSwizzleRow, buffer.declared, Name{buffer.name}, row_bytes, buffer.form_amount);
  }

  void PlaceShared() {
    int64_t next = 0;
    for (const ir::SharedBuffer& buffer : kernel_.shared) CheckSwizzle(buffer);
    facts_.shared = PlaceOverlaid(
        kernel_.shared,
        [this](size_t buffer, int64_t stages, int64_t begin) {
          return Layout(kernel_.shared[buffer], stages, begin);
        },
        &next);
    next = std::min(next, kSaturated);
    next = PlaceEvents(program_, kernel_, next, facts_, report_);
    PlaceTmem(kernel_, device_, facts_, report_);
    if (facts_.tmem_columns > 0) {
      facts_.tmem_word_offset_bytes = RoundUp(next, kTmemWordBytes);
      next = facts_.tmem_word_offset_bytes + kTmemWordBytes;
    }
    facts_.shared_bytes = RoundUp(next, kSharedAlignmentBytes);
    if (facts_.shared_bytes <= device_.shared_bytes_per_block_optin) return;
    auto added = report_.Add(kSharedBytes, LargestBuffer(), Name{kernel_.name}, facts_.shared_bytes,
                             Name{device_.arch}, device_.shared_bytes_per_block_optin);
    for (size_t i = 0; i < kernel_.shared.size(); ++i) SuggestStages(i, added);
  }

  diag::Span LargestBuffer() const {
    size_t largest = 0;
    for (size_t i = 1; i < facts_.shared.size(); ++i) {
      if (facts_.shared[i].total_bytes > facts_.shared[largest].total_bytes) largest = i;
    }
    return kernel_.shared[largest].declared;
  }

  // Offered in words: where the number of stages comes from is the author's choice.
  void SuggestStages(size_t i, diag::Report::Builder& added) {
    const ir::SharedBuffer& buffer = kernel_.shared[i];
    const SharedPlacement& place = facts_.shared[i];
    const int64_t excess = facts_.shared_bytes - device_.shared_bytes_per_block_optin;
    added.Label(buffer.declared, absl::StrCat("takes ", place.total_bytes, " bytes"));
    if (buffer.stages < 2 || !buffer.alternatives.empty()) return;
    const int64_t fits = buffer.stages - (excess + place.stage_bytes - 1) / place.stage_bytes;
    if (fits < 1) return;
    added.Fix(absl::StrCat("`", buffer.name, "` with ", fits, fits == 1 ? " stage" : " stages",
                           " instead of ", buffer.stages, " fits"),
              {}, diag::Applicability::kManual);
  }

  // Id 0 is `sync cta`, always kept free for it: the lowering's own first synchronisation uses it.
  void PlaceBarriers() {
    int64_t next = 1;
    for (const ir::Barrier& barrier : kernel_.barriers) {
      facts_.barriers.push_back(
          {.first_id = next, .count = barrier.count, .threads = barrier.threads});
      next = Add(next, std::max<int64_t>(barrier.count, 0));
      if (barrier.threads <= 0 || barrier.threads % ir::kLanes != 0) {
        report_.Add(kBarrierThreads, barrier.declared, Name{barrier.name}, barrier.threads);
      } else if (barrier.threads > facts_.threads) {
        report_.Add(kBarrierTooWide, barrier.declared, Name{barrier.name}, barrier.threads,
                    facts_.threads);
      }
    }
    for (size_t i = 0; i < kernel_.roles.size(); ++i) {
      const int64_t warps = facts_.roles[i].warps;
      const bool whole_cta = warps * ir::kLanes == facts_.threads;
      const int64_t role_id = whole_cta ? 0 : uses_[i].role_sync ? next++ : -1;
      facts_.role_sync_id.push_back(role_id);
      const int64_t wgs = too_wide() ? 0 : std::max<int64_t>(warps, 0) / kWarpgroupWarps;
      std::vector<int64_t> ids(static_cast<size_t>(wgs), -1);
      if (uses_[i].wg_sync) {
        for (int64_t& id : ids) id = whole_cta && wgs == 1 ? 0 : next++;
      }
      facts_.wg_sync_id.push_back(std::move(ids));
    }
    facts_.named_barriers = next;
    if (next > device_.named_barriers) {
      report_.Add(kNamedBarriers, kernel_.declared, Name{kernel_.name}, next, Name{device_.arch},
                  device_.named_barriers);
    }
  }

  const ir::Program& program_;
  std::string_view target_;
  const ir::Kernel& kernel_;
  const arch::Device& device_;
  diag::Report& report_;
  std::vector<ScopeUse> uses_;
  KernelFacts facts_;
};

}  // namespace

Facts Derive(const ir::Program& program, const arch::Device& device, diag::Report& report) {
  Facts facts;
  for (const ir::Kernel& kernel : program.kernels) {
    facts.kernels.push_back(KernelDeriver(program, kernel, device, report).Run());
    DeriveResidency(program, kernel, device, facts.kernels.back());
    facts.kernels.back().proxies = DeriveProxies(program, kernel);
  }
  facts.copies = DeriveCopies(program, report);
  facts.device = &device;
  return facts;
}

}  // namespace compiler::facts
