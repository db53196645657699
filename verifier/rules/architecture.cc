// An instruction that the architecture does not have. ptxas would say so too, but late and at a
// line of PTX. Runs first: everything later assumes that the instructions exist.
#include <charconv>

#include "absl/strings/str_cat.h"
#include "compiler/facts/matrix_ops.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/fragment.h"
#include "compiler/ir/tensor_memory.h"
#include "compiler/ir/walk.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<Name, Name, Name> kNeedsArch{
    "CK3201", Severity::kError, Category::kHardware, "`{0}` needs {1}; the target is {2}",
    "an instruction exists from one architecture on, or on one only (`a` targets)"};

constexpr Def<Name, Name, int64_t> kRoutine{
    "CK2456", Severity::kWarning, Category::kSchedule,
    "{1} has no tensor core for `mma` of {0}: each 16 x 8 x 32 B is a routine of {2} instructions",
    "the assembler accepts the product and calls code of its own; products of i8 are one "
    "instruction there"};

int CapabilityOf(std::string_view arch) {
  int value = 0;
  if (arch.starts_with("sm_")) std::from_chars(arch.data() + 3, arch.data() + arch.size(), value);
  return value;
}

// "sm_90a+" is that one and every later one with an `a`. `min_arch` with an `a` is exact: wgmma
// exists on sm_90a and nowhere else. With an `f` it is the family's: tcgen05 exists on sm_100a and
// sm_103a (PTX ISA, family-specific targets).
bool Has(const compiler::arch::Device& device, std::string_view min_arch) {
  constexpr int kFamily = 10;
  if (min_arch.ends_with('a')) return device.arch == min_arch;
  if (min_arch.ends_with("a+") && !device.arch.ends_with('a')) return false;
  if (min_arch.ends_with('f') &&
      CapabilityOf(min_arch) / kFamily != device.compute_capability / kFamily) {
    return false;
  }
  return CapabilityOf(min_arch) <= device.compute_capability;
}

void TensorProduct(const RuleInput& input, const ir::Kernel& kernel, const ir::Stmt& stmt,
                   RuleOutput& out) {
  const ir::UmmaShape* shape = ir::UmmaOf(input.program, kernel, stmt);
  if (shape == nullptr || Has(input.device, shape->min_arch)) return;
  const std::string name =
      absl::StrCat(std::string(stmt.op->name), " of ", std::string(ir::ToString(shape->a)));
  out.report.Add(kNeedsArch, stmt.source.span, Name{name}, Name{std::string(shape->min_arch)},
                 Name{input.device.arch});
}

// The types of a product decide too.
void Product(const RuleInput& input, const ir::Kernel& kernel, const ir::Stmt& stmt,
             RuleOutput& out) {
  if (stmt.op->effects.engine == ir::ProductEngine::kTensorMemory) {
    return TensorProduct(input, kernel, stmt, out);
  }
  if (stmt.op->effects.engine != ir::ProductEngine::kWarp) return;
  const auto type = [&](const ir::FragmentRef& ref) {
    return kernel.locals[static_cast<size_t>(ref.local)].type;
  };
  const ir::Type a = type(stmt.left);
  const ir::Type b = type(stmt.right);
  for (const ir::MmaShape& shape : ir::MmaShapes()) {
    if (shape.a != a.dtype || shape.b != b.dtype || shape.d != type(stmt.fragment).dtype) continue;
    if (!Has(input.device, shape.min_arch)) {
      const std::string name =
          absl::StrCat(std::string(stmt.op->name), " of ", std::string(ir::ToString(a.dtype)));
      out.report.Add(kNeedsArch, stmt.source.span, Name{name}, Name{std::string(shape.min_arch)},
                     Name{input.device.arch});
    }
    break;
  }
  const int64_t routine =
      compiler::facts::MmaRoutine(input.device, a.dtype, ir::HasModifier(stmt, "xor"));
  if (routine == 0) return;
  out.report.Add(kRoutine, stmt.source.span, Name{std::string(ir::ToString(a.dtype))},
                 Name{input.device.arch}, routine);
}

// "cvt.e4m3 of f32": what about the use asks for the architecture.
std::string UseText(const ir::OpDef& op, const ir::Expr& expr, const ir::Type& operand) {
  std::string text(op.name);
  for (const std::string_view word : expr.modifiers) text += "." + std::string(word);
  return text + "` of `" + std::string(ir::ToString(operand.dtype));
}

struct Word {
  ir::DType dtype = ir::DType::kUnknown;
  int64_t elements = 1;
};

Word WordOf(const RuleInput& input, const ir::Kernel& kernel, ir::ViewId id) {
  if (id == ir::ViewId::kNone) return {};
  const ir::View& view = input.program[id];
  Word word;
  if (view.space == ir::Space::kGlobal) word.dtype = input.program[view.tensor].dtype;
  if (view.space == ir::Space::kShared) {
    word.dtype = kernel.shared[static_cast<size_t>(view.shared)].dtype;
  }
  if (!view.index.empty() && view.index.back().is_slice) {
    word.elements = input.program[view.index.back().extent].int_value;
  }
  return word;
}

// Orders and scopes are words of the use: `cluster` exists from sm_90 on. Of atomics the type and
// the number of neighbours decide too.
void Ordered(const RuleInput& input, const ir::OpDef* op, std::vector<std::string_view> words,
             std::string_view word, Word of, compiler::diag::Span span, RuleOutput& out) {
  if (op == nullptr || op->capability == nullptr) return;
  if (op->effects.order == ir::Order::kWeak && op->effects.sync == ir::SyncEffect::kNone) return;
  if (!word.empty()) words.push_back(word);
  const ir::Needs needs = op->capability({.operand_type = of.dtype,
                                          .result_type = of.dtype,
                                          .modifiers = words,
                                          .elements = of.elements});
  if (needs.min_arch.empty() || Has(input.device, needs.min_arch)) return;
  std::string name(op->name);
  for (const std::string_view each : words) name += (each == word ? " " : ".") + std::string(each);
  if (op->effects.atomic && ir::Info(of.dtype).is_float) {
    absl::StrAppend(&name, "` of ", of.elements, " `", std::string(ir::ToString(of.dtype)));
  }
  out.report.Add(kNeedsArch, span, Name{name}, Name{std::string(needs.min_arch)},
                 Name{input.device.arch});
}

void Check(const RuleInput& input, RuleOutput& out) {
  for (const ir::Kernel& kernel : input.program.kernels) {
    for (const ir::Role& role : kernel.roles) {
      const auto check = [&](const ir::OpDef* op, compiler::diag::Span span) {
        if (op == nullptr || Has(input.device, op->min_arch)) return;
        out.report.Add(kNeedsArch, span, Name{std::string(op->name)},
                       Name{std::string(op->min_arch)}, Name{input.device.arch});
      };
      const auto check_use = [&](const ir::Expr& expr) {
        if (expr.op == nullptr || expr.op->capability == nullptr || expr.args.empty()) return;
        const ir::Type& operand = input.program[expr.args[0]].type;
        const ir::Needs needs =
            expr.op->capability({.operand_type = operand.dtype,
                                 .result_type = expr.type.dtype,
                                 .modifiers = expr.modifiers,
                                 .elements = operand.is_array() ? operand.shape[0] : 1});
        if (needs.min_arch.empty() || Has(input.device, needs.min_arch)) return;
        out.report.Add(kNeedsArch, expr.source.span, Name{UseText(*expr.op, expr, operand)},
                       Name{std::string(needs.min_arch)}, Name{input.device.arch});
      };
      compiler::facts::ForEachStmt(input.program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
        check(stmt.op, stmt.source.span);
        const Word word = stmt.op != nullptr && stmt.op->effects.atomic
                              ? WordOf(input, kernel, stmt.destination)
                              : Word{};
        Ordered(input, stmt.op, stmt.modifiers, stmt.word, word, stmt.source.span, out);
        if (stmt.op != nullptr && stmt.op->effects.product) Product(input, kernel, stmt, out);
        for (const ir::ExprId root : compiler::facts::OwnExprs(input.program, stmt)) {
          compiler::facts::ForEachExpr(input.program, root, [&](ir::ExprId, const ir::Expr& expr) {
            check(expr.op, expr.source.span);
            if (expr.view == ir::ViewId::kNone) {
              check_use(expr);
            } else {
              Ordered(input, expr.op, expr.modifiers, "", WordOf(input, kernel, expr.view),
                      expr.source.span, out);
            }
          });
        }
      });
    }
  }
}

}  // namespace

const Rule kArchitecture{
    .name = "architecture",
    .property = "resources",
    .check = Check,
    .explain =
        "Each instruction of the table names the first architecture that has it. A program's "
        "target decides what it may use."};

}  // namespace verifier
