// The examples of compiler/LANGUAGE.md, as its tests read them.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/compiler_text/support.h"

namespace compiler::text {

struct Example {
  std::vector<std::string> words;  // of the line that opens the block
  std::string text;
  int line = 0;
  bool Has(const std::string& word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
};

inline std::string Page() { return ReadFile("compiler/LANGUAGE.md"); }

// The fenced blocks whose first word is `kind`.
inline std::vector<Example> Examples(const std::string& kind) {
  std::vector<Example> examples;
  std::istringstream page(Page());
  std::string line;
  for (int number = 1; std::getline(page, line); ++number) {
    if (line.rfind("```", 0) != 0 || line == "```") continue;
    Example example;
    example.line = number;
    std::istringstream words(line.substr(3));
    for (std::string word; words >> word;) example.words.push_back(word);
    while (++number, std::getline(page, line) && line != "```") example.text += line + "\n";
    if (example.Has(kind)) examples.push_back(example);
  }
  return examples;
}

// A whole source around an example.
inline std::string Whole(const Example& example) {
  const std::string head = "program example target sm_90a\n";
  if (example.Has("program")) return example.text;
  if (example.Has("item")) return head + example.text;
  if (example.Has("kernel")) return head + "kernel k {\n" + example.text + "}\n";
  return InRole(example.text);
}

}  // namespace compiler::text
