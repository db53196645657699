// A vector access whose address is not a multiple of its width: the GPU faults (ptxas accepts the
// form, reference C40). Tensors begin at multiples of 16 bytes, or of what `align` asks of the
// launcher, shared buffers at their layout's; the rest must follow from strides and offsets.
#include <numeric>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/fragment.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<Name, int64_t, Name, int64_t> kUnprovenAlignment{
    "CK2502", Severity::kError, Category::kUnproven,
    "access to `{0}` of {1} bytes is not proven aligned: `{2}` must be a multiple of {3}",
    "a vector access must begin at a multiple of its own size, or the GPU faults"};
constexpr Def<Name, int64_t> kMisaligned{
    "CK3203", Severity::kError, Category::kHardware,
    "access to `{0}` of {1} bytes is never aligned to its size",
    "a vector access must begin at a multiple of its own size, or the GPU faults"};
constexpr Def<Name, int64_t, Name, int64_t> kTooWide{
    "CK3204", Severity::kError, Category::kHardware,
    "access to `{0}` of {1} bytes a thread; {2} moves at most {3} at once",
    "PTX ISA, ld and st: the widest vector access of one thread"};

constexpr Def<Name, int64_t, int64_t> kBaseUnaligned{
    "CK2535", Severity::kError, Category::kUnproven,
    "access to `{0}` of {1} bytes is not proven aligned: the tensor begins at a multiple of {2}",
    "a vector access must begin at a multiple of its own size, or the GPU faults; the launcher "
    "checks where a tensor begins as far as `where` asks"};

constexpr Def<Name, Name, int64_t> kUnprovenOperand{
    "CK2404", Severity::kError, Category::kUnproven,
    "the operand in `{0}` is not proven to begin where a matrix descriptor can: `{1}` must be a "
    "multiple of {2}",
    "PTX ISA, wgmma: a descriptor names whole repetitions of the swizzle pattern"};

struct Addressed {
  std::string name;
  int64_t element_bytes = 1, widest = 16, elements = 1;
  std::vector<Linear> strides;  // in elements
};

Addressed AddressedOf(const RuleInput& input, const KernelAnalysis& analysis,
                      const Access& access) {
  const ir::View& view = input.program[access.view];
  Addressed a;
  ir::DType dtype = ir::DType::kUnknown;
  if (view.space == ir::Space::kGlobal) {
    const ir::Tensor& tensor = input.program[view.tensor];
    a.name = tensor.name;
    dtype = tensor.dtype;
    a.widest = input.device.vector_bytes_global;
    a.strides = analysis.strides[static_cast<size_t>(view.tensor)];
  } else {
    const auto slot = static_cast<size_t>(view.shared);
    const ir::SharedBuffer& shared = input.program.kernels[analysis.kernel].shared[slot];
    a.name = shared.name;
    dtype = shared.dtype;
    a.widest = input.device.vector_bytes_shared;
    for (const int64_t stride : input.facts.kernels[analysis.kernel].shared[slot].strides) {
      a.strides.push_back(Linear::Constant(stride));
    }
  }
  a.element_bytes = std::max(1, ir::Info(dtype).bits / 8);
  for (const int64_t extent : access.extents) a.elements *= extent;
  // ldmatrix and stmatrix move a tile as rows of 16 bytes, each aligned to its size.
  const ir::Stmt& stmt = input.program[access.stmt];
  const bool matrix = stmt.op != nullptr && access.load == ir::ExprId::kNone &&
                      (stmt.op->effects.copy == ir::CopyEffect::kMatrixLoad ||
                       stmt.op->effects.copy == ir::CopyEffect::kMatrixStore);
  if (matrix) a.elements = ir::kMatrixRowBytes / a.element_bytes;
  return a;
}

// Where a multiple of `unit` elements is missing: the text to name and, for a dim, the clause to
// add.
void Blame(const RuleInput& input, const KernelAnalysis& analysis, const Access& access,
           const Addressed& a, size_t d, int64_t unit, RuleOutput& out) {
  const ir::View& view = input.program[access.view];
  const compiler::diag::Span at =
      access.load != ir::ExprId::kNone ? input.program[access.load].source.span : view.source.span;
  const int64_t bytes = a.elements * a.element_bytes;
  const bool last = d + 1 == access.offsets.size();
  const Linear& offset = access.offsets[d];
  const bool offset_varies = !offset.is_constant();
  if (last && !offset_varies) {
    out.report.Add(kMisaligned, at, Name{a.name}, bytes);
    return;
  }
  // The offset of the last dimension, or else the stride that multiplies the others.
  std::string text(
      compiler::facts::TextOf(input.program, input.program[view.index[d].offset].source.span));
  const Linear& stride = a.strides[d];
  const bool by_stride = !last && analysis.atoms.DivisorOf(stride) % unit != 0;
  if (by_stride && view.space == ir::Space::kGlobal) {
    const ir::Tensor& tensor = input.program[view.tensor];
    text = stride.is_atom() ? analysis.atoms[stride.terms[0].atom].name
                            : std::string(compiler::facts::TextOf(
                                  input.program, input.program[tensor.strides[d]].source.span));
    if (text.empty()) text = absl::StrCat("the stride of dimension ", d);
  }
  auto added = out.report.Add(kUnprovenAlignment, at, Name{a.name}, bytes, Name{text}, unit);
  if (by_stride && stride.is_atom()) {
    added.Fix(absl::StrCat("require it: `where ", text, " % ", unit, " == 0`"), {},
              Applicability::kManual);
  } else {
    added.Fix("access one element at a time where the rest is not aligned", {},
              Applicability::kManual);
  }
}

// The tensor's first element is what is not aligned enough.
void BlameBase(const RuleInput& input, const Access& access, const Addressed& a, int64_t bytes,
               RuleOutput& out) {
  ++out.unknown;
  const ir::View& view = input.program[access.view];
  const compiler::diag::Span at =
      access.load != ir::ExprId::kNone ? input.program[access.load].source.span : view.source.span;
  const std::string clause = absl::StrCat("where align(", a.name, ") % ", bytes, " == 0");
  auto added =
      out.report.Add(kBaseUnaligned, at, Name{a.name}, bytes, input.program[view.tensor].alignment);
  const size_t kernel =
      input.program.source.rfind("kernel", input.program.kernels[0].declared.begin);
  if (kernel == std::string::npos) return;
  const auto begin = static_cast<uint32_t>(kernel);
  added.Fix(absl::StrCat("require it: `", clause, "`"),
            {{{begin, begin}, absl::StrCat(clause, "\n")}}, Applicability::kMachine);
}

// Whether the facts make `value` a multiple of `unit`: its remainder, value - unit*(value / unit),
// is 0.
bool Divides(Atoms& atoms, int64_t unit, const Linear& value, const Facts& facts) {
  const std::optional<Linear> rest = Combine(value, -1, atoms.FloorQuotient(value, unit), unit);
  return rest && Prover(atoms).NonNegative(*rest, facts);
}

bool IsProduct(const RuleInput& input, const Access& access) {
  const ir::Stmt& stmt = input.program[access.stmt];
  return access.load == ir::ExprId::kNone && stmt.op != nullptr && stmt.op->effects.product;
}

// Operands of products are not moved by threads: a matrix descriptor names them, whose swizzle
// pattern repeats after 8 rows, and instructions step by 32 bytes of K or 16 of M and N.
void CheckOperand(const RuleInput& input, KernelAnalysis& analysis, const Access& access,
                  RuleOutput& out) {
  const ir::View& view = input.program[access.view];
  const ir::SharedBuffer& buffer =
      input.program.kernels[analysis.kernel].shared[static_cast<size_t>(view.shared)];
  const bool left = input.program[access.stmt].left_view == access.view;
  const bool along_k = left != view.transposed;
  const size_t rank = access.offsets.size();
  const int64_t units[] = {8, (along_k ? ir::kWgmmaKBytes : 16) * 8 / ir::Info(buffer.dtype).bits};
  for (size_t i = 0; i < 2 && rank >= 2; ++i) {
    const Linear& offset = access.offsets[rank - 2 + i];
    const int64_t known = std::gcd(analysis.atoms.DivisorOf(offset), units[i]);
    if (known == units[i] || Divides(analysis.atoms, units[i], offset, access.facts)) continue;
    ++out.unknown;
    const std::string text(compiler::facts::TextOf(
        input.program, input.program[view.index[rank - 2 + i].offset].source.span));
    out.report.Add(kUnprovenOperand, view.source.span, Name{buffer.name}, Name{text}, units[i]);
    return;
  }
  ++out.proved;
}

void CheckAccess(const RuleInput& input, KernelAnalysis& analysis, const Access& access,
                 RuleOutput& out) {
  if (access.tile || access.place_only) return;
  const Addressed a = AddressedOf(input, analysis, access);
  const int64_t bytes = a.elements * a.element_bytes;
  if (IsProduct(input, access)) return CheckOperand(input, analysis, access, out);
  if (a.elements <= 1 || access.bulk) return;
  if (bytes > a.widest) {
    const ir::View& view = input.program[access.view];
    out.report.Add(kTooWide, view.source.span, Name{a.name}, bytes, Name{input.device.arch},
                   a.widest);
    ++out.unknown;
    return;
  }
  Atoms& atoms = analysis.atoms;
  for (size_t d = 0; d < access.offsets.size(); ++d) {
    // gcd(offset, unit) is a factor of the product; the stride must bring the rest, or the other
    // way.
    const int64_t unit = a.elements;
    const int64_t offset = std::gcd(atoms.DivisorOf(access.offsets[d]), unit);
    const int64_t stride = std::gcd(atoms.DivisorOf(a.strides[d]), unit);
    if (offset * stride % unit == 0) continue;
    if (Divides(atoms, unit / offset, a.strides[d], access.facts)) continue;
    if (Divides(atoms, unit / stride, access.offsets[d], access.facts)) continue;
    ++out.unknown;
    Blame(input, analysis, access, a, d, unit, out);
    return;
  }
  const ir::View& of = input.program[access.view];
  if (of.space == ir::Space::kGlobal && input.program[of.tensor].alignment % bytes != 0) {
    return BlameBase(input, access, a, bytes, out);
  }
  ++out.proved;
}

void Check(const RuleInput& input, RuleOutput& out) {
  for (KernelAnalysis& analysis : input.kernels) {
    for (const Access& access : analysis.accesses) CheckAccess(input, analysis, access, out);
  }
}

constexpr Example kRejects[] = {{"CK2502", R"(program p target sm_80
dim M in 1..=1000, N in 4..=1000
inout y: f32[M, N]
kernel k {
  grid (M)
  role main: warps 1 {
    let c = lane*4
    if c + 4 <= N { st y[cta, c:+4] <- 0.0 }
  }
}
)"},
                                {"CK3203", R"(program p target sm_80
out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 { elect { st y[2:+4] <- 0.0 } }
}
)"},
                                {"CK2535", R"(program p target sm_100a
out y: f32[256]
kernel k {
  grid (1)
  role main: warps 1 { st y[lane*8:+8] <- 0.0 }
}
)"},
                                {"CK2404", R"(program p target sm_90a
out y: f32[64, 8]
kernel k {
  grid (1)
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[8, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 8]
    wgmma acc = a[ctas*4:+64, :] * b.T
    wgmma.commit
    wgmma.wait 0
  }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_80
dim M in 1..=1000, N in 4..=1000
inout y: f32[M, N]
where N % 4 == 0
kernel k {
  grid (M)
  role main: warps 1 {
    let c = lane*4
    if c + 4 <= N { st y[cta, c:+4] <- 0.0 }
  }
}
)"},
                                {"", R"(program p target sm_100a
out y: f32[256]
where align(y) % 32 == 0
kernel k {
  grid (1)
  role main: warps 1 { st y[lane*8:+8] <- 0.0 }
}
)"},
                                {"", R"(program p target sm_90a
out y: f32[64, 8]
kernel k {
  grid (1)
  smem a: bf16[128, 64] swizzle 128
  smem b: bf16[8, 64] swizzle 128
  role main: warps 4 {
    var acc: wgmma f32[64, 8]
    wgmma acc = a[ctas*8:+64, :] * b.T
    wgmma.commit
    wgmma.wait 0
  }
}
)"}};

}  // namespace

const Rule kVectorAlignment{
    .name = "vector_alignment",
    .property = "alignment",
    .check = Check,
    .explain =
        "The address of a vector access is a multiple of its bytes: the offset in the last "
        "dimension, and in each other one the product of offset and stride. Divisors come from "
        "constants and from guards such as `where N % 8 == 0`, that of a tensor's first byte from "
        "`where align(x) % 32 == 0`, or it is 16.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
