#include "server/core/portfolio.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "server/core/portfolio_pick.h"

namespace server::core {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kWhyBytesMax = 2 * 1024;
constexpr char kManifestName[] = "manifest.json";

// The files of one portfolio as they come together; each path once.
class Folder {
 public:
  Folder(store::Reads& reads, std::vector<PortfolioFile>& files) : reads_(reads), files_(files) {}

  // Bytes that an object of the store holds; nothing where it holds them no more.
  bool Add(const std::string& path, const store::ObjectHash& hash) {
    if (hash.hex.empty()) return false;
    const auto bytes = reads_.GetObject(hash);
    if (!bytes.ok()) return false;
    files_.push_back({path, hash, static_cast<int64_t>(bytes->size()), ""});
    return true;
  }
  void Write(const std::string& path, std::string text) {
    const auto size = static_cast<int64_t>(text.size());
    files_.push_back({path, store::HashOf(text), size, std::move(text)});
  }

 private:
  store::Reads& reads_;
  std::vector<PortfolioFile>& files_;
};

json FilesJson(const std::vector<PortfolioFile>& files) {
  json out = json::array();
  for (const PortfolioFile& file : files) {
    out.push_back({{"path", file.path}, {"sha256", file.hash.hex}, {"bytes", file.size}});
  }
  return out;
}

// "c-7-142-v9": one program is in the folder once, whoever chose it.
std::string KernelName(const state::State& state, int64_t variant) {
  const state::Variant& row = state.variants.at(variant);
  return absl::StrCat(state.candidates.at(row.candidate).Name(), "-v", variant);
}

json FiguresOf(const DevicePick& pick, const Finalist& one) {
  json out = {{"verdict", std::string(store::ToString(one.verdict))},
              {"source", std::string(store::ToString(pick.source))}};
  if (pick.source == store::ScoreSource::kEstimated) {
    out["predicted_ns"] = one.time_ns;
  } else {
    out["ratio"] = {{"low", one.ratio_low}, {"median", one.ratio_med}, {"high", one.ratio_high}};
    out["time_ns"] = one.time_ns;
  }
  return out;
}

// A program with everything that it takes to build it and to see what it was judged by.
json AddKernel(const state::State& state, store::Reads& reads, const Finalist& one,
               Folder& folder) {
  const state::Variant& variant = state.variants.at(one.variant);
  const state::Candidate& candidate = state.candidates.at(variant.candidate);
  const std::string name = KernelName(state, one.variant);
  const std::string at = absl::StrCat("kernels/", name, "/");
  json kernel = {{"name", name},
                 {"candidate", candidate.Name()},
                 {"binding", json::parse(variant.params_json, nullptr, false)},
                 {"kind", candidate.arm_kind},
                 {"canonical_hash", variant.canon_hash}};
  const char* source = candidate.IsDirect() ? "kernel.cu" : "kernel.cake";
  if (folder.Add(at + source, candidate.source_hash)) kernel["source"] = at + source;
  folder.Write(at + "binding.json", variant.params_json + "\n");
  const auto job = state.jobs.find(one.job);
  if (job != state.jobs.end() && folder.Add(at + "job.json", job->second.spec_hash)) {
    kernel["job"] = at + "job.json";
    const auto bytes = reads.GetObject(job->second.spec_hash);
    const json spec = json::parse(bytes.ok() ? *bytes : "", nullptr, false);
    if (spec.is_object()) {
      kernel["arch"] = spec.value("arch", "");
      kernel["compile_options"] = spec.value("compile_options", json::array());
      const store::ObjectHash cuda{spec.value("cuda", "")};
      if (!candidate.IsDirect() && folder.Add(at + "kernel.cu", cuda)) {
        kernel["cuda"] = at + "kernel.cu";
      }
    }
  }
  if (folder.Add(at + "receipt.json", one.receipt)) kernel["receipt"] = at + "receipt.json";
  if (const auto builds = reads.BuildsOfVariant(one.variant); builds.ok()) {
    for (const store::BuildRow& build : *builds) {
      if (!build.ok || !folder.Add(at + "kernel.cubin", build.cubin_hash)) continue;
      kernel["cubin"] = at + "kernel.cubin";
      break;
    }
  }
  return kernel;
}

json DeviceJson(const state::State& state, const Contract& contract, const DevicePick& pick) {
  json routes = json::array();
  for (const auto* one : RoutedCases(contract.workload)) {
    const auto route = pick.routes.find(one->name);
    const Finalist& chosen = pick.finalists[route == pick.routes.end() ? 0 : route->second];
    json row = {{"case", one->name},
                {"dims", one->dims},
                {"kernel", KernelName(state, chosen.variant)},
                {"own", route != pick.routes.end()}};
    if (const auto figure = chosen.by_case.find(one->name); figure != chosen.by_case.end()) {
      if (pick.source == store::ScoreSource::kEstimated) {
        row["predicted_ns"] = 1 / figure->second;
      } else {
        row["ratio"] = figure->second;
      }
    }
    routes.push_back(std::move(row));
  }
  json out = {{"device", pick.device},
              {"arch", pick.arch},
              {"simulated", pick.simulated},
              {"default", KernelName(state, pick.finalists.front().variant)},
              {"figures", FiguresOf(pick, pick.finalists.front())},
              {"routes", std::move(routes)}};
  return out;
}

std::set<size_t> ChosenOf(const DevicePick& pick) {
  std::set<size_t> chosen = {0};
  for (const auto& [name, at] : pick.routes) chosen.insert(at);
  return chosen;
}

absl::StatusOr<std::vector<int64_t>> RunsOf(const state::State& state,
                                            const PortfolioRequest& request,
                                            std::string_view contract_hash) {
  std::vector<int64_t> out;
  const state::Experiment* experiment = nullptr;
  if (!request.experiment.empty()) {
    experiment = state.FindExperiment(request.experiment);
    if (experiment == nullptr) return state::NotFound("experiment", request.experiment);
  }
  std::optional<int64_t> only;
  if (!request.run.empty()) {
    only = store::ParseRowName('r', request.run);
    if (!only || !state.runs.contains(*only)) return state::NotFound("run", request.run);
  }
  for (const auto& [id, run] : state.runs) {
    if (run.contract_hash != contract_hash || (only && id != *only)) continue;
    if (experiment != nullptr && run.experiment != experiment->id) continue;
    out.push_back(id);
  }
  return out;
}

// What the counts of an answer are of.
void CountOf(const json& manifest, PortfolioReply& reply) {
  reply.devices = static_cast<int64_t>(manifest["devices"].size());
  reply.kernels = static_cast<int64_t>(manifest["kernels"].size());
  reply.routes = 0;
  for (const json& device : manifest["devices"]) {
    for (const json& route : device["routes"]) reply.routes += route["own"].get<bool>() ? 1 : 0;
  }
}

// The files that follow from the manifest, and itself.
void AddWritten(const std::string& manifest, std::vector<PortfolioFile>& files) {
  const std::pair<const char*, std::string> written[] = {{"portfolio.h", PortfolioHeader(manifest)},
                                                         {"README.md", PortfolioPage(manifest)},
                                                         {kManifestName, manifest}};
  for (const auto& [path, text] : written) {
    files.push_back({path, store::HashOf(text), static_cast<int64_t>(text.size()), text});
  }
}

// The files of a manifest that is in the store.
absl::StatusOr<PortfolioReply> Again(Ledger& ledger, const std::string& manifest_hash) {
  auto text = ledger.Object({manifest_hash});
  if (!text.ok()) return text.status();
  const json manifest = json::parse(*text, nullptr, false);
  if (!manifest.is_object()) return absl::InternalError("a manifest of the store is no JSON");
  PortfolioReply reply{.workload = manifest.value("workload", ""), .manifest = {manifest_hash}};
  for (const json& file : manifest["files"]) {
    reply.files.push_back(
        {file.value("path", ""), {file.value("sha256", "")}, file.value("bytes", int64_t{0}), ""});
  }
  AddWritten(*text, reply.files);
  CountOf(manifest, reply);
  return reply;
}

// Fills the folder and writes down what is in it.
json ManifestOf(const state::State& state, store::Reads& reads, const state::Workload& workload,
                const Contract& contract, const std::vector<DevicePick>& picks,
                std::vector<PortfolioFile>& files) {
  Folder folder(reads, files);
  json manifest = {{"schema", 1},
                   {"workload", workload.name},
                   {"contract_hash", workload.hash},
                   {"as_of_seq", state.last_seq},
                   {"dims", json::array()},
                   {"devices", json::array()},
                   {"kernels", json::array()}};
  for (const auto& dim : contract.workload.dims) manifest["dims"].push_back(dim.name);
  std::set<int64_t> added;
  for (const DevicePick& pick : picks) {
    manifest["devices"].push_back(DeviceJson(state, contract, pick));
    for (const size_t at : ChosenOf(pick)) {
      const Finalist& one = pick.finalists[at];
      if (!added.insert(one.variant).second) continue;
      manifest["kernels"].push_back(AddKernel(state, reads, one, folder));
    }
  }
  if (const auto row = reads.FindWorkload(workload.hash); row.ok() && row->has_value()) {
    const std::string name = absl::StrCat(workload.name, ".workload.textproto");
    if (folder.Add(name, (*row)->text_hash)) manifest["contract"] = name;
  }
  if (!contract.baseline_source.empty()) {
    folder.Write(contract.baseline_name, contract.baseline_source);
    manifest["baseline"] = contract.baseline_name;
  }
  manifest["files"] = FilesJson(files);
  return manifest;
}

}  // namespace

absl::StatusOr<PortfolioReply> Portfolios::Export(const PortfolioRequest& request) {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return status;
  if (auto status = CheckServing(c_); !status.ok()) return status;
  store::Batch batch;
  batch.idem = IdempotencyOf(c_, "ExportPortfolio", request.meta);
  const auto answered = c_.ledger.Answered(*batch.idem);
  if (!answered.ok()) return answered.status();
  if (answered->has_value()) {
    auto again = Again(c_.ledger, **answered);
    if (again.ok()) again->event_seq = c_.state().last_seq;
    return again;
  }
  if (request.reason.size() > kWhyBytesMax) return state::BadField("reason", "has over 2048 bytes");
  const state::State& state = c_.state();
  const state::Workload* workload = state.FindWorkload(request.workload);
  const Contract* contract = workload ? c_.contracts.Find(workload->hash) : nullptr;
  if (contract == nullptr) {
    return state::Error(state::Reason::kUnknownWorkload,
                        absl::StrCat("no workload `", request.workload.substr(0, 64), "`"));
  }
  const auto runs = RunsOf(state, request, workload->hash);
  if (!runs.ok()) return runs.status();
  auto snapshot = c_.ledger.Snapshot();
  if (!snapshot.ok()) return snapshot.status();
  store::Reads& reads = (*snapshot)->reads();
  const auto picks = PickPortfolio(state, reads, *contract, *runs);
  if (!picks.ok()) return picks.status();
  if (picks->empty()) return state::BadField("workload", "has no program yet that is CORRECT");

  PortfolioReply reply{.workload = workload->name};
  const json manifest = ManifestOf(state, reads, *workload, *contract, *picks, reply.files);
  std::string text = manifest.dump(2) + "\n";
  AddWritten(text, reply.files);
  reply.manifest = reply.files.back().hash;
  for (PortfolioFile& file : reply.files) {
    if (file.content.empty()) continue;
    batch.objects.push_back({store::ObjectKind::kOther, file.content});
  }
  batch.events.push_back(store::AdminAction{.who = c_.principal,
                                            .action = "EXPORT_PORTFOLIO",
                                            .subject = workload->name,
                                            .reason = request.reason,
                                            .object_hash = reply.manifest});
  batch.reply = reply.manifest.hex;
  auto done = c_.ledger.Commit(std::move(batch));
  if (!done.ok()) return done.status();
  reply.event_seq = done->last_seq;
  CountOf(manifest, reply);
  return reply;
}

}  // namespace server::core
