#include "clients/cli/place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace clients::cli {

std::string FolderOfThisProgram() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  const std::string self(path, length > 0 ? static_cast<size_t>(length) : 0);
  return self.substr(0, self.rfind('/'));
}

std::string DataFolder() {
  if (const char* home = std::getenv("CAKE_HOME"); home != nullptr && *home != '\0') return home;
  struct stat info;
  if (stat(".cake", &info) == 0 && S_ISDIR(info.st_mode)) return ".cake";
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : ".") + "/.local/share/cake";
}

}  // namespace clients::cli
