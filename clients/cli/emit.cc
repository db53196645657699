// emit: the CUDA C++ that a program becomes.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "clients/cli/member.h"
#include "clients/cli/next.h"
#include "clients/cli/terminal.h"
#include "runner/compile/nvrtc.h"

namespace clients::cli {
namespace {

using server::pipeline::Verdict;

// Without the toolkit nothing here can build, but everything before it works.
std::string NextOf(const Loaded& loaded, const MemberOptions& options) {
  return runner::compile::FindNvrtc("").ok() ? Command("build", options) : NextRun(loaded, options);
}

}  // namespace

int Emit(const EmitOptions& options) {
  absl::StatusOr<Loaded> loaded = Load(options, {});
  if (!loaded.ok()) return Fail(loaded.status());
  if (loaded->member.verdict != Verdict::kPassed) return PrintRejected(*loaded, options);
  const auto& cuda = *loaded->member.cuda;
  if (!options.output.empty()) {
    if (absl::Status written = WriteWholeFile(options.output, cuda.cuda); !written.ok())
      return Fail(written);
  }
  if (options.json) {
    nlohmann::ordered_json out{{"file", options.file},
                               {"kernels", cuda.kernels},
                               {"options", cuda.options},
                               {"canonical_hash", loaded->member.canonical_hash}};
    if (options.output.empty()) out["cuda"] = cuda.cuda;
    std::printf("%s\n", out.dump(2).c_str());
    return kFine;
  }
  if (options.output.empty()) {
    std::fputs(cuda.cuda.c_str(), stdout);
    PrintNext(NextOf(*loaded, options), Stream::kErr);
    return kFine;
  }
  std::printf("%s: %zu bytes\n", options.output.c_str(), cuda.cuda.size());
  PrintNext(NextOf(*loaded, options));
  return kFine;
}

}  // namespace clients::cli
