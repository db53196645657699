// portfolio build: the best programs of a workload into a folder. portfolio verify: whether a
// folder is what its manifest says, without a daemon.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "clients/cli/input.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/objects.h"
#include "clients/cli/remote/verbs.h"

namespace clients::cli::remote {
namespace {

namespace fs = std::filesystem;

constexpr char kManifest[] = "manifest.json";

// A path of a reply or a manifest stays inside the folder.
bool StaysInside(const std::string& path) {
  const fs::path p(path);
  if (path.empty() || p.is_absolute()) return false;
  return std::none_of(p.begin(), p.end(), [](const fs::path& part) { return part == ".."; });
}

std::string ReadAll(const fs::path& path, bool* found) {
  std::ifstream file(path, std::ios::binary);
  *found = file.good();
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

absl::Status WriteFile(const Client& client, const fs::path& folder,
                       const cake::v1::PortfolioFile& file) {
  if (!StaysInside(file.path())) {
    return absl::DataLossError(absl::StrCat("the daemon named the file ", file.path()));
  }
  std::string bytes = file.content();
  if (bytes.empty()) {
    auto fetched = FetchObject(client, file.hash());
    if (!fetched.ok()) return fetched.status();
    bytes = *std::move(fetched);
  }
  if (Sha256Hex(bytes) != file.hash()) {
    return absl::DataLossError(absl::StrCat(file.path(), ": other bytes than its hash names"));
  }
  std::error_code error;
  fs::create_directories((folder / file.path()).parent_path(), error);
  return WriteWholeFile((folder / file.path()).string(), bytes);
}

int Build(const PortfolioOptions& options) {
  if (options.output.empty()) {
    return Fail(absl::InvalidArgumentError("portfolio build: --output FOLDER is missing"));
  }
  std::error_code error;
  if (fs::exists(options.output) && !fs::is_empty(options.output, error)) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(options.output, ": is not empty")));
  }
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  cake::v1::ExportPortfolioRequest request;
  request.mutable_meta()->set_request_id(NewRequestId());
  request.set_workload(options.subject);
  request.set_experiment(options.experiment);
  request.set_run(options.run);
  request.set_reason(options.reason);
  cake::v1::ExportPortfolioReply reply;
  const grpc::Status status =
      client->operators->ExportPortfolio(Deadline(60).get(), request, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  for (const auto& file : reply.files()) {
    if (const absl::Status s = WriteFile(*client, options.output, file); !s.ok()) return Fail(s);
  }
  if (options.json) {
    for (auto& file : *reply.mutable_files()) file.clear_content();
    std::printf("%s\n", Json(reply).c_str());
    return kFine;
  }
  std::printf(
      "%s: %llu kernels for %llu kinds of device, %llu shapes with a program of their own, "
      "%d files in %s\n",
      Printable(reply.workload()).c_str(), static_cast<unsigned long long>(reply.kernels()),
      static_cast<unsigned long long>(reply.devices()),
      static_cast<unsigned long long>(reply.routes()), reply.files_size(),
      Printable(options.output).c_str());
  PrintNext(absl::StrCat("cake portfolio verify ", ShellWord(options.output)));
  return kFine;
}

// What is wrong with one file of the manifest; "": nothing.
std::string WrongWith(const fs::path& folder, const nlohmann::json& file) {
  const std::string path = file.value("path", "");
  if (!StaysInside(path)) return "its path leaves the folder";
  bool found = false;
  const std::string bytes = ReadAll(folder / path, &found);
  if (!found) return "is missing";
  return Sha256Hex(bytes) == file.value("sha256", "") ? "" : "has other bytes";
}

std::string TextOf(const nlohmann::json& in, const char* key) {
  return in.is_object() && in.contains(key) && in[key].is_string() ? in[key].get<std::string>()
                                                                   : "";
}

// The command that has the first program of the folder judged on this machine; hand-written device
// code needs a device, so of that: where it was judged.
std::string JudgeAgain(const std::string& folder, const nlohmann::json& manifest) {
  const bool any = manifest.contains("kernels") && !manifest["kernels"].empty();
  const nlohmann::json kernel = any ? manifest["kernels"].front() : nlohmann::json();
  const std::string source = TextOf(kernel, "source"), contract = TextOf(manifest, "contract");
  if (!source.ends_with(".cake") || contract.empty()) return "cake history evaluations";
  std::string out = absl::StrCat("cake run ", ShellWord(folder + "/" + source), " --workload ",
                                 ShellWord(folder + "/" + contract));
  if (kernel.contains("binding") && kernel["binding"].is_object()) {
    for (const auto& [name, value] : kernel["binding"].items()) {
      absl::StrAppend(&out, " --param ", ShellWord(absl::StrCat(name, "=", value.dump())));
    }
  }
  return out;
}

int Verify(const PortfolioOptions& options) {
  bool found = false;
  const std::string text = ReadAll(fs::path(options.subject) / kManifest, &found);
  if (!found) {
    return Fail(absl::InvalidArgumentError(
        absl::StrCat(options.subject, ": has no ", kManifest, "; cake portfolio build makes one")));
  }
  const auto manifest = nlohmann::json::parse(text, nullptr, false);
  const bool listed =
      manifest.is_object() && manifest.contains("files") && manifest["files"].is_array();
  nlohmann::ordered_json wrong = nlohmann::ordered_json::array();
  if (!listed) wrong.push_back({{"path", kManifest}, {"what", "is no manifest"}});
  size_t files = 0;
  for (const auto& file : listed ? manifest["files"] : nlohmann::json::array()) {
    ++files;
    const std::string what = file.is_object() ? WrongWith(options.subject, file) : "is no entry";
    const std::string path = file.is_object() ? file.value("path", "") : "";
    if (!what.empty()) wrong.push_back({{"path", path}, {"what", what}});
  }
  if (options.json) {
    std::printf("%s\n", nlohmann::ordered_json{{"files", files}, {"wrong", wrong}}.dump(2).c_str());
  } else {
    for (const auto& one : wrong) {
      std::printf("%s: %s\n", Printable(one["path"].get<std::string>()).c_str(),
                  one["what"].get<std::string>().c_str());
    }
    std::printf("%zu files, %zu wrong; manifest %s\n", files, wrong.size(),
                Sha256Hex(text).substr(0, 16).c_str());
    PrintNext(wrong.empty()
                  ? JudgeAgain(options.subject, manifest)
                  : absl::StrCat("cake portfolio build ", ShellWord(TextOf(manifest, "workload")),
                                 " --output ", ShellWord(options.subject + ".new")));
  }
  return wrong.empty() ? kFine : kCandidateAtFault;
}

}  // namespace

int Portfolio(const PortfolioOptions& options) {
  return options.action == "build" ? Build(options) : Verify(options);
}

}  // namespace clients::cli::remote
