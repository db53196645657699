// Syntax tree to elaborated program, in three layers:
//   text    parse and scope          (once a source)
//   family  params with their domains (once a source)
//   member  elaborate, type, level    (once a binding)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"
#include "compiler/text/syntax.h"

namespace compiler::sema {

struct ParamDomain {
  std::string name;
  std::vector<int64_t> values;  // in the written order; at most Limits::domain_values
  int64_t default_value = 0;
  diag::Span declared;
};

using Binding = std::map<std::string, int64_t>;

// The params of a program and their domains. Reports CK6xxx for a domain over the limit, naming
// both numbers.
std::vector<ParamDomain> Params(const text::Program& program, diag::Report& report);

// Number of members (product of the domains), saturating at INT64_MAX.
int64_t FamilySize(const std::vector<ParamDomain>& params);
// The i-th member in mixed radix order, last param fastest. Enumerating is lazy: nothing is stored.
Binding FamilyMember(const std::vector<ParamDomain>& params, int64_t index);
Binding DefaultBinding(const std::vector<ParamDomain>& params);

// Elaborates one member. Always reports everything it can; returns null iff the report has errors.
std::unique_ptr<ir::Program> Elaborate(const text::File& file, const text::Program& program,
                                       const Binding& binding, const ir::OpTable& ops,
                                       diag::Report& report);

// Hashes (versioned; 64 hex digits, SHA-256). Canonical: elaborated tree, params bound, names by
// first occurrence, spans dropped. Structural: the same with numeric constants as holes.
std::string CanonicalHash(const ir::Program& program);
std::string StructuralHash(const ir::Program& program);

}  // namespace compiler::sema
