#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "clients/cli/input.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "compiler/diag/render.h"
#include "compiler/ops/table.h"
#include "compiler/text/parse.h"

namespace clients::cli {
namespace {

int PrintUnparsed(const compiler::diag::Report& report, const ProgramFile& file, bool json) {
  if (json) {
    std::printf("%s\n", compiler::diag::RenderJson(report, file.path, file.source).c_str());
  } else {
    std::fputs(
        compiler::diag::RenderText(report, file.path, file.source, {.color = UseColor()}).c_str(),
        stdout);
    PrintNext(absl::StrCat("cake check ", ShellWord(file.path)));
  }
  return kCandidateAtFault;
}

}  // namespace

int Fmt(const FmtOptions& options) {
  if (options.write && options.file == "-")
    return Fail(absl::InvalidArgumentError("--write needs a file, not standard input"));
  absl::StatusOr<ProgramFile> file = ReadProgram(options.file);
  if (!file.ok()) return Fail(file.status());
  compiler::diag::Report report;
  const std::string text =
      compiler::text::Format(file->source, compiler::ops::Table(), report, file->source_bytes);
  if (report.has_errors()) return PrintUnparsed(report, *file, options.json);

  const bool changed = text != file->source;
  if (options.write && changed) {
    if (absl::Status written = WriteWholeFile(file->path, text); !written.ok())
      return Fail(written);
  }
  const int code = options.check && changed ? kCandidateAtFault : kFine;
  if (options.json) {
    nlohmann::ordered_json out{{"file", file->path}, {"changed", changed}};
    if (!options.write && !options.check) out["text"] = text;
    std::printf("%s\n", out.dump(2).c_str());
    return code;
  }
  if (!options.write && !options.check) {
    std::fputs(text.c_str(), stdout);
    PrintNext(absl::StrCat(changed && file->path != "-" ? "cake fmt --write " : "cake check ",
                           ShellWord(file->path)),
              Stream::kErr);
    return code;
  }
  std::printf("%s: %s\n", file->path.c_str(),
              !changed        ? "canonical"
              : options.write ? "rewritten"
                              : "not in canonical form");
  PrintNext(options.check && changed ? absl::StrCat("cake fmt --write ", ShellWord(file->path))
                                     : absl::StrCat("cake check ", ShellWord(file->path)));
  return code;
}

}  // namespace clients::cli
