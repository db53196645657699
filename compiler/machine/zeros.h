// An array of bytes that begins as zeros. Of a large one the system gives the pages that somebody
// touches: a workspace that hundreds of SMs could fill costs what the few CTAs of a run write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace compiler::machine {

class Zeros {
 public:
  Zeros() = default;
  explicit Zeros(size_t size);
  Zeros(Zeros&& other) noexcept { Swap(other); }
  Zeros& operator=(Zeros&& other) noexcept {
    Swap(other);
    return *this;
  }
  ~Zeros();

  // From so many bytes on pages are cheaper than writing zeros.
  static constexpr size_t kLarge = size_t{1} << 18;

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  uint8_t* begin() { return data_; }
  const uint8_t* begin() const { return data_; }
  uint8_t& operator[](size_t i) { return data_[i]; }
  const uint8_t& operator[](size_t i) const { return data_[i]; }

 private:
  void Swap(Zeros& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace compiler::machine
