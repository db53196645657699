#include "compiler/machine/zeros.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace compiler::machine {

Zeros::Zeros(size_t size) : size_(size) {
  if (size == 0) return;
  if (size >= kLarge) {
    void* const pages =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<uint8_t*>(pages);
    return;
  }
  data_ = static_cast<uint8_t*>(std::calloc(size, 1));
  if (data_ == nullptr) throw std::bad_alloc();
}

Zeros::~Zeros() {
  if (size_ >= kLarge) {
    munmap(data_, size_);
  } else {
    std::free(data_);
  }
}

}  // namespace compiler::machine
