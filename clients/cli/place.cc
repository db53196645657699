#include "clients/cli/place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace clients::cli {

std::string FolderOfThisProgram() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  const std::string self(path, length > 0 ? static_cast<size_t>(length) : 0);
  return self.substr(0, self.rfind('/'));
}

std::string CakeCommand() {
  const std::string self = FolderOfThisProgram() + "/cake";
  const char* search = std::getenv("PATH");
  std::stringstream folders(search != nullptr ? search : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string found = (folder.empty() ? "." : folder) + "/cake";
    if (access(found.c_str(), X_OK) != 0) continue;
    std::error_code error;
    if (std::filesystem::equivalent(found, self, error)) return "cake";
    break;  // another program of this name
  }
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return self.rfind(here, 0) == 0 ? self.substr(here.size()) : self;
}

std::string DataFolder() {
  if (const char* home = std::getenv("CAKE_HOME"); home != nullptr && *home != '\0') return home;
  struct stat info;
  if (stat(".cake", &info) == 0 && S_ISDIR(info.st_mode)) return ".cake";
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : ".") + "/.local/share/cake";
}

}  // namespace clients::cli
