#include "server/generators/propose.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/diag/render.h"
#include "compiler/ops/table.h"
#include "compiler/text/parse.h"
#include "server/generators/sites.h"
#include "server/pipeline/pipeline.h"
#include "server/state/philox.h"

namespace server::generators {
namespace {

constexpr int kSitesTried = 8;   // of one proposal, in drawn order
constexpr int kDrawsTried = 16;  // of a binding, until it is another one

Proposal Nothing(std::string why) { return {.text = std::move(why)}; }

// The parent's binding where the program has the param and the value; its default elsewhere.
Binding Restrict(const std::vector<ParamDomain>& params, const Binding& wanted) {
  Binding binding = compiler::sema::DefaultBinding(params);
  for (const ParamDomain& param : params) {
    const auto it = wanted.find(param.name);
    if (it == wanted.end()) continue;
    if (std::find(param.values.begin(), param.values.end(), it->second) != param.values.end()) {
      binding[param.name] = it->second;
    }
  }
  return binding;
}

struct Hashes {
  std::string canonical, structural;  // empty: it does not elaborate
};

Hashes HashesOf(const ProgramText& program, const Binding& binding) {
  compiler::diag::Report report;
  const auto made = compiler::sema::Elaborate(*program.file, *program.program, binding,
                                              compiler::ops::Table(), report);
  if (made == nullptr) return {};
  return {compiler::sema::CanonicalHash(*made), compiler::sema::StructuralHash(*made)};
}

std::string Canonical(std::string_view source) {
  compiler::diag::Report report;
  return compiler::text::Format(source, compiler::ops::Table(), report);
}

std::string BindingText(const Binding& from, const Binding& to) {
  std::vector<std::string> changes;
  for (const auto& [name, value] : to) {
    const auto before = from.find(name);
    if (before == from.end() || before->second != value) {
      changes.push_back(absl::StrCat(name, "=", value));
    }
  }
  return absl::StrCat("take ", absl::StrJoin(changes, " "));
}

class Maker {
 public:
  explicit Maker(const ProposalInput& input)
      : in_(input), rng_(input.pick, 0, 0, state::DrawFor::kPropose), parent_(Read(input.source)) {}

  Proposal Make() {
    if (in_.tactic == "fix") return Fix();
    if (parent_.program == nullptr) return Nothing("the parent's text has errors");
    from_ = Restrict(parent_.params, in_.binding);
    if (IsOfFamily(in_.tactic)) return OfFamily();
    const auto lister = Listers().find(in_.tactic);
    if (lister == Listers().end()) {
      return Nothing(absl::StrCat("no tactic `", std::string(in_.tactic), "`"));
    }
    return FromSites(lister->second(parent_));
  }

 private:
  using Lister = Sites (*)(const ProgramText&);

  static const std::map<std::string_view, Lister>& Listers() {
    static const std::map<std::string_view, Lister> kListers = {
        {"stages", [](const ProgramText& p) { return WidenSites(p, ParamUse::kStages); }},
        {"tile", [](const ProgramText& p) { return WidenSites(p, ParamUse::kTile); }},
        {"vector", [](const ProgramText& p) { return WidenSites(p, ParamUse::kVector); }},
        {"warps", [](const ProgramText& p) { return WidenSites(p, ParamUse::kWarps); }},
        {"unroll", &UnrollSites},
        {"form", &FormSites},
        {"fuse", &FuseSites},
        {"unfuse", &UnfuseSites},
        {"raster", &RasterSites},
        {"persistent", &PersistentSites},
        {"roles", &RoleSites},
    };
    return kListers;
  }

  static bool IsOfFamily(std::string_view tactic) {
    return tactic == "step" || tactic == "jump" || tactic == "crossover" || tactic == "random";
  }

  Proposal OfFamily() {
    if (parent_.params.empty()) return Nothing("the program has no params");
    Binding other = from_;
    if (in_.tactic == "crossover") {
      const ProgramText second = Read(in_.other_source);
      if (second.program == nullptr) return Nothing("the second parent's text has errors");
      other = Restrict(parent_.params, Restrict(second.params, in_.other_binding));
    }
    for (int i = 0; i < kDrawsTried; ++i) {
      Binding to = from_;
      if (in_.tactic == "random") to = Drawn();
      if (in_.tactic == "step") Move(to, true);
      if (in_.tactic == "jump") Move(to, false);
      if (in_.tactic == "crossover") Mix(other, to);
      // A random draw is a draw: its being the parent again is part of the baseline.
      if (to == from_ && in_.tactic != "random") continue;
      if (in_.tactic == "crossover" && to == other) continue;
      return {true, std::string(in_.source), to, BindingText(from_, to)};
    }
    return Nothing("no other member can be drawn");
  }

  Binding Drawn() {
    Binding binding;
    for (const ParamDomain& param : parent_.params) {
      binding[param.name] = param.values[rng_.Below(param.values.size())];
    }
    return binding;
  }

  // One param to a neighbouring value, or to any.
  void Move(Binding& binding, bool near) {
    const ParamDomain& param = parent_.params[rng_.Below(parent_.params.size())];
    std::vector<int64_t> values = param.values;
    if (values.size() < 2) return;
    std::sort(values.begin(), values.end());
    const auto at = std::find(values.begin(), values.end(), binding[param.name]);
    auto index = static_cast<size_t>(at - values.begin());
    if (near) {
      const bool up = index == 0 || (index + 1 < values.size() && rng_.Below(2) == 1);
      index = up ? index + 1 : index - 1;
    } else {
      index = rng_.Below(values.size());
    }
    binding[param.name] = values[index];
  }

  void Mix(const Binding& other, Binding& binding) {
    for (auto& [name, value] : binding) {
      if (rng_.Below(2) == 1) value = other.at(name);
    }
  }

  Proposal FromSites(Sites sites) {
    if (sites.empty()) return Nothing("the program has no place for it");
    const Hashes before = HashesOf(parent_, from_);
    std::string why = "what it gives is the same program";
    for (int i = 0; i < kSitesTried && !sites.empty(); ++i) {
      const size_t at = rng_.Below(sites.size());
      const Site site = std::move(sites[at]);
      sites.erase(sites.begin() + static_cast<std::ptrdiff_t>(at));
      const std::string edited = Apply(in_.source, site.edits);
      const ProgramText child = Read(edited);
      if (child.program == nullptr) {
        why = "what it gives cannot be read";
        continue;
      }
      Binding wanted = from_;
      for (const auto& [name, value] : site.changes) wanted[name] = value;
      const Binding binding = Restrict(child.params, wanted);
      const Hashes after = HashesOf(child, binding);
      if (after.canonical.empty()) {
        why = "what it gives does not elaborate";
        continue;
      }
      if (after.canonical == before.canonical ||
          (in_.structural && after.structural == before.structural)) {
        continue;
      }
      return {true, Canonical(edited), binding, site.text};
    }
    return Nothing(why);
  }

  // The repaired text; its binding is the parent's.
  Proposal Fix() {
    pipeline::Options options;
    options.emit_cuda = false;
    const pipeline::Candidate candidate(in_.source, options);
    const pipeline::Member member =
        candidate.CheckMember(Restrict(candidate.params(), in_.binding));
    int applied = 0;
    const std::string repaired =
        compiler::diag::ApplyMachineFixes(member.report, in_.source, &applied);
    if (applied == 0) return Nothing("no error has a machine-applicable fix");
    const ProgramText child = Read(repaired);
    const Binding binding =
        child.program == nullptr ? Binding{} : Restrict(child.params, in_.binding);
    return {true, child.program == nullptr ? repaired : Canonical(repaired), binding,
            absl::StrCat("apply ", applied, applied == 1 ? " fix" : " fixes")};
  }

  const ProposalInput& in_;
  state::Rng rng_;
  const ProgramText parent_;
  Binding from_;
};

}  // namespace

Proposal Propose(const ProposalInput& input) { return Maker(input).Make(); }

}  // namespace server::generators
