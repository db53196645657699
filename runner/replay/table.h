// Replay files: what evaluations came to, recorded once, so that a search can be run again without
// a GPU. README.md beside this says how a file is made and served.
//
// A file is JSON lines, UTF-8. The first line says what the rest was recorded from:
//   {"schema": 1, "kind": "cake-replay", "name": "NVIDIA H200", "arch": "sm_90a", "driver": "580",
//    "uuid": "GPU-..", "times": "MEASURED", "noise": {"under_10us": 0.004}}
// Every further line is an entry:
//   {"program": "<64 hex>", "contract": "<64 hex>", "protocol": "cold-abba-v1",
//    "purpose": "", "verdict": "CORRECT", "detail": "", "time_ns": 8100.0,
//    "ratio": {"median": 1.2, "low": 1.19, "high": 1.21}, "baseline": "<64 hex>",
//    "machine": "right", "varies": false, "checks": [{"name", "outcome", "detail"}],
//    "origin": "receipt <64 hex>"}
// Keys that are unknown, a line over its limit and an entry that says something else under the same
// key are errors: a table that guesses is none.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/contract/verdict.h"
#include "runner/timing/paired.h"

namespace runner::replay {

inline constexpr int64_t kFileBytesMax = int64_t{1} << 30, kLineBytesMax = 64 * 1024;
inline constexpr int64_t kEntriesMax = 2'000'000;

// What the times of a file are. kSynthetic: estimates with made-up spread, for experiments about
// searching itself.
enum class Times : uint8_t { kMeasured, kEstimated, kSynthetic };
std::string_view ToString(Times times);  // "MEASURED"

struct Header {
  std::string name, arch, driver, uuid;
  Times times = Times::kEstimated;
  std::map<std::string, double> noise;  // class of kernel -> relative floor
};

// What an answer must fit, all of it exactly.
struct Key {
  std::string program;   // canonical hash of the member; of direct CUDA the hash of its source
  std::string contract;  // hash of the contract
  std::string protocol;
  auto operator<=>(const Key&) const = default;
};

struct CheckRow {
  std::string name, outcome, detail;
  bool operator==(const CheckRow&) const = default;
};

struct Entry {
  Key key;
  std::string purpose;  // "" answers every purpose that has no entry of its own
  contract::Verdict verdict = contract::Verdict::kCorrect;
  std::string detail;
  double time_ns = 0;    // weighted geomean of medians; 0: nothing was timed
  timing::Ratio ratio;   // baseline / candidate
  std::string baseline;  // hash of the program that the ratio is against; "": unknown
  std::string machine = "not_run";
  bool varies = false;
  std::vector<CheckRow> checks;
  std::string origin;  // one line: where it was recorded from
};

std::string ToLine(const Header& header);
std::string ToLine(const Entry& entry);
absl::StatusOr<Header> HeaderFromLine(std::string_view line);
absl::StatusOr<Entry> EntryFromLine(std::string_view line);

// The entry of a result as `cake-worker --job` writes it (or any JSON with the same fields); an
// error says why it is none: INFRA and cancelled results are not recorded. `purpose` "" for one
// that answers all.
absl::StatusOr<Entry> EntryFromResult(std::string_view result_json, const std::string& purpose);

class Table {
 public:
  // Reads a whole file. InvalidArgument: "PATH:LINE: what".
  static absl::StatusOr<Table> Load(const std::string& path);
  static absl::StatusOr<Table> Parse(std::string_view text, const std::string& path);

  // Null: not recorded.
  const Entry* Find(const Key& key, const std::string& purpose) const;
  // In words what is there instead: another protocol, another contract, or nothing of the program.
  std::string WhyMissing(const Key& key) const;

  const Header& header() const { return header_; }
  const std::string& hash() const { return hash_; }  // SHA-256 of the file
  int64_t size() const { return static_cast<int64_t>(entries_.size()); }

 private:
  Header header_;
  std::string hash_;
  std::map<std::tuple<Key, std::string>, Entry> entries_;
  std::map<std::string, std::set<std::pair<std::string, std::string>>> programs_;
};

// Appends entries to a file, which it makes with `header` if there is none. Of a key that the file
// has, the first entry stays.
class Recorder {
 public:
  // InvalidArgument: the file is of another device, or its times are of another kind.
  static absl::StatusOr<Recorder> Open(const std::string& path, const Header& header);
  // Whether it was new. Each entry is in the file when this returns.
  absl::StatusOr<bool> Add(const Entry& entry);
  int64_t added() const { return added_; }

 private:
  std::ofstream file_;
  std::set<std::tuple<Key, std::string>> known_;
  int64_t added_ = 0;
};

}  // namespace runner::replay
