// Parses and elaborates a text in one call, for tests.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/diag/render.h"
#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"

namespace compiler::sema {

struct Checked {
  std::unique_ptr<text::File> file;
  std::unique_ptr<ir::Program> program;
  diag::Report report;

  std::vector<std::string> Codes() const {
    std::vector<std::string> codes;
    for (const diag::Diagnostic& d : report.diagnostics()) codes.emplace_back(d.code);
    return codes;
  }
  std::string Text() const { return diag::RenderText(report, "test.cake", file->source); }
};

inline Checked Check(std::string_view source, const Binding& binding = {}, size_t index = 0) {
  Checked checked;
  checked.file = text::Parse(source, ops::Table(), checked.report);
  if (checked.file->programs.size() > index) {
    checked.program = Elaborate(*checked.file, *checked.file->programs[index], binding,
                                ops::Table(), checked.report);
  }
  return checked;
}

// The text of a kernel with one role of `warps` warps around `body`, over some tensors to use.
inline std::string InRole(std::string_view body, int warps = 4) {
  return "program p target sm_80\ndim N in 1..=4096, K in 8..=64\n"
         "in x: f32[N, K], h: bf16[N, K], idx: i32[N]\nout y: f32[N, K]\n"
         "arg scale: f32, n: i32\n"
         "kernel k {\n  grid (N)\n  smem part: f32[64]\n  barrier turn[2] threads 128\n  role "
         "main: "
         "warps " +
         std::to_string(warps) + " {\n" + std::string(body) + "\n  }\n}\n";
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace compiler::sema
