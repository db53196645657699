// A fuzz target without libFuzzer: every seed as it is, then seeded mutations of them. Quick enough
// for CI, built by any compiler, the same in every run.
//
//   fuzz_text_replay MUTATIONS FOLDER..
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kMaxSeedBytes = 16 * 1024;

std::vector<std::string> ReadSeeds(const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".cake") paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (text.str().size() <= kMaxSeedBytes) seeds.push_back(text.str());
  }
  return seeds;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
  return lines;
}

// One change: a line of another seed put in, a line left out, swapped or written twice, a byte or a
// number changed.
std::string Mutated(const std::vector<std::string>& seeds, std::mt19937_64& random) {
  const auto pick = [&](size_t count) { return static_cast<size_t>(random() % count); };
  std::vector<std::string> lines = Lines(seeds[pick(seeds.size())]);
  const int changes = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < changes && !lines.empty(); ++i) {
    const size_t at = pick(lines.size());
    const auto here = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 6) {
      case 0: {
        const std::vector<std::string> other = Lines(seeds[pick(seeds.size())]);
        if (!other.empty()) lines.insert(here, other[pick(other.size())]);
        break;
      }
      case 1: lines.erase(here); break;
      case 2: std::swap(lines[at], lines[pick(lines.size())]); break;
      case 3: lines.insert(here, std::string(lines[at])); break;
      case 4: lines[at][pick(lines[at].size())] = static_cast<char>(' ' + pick(95)); break;
      default: {
        const size_t digit = lines[at].find_first_of("0123456789");
        if (digit == std::string::npos) break;
        constexpr const char* kNumbers[] = {"0", "1", "31", "64", "1000000007", "2147483647"};
        lines[at].replace(digit, 1, kNumbers[pick(6)]);
        break;
      }
    }
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MUTATIONS FOLDER..\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> seeds = ReadSeeds({argv + 2, argv + argc});
  if (seeds.empty()) {
    std::fprintf(stderr, "no seeds\n");
    return 2;
  }
  const auto run = [](const std::string& text) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  const char* const last = std::getenv("CAKE_FUZZ_LAST");  // file that keeps the input at hand
  for (const std::string& seed : seeds) run(seed);
  std::mt19937_64 random(20);
  const long mutations = std::strtol(argv[1], nullptr, 10);
  for (long i = 0; i < mutations; ++i) {
    const std::string text = Mutated(seeds, random);
    if (last != nullptr) std::ofstream(last, std::ios::binary) << text;
    run(text);
  }
  std::printf("%zu seeds, %ld mutations\n", seeds.size(), mutations);
  return 0;
}
