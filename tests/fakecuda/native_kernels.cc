#include "tests/fakecuda/native_kernels.h"

#include <dlfcn.h>

#include <cstdlib>

namespace fakecuda {

std::unique_ptr<NativeKernels> NativeKernels::Load(const std::vector<std::string>& kernels) {
  const char* folder = std::getenv("CAKE_FAKE_NATIVE");
  if (kernels.empty()) return nullptr;
  std::unique_ptr<NativeKernels> out(new NativeKernels);
  for (const std::string& kernel : kernels) {
    if (const NativeEntry own = OwnKernel(kernel); own != nullptr) {
      out->entries_[kernel] = own;
      continue;
    }
    if (folder == nullptr) return nullptr;
    void* library = dlopen((std::string(folder) + "/" + kernel + ".so").c_str(), RTLD_NOW);
    if (library == nullptr) return nullptr;
    out->libraries_.push_back(library);
    void* entry = dlsym(library, ("cake_native_" + kernel).c_str());
    if (entry == nullptr) return nullptr;
    out->entries_[kernel] = reinterpret_cast<NativeEntry>(entry);
  }
  return out;
}

NativeKernels::~NativeKernels() {
  for (void* library : libraries_) dlclose(library);
}

bool NativeKernels::Launch(const std::string& kernel, const std::array<unsigned, 3>& grid,
                           unsigned block, void** parameters) const {
  const auto entry = entries_.find(kernel);
  if (entry == entries_.end()) return false;
  entry->second(grid.data(), block, parameters);
  return true;
}

}  // namespace fakecuda
