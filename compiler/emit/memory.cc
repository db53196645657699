// Loads and stores.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"

namespace compiler::emit {
namespace {

using ir::DType;

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

int64_t BytesOf(DType type) { return std::max(1, ir::Info(type).bits / 8); }

bool IsWord(int64_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// 32 bytes, for which CUDA has no type and no intrinsic. The words whose functions are written in
// PTX have the width among their own.
bool IsWide(int64_t bytes, std::string_view word) {
  return bytes == 32 && !IsOneOf(word, {"volatile", "evict_first", "evict_last"});
}

// The cache hint or `volatile` of an access, or nothing. Hints mean nothing in shared memory.
std::string_view AccessWord(const std::vector<std::string_view>& modifiers, ir::Space space) {
  for (const std::string_view word : modifiers) {
    if (word == "volatile") return word;
    if (space == ir::Space::kGlobal &&
        IsOneOf(word, {"cached", "streaming", "last_use", "evict_first", "evict_last"})) {
      return word;
    }
  }
  return {};
}

}  // namespace

// Elements of the only slice, the last dimension's; 0 of an access to one element.
int64_t KernelEmitter::SliceElements(const ir::View& view) const {
  if (!view.index.back().is_slice) return 0;
  const ir::Expr& extent = program_[view.index.back().extent];
  Require(extent.kind == ir::ExprKind::kInt && IsWord(extent.int_value * BytesOf(BufferType(view))),
          "width of an access");
  return extent.int_value;
}

std::string KernelEmitter::InBounds(const ir::View& view) {
  std::vector<std::string> conditions;
  for (size_t d = 0; d < view.index.size(); ++d) {
    const ir::ViewIndex& index = view.index[d];
    if (index.offset == ir::ExprId::kNone) continue;
    std::string extent;
    std::optional<ir::Range> bound;
    if (view.space == ir::Space::kShared) {
      const int64_t size = kernel_.shared[static_cast<size_t>(view.shared)].shape[d];
      extent = absl::StrCat(size);
      bound = ir::Range{size, size};
    } else {
      extent = Operand(Extent(view, d), kShift);
      bound = Range(Extent(view, d));
    }
    const int64_t count = index.is_slice ? program_[index.extent].int_value : 1;
    const auto range = Range(index.offset);
    if (range && bound && range->low >= 0 && range->high + count <= bound->low) continue;
    if (range && range->low >= 0 && count == 1) {
      conditions.push_back(absl::StrCat(Operand(index.offset, kShift), " < ", extent));
    } else {
      conditions.push_back(absl::StrCat("cake::inside(", Code(index.offset), ", ", extent,
                                        count == 1 ? "" : absl::StrCat(", ", count), ")"));
    }
  }
  return absl::StrJoin(conditions, " && ");
}

std::string KernelEmitter::LoadCall(const ir::Expr& expr, int64_t vector) {
  const ir::View& view = program_[expr.view];
  const std::string place = Place(view);
  const std::string_view word = AccessWord(expr.modifiers, view.space);
  std::string function;
  if (expr.op->effects.order != ir::Order::kWeak) {
    function = OrderedName(*expr.op, expr.modifiers, view);
  } else if (IsWide(vector * BytesOf(BufferType(view)), word)) {
    const bool read_only = word.empty() && ReadOnly(view.tensor);
    function = absl::StrCat("cake::load_wide", read_only ? "_nc" : "", word.empty() ? "" : "_",
                            Absl(word));
  } else if (!word.empty()) {
    function = absl::StrCat("cake::load_", Absl(word));
  } else if (view.space == ir::Space::kGlobal && ReadOnly(view.tensor)) {
    const DType type = BufferType(view);
    // CUDA has the function for its own types.
    const bool own = ir::Info(type).cuda.find("cake::") != std::string_view::npos;
    const bool builtin = vector == 0 && type != DType::kBool && !own;
    function = builtin ? "__ldg" : "cake::load_nc";
  } else if (vector > 0) {
    function = "cake::load";
  } else {
    return place;
  }
  if (vector > 0) absl::StrAppend(&function, "<", vector, ">");
  return absl::StrCat(function, "(&", place, ")");
}

Text KernelEmitter::Load(const ir::Expr& expr) {
  const ir::View& view = program_[expr.view];
  if (expr.args.empty()) return {LoadCall(expr, 0)};
  const std::string condition = InBounds(view);
  if (condition.empty()) return {LoadCall(expr, 0)};
  // Only one arm of ?: is evaluated: the access is not made where it would be out of bounds.
  return {absl::StrCat(condition, " ? ", LoadCall(expr, 0), " : ", Operand(expr.args[0], kTernary)),
          kTernary};
}

Text KernelEmitter::VectorLoad(const ir::Expr& expr) {
  const ir::View& view = program_[expr.view];
  const int64_t count = SliceElements(view);
  const std::string condition = expr.args.empty() ? std::string() : InBounds(view);
  if (condition.empty()) return {LoadCall(expr, count)};
  const std::string name = Fresh(hint_ + "_in");
  out_.Line(absl::StrCat(TypeText(expr.type), " ", name, ";"));
  out_.Open(absl::StrCat("if (", condition, ") {"));
  out_.Line(absl::StrCat(name, " = ", LoadCall(expr, count), ";"));
  out_.Middle("} else {");
  out_.Line(absl::StrCat(name, " = ", ArrayValue(expr.args[0], expr.type), ";"));
  out_.Close();
  return {name};
}

// The value as a register array of `type`: a scalar goes to every element.
std::string KernelEmitter::ArrayValue(ir::ExprId value, const ir::Type& type) {
  const std::string code = Code(value);
  if (!program_[value].type.is_scalar()) return code;
  return absl::StrCat("cake::splat<", Absl(ir::Info(type.dtype).cuda), ", ", type.shape[0], ">(",
                      code, ")");
}

void KernelEmitter::Store(const ir::Stmt& stmt) {
  const ir::View& view = program_[stmt.destination];
  hint_ = BufferName(view);
  const std::string_view word = AccessWord(stmt.modifiers, view.space);
  const int64_t count = SliceElements(view);
  if (stmt.op->effects.order != ir::Order::kWeak) {
    const std::string value = Code(stmt.value);
    const std::string type(ir::Info(BufferType(view)).cuda);
    out_.Line(absl::StrCat(OrderedName(*stmt.op, stmt.modifiers, view), "<", type, ">(&",
                           Place(view), ", ", value, ");"));
    return;
  }
  if (count == 0 && word.empty()) {
    const std::string value = Code(stmt.value);
    out_.Line(absl::StrCat(Place(view), " = ", value, ";"));
    return;
  }
  const std::string value =
      count == 0 ? Code(stmt.value)
                 : ArrayValue(stmt.value, {.dtype = BufferType(view), .shape = {count}});
  const bool wide = IsWide(count * BytesOf(BufferType(view)), word);
  const bool floats = !in_products_.empty() && BufferType(view) == ir::DType::kF32 &&
                      word.empty() && (count == 2 || count == 4);
  if (floats) {
    out_.Line(absl::StrCat("cake::store_floats(&", Place(view), ", ", value, ");"));
    return;
  }
  out_.Line(absl::StrCat("cake::store", wide ? "_wide" : "", word.empty() ? "" : "_", Absl(word),
                         "(&", Place(view), ", ", value, ");"));
}

// The line of the first element; a view of more bytes than a line asks for its beginning.
void KernelEmitter::Prefetch(const ir::Stmt& stmt) {
  const bool l1 = !stmt.modifiers.empty() && stmt.modifiers[0] == "l1";
  out_.Line(absl::StrCat("cake::prefetch_", l1 ? "l1" : "l2", "(&",
                         Place(program_[stmt.destination]), ");"));
}

}  // namespace compiler::emit
