// The corpus as benchmarks see it. Run from the root of the repository.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace bench {

[[noreturn]] inline void Die(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) Die("no " + path + " here; run it from the root");
  return text.str();
}

// tests/corpus/<family>/<program>.cake, but for the language's own page of programs.
inline std::vector<std::string> CorpusPrograms() {
  std::vector<std::string> paths;
  if (!std::filesystem::exists("tests/corpus")) Die("no tests/corpus here; run it from the root");
  for (const auto& family : std::filesystem::directory_iterator("tests/corpus")) {
    if (!family.is_directory() || family.path().filename() == "language") continue;
    for (const auto& entry : std::filesystem::directory_iterator(family)) {
      if (entry.path().extension() == ".cake") paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Of this thread: other work on the machine does not stretch it.
inline double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace bench
