// Hand-written device code on the fake device: its kernels compiled as C++ (cuda_as_cpp.h), each in
// a shared library `<folder>/<kernel>.so`, the folder named by CAKE_FAKE_NATIVE; the worker's own
// are always there. Memory of the module lives as long as the module, as on a device.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/fakecuda/judge_native.h"

namespace fakecuda {

class NativeKernels {
 public:
  // nullptr: no folder, or it does not have every kernel.
  static std::unique_ptr<NativeKernels> Load(const std::vector<std::string>& kernels);
  ~NativeKernels();

  // False: no such kernel.
  bool Launch(const std::string& kernel, const std::array<unsigned, 3>& grid, unsigned block,
              void** parameters) const;

 private:
  std::vector<void*> libraries_;
  std::map<std::string, NativeEntry> entries_;
};

}  // namespace fakecuda
