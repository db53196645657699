// NVRTC opened at run time. Used inside the compile child only: a source can make it read files,
// run for ever or eat all memory.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/compile/nvrtc_api.h"

namespace runner::compile {

// One translation unit to compile.
struct Request {
  std::string cuda;
  std::string file_name;             // as it appears in messages
  std::string arch;                  // "sm_90a"
  std::vector<std::string> options;  // without the architecture
};

// The library's path: `path` itself, or the first of the usual names and places that exists.
// NotFound lists what was tried.
absl::StatusOr<std::string> FindNvrtc(const std::string& path);

class Nvrtc {
 public:
  // Opens the library and its built-ins, so that nothing has to be opened later. Unavailable says
  // what is missing.
  static absl::StatusOr<Nvrtc> Open(const std::string& path);

  struct Output {
    nvrtcResult result = kNvrtcSuccess;
    std::string cubin, ptx, log;
  };
  Output Compile(const Request& request) const;

  const std::string& version() const { return version_; }  // "13.0"

 private:
  NvrtcApi api_;
  std::string version_;
};

}  // namespace runner::compile
