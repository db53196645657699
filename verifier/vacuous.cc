#include "verifier/vacuous.h"

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"
#include "verifier/evaluator.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<Name> kNoLaunch{
    "CK2533", Severity::kError, Category::kUnproven, "no launch satisfies {0}",
    "what no launch satisfies makes every proof hold of nothing; the launcher would refuse every "
    "call"};
constexpr Def<Name> kNoContents{
    "CK2534", Severity::kError, Category::kUnproven,
    "no shape that was tried has contents as `where` wants them: {0}",
    "races, deadlocks and unwritten values are looked for by running the program with contents "
    "that the contracts allow; none were found"};

constexpr size_t kMaxGuards = 64;  // of which a smallest conflicting set is looked for

bool Contradict(const ir::Program& program, const compiler::facts::Facts& facts,
                const std::vector<size_t>& guards) {
  KernelAnalysis analysis;
  Evaluator evaluator(program, facts, analysis);
  ++evaluator.dry;
  for (const size_t guard : guards) evaluator.AssumeGuard(program.guards[guard].condition);
  return evaluator.prover.Contradiction(evaluator.facts);
}

// Guards none of which can be left out; empty where they do not contradict each other.
std::vector<size_t> Conflict(const ir::Program& program, const compiler::facts::Facts& facts) {
  std::vector<size_t> guards;
  for (size_t i = 0; i < program.guards.size() && i < kMaxGuards; ++i) guards.push_back(i);
  if (!Contradict(program, facts, guards)) return {};
  for (size_t i = guards.size(); i-- > 0;) {
    std::vector<size_t> fewer = guards;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (Contradict(program, facts, fewer)) guards = std::move(fewer);
  }
  return guards;
}

}  // namespace

void ReportVacuous(const ir::Program& program, const compiler::facts::Facts& facts,
                   const Exploration& exploration, compiler::diag::Report& report) {
  const std::vector<bool>& launched = exploration.launched;
  if (std::any_of(launched.begin(), launched.end(), std::identity())) return;
  constexpr const char* kFix = "weaken one of them";
  if (const std::vector<size_t> guards = Conflict(program, facts); !guards.empty()) {
    std::string names;
    for (const size_t guard : guards) {
      const auto text = compiler::facts::TextOf(program, program.guards[guard].source.span);
      absl::StrAppend(&names, names.empty() ? "`" : " and `", std::string(text), "`");
    }
    auto added = report.Add(kNoLaunch, program.guards[guards.back()].source.span, Name{names});
    for (size_t i = 0; i + 1 < guards.size(); ++i) {
      added.Label(program.guards[guards[i]].source.span, "together with this");
    }
    added.Fix(kFix, {}, Applicability::kManual);
  } else if (!exploration.refused.empty() && !program.contracts.empty()) {
    const ir::ContentContract* named = &program.contracts[0];
    for (const ir::ContentContract& contract : program.contracts) {
      const bool longer = contract.text.size() >= named->text.size();
      if (longer && exploration.refused.find(contract.text) != std::string::npos) {
        named = &contract;
      }
    }
    auto added = report.Add(kNoContents, named->span, Name{exploration.refused});
    for (const ir::ContentContract& contract : program.contracts) {
      if (&contract == named || contract.tensor != named->tensor) continue;
      added.Label(contract.span, "together with this");
    }
    added.Fix(kFix, {}, Applicability::kManual);
  }
}

}  // namespace verifier
