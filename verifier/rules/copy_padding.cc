// A tensor copy that stores beyond the end of a row. The hardware leaves out what is outside of the
// tensor by pieces of 16 bytes: where a row ends inside of one, the rest of it is written too, over
// what lies there. Loads fill such elements with zero one by one and are no concern here.
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

constexpr int64_t kPieceBytes = 16;

constexpr Def<Name, Name, int64_t> kWritesBehindRow{
    "CK2547", Severity::kError, Category::kUnproven,
    "rows of `{0}` may end inside of 16 bytes that this copy writes whole: it needs "
    "`{1} % {2} == 0`",
    "tensor copies leave elements outside of the tensor out by pieces of 16 bytes of global "
    "memory, as stores on sm_90 show: what shares a piece with the last element is written over"};

void CheckAccess(const RuleInput& input, KernelAnalysis& analysis, const Access& access,
                 RuleOutput& out) {
  const ir::View& view = input.program[access.view];
  const ir::Tensor& tensor = input.program[view.tensor];
  const size_t d = access.offsets.size() - 1;
  // Then the distance of rows is a multiple of 16 bytes, or the rule copy_alignment says so.
  if (!tensor.declared_strides && d > 0) return;
  const int64_t element = std::max(1, ir::Info(tensor.dtype).bits / 8);
  const int64_t unit = std::max<int64_t>(1, kPieceBytes / element);
  const std::optional<Linear> room = Minus(access.limits[d], access.offsets[d]);
  const bool inside =
      room && Prover(analysis.atoms).NonNegative(Shift(*room, -access.extents[d]), access.facts);
  if (inside || Divides(analysis.atoms, unit, access.limits[d], analysis.launch)) {
    ++out.proved;
    return;
  }
  ++out.unknown;
  const compiler::diag::Span extent = input.program[tensor.shape[d]].source.span;
  const std::string text(compiler::facts::TextOf(input.program, extent));
  out.report.Add(kWritesBehindRow, view.source.span, Name{tensor.name}, Name{text}, unit)
      .Label(tensor.declared, "declared here")
      .Fix(absl::StrCat("require it: `where ", text, " % ", unit,
                        " == 0`, or store the last piece of a row by threads"),
           {}, Applicability::kManual);
}

void Check(const RuleInput& input, RuleOutput& out) {
  std::set<std::pair<size_t, ir::ViewId>> checked;
  for (KernelAnalysis& analysis : input.kernels) {
    for (const Access& access : analysis.accesses) {
      if (!access.bulk || !access.write || access.offsets.empty()) continue;
      const bool box = compiler::facts::IsTensorCopy(input.program[access.stmt].op->effects.copy);
      if (!box || input.program[access.view].space != ir::Space::kGlobal) continue;
      if (!checked.emplace(analysis.kernel, access.view).second) continue;
      CheckAccess(input, analysis, access, out);
    }
  }
}

constexpr Example kRejects[] = {{"CK2547", R"(program p target sm_90
dim M in 1..=64, N in 1..=512
out y: i8[M, N] stride (512, 1)
kernel k {
  grid (ceildiv(M, 32), 4)
  smem s: i8[32, 128]
  role main: warps 1 {
    for r in 0..32 { st s[r, lane*4:+4] <- [cvt.i8(1), cvt.i8(1), cvt.i8(1), cvt.i8(1)] }
    fence async; sync role
    once { tma.store y[cta.x*32:+32, cta.y*128:+128] <- s; tma.commit; tma.wait.read 0 }
  }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_90
dim M in 1..=64, N in 1..=512
out y: i8[M, N] stride (512, 1)
where N % 16 == 0
kernel k {
  grid (ceildiv(M, 32), 4)
  smem s: i8[32, 128]
  role main: warps 1 {
    for r in 0..32 { st s[r, lane*4:+4] <- [cvt.i8(1), cvt.i8(1), cvt.i8(1), cvt.i8(1)] }
    fence async; sync role
    once { tma.store y[cta.x*32:+32, cta.y*128:+128] <- s; tma.commit; tma.wait.read 0 }
  }
}
)"},
                                {"", R"(program p target sm_90
dim M in 1..=64
out y: i8[M, 466] stride (512, 1)
kernel k {
  grid (ceildiv(M, 32))
  smem s: i8[32, 128]
  role main: warps 1 {
    for r in 0..32 { st s[r, lane*4:+4] <- [cvt.i8(1), cvt.i8(1), cvt.i8(1), cvt.i8(1)] }
    fence async; sync role
    once {
      for c in 0..3 { tma.store y[cta.x*32:+32, c*128:+128] <- s }
      tma.commit; tma.wait.read 0
    }
    for r in 0..32 { if cta*32 + r < M && lane < 21 {
      for i in 0..4 { if lane*4 + i < 82 { st y[cta*32 + r, 384 + lane*4 + i] <- cvt.i8(1) } }
    } }
  }
}
)"}};

}  // namespace

const Rule kCopyPadding{
    .name = "copy_padding",
    .property = "bounds",
    .check = Check,
    .explain =
        "Where a box of `tma.store` or `tma.reduce` may reach behind the end of a row, the row is "
        "a multiple of 16 bytes.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
