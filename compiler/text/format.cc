// Formatting: the parsed tokens, laid out again. Nothing of the text but blanks changes.
#include "compiler/text/layout.h"
#include "compiler/text/parse.h"
#include "compiler/text/parser.h"

namespace compiler::text {

std::string Format(std::string_view source, const ir::OpTable& ops, diag::Report& report,
                   int64_t source_bytes) {
  if (source.size() > static_cast<size_t>(ir::Limits{}.source_bytes)) {
    Parse(source, ops, report, source_bytes);
    return std::string(source);
  }
  File file;
  file.source = source;
  diag::Report own;
  Lexed lexed = Lex(file.source, own);
  Parser(file, lexed.tokens, ops, own).ParseFile();
  report.Append(own);
  if (own.has_errors()) return std::string(source);
  Layout layout;
  BuildLayout(file.source, lexed, layout);
  return Print(layout, lexed.tokens);
}

}  // namespace compiler::text
