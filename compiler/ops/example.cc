#include "compiler/ops/example.h"

#include <set>
#include <string>

namespace compiler::ops {
namespace {

constexpr size_t kBodyIndent = 4;

// Keeps the text for the table, whose entries are views.
std::string_view Keep(std::string text) {
  static auto* const kept = new std::set<std::string>();
  return *kept->insert(std::move(text)).first;
}

std::string Indented(std::string_view lines, size_t by) {
  std::string text;
  while (!lines.empty()) {
    const size_t end = lines.find('\n');
    text += std::string(by, ' ');
    text += lines.substr(0, end);
    text += '\n';
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return text;
}

}  // namespace

std::string_view Example(std::string_view items, std::string_view body) {
  std::string text = "program example target sm_80\ndim N in 1..=4096\n";
  text += Indented(items, 0);
  text += "kernel run {\n  grid (ceildiv(N, 128))\n  role main: warps 4 {\n";
  text += "    let i = cta*128 + thread\n";
  text += Indented(body, kBodyIndent);
  text += "  }\n}\n";
  return Keep(std::move(text));
}

std::string_view ExampleFor(std::string_view target, std::string_view example) {
  std::string text(example);
  constexpr std::string_view kDefault = "sm_80";
  return Keep(text.replace(text.find(kDefault), kDefault.size(), target));
}

std::string_view ExampleOfExpression(std::string_view items, std::string_view expression) {
  std::string body = "if i < N { st y[i] <- ";
  body += expression;
  body += " }";
  return Example(items, body);
}

std::string_view ExampleOfWarp(std::string_view items, std::string_view body,
                               std::string_view kernel_items, std::string_view target) {
  constexpr size_t kKernelIndent = 2;
  if (body.substr(0, 1) == "\n") body.remove_prefix(1);
  std::string text = "program example target " + std::string(target) + "\n";
  text += Indented(items, 0);
  text += "kernel run {\n  grid (1)\n";
  text += Indented(kernel_items, kKernelIndent);
  text += "  role main: warps 1 {\n";
  text += Indented(body, kBodyIndent);
  text += "  }\n}\n";
  return Keep(std::move(text));
}

}  // namespace compiler::ops
