// The verbs that need no daemon. Each takes its parsed options, prints, and returns an exit code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clients::cli {

struct FmtOptions {
  std::string file;
  bool write = false;  // in place
  bool check = false;  // exit 1 if the file is not in canonical form
  bool json = false;
};
int Fmt(const FmtOptions& options);

struct MemberOptions {
  std::string file;                 // FILE or FILE:PROGRAM
  std::vector<std::string> params;  // NAME=VALUE
  std::string arch;                 // empty: the program's target
  bool json = false;
};

struct CheckOptions : MemberOptions {
  bool all = false;  // every member of the family, up to Limits::family_members_listed
  bool fix = false;  // apply the machine-applicable fixes to the file
  bool strict_proxies = false;
  std::string workload;  // also against this contract, as Submit does; a name or a path
};
int Check(const CheckOptions& options);

struct ExplainOptions : MemberOptions {
  bool map = false;  // where everything lies, instead of everything that is derived
};
int Explain(const ExplainOptions& options);

struct EmitOptions : MemberOptions {
  std::string output;  // empty: standard output
};
int Emit(const EmitOptions& options);

struct EstimateOptions : MemberOptions {
  std::vector<std::string> dims;  // NAME=VALUE
  std::string workload;           // name or path of a contract; with `case_name` instead of dims
  std::string case_name;
  std::string calibration;  // TOML file as costmodel/calibration.h has it; empty: the data sheet
  bool what_if = false;
};
int Estimate(const EstimateOptions& options);

struct BuildOptions : MemberOptions {
  std::string output;             // cubin file; empty: only the facts
  std::string cache;              // folder; empty: $CAKE_HOME/cache
  std::string plan;               // launch plan file, for the numbers in `dims`; empty: none
  std::vector<std::string> dims;  // NAME=VALUE: dims, args, strides, SMS
};
int Build(const BuildOptions& options);

struct RunOptions : MemberOptions {
  std::string workload;            // name or path; empty: the contract beside the file
  std::vector<std::string> cases;  // empty: every case of the device's tier
  std::vector<std::string> args;   // NAME=VALUE or NAME=VALUE,VALUE,..: instead of the contract's
  std::string device = "cpu";      // "cpu" | "cuda"
  uint64_t seed = 1;
};
int Run(const RunOptions& options);

struct ReplayOptions {
  std::string receipt;  // id, at least eight digits of it, or the folder of a bundle
  std::string device;   // empty: the kind of device that it was made on
  bool json = false;
};
int Replay(const ReplayOptions& options);

struct RecordOptions : MemberOptions {
  std::string output;                // the replay file, made or added to
  std::string workload;              // name or path; empty: the contract beside the file
  std::vector<std::string> results;  // instead of a program: JSON files that hold workers' results
  int64_t members = 4096;            // of a larger family so many are drawn by `seed`
  double spread = 0;                 // standard deviation of the made-up error of ln(time)
  uint64_t seed = 1;
};
int Record(const RecordOptions& options);

struct WorkloadLintOptions {
  std::string file;  // path or name of a contract
  bool json = false;
};
int WorkloadLint(const WorkloadLintOptions& options);

struct RuleTryOptions {
  std::string rule;                   // the rule file
  std::vector<std::string> programs;  // files to ask it of, besides its own specimens
  bool json = false;
};
int RuleTry(const RuleTryOptions& options);

struct DemoSeedOptions {
  int64_t rows = 200;  // of each thing that a page lists
  uint64_t seed = 1;
  std::string data_dir = ".cake-demo", workloads = "tests/corpus";
  bool json = false;
};
int DemoSeed(const DemoSeedOptions& options);

}  // namespace clients::cli
