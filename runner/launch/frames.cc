#include "runner/launch/frames.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/launch/marks_json.h"
#include "runner/oracle/generate.h"

namespace runner::launch {
namespace {

using nlohmann::json;

constexpr int64_t kSlotsMax = 256;

// Seeds are 64-bit: as text, since JSON numbers lose bits in many readers.
std::string Word(uint64_t value) { return std::to_string(value); }
uint64_t Number(const json& text) { return std::stoull(text.get<std::string>()); }

template <typename T, typename Read>
absl::StatusOr<T> Parse(std::string_view text, const char* what, const Read& read) {
  try {
    return read(json::parse(text));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(what, " does not parse: ", error.what()));
  }
}

json SlotJson(const Slot& slot) {
  return {{"name", slot.name},           {"dtype", std::string(compiler::ir::ToString(slot.dtype))},
          {"bytes", slot.bytes},         {"offset", slot.offset},
          {"workspace", slot.workspace}, {"zero", slot.zero},
          {"alignment", slot.alignment}};
}
Slot ReadSlot(const json& in) {
  const auto dtype = compiler::ir::ParseDType(in.at("dtype").get<std::string>());
  Slot slot{.name = in.at("name"),
            .dtype = dtype.value_or(compiler::ir::DType::kUnknown),
            .bytes = in.at("bytes"),
            .offset = in.at("offset"),
            .workspace = in.at("workspace"),
            .zero = in.at("zero"),
            .alignment = in.at("alignment")};
  if (!dtype || slot.alignment < 1 || slot.bytes < 0 || slot.offset < 0 ||
      slot.bytes > contract::kTensorBytesMax || slot.offset > (int64_t{1} << 40)) {
    throw std::invalid_argument("slot");
  }
  return slot;
}

}  // namespace

std::string ToJson(const Setup& setup) {
  return json({{"contract", contract::ToCanonicalJson(setup.workload)},
               {"source", setup.program.source},
               {"file", setup.program.file},
               {"program", setup.program.program},
               {"binding", setup.program.binding},
               {"arch", setup.program.arch},
               {"seed", Word(setup.seed)},
               {"cases", setup.cases},
               {"emit", setup.emit},
               {"instrument", setup.instrument},
               {"progress", setup.progress},
               {"direct_plans", setup.direct_plans}})
      .dump();
}
absl::StatusOr<Setup> SetupFromJson(std::string_view text) {
  return Parse<Setup>(text, "setup", [](const json& in) -> absl::StatusOr<Setup> {
    auto workload = contract::FromJson(in.at("contract").get<std::string>());
    if (!workload.ok()) return workload.status();
    return Setup{.workload = *std::move(workload),
                 .program = {.source = in.at("source"),
                             .file = in.at("file"),
                             .program = in.at("program"),
                             .binding = in.at("binding").get<std::map<std::string, int64_t>>(),
                             .arch = in.at("arch")},
                 .seed = Number(in.at("seed")),
                 .emit = in.at("emit"),
                 .instrument = in.at("instrument"),
                 .progress = in.at("progress"),
                 .cases = in.at("cases").get<std::vector<std::string>>(),
                 .direct_plans = in.at("direct_plans").get<std::map<std::string, std::string>>()};
  });
}

std::string ToJson(const ProgramReply& reply) {
  return json({{"canonical_hash", reply.canonical_hash},
               {"program", reply.program},
               {"target", reply.target},
               {"cuda", reply.cuda},
               {"kernels", reply.kernels},
               {"options", reply.options},
               {"refused", reply.refused}})
      .dump();
}
absl::StatusOr<ProgramReply> ProgramReplyFromJson(std::string_view text) {
  return Parse<ProgramReply>(text, "program reply", [](const json& in) {
    return ProgramReply{in.at("canonical_hash"),
                        in.at("program"),
                        in.at("target"),
                        in.at("cuda"),
                        in.at("kernels").get<std::vector<std::string>>(),
                        in.at("options").get<std::vector<std::string>>(),
                        in.at("refused").get<std::map<std::string, std::string>>()};
  });
}

std::string ToJson(const CaseRequest& request) {
  json runs = json::array();
  for (const RunSpec& run : request.runs) {
    runs.push_back({{"poison", Word(run.poison)},
                    {"input_set", run.input_set},
                    {"schedule_seed", Word(run.schedule_seed)},
                    {"shifted", run.shifted},
                    {"same_memory", run.same_memory},
                    {"jitter_seed", run.jitter_seed}});
  }
  json out = {{"name", request.name}, {"role", request.role}, {"runs", runs}};
  if (request.marks) out["marks"] = ToJson(*request.marks);
  return out.dump();
}
absl::StatusOr<CaseRequest> CaseRequestFromJson(std::string_view text) {
  return Parse<CaseRequest>(text, "case request", [](const json& in) {
    CaseRequest out{.name = in.at("name"), .role = in.at("role")};
    for (const json& run : in.at("runs")) {
      out.runs.push_back({Number(run.at("poison")), run.at("input_set"),
                          Number(run.at("schedule_seed")), run.at("shifted"), run.at("same_memory"),
                          run.at("jitter_seed")});
    }
    if (in.contains("marks")) out.marks = MarksOrderFromJson(in.at("marks"));
    return out;
  });
}

int64_t ImageBytes(const CaseReply& reply, const CaseRequest& request) {
  if (!reply.image_is_heads) return reply.layout.bytes * static_cast<int64_t>(request.runs.size());
  int64_t bytes = 0;
  for (const auto& [name, head] :
       request.marks ? request.marks->heads : decltype(MarksOrder::heads)())
    bytes += head;
  return bytes;
}

std::string ToJson(const KeepRequest& request) {
  return json({{"known", request.known}, {"outputs", request.outputs}}).dump();
}
absl::StatusOr<KeepRequest> KeepRequestFromJson(std::string_view text) {
  return Parse<KeepRequest>(text, "bounds to keep", [](const json& in) {
    KeepRequest out{.known = in.at("known")};
    if (in.at("outputs").size() > kSlotsMax) throw std::invalid_argument("outputs");
    for (const json& output : in.at("outputs")) {
      out.outputs.emplace_back(output.at(0), output.at(1));
      if (out.outputs.back().second < 0 ||
          out.outputs.back().second > 2 * contract::kTensorBytesMax)
        throw std::invalid_argument("output");
    }
    return out;
  });
}

std::string ToJson(const CaseReply& reply) {
  json slots = json::array();
  for (const Slot& slot : reply.layout.slots) slots.push_back(SlotJson(slot));
  return json({{"outcome", static_cast<int>(reply.outcome)},
               {"name", reply.name},
               {"code", reply.code},
               {"detail", reply.detail},
               {"diagnostics", reply.diagnostics},
               {"autopsy", reply.autopsy},
               {"sticky", reply.sticky},
               {"driver_error", reply.driver_error},
               {"runs_done", reply.runs_done},
               {"lane_statements", reply.lane_statements},
               {"slots", slots},
               {"marks", ToJson(reply.marks)},
               {"heads", reply.image_is_heads},
               {"bytes", reply.layout.bytes}})
      .dump();
}
absl::StatusOr<CaseReply> CaseReplyFromJson(std::string_view text) {
  return Parse<CaseReply>(text, "case reply", [](const json& in) {
    CaseReply out{.name = in.at("name"),
                  .code = in.at("code"),
                  .detail = in.at("detail"),
                  .diagnostics = in.at("diagnostics"),
                  .autopsy = in.at("autopsy"),
                  .sticky = in.at("sticky"),
                  .driver_error = in.at("driver_error"),
                  .runs_done = in.at("runs_done"),
                  .lane_statements = in.at("lane_statements")};
    const int outcome = in.at("outcome");
    if (outcome < 0 || outcome > static_cast<int>(CaseReply::Outcome::kDriverError))
      throw std::invalid_argument("outcome");
    out.outcome = static_cast<CaseReply::Outcome>(outcome);
    if (in.at("slots").size() > kSlotsMax) throw std::invalid_argument("slots");
    for (const json& slot : in.at("slots")) out.layout.slots.push_back(ReadSlot(slot));
    out.layout.bytes = in.at("bytes");
    out.marks = RunMarksFromJson(in.at("marks"));
    out.image_is_heads = in.at("heads");
    // Every slot lies inside the run: the judge takes spans by these numbers.
    for (const Slot& slot : out.layout.slots) {
      if (slot.offset + slot.bytes + 2 * oracle::kGuardBytes + kSlotAlignment > out.layout.bytes)
        throw std::invalid_argument("slot is outside");
    }
    if (out.runs_done < 0 || out.layout.bytes < 0) throw std::invalid_argument("runs");
    return out;
  });
}

}  // namespace runner::launch
