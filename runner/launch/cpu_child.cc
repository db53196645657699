#include "runner/launch/cpu_child.h"

#include <optional>

#include "compiler/diag/render.h"
#include "compiler/emit/emit.h"
#include "compiler/machine/machine.h"
#include "compiler/ops/table.h"
#include "runner/child/channel.h"
#include "runner/child/crash_note.h"
#include "runner/child/memory_file.h"
#include "runner/child/pack.h"
#include "runner/contract/bind.h"
#include "runner/launch/assumed.h"
#include "runner/launch/frames.h"

namespace runner::launch {
namespace {

namespace machine = compiler::machine;

constexpr int kExitProtocol = 4;

CaseReply::Outcome OutcomeOf(machine::Outcome outcome) {
  switch (outcome) {
    case machine::Outcome::kFinished: return CaseReply::Outcome::kFinished;
    case machine::Outcome::kFault: return CaseReply::Outcome::kFault;
    case machine::Outcome::kDeadlock: return CaseReply::Outcome::kDeadlock;
    case machine::Outcome::kLimit: return CaseReply::Outcome::kLimit;
  }
  return CaseReply::Outcome::kFault;
}

class CpuChild {
 public:
  explicit CpuChild(child::Channel& channel) : channel_(channel) {}

  absl::Status Serve() {
    for (;;) {
      auto frame = channel_.Receive(-1);
      if (!frame.ok()) return frame.status();
      if (!frame->has_value()) return absl::OkStatus();
      absl::Status status;
      if ((*frame)->type == kSetupFrame)
        status = DoSetup((*frame)->payload);
      else if ((*frame)->type == kCaseFrame)
        status = DoCase((*frame)->payload);
      else if ((*frame)->type == kHealthFrame)
        status = channel_.Send(kHealthyFrame, "");
      else
        return absl::InvalidArgumentError("unknown frame");
      if (!status.ok()) {
        return channel_.Send(kFailedFrame,
                             std::string_view(status.message().data(), status.message().size()));
      }
    }
  }

 private:
  absl::Status DoSetup(const std::string& payload) {
    const auto parts = child::Unpack(payload);
    if (!parts || parts->size() != 2)
      return absl::InvalidArgumentError("setup: not a role and a program");
    auto setup = SetupFromJson((*parts)[1]);
    if (!setup.ok()) return setup.status();
    setup_ = *std::move(setup);
    compiler::diag::Report report;
    program_ = Elaborate(setup_.program, report);
    if (program_.program != nullptr)
      contract::CheckBinding(setup_.workload, *program_.program, report);
    if (program_.program == nullptr || report.has_errors()) {
      return channel_.Send(kRejectedFrame, compiler::diag::RenderJson(report, setup_.program.file,
                                                                      setup_.program.source));
    }
    ProgramReply reply{.canonical_hash = program_.canonical_hash,
                       .program = program_.program->name,
                       .target = program_.program->target};
    if (setup_.emit) {
      auto source = compiler::emit::Emit(*program_.program, program_.facts, program_.canonical_hash,
                                         setup_.program.file);
      reply.cuda = std::move(source.cuda);
      reply.kernels = std::move(source.kernels);
      reply.options = std::move(source.options);
    }
    return channel_.Send(kProgramFrame, ToJson(reply));
  }

  absl::Status DoCase(const std::string& payload) {
    auto request = CaseRequestFromJson(payload);
    if (!request.ok()) return request.status();
    const contract::Case* at = contract::FindCase(setup_.workload, request->name);
    if (at == nullptr || program_.program == nullptr)
      return absl::InvalidArgumentError("case without a contract or program");
    const auto plan =
        PlanCase(program_, setup_.workload, *at, contract::MachineSms(*program_.program));
    if (!plan.ok()) return plan.status();
    CaseReply reply{.name = request->name, .layout = LayOut(plan->plan)};
    auto file = child::MemoryFile::Create(
        "case", reply.layout.bytes * static_cast<int64_t>(request->runs.size()));
    if (!file.ok()) return file.status();
    for (const RunSpec& run : request->runs) {
      if (reply.outcome != CaseReply::Outcome::kFinished) break;
      const auto image =
          file->bytes().subspan(static_cast<size_t>(reply.layout.bytes * reply.runs_done),
                                static_cast<size_t>(reply.layout.bytes));
      if (auto status = FillRun(setup_.workload, *at, LayoutOf(reply.layout, run), run, setup_.seed,
                                image, 1);
          !status.ok())
        return status;
      if (!ObeysAssumptions(program_, *plan, setup_.program, image, reply)) break;
      if (auto status = RunOnce(*plan, run, image, reply); !status.ok()) return status;
      ++reply.runs_done;
    }
    auto fd = std::move(*file).Seal();
    if (!fd.ok()) return fd.status();
    const int fds[] = {fd->get()};
    return channel_.Send(kCaseDoneFrame, ToJson(reply), fds);
  }

  absl::Status RunOnce(const CasePlan& plan, const RunSpec& run, std::span<std::byte> image,
                       CaseReply& reply) {
    machine::Memory memory;
    for (const Slot& slot : LayoutOf(reply.layout, run).slots) {
      const auto data = DataOf(slot, image);
      if (slot.zero) std::fill(data.begin(), data.end(), std::byte{0});
      memory.tensors.push_back(data);
    }
    machine::Options options{.schedule_seed = run.schedule_seed};
    auto result =
        machine::Run(*program_.program, program_.facts, plan.plan, plan.values, memory, options);
    if (!result.ok()) return result.status();
    reply.outcome = OutcomeOf(result->outcome);
    reply.lane_statements += result->lane_statements;
    if (reply.outcome == CaseReply::Outcome::kLimit) {
      reply.detail =
          std::to_string(options.max_lane_statements) + " lane statements were not enough";
    }
    if (result->report.has_errors()) {
      result->report.Sort();
      const auto& first = result->report.diagnostics().front();
      reply.code = std::string(first.code);
      reply.detail = first.message;
      reply.diagnostics =
          compiler::diag::RenderJson(result->report, setup_.program.file, setup_.program.source);
      if (reply.outcome == CaseReply::Outcome::kFinished)
        reply.outcome = CaseReply::Outcome::kFault;
    }
    return absl::OkStatus();
  }

  child::Channel& channel_;
  Setup setup_;
  Elaborated program_;
};

}  // namespace

int CpuChildMain(child::Level level) {
  child::Channel channel{child::UniqueFd(child::kChannelFd)};
  child::NoteCrashes();
  compiler::ops::Table();  // built once, before the filter
  if (auto status = child::EnterSandbox(level, child::Filter::kComputeOnly); !status.ok()) {
    return channel.Send(kFailedFrame,
                        std::string_view(status.message().data(), status.message().size()))
                   .ok()
               ? 3
               : kExitProtocol;
  }
  if (!channel.Send(kReadyFrame, "{\"device\":\"cpu\"}").ok()) return kExitProtocol;
  return CpuChild(channel).Serve().ok() ? 0 : kExitProtocol;
}

}  // namespace runner::launch
