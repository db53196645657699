// The family layer: params and their domains, and the members as a mixed-radix number. It needs no
// instruction table: domains are integers computed from literals and consts.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "compiler/sema/analyze.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Name;
using diag::Severity;

constexpr diag::Def<Name> kDomainNotConstant{
    "CK1060", Severity::kError, Category::kType,
    "the domain or default of `{0}` is no integer constant",
    "a domain is fixed before any member exists: literals, consts and arithmetic of them, no "
    "params"};
constexpr diag::Def<Name, int64_t> kDefaultOutside{
    "CK1061", Severity::kError, Category::kType, "the default of `{0}` is {1}, outside its domain",
    "the default is the member that `check` looks at"};
constexpr diag::Def<Name> kEmptyDomain{"CK1062", Severity::kError, Category::kType,
                                       "the domain of `{0}` is empty",
                                       "a family has at least one member"};
constexpr diag::Def<Name, int64_t, int64_t> kDomainTooLarge{
    "CK6101", Severity::kError, Category::kLimit,
    "the domain of `{0}` has {1} values; the limit is {2}",
    "one domain is listed in full; products of domains are enumerated lazily and may be larger"};

constexpr diag::Def<Name, int64_t> kDomainsTooLarge{
    "CK6106", Severity::kError, Category::kLimit,
    "with `{0}` the domains of the program list more than {1} values",
    "domains are listed in full, one after the other"};
constexpr int64_t kMaxListedValues = int64_t{1} << 16;  // of all domains of a program together

using Constants = std::map<std::string_view, int64_t>;

std::optional<int64_t> Evaluate(const text::Expr* expr, const Constants& constants);

std::optional<int64_t> Binary(std::string_view token, int64_t a, int64_t b) {
  int64_t result = 0;
  if (token == "+")
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (token == "-")
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (token == "*")
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  const bool undefined = b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min());
  if (token == "/") return undefined ? std::nullopt : std::optional(a / b);
  if (token == "%") return undefined ? std::nullopt : std::optional(a % b);
  if (token == "<<") {
    if (b < 0 || b > 40 || a < 0 || a > (int64_t{1} << 20)) return std::nullopt;
    return a << b;
  }
  if (token == "==") return a == b;
  if (token == "!=") return a != b;
  if (token == "<") return a < b;
  if (token == "<=") return a <= b;
  if (token == ">") return a > b;
  if (token == ">=") return a >= b;
  return std::nullopt;
}

std::optional<int64_t> Call(const text::Expr& expr, const Constants& constants) {
  std::vector<int64_t> args;
  for (const text::Expr* arg : expr.postfixes[0].args) {
    const auto value = Evaluate(arg, constants);
    if (!value) return std::nullopt;
    args.push_back(*value);
  }
  const std::string_view name = expr.name.text;
  if (name == "select" && args.size() == 3) return args[0] != 0 ? args[1] : args[2];
  if (args.size() != 2) return std::nullopt;
  if (name == "min") return std::min(args[0], args[1]);
  if (name == "max") return std::max(args[0], args[1]);
  if (name == "ceildiv" && args[0] >= 0 && args[1] > 0) {
    return args[0] / args[1] + (args[0] % args[1] != 0 ? 1 : 0);
  }
  return std::nullopt;
}

// The parser bounds nesting, so the recursion is bounded.
std::optional<int64_t> Evaluate(const text::Expr* expr, const Constants& constants) {
  using Kind = text::Expr::Kind;
  if (expr == nullptr) return std::nullopt;
  switch (expr->kind) {
    case Kind::kInt:
    case Kind::kBool:
      if (expr->int_value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return std::nullopt;
      }
      return static_cast<int64_t>(expr->int_value);
    case Kind::kUnary: {
      const auto value = Evaluate(expr->operands.empty() ? nullptr : expr->operands[0], constants);
      if (!value || expr->token != "-") return std::nullopt;
      return Binary("-", 0, *value);
    }
    case Kind::kBinary: {
      if (expr->operands.size() != 2) return std::nullopt;
      const auto a = Evaluate(expr->operands[0], constants);
      const auto b = Evaluate(expr->operands[1], constants);
      return a && b ? Binary(expr->token, *a, *b) : std::nullopt;
    }
    case Kind::kPath: {
      if (expr->postfixes.empty()) {
        const auto found = constants.find(expr->name.text);
        return found == constants.end() ? std::nullopt : std::optional(found->second);
      }
      if (expr->postfixes.size() != 1 || expr->postfixes[0].kind != text::Postfix::Kind::kCall) {
        return std::nullopt;
      }
      return Call(*expr, constants);
    }
    case Kind::kFloat:
    case Kind::kArray:
    case Kind::kLoad:
    case Kind::kError: return std::nullopt;
  }
  return std::nullopt;
}

// Appends low..high; reports a domain over the limit without listing it.
bool ListRange(const text::Item& item, int64_t low, int64_t high, ParamDomain& param,
               diag::Report& report) {
  const ir::Limits limits;
  if (item.range.inclusive && high < std::numeric_limits<int64_t>::max()) ++high;
  if (low >= high) return true;
  const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (count > static_cast<uint64_t>(limits.domain_values)) {
    const auto shown = static_cast<int64_t>(
        std::min<uint64_t>(count, static_cast<uint64_t>(std::numeric_limits<int64_t>::max())));
    report.Add(kDomainTooLarge, item.range.span, Name{param.name}, shown, limits.domain_values);
    return false;
  }
  for (int64_t value = low; value < high; ++value) param.values.push_back(value);
  return true;
}

bool ListValues(const text::Item& item, const Constants& constants, ParamDomain& param,
                diag::Report& report) {
  const ir::Limits limits;
  if (static_cast<int64_t>(item.values.size()) > limits.domain_values) {
    report.Add(kDomainTooLarge, item.span, Name{param.name},
               static_cast<int64_t>(item.values.size()), limits.domain_values);
    return false;
  }
  for (const text::Expr* expr : item.values) {
    const auto value = Evaluate(expr, constants);
    if (!value) {
      report.Add(kDomainNotConstant, expr->span, Name{param.name});
      return false;
    }
    if (std::find(param.values.begin(), param.values.end(), *value) == param.values.end()) {
      param.values.push_back(*value);
    }
  }
  return true;
}

bool ListDomain(const text::Item& item, const Constants& constants, ParamDomain& param,
                diag::Report& report) {
  if (item.has_values) return ListValues(item, constants, param, report);
  const auto low = Evaluate(item.range.low, constants);
  const auto high = Evaluate(item.range.high, constants);
  if (low && high) return ListRange(item, *low, *high, param, report);
  report.Add(kDomainNotConstant, item.range.low == nullptr ? item.span : item.range.span,
             Name{param.name});
  return false;
}

ParamDomain Domain(const text::Item& item, const Constants& constants, diag::Report& report) {
  const text::Ident& name = item.names[0];
  ParamDomain param{.name = std::string(name.text), .declared = name.span};
  const bool listed = ListDomain(item, constants, param, report);
  const auto value = Evaluate(item.value, constants);
  if (!value) {
    report.Add(kDomainNotConstant, item.value == nullptr ? item.span : item.value->span,
               Name{param.name});
  }
  param.default_value = value.value_or(0);
  if (listed && param.values.empty()) report.Add(kEmptyDomain, name.span, Name{param.name});
  if (listed && value && !param.values.empty() &&
      std::find(param.values.begin(), param.values.end(), *value) == param.values.end()) {
    report.Add(kDefaultOutside, item.value->span, Name{param.name}, *value);
  }
  // A family that lists nothing still has the member of its default.
  if (param.values.empty()) param.values.push_back(param.default_value);
  return param;
}

}  // namespace

std::vector<ParamDomain> Params(const text::Program& program, diag::Report& report) {
  std::vector<ParamDomain> params;
  Constants constants;
  int64_t listed = 0;
  for (const text::Item* item : program.items) {
    if (item == nullptr || item->names.empty()) continue;
    if (item->kind == text::Item::Kind::kConst) {
      if (const auto value = Evaluate(item->value, constants)) {
        constants.emplace(item->names[0].text, *value);
      }
    }
    if (item->kind != text::Item::Kind::kParam) continue;
    params.push_back(Domain(*item, constants, report));
    ParamDomain& param = params.back();
    if (listed > kMaxListedValues) {  // the limit is reported once, at the param that crosses it
      param.values = {param.default_value};
      continue;
    }
    listed += static_cast<int64_t>(param.values.size());
    if (listed > kMaxListedValues) {
      report.Add(kDomainsTooLarge, param.declared, Name{param.name}, kMaxListedValues);
    }
  }
  return params;
}

int64_t FamilySize(const std::vector<ParamDomain>& params) {
  int64_t size = 1;
  for (const ParamDomain& param : params) {
    if (__builtin_mul_overflow(size, static_cast<int64_t>(param.values.size()), &size)) {
      return std::numeric_limits<int64_t>::max();
    }
  }
  return size;
}

Binding FamilyMember(const std::vector<ParamDomain>& params, int64_t index) {
  Binding binding;
  for (size_t i = params.size(); i-- > 0;) {
    const auto radix = static_cast<int64_t>(params[i].values.size());
    binding[params[i].name] = params[i].values[static_cast<size_t>(index % radix)];
    index /= radix;
  }
  return binding;
}

Binding DefaultBinding(const std::vector<ParamDomain>& params) {
  Binding binding;
  for (const ParamDomain& param : params) binding[param.name] = param.default_value;
  return binding;
}

}  // namespace compiler::sema
