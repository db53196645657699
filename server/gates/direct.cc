#include "server/gates/direct.h"

#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/diag/render.h"
#include "runner/contract/hash.h"
#include "runner/launch/direct.h"

namespace server::gates {
namespace {

using compiler::diag::Diagnostic;
using compiler::diag::Name;
using compiler::diag::Severity;

// Plans are made for a device of so many multiprocessors; the worker plans again with its own.
constexpr int64_t kMultiprocessors = 132;
constexpr std::string_view kFile = "candidate.cu";

constexpr compiler::diag::Def<Name> kLaunch{"CK9202", Severity::kError,
                                            compiler::diag::Category::kData,
                                            "the declared launch does not fit: {0}",
                                            "direct CUDA is launched by the worker alone, from its "
                                            "//@ lines, so every argument, extent and "
                                            "output of the contract has to be declared there"};

// The bytes of the line that a fault names as "LINE: what".
compiler::diag::Span SpanOf(std::string_view source, std::string_view fault) {
  int64_t wanted = 0;
  const size_t colon = fault.find(':');
  if (colon == std::string_view::npos ||
      !absl::SimpleAtoi(absl::string_view(fault.data(), colon), &wanted)) {
    return {};
  }
  size_t begin = 0;
  for (int64_t line = 1; line < wanted && begin < source.size(); ++line) {
    const size_t end = source.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  const size_t end = std::min(source.size(), source.find('\n', begin));
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(std::max(begin, end))};
}

absl::Status Fits(const core::GateRequest& request, std::string& arch) {
  const auto program = runner::launch::ParseDirect(request.source);
  if (!program.ok()) return program.status();
  arch = program->target;
  if (request.contract_json.empty()) return absl::OkStatus();
  const auto contract = runner::contract::FromJson(request.contract_json);
  if (!contract.ok()) return contract.status();
  for (const auto& one : contract->cases) {
    const auto plan = runner::launch::PlanDirect(*program, *contract, one, kMultiprocessors);
    if (!plan.ok())
      return absl::InvalidArgumentError(
          absl::StrCat("case ", one.name, ": ", plan.status().message()));
  }
  return absl::OkStatus();
}

core::GateMember MemberOf(const core::GateRequest& request, const absl::Status& fits) {
  compiler::diag::Report report;
  if (!fits.ok()) {
    const std::string what(fits.message());
    report.Add(kLaunch, SpanOf(request.source, what), Name{what});
  }
  core::GateMember out;
  out.binding_json = "{}";
  out.verdict = fits.ok() ? "PASSED" : "REJECTED_DATA";
  out.stage = fits.ok() ? "done" : "gates";
  out.canon_hash = runner::contract::Sha256Hex(request.source);
  out.struct_hash = out.canon_hash;
  auto json = nlohmann::ordered_json{{"file", kFile},
                                     {"kind", "direct-cuda"},
                                     {"binding", nlohmann::json::object()},
                                     {"verdict", out.verdict},
                                     {"blame", fits.ok() ? "NONE" : "CANDIDATE"},
                                     {"stage", out.stage}};
  const auto rendered = nlohmann::ordered_json::parse(
      compiler::diag::RenderJson(report, std::string(kFile), request.source), nullptr, false);
  for (const char* key : {"diagnostics", "errors", "warnings", "advice", "omitted"})
    json[key] = rendered.at(key);
  for (const char* key : {"properties", "instances", "assumptions"})
    json[key] = nlohmann::json::array();
  json["canonical_hash"] = out.canon_hash;
  json["structural_hash"] = out.struct_hash;
  json["estimate"] = nullptr;
  out.report_json = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const Diagnostic& d : report.diagnostics()) {
    core::GateDiagnostic row;
    row.code = std::string(d.code);
    row.category = std::string(compiler::diag::ToString(d.category));
    row.severity = std::string(compiler::diag::ToString(d.severity));
    row.message = d.message;
    row.span_begin = d.primary.begin;
    row.span_end = d.primary.end;
    row.fingerprint = absl::StrFormat("%016x", compiler::diag::Fingerprint(d, request.source));
    out.diagnostics.push_back(std::move(row));
  }
  return out;
}

}  // namespace

core::GateReply AnswerDirect(const core::GateRequest& request) {
  core::GateReply reply;
  const absl::Status fits = request.narrow.empty()
                                ? Fits(request, reply.arch)
                                : absl::InvalidArgumentError("direct CUDA has no params to narrow");
  reply.program_name = "direct";
  reply.members.push_back(MemberOf(request, fits));
  reply.family_ok = fits.ok();
  reply.members_total = fits.ok() ? 1 : 0;
  reply.program_id = reply.members.front().canon_hash;
  if (request.emit && fits.ok()) reply.cuda = request.source;
  return reply;
}

}  // namespace server::gates
