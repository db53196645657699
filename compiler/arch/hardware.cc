#include "compiler/arch/hardware.h"

#include <charconv>

namespace compiler::arch {
namespace {

constexpr int kFirstUnseen = 100;  // compute capability

}  // namespace

std::string_view HardwareNote(std::string_view arch) {
  int capability = 0;
  if (!arch.starts_with("sm_")) return "";
  std::from_chars(arch.data() + 3, arch.data() + arch.size(), capability);
  return capability >= kFirstUnseen ? "never run on hardware" : "";
}

}  // namespace compiler::arch
