// Bulk and tensor copies whose addresses or strides the hardware refuses: a tensor map that the
// driver will not make, or a copy that faults. The numbers must follow from dims and `where`, for
// every shape that the guard admits (reference C2, C4, C9, C11).
#include <numeric>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/facts/copies.h"
#include "compiler/facts/walk.h"
#include "verifier/divisibility.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr int64_t kPackedBytes = 32, kPackedNumbers = 128;

constexpr Def<Name, Name, int64_t> kUnprovenStride{
    "CK2520", Severity::kError, Category::kUnproven,
    "the tensor map of `{0}` needs `{1} % {2} == 0`",
    "CUDA driver API, cuTensorMapEncodeTiled: strides are multiples of 16 bytes"};
constexpr Def<Name, Name, int64_t> kUnprovenPacked{
    "CK2457", Severity::kError, Category::kUnproven,
    "the tensor map of `{0}`, whose numbers are padded, needs `{1} % {2} == 0`",
    "CUDA driver API, cuTensorMapEncodeTiled: of types of 6 and 4 bits that are padded to 16 bytes "
    "the memory begins at a multiple of 32 bytes, so do rows, and a row has a multiple of 128 "
    "numbers"};
constexpr Def<Name, Name, int64_t> kUnprovenStart{
    "CK2521", Severity::kError, Category::kUnproven,
    "the bulk copy of `{0}` is not proven to start at a multiple of 16 bytes: `{1}` must be a "
    "multiple of {2}",
    "PTX ISA, cp.async.bulk: both addresses are multiples of 16 bytes"};
constexpr Def<Name, int64_t> kUnprovenShared{
    "CK2522", Severity::kError, Category::kUnproven,
    "the copy is not proven to start at a multiple of {1} bytes of `{0}`",
    "PTX ISA, cp.async.bulk.tensor: shared memory addresses are multiples of 128 bytes; of "
    "swizzled "
    "buffers of the eight rows after which the pattern repeats, of bulk copies of 16 bytes"};
constexpr Def<Name> kNoProxyFence{
    "CK3205", Severity::kError, Category::kHardware,
    "`fence async` orders accesses of the async proxy, which {0} does not have",
    "PTX ISA, fence.proxy.async: from sm_90 on"};

// Units of `unit` elements in offset * stride, one of both bringing what the other lacks.
bool ProductDivides(Atoms& atoms, int64_t unit, const Linear& offset, const Linear& stride,
                    const Facts& facts) {
  const int64_t of_offset = std::gcd(atoms.DivisorOf(offset), unit);
  const int64_t of_stride = std::gcd(atoms.DivisorOf(stride), unit);
  if (of_offset * of_stride % unit == 0) return true;
  return Divides(atoms, unit / of_offset, stride, facts) ||
         Divides(atoms, unit / of_stride, offset, facts);
}

std::string TextOf(const RuleInput& input, ir::ExprId id) {
  return std::string(compiler::facts::TextOf(input.program, input.program[id].source.span));
}

// A new line `where ..` before the first kernel.
void AddWhere(const RuleInput& input, const std::string& condition,
              compiler::diag::Report::Builder& added) {
  const std::string& source = input.program.source;
  const size_t name = input.program.kernels[0].declared.begin;
  const size_t keyword = source.rfind("kernel", std::min(name, source.size()));
  if (keyword == std::string::npos) return;
  const auto at = static_cast<uint32_t>(keyword);
  added.Fix(absl::StrCat("require it: `where ", condition, "`"),
            {{{at, at}, absl::StrCat("where ", condition, "\n")}}, Applicability::kMachine);
}

// The stride of a dimension as the author could name it, and the multiple it must be of.
struct Blamed {
  std::string text;
  int64_t unit = 1;
};

Blamed BlameStride(const RuleInput& input, KernelAnalysis& analysis, const ir::Tensor& tensor,
                   const std::vector<Linear>& strides, size_t d, int64_t unit) {
  if (tensor.declared_strides) return {TextOf(input, tensor.strides[d]), unit};
  // Row-major: the first extent inside of it that could bring what the others do not; what is known
  // of it already is part of what is asked for.
  const auto divisor = [&](size_t i) {
    return std::max<int64_t>(1, analysis.atoms.DivisorOf(strides[i]));
  };
  for (size_t i = tensor.shape.size(); i-- > d + 1;) {
    const ir::Expr& extent = input.program[tensor.shape[i]];
    if (extent.kind == ir::ExprKind::kInt) continue;
    const int64_t others = divisor(i) * (divisor(d) / divisor(i - 1));
    return {TextOf(input, tensor.shape[i]), unit / std::gcd(others, unit)};
  }
  return {TextOf(input, tensor.strides[d]), unit};
}

// Of a tensor whose numbers a load pads: where it begins, and how long its rows are.
bool CheckPacked(const RuleInput& input, KernelAnalysis& analysis, ir::TensorId id,
                 compiler::diag::Span at, RuleOutput& out) {
  const ir::Tensor& tensor = input.program[id];
  const auto refuse = [&](const std::string& what, int64_t unit) {
    ++out.unknown;
    auto added = out.report.Add(kUnprovenPacked, at, Name{tensor.name}, Name{what}, unit);
    added.Label(tensor.declared, "declared here");
    AddWhere(input, absl::StrCat(what, " % ", unit, " == 0"), added);
    return false;
  };
  if (tensor.alignment % kPackedBytes != 0) {
    return refuse(absl::StrCat("align(", tensor.name, ")"), kPackedBytes);
  }
  const ir::ExprId last = tensor.shape.back();
  const int64_t unit = kPackedNumbers / ir::NumbersOf(tensor.dtype);
  const ir::Expr& extent = input.program[last];
  const bool fits = extent.kind == ir::ExprKind::kInt
                        ? extent.int_value % unit == 0
                        : Divides(analysis.atoms, unit,
                                  analysis.limits[static_cast<size_t>(id)].back(), analysis.launch);
  if (!fits) return refuse(TextOf(input, last), unit);
  ++out.proved;
  return true;
}

void CheckStrides(const RuleInput& input, KernelAnalysis& analysis, ir::TensorId id, bool pads,
                  compiler::diag::Span at, RuleOutput& out) {
  const ir::Tensor& tensor = input.program[id];
  const int64_t element = std::max(1, ir::Info(tensor.dtype).bits / 8);
  if (pads && !CheckPacked(input, analysis, id, at, out)) return;
  const int64_t bytes = pads ? kPackedBytes : 16;
  const int64_t unit = bytes / std::gcd(bytes, element);
  const std::vector<Linear>& strides = analysis.strides[static_cast<size_t>(id)];
  for (size_t d = 0; d + 1 < strides.size(); ++d) {
    if (Divides(analysis.atoms, unit, strides[d], analysis.launch)) {
      ++out.proved;
      continue;
    }
    ++out.unknown;
    const Blamed blamed = BlameStride(input, analysis, tensor, strides, d, unit);
    auto added =
        out.report.Add(kUnprovenStride, at, Name{tensor.name}, Name{blamed.text}, blamed.unit);
    added.Label(tensor.declared, "declared here");
    AddWhere(input, absl::StrCat(blamed.text, " % ", blamed.unit, " == 0"), added);
    return;
  }
}

// Global side of a bulk copy: the base is a multiple of 16 by the launcher's check.
void CheckGlobalStart(const RuleInput& input, KernelAnalysis& analysis, const Access& access,
                      RuleOutput& out) {
  const ir::View& view = input.program[access.view];
  const ir::Tensor& tensor = input.program[view.tensor];
  const int64_t element = std::max(1, ir::Info(tensor.dtype).bits / 8);
  const int64_t unit = std::max<int64_t>(1, 16 / element);
  const std::vector<Linear>& strides = analysis.strides[static_cast<size_t>(view.tensor)];
  for (size_t d = 0; d < access.offsets.size(); ++d) {
    if (ProductDivides(analysis.atoms, unit, access.offsets[d], strides[d], access.facts)) continue;
    ++out.unknown;
    std::string text = TextOf(input, view.index[d].offset);
    if (d + 1 < access.offsets.size()) text = TextOf(input, tensor.strides[d]);
    out.report.Add(kUnprovenStart, view.source.span, Name{tensor.name}, Name{text}, unit)
        .Fix("let it be so by a `where` or a product", {}, Applicability::kManual);
    return;
  }
  ++out.proved;
}

void CheckShared(const RuleInput& input, KernelAnalysis& analysis, const Access& access,
                 bool tensor, RuleOutput& out) {
  const ir::View& view = input.program[access.view];
  const auto number = static_cast<size_t>(view.shared);
  const ir::SharedBuffer& buffer = input.program.kernels[analysis.kernel].shared[number];
  const std::vector<int64_t>& strides = input.facts.kernels[analysis.kernel].shared[number].strides;
  const int64_t element = std::max(1, ir::Info(buffer.dtype).bits / 8);
  const bool swizzled = buffer.form == ir::SharedForm::kSwizzle;
  int64_t bytes = tensor ? compiler::facts::kTensorCopyAlignmentBytes
                         : compiler::facts::kBulkCopyAlignmentBytes;
  // The pattern repeats after eight rows; four of them keep to their half of it.
  const bool gather = input.program[access.stmt].op->effects.copy == ir::CopyEffect::kGatherLoad;
  if (swizzled) bytes = (gather ? 4 : 8) * buffer.form_amount;
  for (size_t d = 0; d < access.offsets.size(); ++d) {
    const bool column = d + 1 == access.offsets.size();
    // Of a swizzled buffer rows are as wide as a panel; columns pick whole panels.
    int64_t stride = strides[d] * element;
    if (swizzled && !column) stride = stride / (buffer.shape.back() * element) * buffer.form_amount;
    int64_t needed = bytes;
    if (swizzled && column) needed = buffer.form_amount;
    const int64_t unit = needed / std::gcd(needed, stride);
    if (Divides(analysis.atoms, unit, access.offsets[d], access.facts)) continue;
    ++out.unknown;
    out.report.Add(kUnprovenShared, view.source.span, Name{buffer.name}, needed)
        .Label(buffer.declared, "declared here");
    return;
  }
  ++out.proved;
}

void CheckFences(const RuleInput& input, RuleOutput& out) {
  const auto& features = input.device.features;
  if (std::find(features.begin(), features.end(), "fence_async") != features.end()) return;
  for (const ir::Kernel& kernel : input.program.kernels) {
    for (const ir::Role& role : kernel.roles) {
      compiler::facts::ForEachStmt(input.program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
        if (stmt.op == nullptr || stmt.op->effects.sync != ir::SyncEffect::kFence) return;
        if (stmt.word != "async") return;
        out.report.Add(kNoProxyFence, stmt.source.span, Name{input.device.arch});
      });
    }
  }
}

void Check(const RuleInput& input, RuleOutput& out) {
  CheckFences(input, out);
  std::set<std::pair<ir::TensorId, size_t>> checked;
  for (KernelAnalysis& analysis : input.kernels) {
    for (const Access& access : analysis.accesses) {
      if (!access.bulk) continue;
      const ir::View& view = input.program[access.view];
      const ir::Stmt& stmt = input.program[access.stmt];
      const bool tensor = compiler::facts::IsTensorCopy(stmt.op->effects.copy);
      if (view.space == ir::Space::kShared) {
        CheckShared(input, analysis, access, tensor, out);
      } else if (!tensor) {
        CheckGlobalStart(input, analysis, access, out);
      } else if (checked.emplace(view.tensor, analysis.kernel).second) {
        const ir::View& shared = input.program[compiler::facts::SharedSide(input.program, stmt)];
        const ir::DType dtype =
            input.program.kernels[analysis.kernel].shared[static_cast<size_t>(shared.shared)].dtype;
        const bool pads = dtype != input.program[view.tensor].dtype;
        CheckStrides(input, analysis, view.tensor, pads, view.source.span, out);
      }
    }
  }
}

constexpr Example kRejects[] = {{"CK2520", R"(program p target sm_90
dim M in 1..=1000, N in 1..=1000
inout y: f32[M, N]
kernel k {
  grid (ceildiv(M, 16))
  smem tile: f32[16, 32] swizzle 128
  role main: warps 1 {
    for r in 0..16 { st tile[r, lane] <- 1.0 }
    fence async; sync role
    once { tma.store y[cta*16:+16, 0:+32] <- tile; tma.commit; tma.wait.read 0 }
  }
}
)"},
                                {"CK2521", R"(program p target sm_90
dim N in 4..=1000
out y: f32[N, N]
kernel k {
  grid (N)
  smem row: f32[4]
  role main: warps 1 {
    if lane < 4 { st row[lane] <- 1.0 }
    fence async; sync role
    once { bulk.store y[cta, 0:+4] <- row; tma.commit; tma.wait.read 0 }
  }
}
)"},
                                {"CK2522", R"(program p target sm_90
dim M in 1..=16
out y: f32[M, 32]
kernel k {
  grid (M)
  smem tile: f32[16, 32] swizzle 128
  role main: warps 1 {
    for r in 0..16 { st tile[r, lane] <- 1.0 }
    fence async; sync role
    once { tma.store y[cta:+1, :] <- tile[cta:+1, :]; tma.commit; tma.wait.read 0 }
  }
}
)"},
                                {"CK3205", R"(program p target sm_80
out y: f32[32]
kernel k {
  grid (1)
  role main: warps 1 { fence async; st y[lane] <- 1.0 }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_90
dim M in 1..=1000, N in 1..=1000
inout y: f32[M, N]
where N % 4 == 0
kernel k {
  grid (ceildiv(M, 16))
  smem tile: f32[16, 32] swizzle 128
  role main: warps 1 {
    for r in 0..16 { st tile[r, lane] <- 1.0 }
    fence async; sync role
    once { tma.store y[cta*16:+16, 0:+32] <- tile; tma.commit; tma.wait.read 0 }
  }
}
)"}};

}  // namespace

const Rule kCopyAlignment{
    .name = "copy_alignment",
    .property = "alignment",
    .check = Check,
    .explain =
        "Strides of tensor maps are multiples of 16 bytes, bulk copies start at multiples of 16 "
        "bytes on both sides, and tensor copies at multiples of 128 bytes of shared memory, or of "
        "the swizzle's pattern. Divisors come from constants and from guards such as `where N % 8 "
        "== 0`.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
