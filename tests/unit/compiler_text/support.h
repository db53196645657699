// What the tests of the text share.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/diag/render.h"
#include "compiler/ops/table.h"
#include "compiler/text/parse.h"
#include "compiler/text/token.h"

namespace compiler::text {

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

struct Parsed {
  std::unique_ptr<File> file;
  diag::Report report;
  std::vector<std::string> Codes() const {
    std::vector<std::string> codes;
    for (const auto& d : report.diagnostics()) codes.emplace_back(d.code);
    return codes;
  }
  std::string Text() const { return diag::RenderText(report, "test.cake", file->source); }
};

inline Parsed ParseText(const std::string& source) {
  Parsed parsed;
  parsed.file = Parse(source, ops::Table(), parsed.report);
  return parsed;
}

// A program whose only role has `body`.
inline std::string InRole(const std::string& body) {
  return "program p target sm_90a\nkernel k {\n  grid (1)\n  role main: warps 4 {\n" + body +
         "\n  }\n}\n";
}

// The statements of the role of InRole.
inline const Block& RoleOf(const Parsed& parsed) {
  return parsed.file->programs.at(0)->items.at(0)->kernel->items.at(1)->body;
}

// The texts of all tokens but `;`, which a line break replaces.
inline std::vector<std::string> TokenTexts(const std::string& source) {
  diag::Report report;
  const Lexed lexed = Lex(source, report);
  std::vector<std::string> texts;
  for (const Token& token : lexed.tokens) {
    if (token.text != ";") texts.emplace_back(token.text);
  }
  return texts;
}

inline std::vector<std::string> CommentTexts(const std::string& source) {
  diag::Report report;
  const Lexed lexed = Lex(source, report);
  std::vector<std::string> texts;
  for (const Comment& comment : lexed.comments) {
    texts.push_back(source.substr(comment.span.begin, comment.span.end - comment.span.begin));
  }
  return texts;
}

inline std::string FormatText(const std::string& source, diag::Report& report) {
  return Format(source, ops::Table(), report);
}

}  // namespace compiler::text
