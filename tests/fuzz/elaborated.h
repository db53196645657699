// What the targets behind the parser share: the programs of a text with their facts.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "compiler/arch/device.h"
#include "compiler/facts/derived.h"
#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"

namespace fuzz {

inline void Require(bool condition) {
  if (!condition) std::abort();
}

struct Elaborated {
  std::unique_ptr<compiler::text::File> file;  // the program's names point into it
  std::unique_ptr<compiler::ir::Program> program;
  compiler::facts::Facts facts;
  compiler::diag::Report report;
};

// The default members of the first programs of a text; none where it does not parse.
inline std::vector<Elaborated> ElaborateAll(const std::string& source) {
  constexpr size_t kMaxPrograms = 2;
  std::vector<Elaborated> all;
  compiler::diag::Report parsing;
  const auto counted = compiler::text::Parse(source, compiler::ops::Table(), parsing);
  if (parsing.has_errors()) return all;
  for (size_t i = 0; i < std::min(kMaxPrograms, counted->programs.size()); ++i) {
    Elaborated one;
    one.file = compiler::text::Parse(source, compiler::ops::Table(), one.report);
    const compiler::text::Program& program = *one.file->programs[i];
    const auto params = compiler::sema::Params(program, one.report);
    if (one.report.has_errors()) continue;
    one.program =
        compiler::sema::Elaborate(*one.file, program, compiler::sema::DefaultBinding(params),
                                  compiler::ops::Table(), one.report);
    if (one.program != nullptr) {
      const auto device = compiler::arch::Find("sm_90a");
      Require(device.ok());
      one.facts = compiler::facts::Derive(*one.program, **device, one.report);
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace fuzz
