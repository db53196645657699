#include <cstring>

#include "runner/child/sandbox.h"

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--probe-child") == 0) {
    const auto level = runner::child::ParseLevel(argv[2]);
    return level ? runner::child::ProbeChildMain(*level) : 2;
  }
  return 2;
}
