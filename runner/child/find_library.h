// Where a machine keeps CUDA's libraries: the toolkit's folders, the system's, and those of Python
// packages.
#pragma once

#include <string>
#include <vector>

namespace runner::child {

// The first existing file of `names` (in their order of preference) in `folders` (separated by
// colons) and then in the known ones; empty: none. `package` is the Python package's folder, e.g.
// "cuda_nvrtc".
std::string FindCudaLibrary(const std::vector<std::string>& names, const std::string& package,
                            const std::string& folders = "");

// The folders that are searched, patterns as written, for messages.
std::string CudaLibraryFolders(const std::string& package);

}  // namespace runner::child
