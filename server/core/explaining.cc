#include "server/core/explaining.h"

#include "compiler/arch/hardware.h"

namespace server::core {
namespace {

constexpr size_t kAskedMax = 8;
constexpr int64_t kCpuLimitMs = 5'000;
constexpr size_t kBindingBytesMax = 4096;

}  // namespace

void Explaining::Explain(const ExplainRequest& request, Done<ExplainReply> done) {
  if (auto status = CheckServing(c_); !status.ok()) return done(status);
  const state::Candidate* candidate = c_.state().FindCandidate(request.candidate);
  if (candidate == nullptr) return done(state::NotFound("candidate", request.candidate));
  if (candidate->arm_kind != "cake-ir") {
    return done(state::BadField("candidate", "is CUDA: only Cake programs have a derived map"));
  }
  if (request.binding.size() > kBindingBytesMax) {
    return done(state::BadField("binding", "has more than 4096 bytes"));
  }
  if (asked_.size() >= kAskedMax) {
    return done(state::Error(state::Reason::kRate, "too many programs are being explained"));
  }
  auto source = c_.ledger.Object(candidate->source_hash);
  if (!source.ok()) return done(source.status());
  Asked asked;
  asked.reply.candidate = candidate->Name();
  asked.reply.binding = request.binding;
  if (asked.reply.binding.empty()) {
    const state::Variant* best = state::JudgedOf(c_.state(), *candidate).best;
    if (best != nullptr) asked.reply.binding = best->params_json;
  }
  asked.done = std::move(done);
  GateRequest gate;
  gate.map = true;
  gate.source = *std::move(source);
  gate.binding_json = asked.reply.binding;
  gate.cpu_limit_ms = kCpuLimitMs;
  const uint64_t id = next_id_++;
  asked_.emplace(id, std::move(asked));
  gates_.Start(id, std::move(gate), true);
}

void Explaining::GateDone(uint64_t id, absl::StatusOr<GateReply> reply) {
  const auto found = asked_.find(id);
  if (found == asked_.end()) return;
  Asked asked = std::move(found->second);
  asked_.erase(found);
  if (!reply.ok()) return asked.done(reply.status());
  asked.reply.arch = reply->arch;
  asked.reply.hardware = std::string(compiler::arch::HardwareNote(reply->arch));
  asked.reply.map_json = reply->map_json;
  if (!reply->members.empty()) asked.reply.binding = reply->members.front().binding_json;
  asked.done(std::move(asked.reply));
}

void Explaining::AnswerAll(const absl::Status& status) {
  for (auto& [id, asked] : std::exchange(asked_, {})) asked.done(status);
}

}  // namespace server::core
