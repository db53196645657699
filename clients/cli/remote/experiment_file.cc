#include "clients/cli/remote/experiment_file.h"

#include <toml++/toml.h>

#include <filesystem>
#include <set>

#include "absl/strings/str_cat.h"
#include "clients/cli/input.h"

namespace clients::cli::remote {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kRepeatsMax = 100;

class Reader {
 public:
  Reader(const toml::table& table, std::string where) : table_(table), where_(std::move(where)) {}

  std::string Text(std::string_view key, std::string otherwise) {
    known_.insert(std::string(key));
    const toml::node* node = table_.get(key);
    if (node == nullptr) return otherwise;
    if (node->is_string()) return node->as_string()->get();
    Refuse(key, "a string");
    return otherwise;
  }

  int64_t Count(std::string_view key, int64_t otherwise, int64_t most) {
    known_.insert(std::string(key));
    const toml::node* node = table_.get(key);
    if (node == nullptr) return otherwise;
    const int64_t value = node->is_integer() ? node->as_integer()->get() : -1;
    if (value < 0 || value > most) {
      Refuse(key, absl::StrCat("a number in 0..", most));
      return otherwise;
    }
    return value;
  }

  bool Flag(std::string_view key) {
    known_.insert(std::string(key));
    const toml::node* node = table_.get(key);
    if (node == nullptr) return false;
    if (node->is_boolean()) return node->as_boolean()->get();
    Refuse(key, "true or false");
    return false;
  }

  double Number(std::string_view key) {
    known_.insert(std::string(key));
    const toml::node* node = table_.get(key);
    if (node == nullptr) return 0;
    if (node->is_number()) return node->value<double>().value_or(0);
    Refuse(key, "a number");
    return 0;
  }

  std::vector<std::string> Words(std::string_view key) {
    known_.insert(std::string(key));
    std::vector<std::string> out;
    const toml::node* node = table_.get(key);
    if (node == nullptr) return out;
    if (!node->is_array()) Refuse(key, "a list of words");
    if (const toml::array* list = node->as_array()) {
      for (const toml::node& one : *list) {
        if (one.is_string())
          out.push_back(one.as_string()->get());
        else
          Refuse(key, "a list of words");
      }
    }
    return out;
  }

  void Know(std::string_view key) { known_.insert(std::string(key)); }

  absl::Status Done() {
    for (const auto& [key, value] : table_) {
      if (!known_.contains(std::string(key.str()))) Refuse(key.str(), "none of the known keys");
    }
    return status_;
  }

  void Refuse(std::string_view key, std::string_view expected) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(
        absl::StrCat(where_, ": ", std::string(key), ": expected ", std::string(expected)));
  }

 private:
  const toml::table& table_;
  std::string where_;
  std::set<std::string> known_;
  absl::Status status_;
};

absl::StatusOr<StartProgram> ReadStart(const toml::table& table, const std::string& where,
                                       const std::filesystem::path& folder) {
  StartProgram out;
  Reader reader(table, where);
  out.file = reader.Text("file", "");
  reader.Know("params");
  if (const toml::node* params = table.get("params")) {
    if (!params->is_table()) reader.Refuse("params", "a table of values");
    if (const toml::table* values = params->as_table()) {
      for (const auto& [name, value] : *values) {
        if (value.is_integer())
          out.params[std::string(name.str())] = absl::StrCat(value.as_integer()->get());
        else
          reader.Refuse("params", "whole numbers");
      }
    }
  }
  if (out.file.empty()) reader.Refuse("file", "the path of a program");
  if (absl::Status status = reader.Done(); !status.ok()) return status;
  auto program = ReadProgram((folder / out.file).string());
  if (!program.ok()) return program.status();
  out.source = program->source;
  return out;
}

}  // namespace

absl::StatusOr<ExperimentFile> ReadExperiment(const std::string& path) {
  toml::table table;
  try {
    table = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ":", error.source().begin.line, ": ", std::string(error.description())));
  }
  ExperimentFile out;
  Reader reader(table, path);
  auto& r = out.request;
  r.set_name(reader.Text("name", std::filesystem::path(path).stem().string()));
  r.set_workload(reader.Text("workload", ""));
  r.set_visibility(reader.Text("visibility", "isolated"));
  r.set_repeats(static_cast<uint32_t>(reader.Count("repeats", 1, kRepeatsMax)));
  r.set_seed(static_cast<uint64_t>(reader.Count("seed", 1, INT64_MAX)));
  r.mutable_budget()->set_evaluations(
      static_cast<uint64_t>(reader.Count("evaluations", 0, INT32_MAX)));
  r.mutable_budget()->set_tokens(static_cast<uint64_t>(reader.Count("tokens", 0, INT64_MAX)));
  constexpr int64_t kSecondsMax = INT64_MAX / kNsPerSecond;
  r.mutable_budget()->set_active_ns(
      static_cast<uint64_t>(reader.Count("active_seconds", 0, kSecondsMax) * kNsPerSecond));
  r.mutable_budget()->set_gpu_ns(
      static_cast<uint64_t>(reader.Count("gpu_seconds", 0, kSecondsMax) * kNsPerSecond));
  r.mutable_stop()->set_plateau(reader.Flag("plateau"));
  r.mutable_stop()->set_target_time_ratio(reader.Number("target"));
  r.set_ordered(reader.Flag("ordered"));
  r.set_round_slots(static_cast<uint32_t>(reader.Count("slots", 0, 256)));
  for (std::string& arm : reader.Words("arms")) r.add_arms(std::move(arm));
  if (r.arms_size() == 0) r.add_arms("full");
  reader.Know("start");
  if (r.workload().empty()) reader.Refuse("workload", "the contract's name");
  if (absl::Status status = reader.Done(); !status.ok()) return status;
  const toml::array* starts = table["start"].as_array();
  for (size_t i = 0; starts != nullptr && i < starts->size(); ++i) {
    const toml::table* one = (*starts)[i].as_table();
    if (one == nullptr) return absl::InvalidArgumentError(path + ": start: expected [[start]]");
    auto start = ReadStart(*one, absl::StrCat(path, ": start ", i + 1),
                           std::filesystem::path(path).parent_path());
    if (!start.ok()) return start.status();
    out.start.push_back(*std::move(start));
  }
  return out;
}

}  // namespace clients::cli::remote
