#include "runner/child/find_library.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace runner::child {
namespace {

std::vector<std::string> Patterns(const std::string& package) {
  std::vector<std::string> out = {"/usr/local/cuda/lib64",
                                  "/usr/local/cuda-*/lib64",
                                  "/usr/local/cuda*/extras/CUPTI/lib64",
                                  "/usr/lib/x86_64-linux-gnu",
                                  "/usr/lib64",
                                  "/usr/local/lib"};
  for (const char* root : {"/usr/local/lib/python3*", "/usr/lib/python3*", "/opt/*/lib/python3*",
                           "/opt/*/*/lib/python3*", "/opt/*/.venv/lib/python3*",
                           "/root/.local/lib/python3*", "/home/*/.local/lib/python3*"}) {
    for (const char* packages : {"site-packages", "dist-packages"}) {
      for (const std::string& one : {package, std::string("cu13"), std::string("cu12")}) {
        out.push_back(absl::StrCat(root, "/", packages, "/nvidia/", one, "/lib"));
      }
    }
  }
  return out;
}

// /usr/local/cuda is often a link through /etc/alternatives, which a sandboxed child does not see.
std::string WithRealFolder(const std::string& path) {
  std::error_code error;
  const std::filesystem::path given(path);
  const auto folder = std::filesystem::canonical(given.parent_path(), error);
  return error ? path : (folder / given.filename()).string();
}

// Where the loader itself would find it; empty: nowhere.
std::string LoaderPath(const std::string& name) {
  void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return "";
  link_map* map = nullptr;
  const std::string path = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
  dlclose(library);
  return path;
}

}  // namespace

std::string FindCudaLibrary(const std::vector<std::string>& names, const std::string& package,
                            const std::string& folders) {
  for (absl::string_view folder : absl::StrSplit(folders, ':', absl::SkipEmpty())) {
    for (const std::string& name : names) {
      const std::string path = absl::StrCat(folder, "/", name);
      if (access(path.c_str(), R_OK) == 0) return WithRealFolder(path);
    }
  }
  for (const std::string& name : names) {
    for (const std::string& folder : Patterns(package)) {
      glob_t found{};
      const int rc = glob(absl::StrCat(folder, "/", name).c_str(), 0, nullptr, &found);
      const std::string path = rc == 0 && found.gl_pathc > 0 ? found.gl_pathv[0] : "";
      globfree(&found);
      if (!path.empty()) return WithRealFolder(path);
    }
  }
  for (const std::string& name : names) {
    if (const std::string path = LoaderPath(name); !path.empty()) return path;
  }
  return "";
}

std::string CudaLibraryFolders(const std::string& package) {
  return absl::StrJoin(Patterns(package), ", ");
}

}  // namespace runner::child
