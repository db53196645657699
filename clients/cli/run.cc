// run: one job of the worker, without a daemon. The worker judges; this prints what it found.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cli/contract.h"
#include "clients/cli/member.h"
#include "clients/cli/next.h"
#include "clients/cli/terminal.h"
#include "clients/cli/worker.h"
#include "compiler/arch/hardware.h"

namespace clients::cli {
namespace {

using nlohmann::json;

json JobOf(const RunOptions& options, const runner::contract::Workload& contract) {
  return {{"schema", 1},
          {"contract", runner::contract::ToCanonicalJson(contract)},
          {"cases", options.cases},
          {"seed", absl::StrCat(options.seed)}};
}

// Hand-written device code has no gates: the contract and its declared launch are all there is.
bool IsDirectCuda(const RunOptions& options) { return options.file.ends_with(".cu"); }

// A number, or what stands for one that JSON has not; an index of several dimensions with commas.
std::string Text(const json& value) {
  if (value.is_array()) {
    std::string out;
    for (const json& one : value) absl::StrAppend(&out, out.empty() ? "" : ", ", Text(one));
    return out;
  }
  if (value.is_string()) return Printable(value.get<std::string>());
  if (value.is_number_integer()) return value.dump();
  return value.is_number() ? absl::StrFormat("%.9g", value.get<double>()) : "none";
}

void PrintCases(const json& result) {
  Table table({"case", "tier", "verdict", "detail"});
  for (const json& at : result.value("cases", json::array())) {
    std::string detail = at.value("detail", "");
    if (const json& d = at["difference"]; d.is_object()) {
      detail =
          absl::StrFormat("%s[%s]: got %s, want %s (allowed %s)", Printable(d.value("output", "")),
                          Text(d.value("index", json())), Text(d.value("got", json())),
                          Text(d.value("want", json())), Text(d.value("allowed", json())));
    }
    table.Add(
        {at.value("name", ""), at.value("tier", ""), at.value("verdict", ""), Printable(detail)});
  }
  if (result.contains("cases") && !result["cases"].empty())
    std::fputs(table.Text().c_str(), stdout);
}

void PrintTimings(const json& result) {
  const json timings = result.value("timing", json::array());
  if (timings.empty()) return;
  Table table({"case", "protocol", "median", "copy of the same bytes", "against copy", "source"});
  const auto median = [](const json& series) { return series.value("median_ns", 0.0); };
  for (const json& at : timings) {
    const double mine = median(at["candidate"]), copy = median(at["copy"]);
    table.Add({at.value("case", ""), at.value("protocol", ""), Duration(mine), Duration(copy),
               mine > 0 && copy > 0 ? absl::StrFormat("%.3f", copy / mine) : "",
               result.value("source", "")});
  }
  std::fputs(table.Text().c_str(), stdout);
}

void PrintResult(const json& result) {
  const std::string verdict = result.value("verdict", "");
  const Style style = verdict == "CORRECT" ? Style::kGood : Style::kBad;
  std::printf("verdict %s, blame %s%s%s\n", Paint(verdict, style).c_str(),
              result.value("blame", "").c_str(), result.value("detail", "").empty() ? "" : ": ",
              Printable(result.value("detail", "")).c_str());
  PrintCases(result);
  for (const json& check : result.value("checks", json::array())) {
    if (check.value("outcome", "") == "FAIL") {
      std::printf("check %s failed: %s\n", check.value("name", "").c_str(),
                  Printable(check.value("detail", "")).c_str());
    }
  }
  PrintTimings(result);
}

// The first case that is wrong, alone; after success the daemon if there is one, else the model.
std::string NextStep(const RunOptions& options, const Loaded& loaded,
                     const runner::contract::Workload& contract, const json& result) {
  const std::string words =
      options.workload.empty() ? "" : absl::StrCat(" --workload ", ShellWord(options.workload));
  // The verbs after this one take the contract's args; only a case run alone keeps the given ones.
  std::string given;
  for (const std::string& word : options.args) absl::StrAppend(&given, " --arg ", ShellWord(word));
  for (const json& at : result.value("cases", json::array())) {
    if (at.value("verdict", "") == "CORRECT" || !options.cases.empty()) continue;
    return absl::StrCat(Command("run", options), words, given, " --case ",
                        ShellWord(at.value("name", "")));
  }
  // The GPU is not to be had; the reference machine always is.
  if (result.value("blame", "") == "INFRA" && options.device != "cpu")
    return absl::StrCat(Command("run", options), words, given);
  if (result.value("verdict", "") != "CORRECT") return Command("explain", options);
  if (!DaemonIsKnown() || options.file == "-" || !loaded.file.program.empty())
    return absl::StrCat(Command("estimate", options), words, " --what-if");
  return absl::StrCat("cake submit ", ShellWord(options.file), " --workload ",
                      ShellWord(contract.name));
}

}  // namespace

namespace {

// The contract of a run, with the args and cases of the command line.
absl::StatusOr<runner::contract::Workload> ContractOf(const RunOptions& options,
                                                      const std::string& path) {
  auto contract = LoadWholeContract(options.workload, path);
  if (!contract.ok()) return contract.status();
  if (absl::Status given = OverrideArgs(options.args, *contract); !given.ok()) return given;
  for (const std::string& name : options.cases) {
    if (FindCase(*contract, name) == nullptr)
      return absl::InvalidArgumentError(
          absl::StrCat("--case ", name, ": contract ", contract->name, " has no such case"));
  }
  return contract;
}

int RunDirect(const RunOptions& options) {
  auto file = ReadProgram(options.file);
  if (!file.ok()) return Fail(file.status());
  auto contract = ContractOf(options, file->path);
  if (!contract.ok()) return Fail(contract.status());
  json job = JobOf(options, *contract);
  job["cuda"] = file->source;
  job["file"] = file->path;
  job["arch"] = options.arch;
  const auto ran = RunWorker(options.device, job.dump());
  if (!ran.ok()) return Fail(ran.status());
  if (options.json) {
    std::printf("%s\n", ran->result.dump(2).c_str());
    return ran->code;
  }
  PrintResult(ran->result);
  PrintNext(absl::StrCat("cake replay ", ran->result.value("receipt_id", "").substr(0, 12)));
  return ran->code;
}

}  // namespace

int Run(const RunOptions& options) {
  if (IsDirectCuda(options)) return RunDirect(options);
  server::pipeline::Options pipeline;
  pipeline.emit_cuda = false;
  absl::StatusOr<Loaded> loaded = Load(options, pipeline);
  if (!loaded.ok()) return Fail(loaded.status());
  if (loaded->member.verdict != server::pipeline::Verdict::kPassed) {
    return PrintRejected(*loaded, options);
  }
  auto contract = ContractOf(options, loaded->file.path);
  if (!contract.ok()) return Fail(contract.status());
  json job = JobOf(options, *contract);
  job["source"] = loaded->file.source;
  job["file"] = loaded->file.path;
  job["program"] = loaded->file.program;
  job["binding"] = loaded->member.binding;
  const auto ran = RunWorker(options.device, job.dump());
  if (!ran.ok()) return Fail(ran.status());
  const std::string note(compiler::arch::HardwareNote(loaded->member.device->arch));
  if (options.json) {
    nlohmann::json result = ran->result;
    if (!note.empty()) result["hardware"] = note;
    std::printf("%s\n", result.dump(2).c_str());
    return ran->code;
  }
  PrintResult(ran->result);
  if (!note.empty()) std::printf("%s: %s\n", loaded->member.device->arch.c_str(), note.c_str());
  PrintNext(NextStep(options, *loaded, *contract, ran->result));
  return ran->code;
}

}  // namespace clients::cli
