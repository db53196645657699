// One finished operation of the simulated device: what the fake driver tells the fake CUPTI.
#pragma once

#include <cstdint>
#include <string>

namespace fakecuda {

struct ActivityRecord {
  int kind = 0;  // of runner/cuda/cupti_api.h
  int64_t start_ns = 0, end_ns = 0, bytes = 0;
  std::string name;
};

}  // namespace fakecuda
