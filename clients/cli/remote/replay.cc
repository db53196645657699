// replay of what the daemon judged: its receipt and job come from the store, then it is replayed as
// any bundle of this machine is.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "clients/cli/input.h"
#include "clients/cli/place.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/objects.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

// The newest receipt of the candidate's best judged member.
std::string ReceiptOf(const cake::v1::Candidate& candidate) {
  std::string found;
  for (const bool best_only : {true, false}) {
    for (const auto& variant : candidate.variants()) {
      if (best_only && variant.verdict() != candidate.verdict()) continue;
      for (const auto& evaluation : variant.evaluations()) {
        if (!evaluation.receipt().empty()) found = evaluation.receipt();
      }
    }
    if (!found.empty()) return found;
  }
  return found;
}

// Writes the bundle into this machine's receipts; its folder.
absl::StatusOr<std::string> TakeBundle(const Client& client, const std::string& receipt_hash) {
  const auto receipt = FetchObject(client, receipt_hash);
  if (!receipt.ok()) return receipt.status();
  const auto in = nlohmann::json::parse(*receipt, nullptr, false);
  const std::string job_hash = in.is_object() && in.contains("hashes") && in["hashes"].is_object()
                                   ? in["hashes"].value("job", "")
                                   : "";
  if (in.is_object() && in.value("source", "") == "REPLAY") {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot run here: receipt ", receipt_hash.substr(0, 12),
                     " was answered from a replay file (",
                     in.value("hashes", nlohmann::json::object()).value("replay", "").substr(0, 12),
                     "); nothing ran, so nothing can run again"));
  }
  const auto job = FetchObject(client, job_hash);
  if (!job.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot run here: ", std::string(job.status().message()),
                     "; the job of this receipt was not kept"));
  }
  const std::string folder = absl::StrCat(DataFolder(), "/receipts/", receipt_hash);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const auto& [name, text] : {std::pair{"/receipt.json", &*receipt}, {"/job.json", &*job}}) {
    if (auto s = WriteWholeFile(folder + name, *text); !s.ok()) return s;
  }
  return folder;
}

int CannotRun(const ReplayOptions& options, const absl::Status& status) {
  if (!options.json) return Fail(status);
  std::printf("%s\n", nlohmann::json({{"receipt", options.what},
                                      {"outcome", "cannot run here"},
                                      {"detail", std::string(status.message())}})
                          .dump(2)
                          .c_str());
  return kWorldAtFault;
}

}  // namespace

int Replay(const ReplayOptions& options) {
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  cake::v1::GetCandidateRequest request;
  request.set_candidate(options.what);
  cake::v1::Candidate candidate;
  auto context = Deadline(20);
  const grpc::Status status = client->history->GetCandidate(context.get(), request, &candidate);
  if (!status.ok()) return FailCall(status, client->address);
  const std::string receipt = ReceiptOf(candidate);
  if (receipt.empty()) {
    return Fail(absl::InvalidArgumentError(
        absl::StrCat(options.what, " has no receipt: nothing of it has run yet")));
  }
  const auto folder = TakeBundle(*client, receipt);
  if (!folder.ok()) return CannotRun(options, folder.status());
  const std::string program = FolderOfThisProgram() + "/cake";
  std::vector<std::string> words = {program, "replay", *folder};
  if (!options.device.empty()) words.insert(words.end(), {"--device", options.device});
  if (options.json) words.emplace_back("--json");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  return Fail(absl::UnavailableError(program + " cannot be started"));
}

}  // namespace clients::cli::remote
