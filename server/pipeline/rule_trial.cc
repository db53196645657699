#include "server/pipeline/rule_trial.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "compiler/diag/render.h"

namespace server::pipeline {
namespace {

using compiler::diag::Diagnostic;
using verifier::learnt::RuleSet;

// The member with the rule asked, whatever the built-in gates say.
Member Asked(const std::shared_ptr<const RuleSet>& rule, std::string_view source,
             const std::string& name) {
  Options options;
  options.file_name = name;
  options.emit_cuda = false;
  options.rules = rule;
  options.ask_rejected = true;
  options.rule_repeats = kTrialRepeats;
  auto candidate = std::make_unique<Candidate>(source, options);
  if (candidate->program_name().empty() && candidate->program_names().size() > 1) {
    options.program = std::string(candidate->program_names().front());
    candidate = std::make_unique<Candidate>(source, options);
  }
  const auto binding = candidate->Bind({});
  // As the rule says it: edits that do not mend are what a trial is to find.
  Member member = candidate->Elaborate(binding.ok() ? *binding : compiler::sema::Binding{});
  return member.program == nullptr ? std::move(member) : candidate->Judge(std::move(member));
}

bool IsOfRule(const Member& member, const Diagnostic& d) {
  return member.rules != nullptr && !member.rules->RuleOf(d.code).empty();
}

// The verdict of the built-in gates alone.
Verdict WithoutTheRule(const Member& member) {
  compiler::diag::Report built_in;
  for (const Diagnostic& d : member.report.diagnostics()) {
    if (!IsOfRule(member, d)) built_in.AddMade(d);
  }
  return VerdictOf(built_in);
}

// Applies the edits of the rule's violations, last place first.
std::string Edited(const Member& member, std::string source) {
  std::vector<compiler::diag::Edit> edits;
  for (const Diagnostic& d : member.report.diagnostics()) {
    if (!IsOfRule(member, d)) continue;
    for (const auto& fix : d.fixes) edits.insert(edits.end(), fix.edits.begin(), fix.edits.end());
  }
  std::sort(edits.begin(), edits.end(),
            [](const auto& a, const auto& b) { return a.span.begin > b.span.begin; });
  uint32_t from = UINT32_MAX;
  for (const auto& edit : edits) {
    if (edit.span.end > from) continue;  // one of two that meet
    source.replace(edit.span.begin, edit.span.end - edit.span.begin, edit.text);
    from = edit.span.begin;
  }
  return source;
}

bool HasEdits(const Member& member) {
  const auto& all = member.report.diagnostics();
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
    return IsOfRule(member, d) && !d.fixes.empty() && !d.fixes.front().edits.empty();
  });
}

RuleTrial TrialOf(const Member& member, const std::string& name) {
  RuleTrial trial{.program = name};
  trial.verdict = std::string(ToString(WithoutTheRule(member)));
  for (const Diagnostic& d : member.report.diagnostics()) {
    if (IsOfRule(member, d)) trial.said.push_back(d.message);
  }
  if (member.rule_outcomes.empty()) {
    trial.fault = absl::StrCat("was not asked: the program ends at the step ",
                               std::string(ToString(member.stage)));
    return trial;
  }
  const verifier::learnt::RuleOutcome& outcome = member.rule_outcomes.front();
  trial.hits = outcome.hits;
  trial.steps = outcome.steps;
  trial.cpu_ns = outcome.cpu_ns;
  if (outcome.unknown) {
    trial.fault = outcome.why;
  } else if (outcome.cpu_ns > kRuleCpuNsMax) {
    trial.fault =
        absl::StrCat("takes ", outcome.cpu_ns / 1000, " us, the limit is ", kRuleCpuNsMax / 1000);
  }
  return trial;
}

RuleTrial TryAccepted(const std::shared_ptr<const RuleSet>& rule, const std::string& source,
                      const std::string& name) {
  RuleTrial trial = TryRule(rule, source, name);
  if (!trial.fault.empty()) return trial;
  if (trial.verdict != ToString(Verdict::kPassed)) {
    trial.fault = absl::StrCat("the gates say ", trial.verdict, ", it must pass");
  } else if (trial.hits > 0) {
    trial.fault = "the rule refuses it";
  }
  return trial;
}

RuleTrial TryRejected(const std::shared_ptr<const RuleSet>& rule, const std::string& source,
                      const std::string& name) {
  const Member member = Asked(rule, source, name);
  RuleTrial trial = TrialOf(member, name);
  if (!trial.fault.empty()) return trial;
  if (trial.hits == 0) {
    trial.fault = "the rule lets it through";
    return trial;
  }
  if (!HasEdits(member)) return trial;
  const RuleTrial again = TryRule(rule, Edited(member, source), name);
  if (again.verdict != ToString(Verdict::kPassed) || again.hits > 0) {
    trial.fault = absl::StrCat("its edit does not mend it: the gates say ", again.verdict, ", ",
                               again.hits, " violations are left");
  }
  return trial;
}

}  // namespace

std::shared_ptr<const RuleSet> Only(verifier::learnt::CompiledRule rule) {
  std::vector<verifier::learnt::Installed> one(1);
  one[0].id = rule.rule.name;
  one[0].compiled = std::make_shared<const verifier::learnt::CompiledRule>(std::move(rule));
  return std::make_shared<const RuleSet>(std::move(one));
}

RuleTrial TryRule(const std::shared_ptr<const RuleSet>& rule, std::string_view source,
                  const std::string& name) {
  return TrialOf(Asked(rule, source, name), name);
}

std::vector<RuleTrial> TrySpecimens(const std::shared_ptr<const RuleSet>& rule) {
  std::vector<RuleTrial> trials;
  const verifier::learnt::Rule& text = rule->rules().front().compiled->rule;
  for (size_t i = 0; i < text.accepts.size(); ++i) {
    trials.push_back(TryAccepted(rule, text.accepts[i], absl::StrCat("accepts ", i + 1)));
  }
  for (size_t i = 0; i < text.rejects.size(); ++i) {
    trials.push_back(TryRejected(rule, text.rejects[i], absl::StrCat("rejects ", i + 1)));
  }
  return trials;
}

bool AllAsTheyMust(const std::vector<RuleTrial>& trials) {
  return std::all_of(trials.begin(), trials.end(),
                     [](const RuleTrial& trial) { return trial.fault.empty(); });
}

std::string TrialsJson(const std::vector<RuleTrial>& trials) {
  auto all = nlohmann::ordered_json::array();
  for (const RuleTrial& trial : trials) {
    all.push_back({{"program", trial.program},
                   {"verdict", trial.verdict},
                   {"hits", trial.hits},
                   {"steps", trial.steps},
                   {"cpu_ns", trial.cpu_ns},
                   {"said", trial.said},
                   {"fault", trial.fault}});
  }
  return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace server::pipeline
