// Memory that one run leaves to the next, with what is marked in it: numbers of CTAs go on from run
// to run, so that the marks of an earlier run are as stale as those of an earlier kernel. Internal
// to compiler/machine; others hold one (machine.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/machine/shared_memory.h"
#include "compiler/machine/tensor_memory.h"
#include "compiler/machine/warp.h"

namespace compiler::machine {

// Of one CTA of one kernel.
struct CtaScratch {
  std::vector<std::byte> shared;
  std::vector<SharedRegion> regions;
  TensorMemory tensor;
  std::vector<RegisterFile> registers;  // by warp
};

class Scratch {
 public:
  uint32_t serial = 0;  // of the last CTA that ran
  ShadowPages pages;
  std::map<size_t, KernelCode> codes;  // by kernel
  AccessRecords records;

  CtaScratch Take(size_t kernel) {
    std::vector<CtaScratch>& left = ctas_[kernel];
    if (left.empty()) return {};
    CtaScratch taken = std::move(left.back());
    left.pop_back();
    return taken;
  }
  void Give(size_t kernel, CtaScratch given) { ctas_[kernel].push_back(std::move(given)); }

 private:
  std::map<size_t, std::vector<CtaScratch>> ctas_;  // by kernel
};

}  // namespace compiler::machine
