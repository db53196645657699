// Memory that whoever fills it touches first: a gigabyte of zeros takes one thread longer than all
// threads take to compute what goes there.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace runner::reference {

template <typename T>
struct Unfilled : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = Unfilled<U>;
  };
  template <typename U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    std::construct_at(at, std::forward<Arguments>(arguments)...);
  }
};

// A vector whose elements are not set to anything when it is made or grows.
template <typename T>
using Room = std::vector<T, Unfilled<T>>;

}  // namespace runner::reference
