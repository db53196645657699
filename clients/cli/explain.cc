// explain: everything that is derived from a program, or the page of an instruction.
#include <cstdio>

#include "clients/cli/instruction.h"
#include "clients/cli/member.h"
#include "clients/cli/next.h"
#include "clients/cli/terminal.h"
#include "compiler/facts/map.h"

namespace clients::cli {
namespace {

using server::pipeline::Verdict;

}  // namespace

int Explain(const ExplainOptions& options) {
  if (MeansInstruction(options.file)) return ExplainInstruction(options.file, options.json);
  server::pipeline::Options pipeline;
  pipeline.run_gates = false;
  pipeline.emit_cuda = false;
  absl::StatusOr<Loaded> loaded = Load(options, pipeline);
  if (!loaded.ok()) return Fail(loaded.status());
  const auto& member = loaded->member;
  if (member.verdict != Verdict::kPassed) return PrintRejected(*loaded, options);
  namespace facts = compiler::facts;
  if (options.json) {
    const std::string json = options.map
                                 ? facts::MapJson(*member.program, member.facts, *member.device)
                                 : facts::ExplainJson(*member.program, member.facts);
    std::printf("%s\n", json.c_str());
    return kFine;
  }
  const std::string text = options.map
                               ? facts::MapText(*member.program, member.facts, *member.device)
                               : facts::ExplainText(*member.program, member.facts);
  std::fputs(text.c_str(), stdout);
  PrintNext(Command("emit", options));
  return kFine;
}

}  // namespace clients::cli
