// What one use of an instruction or of a data type may be: packed values live in registers, some
// pairs of types have no conversion, a prefetch asks for one line.
#include "absl/strings/str_cat.h"
#include "compiler/ir/packed.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr int kPackedBits = 24;  // four numbers of 6 bits

constexpr diag::Def<Name, Name, Name> kNoForm{
    "CK1200", Severity::kError, Category::kHardware, "no instruction does `{0}` of `{1}`: {2}",
    "types and modifiers pick the instruction, and each exists for some combinations only (PTX "
    "ISA, the syntax of each instruction)"};
constexpr diag::Def<Name, Name> kPackedInMemory{
    "CK1201", Severity::kError, Category::kType, "`{0}` is a register type; memory holds `{1}`",
    "a packed value is two numbers in one register; `bitcast` makes packed values of the elements "
    "that a vector access moves"};
constexpr diag::Def<Name, Name, Name> kElsewhere{
    "CK1217", Severity::kError, Category::kType, "{0} does not lie in {1}; {2}",
    "PTX ISA, packing of sub-byte types: numbers of 6 and 4 bits are packed in global memory, and "
    "`tma.load` pads 16 of them to 16 bytes of shared memory, which `tmem.cp` spreads to a byte "
    "each in tensor memory"};
constexpr diag::Def<Name> kPrefetchOne{
    "CK1202", Severity::kError, Category::kType, "`prefetch` of more than one element of `{0}`",
    "a prefetch takes one address a thread and asks for the line around it"};
constexpr diag::Def<Name> kPrefetchShared{
    "CK1203", Severity::kError, Category::kHardware, "`prefetch` of `{0}`, which is no tensor",
    "only global memory lies behind the caches that a prefetch fills"};

}  // namespace

// Whether some architecture has this use of the instruction.
bool Elaborator::CheckUse(const ir::OpDef& op, const std::vector<ExprId>& args,
                          const ir::Type& result, const std::vector<std::string_view>& modifiers,
                          Span span) {
  if (op.capability == nullptr || args.empty()) return true;
  const ir::Type& type = b_.TypeOf(args[0]);
  if (type.is_fragment()) return true;
  const ir::Needs needs = op.capability({.operand_type = type.dtype,
                                         .result_type = result.dtype,
                                         .modifiers = modifiers,
                                         .elements = type.is_array() ? type.shape[0] : 1});
  if (needs.refused.empty()) return true;
  if (b_.dead > 0) return false;
  std::string name(op.name);
  for (const std::string_view word : modifiers) name += "." + std::string(word);
  report_.Add(kNoForm, span, Name{std::move(name)}, Name{ir::ToString(type)},
              Name{std::string(needs.refused)});
  return false;
}

// The type of a conversion: as many registers of `dtype` as the numbers, or bits, of `from` fill.
ir::Type Elaborator::RegroupedType(const ir::OpDef& op, const ir::Type& from, DType dtype) const {
  ir::Type type = from;
  type.dtype = dtype;
  if (from.is_fragment() || dtype == DType::kUnknown) return type;
  const bool values = op.algebra == ir::Algebra::kConvert;
  const int64_t in = values ? ir::HalvesOf(from.dtype) : ir::Info(from.dtype).bits;
  const int64_t out = values ? ir::HalvesOf(dtype) : ir::Info(dtype).bits;
  if (in == out || out == 0) return type;
  const int64_t elements = (from.is_array() ? from.shape[0] : 1) * in / out;
  type.shape.clear();
  if (elements > 1) type.shape = {elements};
  return type;
}

// The type of a declaration in memory or of an argument.
void Elaborator::CheckInMemory(const text::Ident& name, DType dtype, ir::Space space) {
  if (!ir::IsPacked(dtype)) return CheckPlace(name, dtype, space);
  const std::string element(ir::ToString(ir::ElementOf(dtype)));
  report_.Add(kPackedInMemory, name.span, Name{std::string(name.text)}, Name{element})
      .Fix("declare its elements", {{name.span, element}}, Applicability::kMaybe);
}

// Numbers of 6 and 4 bits: one each in shared and tensor memory, several in an element of global
// memory, none in registers.
void Elaborator::CheckPlace(const text::Ident& name, DType dtype, ir::Space space) {
  const bool padded = ir::PackedTypeOf(dtype) != DType::kUnknown;
  const bool packed = ir::Info(dtype).bits == kPackedBits;
  const bool operand = space == ir::Space::kShared || space == ir::Space::kTmem;
  const bool fits = padded ? operand : !packed || space == ir::Space::kGlobal;
  if (fits || b_.dead > 0) return;
  const std::string other =
      padded
          ? absl::StrCat("global memory has ", std::string(ir::ToString(ir::PackedTypeOf(dtype))))
          : absl::StrCat("shared memory has ", dtype == DType::kE2M3x4 ? "e2m3" : "e3m2");
  report_.Add(kElsewhere, name.span, Name{std::string(name.text)},
              Name{std::string(ir::ToString(space))}, Name{other});
}

void Elaborator::PrefetchOperation(const text::Stmt& stmt, ir::Stmt& out) {
  if (stmt.operand == nullptr) return;
  const ViewRef view = View(*stmt.operand);
  if (view.unknown || view.buffer == nullptr) {
    b_.Unknown(stmt.span);
    return;
  }
  if (view.buffer->space != ir::Space::kGlobal) {
    report_.Add(kPrefetchShared, stmt.operand->span, Name{view.buffer->name});
    return;
  }
  for (const ir::ViewIndex& index : view.index) {
    if (!index.is_slice) continue;
    report_.Add(kPrefetchOne, stmt.operand->span, Name{view.buffer->name});
    return;
  }
  out.destination = AddView(view, stmt.operand->span);
  Emit(std::move(out));
}

}  // namespace compiler::sema
