#include "runner/evidence/tools.h"

#include <glob.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runner/child/process.h"
#include "runner/child/sandbox.h"
#include "runner/child/write_file.h"

namespace runner::evidence {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kDisassembleMs = 60'000;
constexpr const char* kPatterns[] = {"/usr/local/cuda/bin",
                                     "/usr/local/cuda-*/bin",
                                     "/usr/local/cuda/compute-sanitizer",
                                     "/opt/nvidia/nsight-compute/*",
                                     "/usr/local/cuda/nsight-compute-*",
                                     "/usr/local/lib/python3*/dist-packages/nvidia/*/bin"};

bool Runs(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

// A folder of its own, removed at the end.
struct Folder {
  std::string path;
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "cake-tool-XXXXXX").string();
    if (const char* made = mkdtemp(pattern.data())) path = made;
  }
  ~Folder() {
    std::error_code error;
    if (!path.empty()) fs::remove_all(path, error);
  }
};

std::vector<std::string> Folders() {
  std::vector<std::string> out;
  for (const char* name : {"CAKE_TOOLS", "PATH"}) {
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    for (const absl::string_view part : absl::StrSplit(value, ':', absl::SkipEmpty()))
      out.emplace_back(part);
  }
  for (const char* pattern : kPatterns) {
    glob_t found{};
    if (glob(pattern, 0, nullptr, &found) == 0) {
      // The newest version last in the alphabet, first here.
      for (size_t i = found.gl_pathc; i-- > 0;) out.emplace_back(found.gl_pathv[i]);
    }
    globfree(&found);
  }
  return out;
}

}  // namespace

std::string FindTool(const std::string& name, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (Runs(folder + "/" + name)) return folder + "/" + name;
  }
  for (const std::string& folder : Folders()) {
    if (Runs(folder + "/" + name)) return folder + "/" + name;
  }
  return "";
}

std::string ToolFolders() {
  std::string out = "$CAKE_TOOLS, $PATH";
  for (const char* pattern : kPatterns) absl::StrAppend(&out, ", ", pattern);
  return out;
}

absl::StatusOr<std::string> RunTool(const std::vector<std::string>& argv, int64_t timeout_ms) {
  const Folder folder;
  if (folder.path.empty()) return absl::UnavailableError("no folder for a tool's output");
  const std::string out = folder.path + "/out";
  child::SpawnOptions options{.environment = child::CleanEnvironment()};
  options.argv = {"/bin/sh", "-c", "exec \"$@\" >\"$CAKE_TOOL_OUT\" 2>&1", "sh"};
  options.argv.insert(options.argv.end(), argv.begin(), argv.end());
  options.environment.push_back("CAKE_TOOL_OUT=" + out);
  options.limits.file_bytes = kToolOutputBytesMax;
  auto process = child::Process::Spawn(options);
  if (!process.ok()) return process.status();
  const child::Exit exit = process->Finish(timeout_ms);
  auto text = child::ReadWholeFile(out, kToolOutputBytesMax);
  if (exit.kind == child::Exit::Kind::kExited && exit.code == 0 && text.ok()) return text;
  std::string tail = text.ok() ? *text : exit.error_tail;
  constexpr size_t kTailBytes = 400;
  if (tail.size() > kTailBytes) tail = tail.substr(tail.size() - kTailBytes);
  return absl::UnavailableError(absl::StrCat(argv[0], ": ", exit.ToString(), " ", tail));
}

absl::StatusOr<std::string> Disassemble(const std::string& cubin,
                                        const std::vector<std::string>& folders) {
  const Folder folder;
  const std::string path = folder.path + "/program.cubin";
  if (auto status = child::WriteFileAtomically(path, cubin); !status.ok()) return status;
  if (const std::string tool = FindTool("cuobjdump", folders); !tool.empty())
    return RunTool({tool, "-sass", path}, kDisassembleMs);
  if (const std::string tool = FindTool("nvdisasm", folders); !tool.empty())
    return RunTool({tool, "-c", path}, kDisassembleMs);
  return absl::UnavailableError(absl::StrCat("neither cuobjdump nor nvdisasm in ", ToolFolders()));
}

}  // namespace runner::evidence
