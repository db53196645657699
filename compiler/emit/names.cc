#include "compiler/emit/names.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace compiler::emit {
namespace {

// Keywords of C++20 and what NVRTC declares without an include.
constexpr std::string_view kReserved[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "blockDim",
    "blockIdx",
    "bool",
    "break",
    "cake",
    "cake_program_id",
    "cake_smem",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "gridDim",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "main",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "threadIdx",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "warpSize",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    // Functions that emitted expressions call: a local of the name would hide them.
    "abs",
    "cosf",
    "exp2f",
    "expf",
    "fabsf",
    "fmaf",
    "fmaxf",
    "fminf",
    "llabs",
    "log2f",
    "logf",
    "max",
    "min",
    "rsqrtf",
    "sinf",
    "sqrtf",
    "tanhf",
};

bool IsReserved(std::string_view name) {
  return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved) ||
         name.substr(0, 2) == "__";
}

}  // namespace

bool Names::Taken(const std::string& name) const {
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [&](const std::set<std::string>& scope) { return scope.contains(name); });
}

std::string Names::Declare(std::string_view wanted) {
  std::string base(wanted);
  std::replace(base.begin(), base.end(), '.', '_');  // `ring.field`
  std::string name = base;
  if (IsReserved(base)) name += "_";
  for (int number = 2; Taken(name); ++number) name = absl::StrCat(base, "_", number);
  scopes_.back().insert(name);
  return name;
}

}  // namespace compiler::emit
