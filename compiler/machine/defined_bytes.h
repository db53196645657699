// Which bytes of a memory are defined, a bit each: what most accesses ask, of many bytes at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace compiler::machine {

class DefinedBytes {
 public:
  bool empty() const { return words_.empty(); }
  void Make(int64_t bytes) { words_.assign(static_cast<size_t>((bytes + kBits - 1) / kBits), 0); }
  void Clear() { std::fill(words_.begin(), words_.end(), 0); }

  const std::vector<uint64_t>& words() const { return words_; }

  bool All(int64_t first, int64_t count) const {
    if (InOneWord(first, count)) return (BitsOf(first, count) & ~words_[WordOf(first)]) == 0;
    uint64_t missing = 0;
    ForWords(first, count, [&](size_t word, uint64_t bits) { missing |= bits & ~words_[word]; });
    return missing == 0;
  }
  void Set(int64_t first, int64_t count, bool defined) {
    if (defined && InOneWord(first, count)) {
      words_[WordOf(first)] |= BitsOf(first, count);
      return;
    }
    ForWords(first, count, [&](size_t word, uint64_t bits) {
      words_[word] = defined ? words_[word] | bits : words_[word] & ~bits;
    });
  }

 private:
  static constexpr int64_t kBits = 64;

  static bool InOneWord(int64_t first, int64_t count) {
    return count > 0 && first % kBits + count <= kBits;
  }
  static size_t WordOf(int64_t first) { return static_cast<size_t>(first / kBits); }
  static uint64_t BitsOf(int64_t first, int64_t count) {
    return ~uint64_t{0} >> (kBits - count) << first % kBits;
  }

  // visit(word, bits) for each word with some of these bytes.
  template <typename Visit>
  static void ForWords(int64_t first, int64_t count, const Visit& visit) {
    if (count <= 0) return;
    const int64_t last = first + count - 1;
    auto word = static_cast<size_t>(first / kBits);
    const auto end = static_cast<size_t>(last / kBits);
    const uint64_t head = ~uint64_t{0} << first % kBits;
    const uint64_t tail = ~uint64_t{0} >> (kBits - 1 - last % kBits);
    if (word == end) return visit(word, head & tail);
    visit(word, head);
    while (++word < end) visit(word, ~uint64_t{0});
    visit(end, tail);
  }

  std::vector<uint64_t> words_;
};

}  // namespace compiler::machine
