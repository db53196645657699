#include "server/pipeline/fixes.h"

#include <algorithm>

namespace server::pipeline {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Diagnostic;
using compiler::diag::Edit;
using compiler::diag::Fix;
using compiler::diag::Report;

// The text with the edits, of which none may overlap another; "" if some do.
std::string Edited(std::string source, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(),
            [](const Edit& a, const Edit& b) { return a.span.begin > b.span.begin; });
  size_t from = source.size();
  for (const Edit& edit : edits) {
    if (edit.span.begin > edit.span.end || edit.span.end > from) return {};
    source.replace(edit.span.begin, edit.span.end - edit.span.begin, edit.text);
    from = edit.span.begin;
  }
  return source;
}

bool Passes(const Candidate& candidate, const Member& member, const std::string& source) {
  Options options = candidate.options();
  options.source_bytes = 0;
  options.emit_cuda = false;
  options.estimate_case.reset();
  const Candidate edited(source, options);
  if (!edited.ok()) return false;
  // Params that the edit took away are none of its binding.
  std::map<std::string, int64_t> values;
  for (const auto& param : edited.params()) {
    const auto value = member.binding.find(param.name);
    if (value != member.binding.end()) values.insert(*value);
  }
  const auto binding = edited.Bind(values);
  if (!binding.ok()) return false;
  Member elaborated = edited.Elaborate(*binding);
  return elaborated.program != nullptr &&
         edited.Judge(std::move(elaborated)).verdict == Verdict::kPassed;
}

// The first edit that a diagnostic has to offer.
const Fix* FirstEdit(const Diagnostic& d) {
  const auto fix = std::find_if(d.fixes.begin(), d.fixes.end(),
                                [](const Fix& one) { return !one.edits.empty(); });
  return fix == d.fixes.end() ? nullptr : &*fix;
}

// Whether the first edits of all diagnostics mend the program together; `machine`: only those that
// apply themselves.
bool PassTogether(const Candidate& candidate, const Member& member, bool machine) {
  std::vector<Edit> edits;
  for (const Diagnostic& d : member.report.diagnostics()) {
    const Fix* fix = FirstEdit(d);
    if (fix == nullptr || (machine && fix->applicability != Applicability::kMachine)) continue;
    edits.insert(edits.end(), fix->edits.begin(), fix->edits.end());
  }
  const std::string edited = edits.empty() ? "" : Edited(candidate.source(), std::move(edits));
  return !edited.empty() && Passes(candidate, member, edited);
}

}  // namespace

void KeepFixesThatPass(const Candidate& candidate, Member& member) {
  const auto& all = member.report.diagnostics();
  if (std::none_of(all.begin(), all.end(), [](const auto& d) { return FirstEdit(d) != nullptr; })) {
    return;
  }
  const bool machine = PassTogether(candidate, member, true);
  const bool every = !machine && PassTogether(candidate, member, false);
  size_t tried = 0;
  Report kept;
  for (Diagnostic d : all) {
    const Fix* first = FirstEdit(d);
    for (Fix& fix : d.fixes) {
      if (fix.edits.empty()) continue;
      const bool applies = fix.applicability == Applicability::kMachine;
      if (&fix == first && (every || (machine && applies))) continue;
      const std::string alone =
          ++tried <= kFixesTriedMax ? Edited(candidate.source(), fix.edits) : "";
      if (!alone.empty() && Passes(candidate, member, alone)) continue;
      fix.edits.clear();
      fix.applicability = Applicability::kManual;
    }
    kept.AddMade(std::move(d));
  }
  member.report = std::move(kept);
}

}  // namespace server::pipeline
