// Where a machine keeps CUDA's libraries: the toolkit's folders, the system's, and those of Python
// packages.
#pragma once

#include <string>
#include <vector>

namespace runner::child {

// The first existing file of `names` (in their order of preference) in the known folders; empty:
// none. `package` is the Python package's folder, e.g. "cuda_nvrtc".
std::string FindCudaLibrary(const std::vector<std::string>& names, const std::string& package);

// The folders that are searched, patterns as written, for messages.
std::string CudaLibraryFolders(const std::string& package);

}  // namespace runner::child
