// The parts of the device header: each brings what it needs, and nothing that it does not.
#include "compiler/device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "absl/strings/str_replace.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::device {
namespace {

struct Marker {
  std::set<std::string> names, needs;
};

std::vector<Marker> Markers() {
  std::vector<Marker> markers;
  for (const auto& entry : std::filesystem::directory_iterator("compiler/device")) {
    if (entry.path().extension() != ".cuh") continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      if (line.rfind("//@ ", 0) != 0) continue;
      const size_t colon = line.find(':');
      std::istringstream names(line.substr(4, colon == std::string::npos ? colon : colon - 4));
      std::istringstream needs(colon == std::string::npos ? "" : line.substr(colon + 1));
      Marker marker;
      for (std::string word; names >> word;) marker.names.insert(word);
      for (std::string word; needs >> word;) marker.needs.insert(word);
      markers.push_back(marker);
    }
  }
  return markers;
}

TEST(DeviceTest, NeededPartsExistAndNamesAreUnique) {
  std::set<std::string> names;
  for (const Marker& marker : Markers()) {
    for (const std::string& name : marker.names) EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_GT(names.size(), 50u);
  for (const Marker& marker : Markers()) {
    for (const std::string& need : marker.needs) EXPECT_TRUE(names.contains(need)) << need;
  }
}

TEST(DeviceTest, EveryPartAloneIsWholeCode) {
  if (!emit::RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const Marker& marker : Markers()) {
    // Capitals stand for the words of an ordered access (atomic.cuh).
    const std::string name =
        absl::StrReplaceAll(*marker.names.begin(),
                            {{"SPACE", "shared"}, {"ORDER", "relaxed"}, {"SCOPE", "cta"}});
    const std::string text = PartsFor("cake::" + name);
    EXPECT_FALSE(text.empty()) << name;
    const emit::Compiled compiled = emit::RealNvrtc().Compile(
        text + "extern \"C\" __global__ void k() {}\n", {"--std=c++20"}, "sm_80");
    EXPECT_EQ(compiled.status, 0) << name << compiled.log << text;
  }
}

TEST(DeviceTest, OnlyNamedPartsAreTaken) {
  EXPECT_EQ(PartsFor("x + y"), "");
  EXPECT_EQ(PartsFor("cake::nothing(x)"), "");
  const std::string text = PartsFor("y = cake::bf16_from_f32(cake::bf16_from_f32(x));");
  EXPECT_THAT(text, testing::HasSubstr("cvt.rn.bf16.f32"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("f16_from_f32_rz")));
  EXPECT_EQ(text.find("struct bf16"), text.rfind("struct bf16"));
  EXPECT_LT(text.find("struct bf16"), text.find("bf16_from_f32("));
}

}  // namespace
}  // namespace compiler::device
