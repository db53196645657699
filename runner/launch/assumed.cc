#include "runner/launch/assumed.h"

#include <algorithm>
#include <string>

#include "compiler/diag/render.h"
#include "compiler/facts/contents.h"

namespace runner::launch {
namespace {

namespace diag = compiler::diag;
namespace ir = compiler::ir;

constexpr diag::Def<diag::Name, diag::Name> kBroken{
    "CK2090", diag::Severity::kError, diag::Category::kData,
    "the inputs of case {0} are not what the program assumes: {1}",
    "the workload chooses the contents of its inputs; a program may rely only on what they obey"};

}  // namespace

bool ObeysAssumptions(const Elaborated& program, const CasePlan& plan, const ProgramText& text,
                      std::span<std::byte> image, CaseReply& reply) {
  const ir::Program& ir = *program.program;
  if (ir.contracts.empty()) return true;
  compiler::facts::TensorBytes tensors(ir.tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (const Slot& slot : reply.layout.slots) {
      if (slot.name == ir.tensors[i].name) tensors[i] = DataOf(slot, image);
    }
  }
  diag::Report report;
  for (const ir::ContentContract& contract : ir.contracts) {
    const absl::Status holds =
        compiler::facts::CheckContents(ir, plan.plan, plan.values, tensors, contract);
    if (holds.ok()) continue;
    report.Add(kBroken, contract.span, diag::Name{reply.name},
               diag::Name{std::string(holds.message())});
  }
  if (!report.has_errors()) return true;
  reply.outcome = CaseReply::Outcome::kFault;
  reply.code = std::string(report.diagnostics().front().code);
  reply.detail = report.diagnostics().front().message;
  reply.diagnostics = diag::RenderJson(report, text.file, text.source);
  return false;
}

}  // namespace runner::launch
