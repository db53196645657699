// Tiles of tensor memory and operands of its products: where they may begin. The hardware takes an
// address as it is, and with a wrong one multiplies other elements (PTX ISA, tcgen05).
#include "compiler/ir/tensor_memory.h"

#include <algorithm>

#include "compiler/facts/tmem.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<Name, int64_t> kUnprovenStart{
    "CK2450", Severity::kError, Category::kUnproven,
    "the tile of `{0}` is not proven to begin at a multiple of {1} elements",
    "PTX ISA, tcgen05: columns of tensor memory are 32 bits; operands in shared memory begin with "
    "the swizzle's pattern, eight rows of a column panel"};

bool Divides(Atoms& atoms, int64_t unit, const Linear& value, const Facts& facts) {
  if (unit <= 1 || atoms.DivisorOf(value) % unit == 0) return true;
  const std::optional<Linear> rest = Combine(value, -1, atoms.FloorQuotient(value, unit), unit);
  return rest && Prover(atoms).NonNegative(*rest, facts);
}

void CheckStart(const RuleInput& input, KernelAnalysis& analysis, const Access& access, size_t d,
                int64_t unit, const std::string& name, RuleOutput& out) {
  if (Divides(analysis.atoms, unit, access.offsets[d], access.facts)) {
    ++out.proved;
    return;
  }
  ++out.unknown;
  out.report.Add(kUnprovenStart, input.program[access.view].source.span, Name{name}, unit);
}

void CheckAccess(const RuleInput& input, KernelAnalysis& analysis, const Access& access,
                 RuleOutput& out) {
  const ir::View& view = input.program[access.view];
  const ir::Kernel& kernel = input.program.kernels[analysis.kernel];
  const size_t last = access.offsets.size() - 1;
  if (view.space == ir::Space::kTmem) {
    const ir::TmemBuffer& tmem = kernel.tmem[static_cast<size_t>(view.tmem)];
    const int64_t unit = ir::kTmemColumnBits / ir::Info(tmem.dtype).bits;
    return CheckStart(input, analysis, access, last, unit, tmem.name, out);
  }
  constexpr int64_t kPatternRows = 8;
  const ir::SharedBuffer& buffer = kernel.shared[static_cast<size_t>(view.shared)];
  if (buffer.form != ir::SharedForm::kSwizzle) return;  // whole blocks of scales
  const int64_t bits = ir::Info(buffer.dtype).bits;
  const int64_t panel = buffer.form_amount * 8 / bits;
  CheckStart(input, analysis, access, last - 1, kPatternRows, buffer.name, out);
  CheckStart(input, analysis, access, last, std::min(panel, access.extents[last]), buffer.name,
             out);
}

void Check(const RuleInput& input, RuleOutput& out) {
  for (KernelAnalysis& analysis : input.kernels) {
    for (const Access& access : analysis.accesses) {
      if (access.tile) CheckAccess(input, analysis, access, out);
    }
  }
}

constexpr Example kRejects[] = {{"CK2450", R"(program p target sm_100a
dim N in 1..=4
out y: f32[128]
kernel k {
  grid (1)
  tmem t: bf16[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b bf16[128, 8]
    f = 1.0
    tmem.st t[:, N:+8] <- f
    tmem.wait st
    st y[thread] <- cvt.f32(f[0, 0])
  }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_100a
dim N in 1..=4
out y: f32[128, 8]
kernel k {
  grid (1)
  tmem t: bf16[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b bf16[128, 8]
    f = 1.0
    tmem.st t[:, 2*N:+8] <- f
    tmem.wait st
    tmem.ld f <- t[:, 2*N:+8]
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- cvt.f32(f[0, e]) }
  }
}
)"}};

}  // namespace

const Rule kTensorMemory{
    .name = "tensor_memory",
    .property = "alignment",
    .check = Check,
    .explain =
        "A slice of tensor memory begins at a whole column of 32 bits, and an operand of `umma` in "
        "shared memory at a multiple of eight rows and of a column panel, or of its own width "
        "where that is narrower.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
