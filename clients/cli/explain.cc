// explain, emit: what is derived from a program, and the CUDA text that it becomes.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "clients/cli/member.h"
#include "clients/cli/terminal.h"

namespace clients::cli {
namespace {

using server::pipeline::Verdict;

}  // namespace

int Explain(const MemberOptions& options) {
  server::pipeline::Options pipeline;
  pipeline.run_gates = false;
  pipeline.emit_cuda = false;
  absl::StatusOr<Loaded> loaded = Load(options, pipeline);
  if (!loaded.ok()) return Fail(loaded.status());
  const auto& member = loaded->member;
  if (member.verdict != Verdict::kPassed) return PrintRejected(*loaded, options);
  if (options.json) {
    std::printf("%s\n", compiler::facts::ExplainJson(*member.program, member.facts).c_str());
    return kFine;
  }
  std::fputs(compiler::facts::ExplainText(*member.program, member.facts).c_str(), stdout);
  PrintNext(absl::StrCat("cake emit ", ShellWord(options.file), ParamWords(options)));
  return kFine;
}

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
    PrintNext(absl::StrCat("cake build ", ShellWord(options.file), ParamWords(options)),
              Stream::kErr);
    return kFine;
  }
  std::printf("%s: %zu bytes\n", options.output.c_str(), cuda.cuda.size());
  PrintNext(absl::StrCat("cake build ", ShellWord(options.file), ParamWords(options)));
  return kFine;
}

}  // namespace clients::cli
