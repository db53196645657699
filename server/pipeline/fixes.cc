#include "server/pipeline/fixes.h"

#include <algorithm>
#include <optional>

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

// The member that the edited text has in its place; nothing where it has none.
std::optional<Member> Judged(const Candidate& candidate, const Member& member,
                             const std::string& source) {
  Options options = candidate.options();
  options.source_bytes = 0;
  options.emit_cuda = false;
  options.estimate_case.reset();
  const Candidate edited(source, options);
  if (!edited.ok()) {
    Member unread;
    unread.report = edited.report();
    unread.verdict = VerdictOf(unread.report);
    return unread;
  }
  // Params that the edit took away are none of its binding.
  std::map<std::string, int64_t> values;
  for (const auto& param : edited.params()) {
    const auto value = member.binding.find(param.name);
    if (value != member.binding.end()) values.insert(*value);
  }
  const auto binding = edited.Bind(values);
  if (!binding.ok()) return std::nullopt;
  Member elaborated = edited.Elaborate(*binding);
  if (elaborated.program == nullptr) return elaborated;
  return edited.Judge(std::move(elaborated));
}

bool Passes(const Candidate& candidate, const Member& member, const std::string& source) {
  const std::optional<Member> edited = Judged(candidate, member, source);
  return edited && edited->verdict == Verdict::kPassed;
}

// Of compiler/machine/findings.cc: accesses outside their buffers and tensors.
constexpr std::string_view kOutOfBounds = "CK200";

bool LeavesUndefined(const Member& member) {
  return std::any_of(member.properties.begin(), member.properties.end(), [](const auto& one) {
    return one.property == "definedness" && one.how == verifier::How::kRefuted;
  });
}

// Whether an edit that does not mend the program is a step on the way: the finding is gone, and
// nothing that was there before is missing now, as where stores are left out.
bool Helps(const Member& member, const Diagnostic& d, const std::optional<Member>& edited) {
  if (!edited) return false;
  const auto count = [&](const Report& report) {
    return std::count_if(report.diagnostics().begin(), report.diagnostics().end(),
                         [&](const Diagnostic& one) { return one.code == d.code; });
  };
  // Where a place is out of bounds, what is undefined too may come of that: a guard that leaves it
  // so only hides the place.
  const bool outside = d.code.rfind(kOutOfBounds, 0) == 0;
  return count(edited->report) < count(member.report) &&
         ((LeavesUndefined(member) && !outside) || !LeavesUndefined(*edited));
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

// The fixes of one report.
class Trial {
 public:
  Trial(const Candidate& candidate, const Member& member)
      : candidate_(candidate), member_(member), machine_(PassTogether(candidate, member, true)) {
    every_ = !machine_ && PassTogether(candidate, member, false);
  }

  // Those of `d` that mend the program, alone or together with others, and as words those that are
  // a step on the way or that were not tried.
  std::vector<Fix> Kept(const Diagnostic& d) {
    const Fix* first = FirstEdit(d);
    std::vector<Fix> kept;
    for (const Fix& fix : d.fixes) {
      const bool applies = fix.applicability == Applicability::kMachine;
      const bool together = &fix == first && (every_ || (machine_ && applies));
      if (fix.edits.empty() || together) {
        kept.push_back(fix);
        continue;
      }
      const std::string alone =
          ++tried_ <= kFixesTriedMax ? Edited(candidate_.source(), fix.edits) : "";
      const std::optional<Member> edited =
          alone.empty() ? std::nullopt : Judged(candidate_, member_, alone);
      if (edited && edited->verdict == Verdict::kPassed) {
        kept.push_back(fix);
      } else if (alone.empty() || Helps(member_, d, edited)) {
        kept.push_back({.title = fix.title});
      }
    }
    return kept;
  }

 private:
  const Candidate& candidate_;
  const Member& member_;
  bool machine_ = false, every_ = false;
  size_t tried_ = 0;
};

}  // namespace

void KeepFixesThatPass(const Candidate& candidate, Member& member) {
  const auto& all = member.report.diagnostics();
  if (std::none_of(all.begin(), all.end(), [](const auto& d) { return FirstEdit(d) != nullptr; })) {
    return;
  }
  Trial trial(candidate, member);
  Report kept;
  for (const Diagnostic& d : all) {
    Diagnostic one = d;
    one.fixes = trial.Kept(d);
    kept.AddMade(std::move(one));
  }
  member.report = std::move(kept);
}

}  // namespace server::pipeline
