// Where the time of a piece of work goes: nanoseconds and counts by name.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace runner::child {

struct SpanTotal {
  int64_t ns = 0, count = 0;
};
using Spans = std::map<std::string, SpanTotal>;

// Adds the time of its life to a total.
class Span {
 public:
  Span(Spans& spans, const char* name)
      : total_(spans[name]), start_(std::chrono::steady_clock::now()) {}
  ~Span() {
    total_.ns += (std::chrono::steady_clock::now() - start_).count();
    ++total_.count;
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  SpanTotal& total_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace runner::child
