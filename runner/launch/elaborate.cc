#include "runner/launch/elaborate.h"

#include "absl/strings/str_cat.h"
#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"
#include "runner/contract/bind.h"

namespace runner::launch {
namespace {

namespace diag = compiler::diag;
using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

constexpr Def<Name, int64_t> kNoProgram{"CK9120", Severity::kError, Category::kContract,
                                        "the text has no program {0}; it has {1} programs",
                                        "a run is of exactly one program"};
constexpr Def<Name> kNoParam{"CK9121", Severity::kError, Category::kContract,
                             "the program has no param {0}", "bindings name params of the program"};
constexpr Def<Name> kNoDevice{"CK9122", Severity::kError, Category::kHardware,
                              "no device description for {0}", "limits are read from it"};
constexpr Def<Name, Name> kNotAdmitted{
    "CK9123", Severity::kError, Category::kHardware, "a program for {0} does not run on {1}",
    "plain targets are minima, targets with a letter match exactly"};

const compiler::text::Program* Select(const compiler::text::File& file, const std::string& name,
                                      diag::Report& report) {
  const compiler::text::Program* found = nullptr;
  for (const auto& program : file.programs) {
    if (name.empty() ? file.programs.size() == 1 : program->name.text == name) found = program;
  }
  if (found == nullptr) {
    report.Add(kNoProgram, {}, Name{name}, static_cast<int64_t>(file.programs.size()));
  }
  return found;
}

}  // namespace

Elaborated Elaborate(const ProgramText& text, diag::Report& report) {
  Elaborated out;
  const auto file = compiler::text::Parse(text.source, compiler::ops::Table(), report);
  if (report.has_errors()) return out;
  const auto* program = Select(*file, text.program, report);
  if (program == nullptr) return out;
  const auto params = compiler::sema::Params(*program, report);
  if (report.has_errors()) return out;
  auto binding = compiler::sema::DefaultBinding(params);
  for (const auto& [name, value] : text.binding) {
    if (!binding.contains(name)) report.Add(kNoParam, {}, Name{name});
    binding[name] = value;
  }
  if (report.has_errors()) return out;
  auto elaborated =
      compiler::sema::Elaborate(*file, *program, binding, compiler::ops::Table(), report);
  if (elaborated == nullptr) return out;
  const std::string arch = text.arch.empty() ? elaborated->target : text.arch;
  const auto device = compiler::arch::DeviceOfTarget(arch);
  if (!device.ok())
    report.Add(kNoDevice, {}, Name{arch});
  else if (!compiler::arch::Admits(elaborated->target, arch))
    report.Add(kNotAdmitted, {}, Name{elaborated->target}, Name{arch});
  if (report.has_errors()) return out;
  out.device = *device;
  out.facts = compiler::facts::Derive(*elaborated, **device, report);
  if (report.has_errors()) return out;
  out.canonical_hash = compiler::sema::CanonicalHash(*elaborated);
  out.program = std::move(elaborated);
  return out;
}

absl::StatusOr<CasePlan> PlanCase(const Elaborated& program, const contract::Workload& workload,
                                  const contract::Case& at, int64_t sms) {
  const auto named = contract::CaseValues(workload, at, *program.program, sms);
  if (!named.ok()) return named.status();
  auto values = compiler::facts::BindLaunch(*program.program, *named);
  if (!values.ok()) return values.status();
  auto plan =
      compiler::facts::PlanLaunch(*program.program, program.facts, *values, program.canonical_hash);
  if (!plan.ok()) return plan.status();
  return CasePlan{*std::move(values), *std::move(plan)};
}

}  // namespace runner::launch
