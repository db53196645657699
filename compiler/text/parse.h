// Text to syntax tree, and back to canonical text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/op_def.h"
#include "compiler/text/syntax.h"

namespace compiler::text {

// Parses any bytes; never fails: what could not be read is in `report` (codes CK0xxx, CK6xxx) and
// the rest of the tree is usable. Recovers at statements: one bad line gives one diagnostic.
// Bounded by ir::Limits (source bytes, nesting). `ops` decides where an instruction name ends and
// which operand a synchronising statement takes. `source_bytes`: of the whole text, where `source`
// is only its beginning because the rest is beyond the limit.
std::unique_ptr<File> Parse(std::string_view source, const ir::OpTable& ops, diag::Report& report,
                            int64_t source_bytes = 0);

// Canonical text of a source that parses without errors: comments kept, the author's grouping of
// `;` kept where it fits 100 columns. Laws (tested): Format(Format(x)) == Format(x); tokens are
// unchanged.
std::string Format(std::string_view source, const ir::OpTable& ops, diag::Report& report,
                   int64_t source_bytes = 0);

// The nearest known spelling by edit distance, or "" when none is close.
std::string Nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace compiler::text
