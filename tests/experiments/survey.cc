#include "tests/experiments/survey.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/diag/diagnostic.h"
#include "server/generators/propose.h"
#include "server/loop/select.h"
#include "server/pipeline/pipeline.h"

namespace experiments {
namespace {

namespace generators = server::generators;
namespace pipeline = server::pipeline;
using nlohmann::json;

std::vector<std::filesystem::path> Programs() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/corpus")) {
    if (entry.path().extension() == ".cake") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string FirstError(const pipeline::Member& member) {
  for (const auto& d : member.report.diagnostics()) {
    if (d.severity == compiler::diag::Severity::kError) return std::string(d.code);
  }
  return "";
}

json Tried(std::string_view tactic, const std::string& source,
           const compiler::sema::Binding& binding, int picks) {
  int found = 0, accepted = 0;
  std::string why;
  std::set<std::string> seen;
  for (int pick = 0; pick < picks; ++pick) {
    generators::ProposalInput input;
    input.tactic = tactic;
    input.source = input.other_source = source;
    input.binding = input.other_binding = binding;
    input.pick = static_cast<uint64_t>(pick);
    const generators::Proposal made = generators::Propose(input);
    if (!made.found) {
      if (why.empty()) why = made.text;
      break;  // no draw finds what there is not
    }
    ++found;
    if (!seen.insert(made.source + made.text).second) continue;
    pipeline::Options options;
    options.emit_cuda = false;
    const pipeline::Member member =
        pipeline::Candidate(made.source, options).CheckMember(made.binding);
    if (member.verdict == pipeline::Verdict::kPassed)
      ++accepted;
    else if (why.empty())
      why = FirstError(member) + " of: " + made.text;
  }
  return {{"found", found}, {"programs", seen.size()}, {"accepted", accepted}, {"why", why}};
}

}  // namespace

json SurveyTactics(int picks, const std::string& only) {
  json out = json::object();
  for (const auto& path : Programs()) {
    const std::string name =
        path.parent_path().filename().string() + "/" + path.filename().string();
    if (name.find(only) == std::string::npos) continue;
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    const std::string source = text.str();
    const generators::ProgramText program = generators::Read(source);
    if (program.program == nullptr) continue;
    const auto binding = compiler::sema::DefaultBinding(program.params);
    for (const auto& tactic : server::loop::Tactics()) {
      if (!tactic.params) {
        out[name][std::string(tactic.name)] = Tried(tactic.name, source, binding, picks);
      }
    }
  }
  return out;
}

}  // namespace experiments
