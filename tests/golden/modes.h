// What a golden file can ask for in its first line, `// mode: NAME`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace golden {

struct Outcome {
  std::string text;  // compared with the expectation, line by line
  bool failed =
      false;  // the report has errors; then, and only then, the file's name begins `fail_`
};

// `file` is the name that diagnostics print; `source` the text above the expectation.
struct Mode {
  std::string_view name;
  Outcome (*run)(const std::string& file, const std::string& source);
};

const std::vector<Mode>& Modes();

}  // namespace golden
