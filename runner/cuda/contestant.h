// Who takes part in one timing, and on what: everything that TimingLoop needs to know of a program,
// a library's call or a plain copy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runner/cuda/launcher.h"

namespace runner::cuda {

struct Samples {
  std::vector<double> cold_ns, warm_ns, events_ns;
};

// A part of an image that runs change, and where its first contents are kept.
struct Restore {
  CUdeviceptr to = 0, from = 0;
  int64_t bytes = 0;
};

struct Image {
  CUdeviceptr address = 0;
  int64_t bytes = 0;
  std::vector<Restore> restores;
};

// One contestant at one case, and the images that it rotates over.
struct Contestant {
  std::string name;  // "candidate", "incumbent", "baseline", "copy"
  // Queues one whole run on an image; null: another process runs it, see `foreign`.
  std::function<Failure(CUdeviceptr image, CUstream stream)> queue;
  // Of a graph: makes it anew from the same work.
  std::function<Failure(CUstream stream)> renew;
  // One sample by another process, on its own copy of image number `image`: its nanoseconds.
  std::function<Failure(size_t image, bool cold, double& ns)> foreign;
  bool decides = false;  // whether blocks go on until the candidate's ratio to it is precise
  std::vector<Image> images;
  Samples samples;
  std::vector<std::string> kernels;  // that one run executes, by the activity records
  size_t operations = 0;             // records of one sample; 0: not known yet
  int launches = 1;                  // runs in one sample: of a graph, else 1
};

}  // namespace runner::cuda
