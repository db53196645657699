// Programs without one of the things that keep them right, as lists of them say:
// PROGRAM CODE @@TEXT@@INSTEAD@@AT@@.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

struct Mutant {
  std::string program, code, text, instead, at;
};

// A line that is none fails the test.
std::vector<Mutant> ReadMutants(const std::filesystem::path& list);

// Fails the test unless the gates refuse `source` with its first TEXT replaced, with an error of
// that code in the line AT.
void ExpectRefused(const Mutant& mutant, std::string source);

}  // namespace tests
