// Programs for tests of the cost model, from their text.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "compiler/facts/derived.h"
#include "compiler/facts/launch.h"
#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"

namespace costmodel {

namespace facts = compiler::facts;
namespace ir = compiler::ir;

struct Loaded {
  std::unique_ptr<ir::Program> program;
  facts::Facts derived;
  const compiler::arch::Device* device = nullptr;
};

inline Loaded Load(const std::string& source, const std::map<std::string, int64_t>& params = {},
                   std::string_view arch = "sm_90a") {
  Loaded l;
  compiler::diag::Report report;
  const auto file = compiler::text::Parse(source, compiler::ops::Table(), report);
  const compiler::text::Program& program = *file->programs.at(0);
  compiler::sema::Binding binding =
      compiler::sema::DefaultBinding(compiler::sema::Params(program, report));
  for (const auto& [name, value] : params) binding[name] = value;
  l.program = compiler::sema::Elaborate(*file, program, binding, compiler::ops::Table(), report);
  l.device = *compiler::arch::Find(arch);
  if (l.program != nullptr) l.derived = facts::Derive(*l.program, *l.device, report);
  EXPECT_FALSE(report.has_errors());
  return l;
}

inline ir::LaunchValues Bind(const Loaded& l, std::map<std::string, int64_t> named) {
  named.emplace("SMS", 4);
  return *facts::BindLaunch(*l.program, named);
}

}  // namespace costmodel
