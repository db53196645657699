#include "clients/cli/member.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "clients/cli/terminal.h"

namespace clients::cli {

using compiler::diag::Applicability;
using server::pipeline::Candidate;

absl::StatusOr<Loaded> Load(const MemberOptions& options, server::pipeline::Options pipeline) {
  absl::StatusOr<ProgramFile> file = ReadProgram(options.file);
  if (!file.ok()) return file.status();
  absl::StatusOr<std::map<std::string, int64_t>> params = ParseNumbers(options.params);
  if (!params.ok()) return params.status();

  pipeline.file_name = file->path;
  pipeline.program = file->program;
  pipeline.arch = options.arch;
  Loaded out;
  out.file = *std::move(file);
  out.candidate = std::make_unique<Candidate>(out.file.source, pipeline);
  absl::StatusOr<compiler::sema::Binding> binding = out.candidate->Bind(*params);
  if (!binding.ok() && out.candidate->ok()) return binding.status();
  out.member = out.candidate->CheckMember(binding.ok() ? *binding : compiler::sema::Binding{});
  return out;
}

bool HasMachineFix(const compiler::diag::Report& report) {
  for (const auto& diagnostic : report.diagnostics()) {
    for (const auto& fix : diagnostic.fixes) {
      if (fix.applicability == Applicability::kMachine && !fix.edits.empty()) return true;
    }
  }
  return false;
}

std::string ParamWords(const MemberOptions& options) {
  std::string out;
  for (const std::string& word : options.params)
    absl::StrAppend(&out, " --param ", ShellWord(word));
  return out;
}

int PrintRejected(const Loaded& loaded, const MemberOptions& options) {
  if (options.json) {
    std::printf("%s\n", server::pipeline::ToJson(*loaded.candidate, loaded.member).c_str());
    return kCandidateAtFault;
  }
  std::fputs(server::pipeline::ToText(*loaded.candidate, loaded.member, UseColor()).c_str(),
             stdout);
  const bool fixable = HasMachineFix(loaded.member.report) && loaded.file.path != "-";
  PrintNext(absl::StrCat("cake check ", fixable ? "--fix " : "", ShellWord(options.file),
                         ParamWords(options)));
  return kCandidateAtFault;
}

}  // namespace clients::cli
