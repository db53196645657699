// The verbs that talk to the daemon. Each returns an exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clients::cli::remote {

struct RemoteOptions {
  std::string connect;  // empty: found through address.json
  bool json = false;
};

struct SubmitOptions : RemoteOptions {
  std::string file, workload, intent, tactic, experiment, run, request_id;
  std::vector<std::string> parents, params;  // params: NAME=V1,V2 narrows a domain
  std::string wait = "gates";                // ack | gates | verdict
  bool watch = false;
};
int Submit(const SubmitOptions& options);

struct WatchOptions : RemoteOptions {
  std::string subject;  // c-7-142 or r-7
  uint64_t from_seq = 0;
};
int Watch(const WatchOptions& options);

struct RuleOptions : RemoteOptions {
  std::string action;   // gate, shadow, approve, reject, demote, retire, list or show
  std::string subject;  // p-3; gate: also a rule file
  std::string reason, request_id;
  std::vector<std::string> failures;  // gate FILE: candidates that it was made from
};
int Rule(const RuleOptions& options);

struct DiagnoseOptions : RemoteOptions {
  std::string candidate;
};
int Diagnose(const DiagnoseOptions& options);

struct EvolveOptions : RemoteOptions {
  std::string workload, source, experiment, resume;
  std::vector<std::string> budgets;  // evals=200, tokens=N, active=SECONDS, gpu=SECONDS
  std::string stop;                  // "" | "plateau"
  double target = 0;                 // best / baseline
  uint64_t seed = 1;
  std::string arm = "full";  // see server/loop/spec.h
};
int Evolve(const EvolveOptions& options);

struct ExperimentOptions : RemoteOptions {
  std::string action;   // run | report
  std::string subject;  // run: a file; report: a name
  std::string output;   // report: an HTML page
};
int Experiment(const ExperimentOptions& options);

struct HistoryOptions : RemoteOptions {
  // candidates | runs | experiments | findings | evaluations | events | queue | devices | c-7-142 |
  // r-7 | f-3
  std::string what = "candidates";
  std::string run, workload, verdict, tactic, code, text, experiment, kind;
  std::string candidate, device, purpose;  // evaluations
  bool charged = false;                    // evaluations: only those that were
  std::string format = "table";            // table | csv | jsonl
  uint64_t limit = 0;            // rows; 0: 50 of a table, all of a file
  bool newest = false;           // candidates: newest first
  bool source = false;           // of one candidate: only its source text
  bool lineage = false;          // of one candidate: who was made from whom
};
int History(const HistoryOptions& options);

struct PortfolioOptions : RemoteOptions {
  std::string action;   // build | verify
  std::string subject;  // build: a workload; verify: a folder
  std::string output, experiment, run, reason;  // build
};
int Portfolio(const PortfolioOptions& options);

struct ReplayOptions : RemoteOptions {
  std::string what;    // c-7-142
  std::string device;  // empty: the kind of device that it was made on
};
int Replay(const ReplayOptions& options);

struct DiffOptions : RemoteOptions {
  std::string from, to;
  uint32_t context = 3;  // equal lines around a change
};
int Diff(const DiffOptions& options);

struct ImportOptions : RemoteOptions {
  std::string file;  // evidence-<campaign>-<utc>.tar.zst
};
int Import(const ImportOptions& options);

struct UsageOptions : RemoteOptions {
  std::string run, experiment, session, model, source = "agent";
  std::string request_id;
  uint64_t input = 0, cached = 0, output = 0, reasoning = 0;
};
int Usage(const UsageOptions& options);

struct SqlOptions : RemoteOptions {
  std::string sql;
  std::string format = "table";  // table | csv | jsonl
  uint32_t limit = 0;            // rows; 0: the daemon's
  bool all = false;              // csv, jsonl: every row, as a stream
};
int Sql(const SqlOptions& options);

struct AdminOptions : RemoteOptions {
  // stop | doctor | fsck | backup | restore | gc | token | revoke | quota | drain | quarantine |
  // calibration
  std::string action;
  std::string path, into;  // backup: where to; restore: from where, and into which folder
  std::string reason;      // kept in the log
  std::string role = "agent", experiment;             // token
  bool apply = false;                                 // gc: else nothing is changed
  bool undo = false;                                  // drain, quarantine, calibration
  bool dry_run = false;                               // calibration
  uint32_t weight = 0, checks_max = 0, open_max = 0;  // quota; 0: the daemon's
  uint32_t objects_max = 0;                           // gc, of each kind; 0: the daemon's
  std::optional<uint32_t> unnamed_hours, log_hours, cubin_hours, trash_hours;
};
int Admin(const AdminOptions& options);

}  // namespace clients::cli::remote
