#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runner/child/sandbox.h"
#include "runner/compile/compiler.h"

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const auto level = runner::child::ParseLevel(argc > 2 ? argv[2] : "");
  if (!level) return 2;
  if (mode == "--probe-child") return runner::child::ProbeChildMain(*level);
  if (mode == "--compile-child" && argc == 5) {
    return runner::compile::CompileChildMain(*level, argv[3], std::atoll(argv[4]));
  }
  return 2;
}
