#include "runner/compile/nvrtc.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runner/child/find_library.h"

namespace runner::compile {
namespace {

constexpr size_t kLogBytesMax = 1 << 20;
constexpr char kPackage[] = "cuda_nvrtc";

using SizeCall = nvrtcResult (*)(nvrtcProgram, size_t*);
using TextCall = nvrtcResult (*)(nvrtcProgram, char*);

std::string Take(SizeCall size, TextCall text, nvrtcProgram program) {
  size_t bytes = 0;
  if (size(program, &bytes) != kNvrtcSuccess || bytes == 0) return "";
  std::string out(bytes, '\0');
  if (text(program, out.data()) != kNvrtcSuccess) return "";
  return out;
}

// Texts come with a closing NUL.
std::string TakeText(SizeCall size, TextCall text, nvrtcProgram program) {
  std::string out = Take(size, text, program);
  while (!out.empty() && out.back() == '\0') out.pop_back();
  return out;
}

}  // namespace

absl::StatusOr<std::string> FindNvrtc(const std::string& path) {
  const std::string found =
      path.empty() ? child::FindCudaLibrary({"libnvrtc.so.13", "libnvrtc.so.12"}, kPackage) : path;
  if (!found.empty() && access(found.c_str(), R_OK) == 0) return found;
  return absl::NotFoundError(absl::StrCat(
      "no NVRTC library: tried ",
      path.empty() ? absl::StrCat("libnvrtc.so.13 and .12 in ", child::CudaLibraryFolders(kPackage))
                   : path,
      "; install the CUDA toolkit 12 or 13, or give --libnvrtc PATH"));
}

absl::StatusOr<Nvrtc> Nvrtc::Open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return absl::UnavailableError(absl::StrCat("NVRTC does not open: ", dlerror()));
  Nvrtc out;
  std::vector<std::string> missing;
#define CAKE_NVRTC_LOAD(member, name, parameters)                                       \
  out.api_.member = reinterpret_cast<decltype(out.api_.member)>(dlsym(library, #name)); \
  if (out.api_.member == nullptr) missing.push_back(#name);
  CAKE_NVRTC_ENTRIES(CAKE_NVRTC_LOAD)
#undef CAKE_NVRTC_LOAD
  if (!missing.empty()) {
    return absl::UnavailableError(absl::StrCat(path, " lacks ", absl::StrJoin(missing, ", ")));
  }
  int major = 0, minor = 0;
  if (out.api_.version(&major, &minor) != kNvrtcSuccess)
    return absl::UnavailableError("NVRTC gives no version");
  out.version_ = absl::StrCat(major, ".", minor);
  // NVRTC opens its built-ins by name at the first compilation; open them from beside it while
  // files can be opened. A library that has none (a fake) does without.
  const auto folder = std::filesystem::path(path).parent_path();
  const auto builtins = folder / absl::StrCat("libnvrtc-builtins.so.", out.version_);
  if (access(builtins.c_str(), R_OK) == 0 &&
      dlopen(builtins.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    return absl::UnavailableError(absl::StrCat("NVRTC's built-ins do not open: ", dlerror()));
  }
  return out;
}

Nvrtc::Output Nvrtc::Compile(const Request& request) const {
  Output out;
  nvrtcProgram program = nullptr;
  out.result = api_.create_program(&program, request.cuda.c_str(), request.file_name.c_str(), 0,
                                   nullptr, nullptr);
  if (out.result != kNvrtcSuccess) return out;
  const std::string arch = absl::StrCat("--gpu-architecture=", request.arch);
  std::vector<const char*> options = {arch.c_str(), "--ptxas-options=-v"};
  for (const std::string& option : request.options) options.push_back(option.c_str());
  out.result = api_.compile_program(program, static_cast<int>(options.size()), options.data());
  out.log = TakeText(api_.get_log_size, api_.get_log, program).substr(0, kLogBytesMax);
  if (out.result == kNvrtcSuccess) {
    out.cubin = Take(api_.get_cubin_size, api_.get_cubin, program);
    out.ptx = TakeText(api_.get_ptx_size, api_.get_ptx, program);
  }
  api_.destroy_program(&program);
  return out;
}

}  // namespace runner::compile
