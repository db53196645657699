// What a fake NVRTC writes and a fake driver loads: an ELF file that has, like a cubin, a symbol
// `cake_program_id` with the program's identity and one function symbol a kernel. A cubin of the
// real NVRTC reads just as well.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fakecuda {

inline constexpr size_t kProgramIdBytes = 32;

struct ModuleImage {
  std::string program_id;  // 64 hex digits; "" : the module has none (it is not of ours)
  std::string arch;        // "sm_90a"; "" : the file does not say, or not in a way we read
  std::vector<std::string> kernels;
  bool has_progress = false;  // a build for autopsies: its kernels take progress words
  bool logs_events = false;   // an instrumented build: its kernels take a log
};

std::string WriteImage(const ModuleImage& image);

// nullopt if `data` does not start an ELF file of 64 bits for CUDA. The driver's call gives no
// length, so offsets are bounded by kMaxImageBytes only.
inline constexpr size_t kMaxImageBytes = size_t{64} << 20;
std::optional<ModuleImage> ReadImage(const void* data);

// The identity and the kernels that CUDA source declares, as the emitter writes them. Kernels of
// any `__global__` function are found; the id is "" where there is none.
ModuleImage ImageOfSource(std::string_view cuda, std::string_view arch);

}  // namespace fakecuda
