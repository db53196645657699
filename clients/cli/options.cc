#include "clients/cli/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"

namespace clients::cli {
namespace {

constexpr const char* kFooter = R"(With the daemon (each has --help):
  submit     hand a program in
  watch      follow a candidate or a run
  diagnose   what to change and why
  evolve     search a family until a stop rule says why
  experiment arms of a search beside each other; run, report
  history    candidates, runs and what became of them
  sql        one SELECT over the documented views
  usage      the tokens that a session has spent
  diff       two candidates side by side
  import     evidence of another machine, as runs of this store
  portfolio  the best programs for each device and shape, as files; build, verify
  admin      stop, doctor, fsck, backup, restore, gc, token, revoke, quota, drain, quarantine,
             calibration

Exit codes: 0 fine, 1 the candidate is at fault, 2 usage, 3 the world is at fault.
Example: cake check tests/corpus/rmsnorm/rmsnorm.cake)";

void AddMember(CLI::App* verb, MemberOptions& options) {
  verb->add_option("file", options.file, "FILE, FILE:PROGRAM or - for standard input")->required();
  verb->add_option("-p,--param", options.params, "NAME=VALUE: binds a param of the family")
      ->type_name("NAME=VALUE");
  verb->add_option("--arch", options.arch, "architecture; default: the program's target")
      ->check([](const std::string& text) { return std::string(text.empty() ? "no name" : ""); });
  verb->add_flag("--json", options.json, "one JSON object, documented in clients/cli/README.md");
}

// CLI11 lets a negative or a too large number wrap.
CLI::Validator Unsigned() {
  return CLI::Validator(
      [](const std::string& text) {
        uint64_t value = 0;
        return absl::SimpleAtoi(text, &value) ? std::string()
                                              : absl::StrCat("`", text, "` is not in 0..2^64-1");
      },
      "UINT64");
}

// All verbs of one command line; the options structs live as long as the parse and the run.
struct CommandLine {
  CLI::App app{"Cake: GPU kernels as checked, ranked, evolved programs."};
  FmtOptions fmt;
  CheckOptions check;
  ExplainOptions explain;
  EmitOptions emit;
  EstimateOptions estimate;
  BuildOptions build;
  RunOptions run;
  WorkloadLintOptions workload_lint;
  RuleTryOptions rule_try;
  ReplayOptions replay;
  RecordOptions record;
  DemoSeedOptions demo_seed;
  std::function<int()> chosen;

  CLI::App* Verb(const char* name, const char* summary, const char* example) {
    CLI::App* verb = app.add_subcommand(name, summary);
    verb->footer(std::string("Example: ") + example);
    return verb;
  }

  void AddFmt() {
    CLI::App* verb =
        Verb("fmt", "canonical text of a program", "cake fmt tests/corpus/rmsnorm/rmsnorm.cake");
    verb->add_option("file", fmt.file, "FILE or -")->required();
    verb->add_flag("-w,--write", fmt.write, "rewrite the file");
    verb->add_flag("--check", fmt.check, "exit 1 unless the file is canonical");
    verb->add_flag("--json", fmt.json, "one JSON object, documented in clients/cli/README.md");
    verb->callback([this] { chosen = [this] { return Fmt(fmt); }; });
  }

  void AddChecks() {
    CLI::App* verb =
        Verb("check", "run the gates", "cake check --all tests/corpus/rmsnorm/rmsnorm.cake");
    AddMember(verb, check);
    verb->add_flag("--all", check.all, "every member with the --param values, counted by verdict");
    verb->add_option("--workload", check.workload, "also against this contract: a name or a path");
    verb->add_flag("--fix", check.fix, "apply the machine-applicable fixes to the file first");
    verb->add_flag("--strict-proxies", check.strict_proxies,
                   "reads by threads are fenced before engines write there");
    verb->callback([this] { chosen = [this] { return Check(check); }; });

    verb = Verb("explain", "everything that is derived from a program, or what an instruction does",
                "cake explain --map tests/corpus/gemm/gemm_bf16_cluster.cake\n         cake "
                "explain lanes.sum");
    AddMember(verb, explain);
    verb->add_flag("--map", explain.map,
                   "launch, registers, shared memory, mbarriers, tensor memory and tensor maps, in "
                   "columns");
    verb->get_option("file")->description(
        "FILE, FILE:PROGRAM, - or an instruction such as bar.sync");
    verb->callback([this] { chosen = [this] { return Explain(explain); }; });

    verb = Verb("emit", "the CUDA C++ of a program",
                "cake emit tests/corpus/rmsnorm/rmsnorm.cake -o rmsnorm.cu");
    AddMember(verb, emit);
    verb->add_option("-o,--output", emit.output, "write to a file");
    verb->callback([this] { chosen = [this] { return Emit(emit); }; });

    verb = Verb("estimate", "predicted time and its bottleneck, without a GPU",
                "cake estimate tests/corpus/rmsnorm/rmsnorm.cake --dim M=8192 --dim N=8192");
    AddMember(verb, estimate);
    verb->add_option("-d,--dim", estimate.dims,
                     "NAME=VALUE: a dim, an integer arg, a stride or SMS");
    verb->add_option("--workload", estimate.workload,
                     "contract whose case to estimate: a name or a path");
    verb->add_option("--case", estimate.case_name,
                     "case of the contract; default: its first device-tier case");
    verb->add_option("--calibration", estimate.calibration,
                     "TOML file with measured rates; default: the data sheet's");
    verb->add_flag("--what-if", estimate.what_if, "predicted times of neighbouring members");
    verb->callback([this] { chosen = [this] { return Estimate(estimate); }; });
  }

  void AddRuns() {
    CLI::App* verb = Verb("build", "compile with NVRTC in a sandboxed child",
                          "cake build tests/corpus/rmsnorm/rmsnorm.cake --arch sm_90a");
    AddMember(verb, build);
    verb->add_option("-o,--output", build.output, "write the cubin to a file");
    verb->add_option("--cache", build.cache, "cache folder; default: $CAKE_HOME/cache");
    verb->add_option("--plan", build.plan,
                     "write how to launch it, for the numbers of --dim, as JSON to a file");
    verb->add_option("-d,--dim", build.dims, "NAME=VALUE: a dim, an arg, a stride or SMS");
    verb->callback([this] { chosen = [this] { return Build(build); }; });

    verb = Verb("run", "run a program against a contract",
                "cake run tests/corpus/rmsnorm/rmsnorm.cake");
    AddMember(verb, run);
    verb->add_option("--workload", run.workload,
                     "contract: a name or a path; default: the one beside the file that shares "
                     "its name");
    verb->add_option("--case", run.cases, "only these cases");
    verb->add_option("--arg", run.args,
                     "NAME=VALUE, or NAME=VALUE,VALUE,.. of an array: instead of the contract's");
    verb->add_option("--device", run.device, "cpu (the reference machine) or cuda")
        ->check(CLI::IsMember({"cpu", "cuda"}));
    verb->add_option("--seed", run.seed, "seed of the generated inputs")
        ->check(Unsigned());
    verb->callback([this] { chosen = [this] { return Run(run); }; });
  }

  void AddReplay() {
    CLI::App* verb =
        Verb("replay", "the job of a receipt again: same, different or cannot run here",
             "cake replay 3f2a9c01d7e4");
    verb->add_option("receipt", replay.receipt,
                     "id of a receipt, at least eight digits of it, the folder of a bundle, or a "
                     "candidate of the daemon such as c-1-1")
        ->required();
    verb->add_option("--device", replay.device, "cpu or cuda; default: as it was made")
        ->check(CLI::IsMember({"cpu", "cuda"}));
    verb->add_flag("--json", replay.json, "one JSON object, documented in clients/cli/README.md");
    verb->callback([this] { chosen = [this] { return Replay(replay); }; });
  }

  void AddRecord() {
    CLI::App* verb =
        Verb("record", "fill a replay file: evaluations that a worker can answer from",
             "cake record tests/corpus/rmsnorm/rmsnorm.cake -o rmsnorm.replay\n         "
             "cake record --results tests/results/speed/manifest.json -o h200.replay");
    AddMember(verb, record);
    verb->get_option("file")->required(false)->description(
        "FILE or FILE:PROGRAM: its family, with the times of the cost model");
    verb->add_option("-o,--output", record.output, "the replay file, made or added to")->required();
    verb->add_option("--workload", record.workload, "contract: a name or a path");
    verb->add_option("--results", record.results,
                     "JSON files with results of cake-worker --job, instead of a program");
    verb->add_option("--members", record.members,
                     "of a larger family so many, drawn by --seed; default: 4096")
        ->check(CLI::Range(1, 1'000'000));
    verb->add_option("--spread", record.spread,
                     "times are the model's with so much made-up spread, and are called SYNTHETIC")
        ->check(CLI::Range(0.0, 1.0));
    verb->add_option("--seed", record.seed, "of the drawing and of the spread")
        ->check(Unsigned());
    verb->callback([this] { chosen = [this] { return Record(record); }; });
  }

  void AddWorkload() {
    CLI::App* verb = Verb("workload", "contracts: what programs are judged by",
                          "cake workload lint tests/corpus/softmax/softmax.workload.textproto");
    verb->require_subcommand(1);
    CLI::App* lint = verb->add_subcommand("lint", "what is wrong or weak in a contract");
    lint->footer("Example: cake workload lint tests/corpus/softmax/softmax.workload.textproto");
    lint->add_option("contract", workload_lint.file, "a path, or a name as --workload takes it")
        ->required();
    lint->add_flag("--json", workload_lint.json,
                   "one JSON object, documented in clients/cli/README.md");
    lint->callback([this] { chosen = [this] { return WorkloadLint(workload_lint); }; });
  }

  void AddRule() {
    CLI::App* verb = Verb("rule",
                          "learnt rules: try one here; gate, shadow, approve, reject, demote, "
                          "retire, list and show are the daemon's",
                          "cake rule try tests/rules/uniform_update.rule.toml");
    verb->require_subcommand(1);
    CLI::App* one = verb->add_subcommand("try", "ask a rule of its own programs and of others");
    one->footer(
        "Example: cake rule try tests/rules/uniform_update.rule.toml "
        "tests/corpus/rmsnorm/rmsnorm.cake");
    one->add_option("rule", rule_try.rule, "a rule file (verifier/learnt/README.md)")->required();
    one->add_option("programs", rule_try.programs, "programs to ask it of besides");
    one->add_flag("--json", rule_try.json, "one JSON object, documented in clients/cli/README.md");
    one->callback([this] { chosen = [this] { return RuleTry(rule_try); }; });
  }

  void AddDemo() {
    CLI::App* verb = Verb("demo", "made-up data to look at", "cake demo seed --rows 200");
    verb->require_subcommand(1);
    CLI::App* seed = verb->add_subcommand("seed", "fill a folder of its own with demo data");
    seed->footer("Example: cake demo seed --rows 10000 --data-dir /tmp/cake-demo");
    seed->add_option("--rows", demo_seed.rows, "candidates, experiments, findings, devices each")
        ->check(CLI::Range(0, 100'000));
    seed->add_option("--seed", demo_seed.seed, "the same seed makes the same data")
        ->check(Unsigned());
    seed->add_option("--data-dir", demo_seed.data_dir, "a folder without runs");
    seed->add_option("--workloads", demo_seed.workloads, "folder of contracts and their programs");
    seed->add_flag("--json", demo_seed.json,
                   "one JSON object, documented in clients/cli/README.md");
    seed->callback([this] { chosen = [this] { return DemoSeed(demo_seed); }; });
  }
};

}  // namespace

int RunLocal(int argc, char** argv) {
  CommandLine line;
  line.app.name("cake");
  line.app.footer(kFooter);
  line.app.require_subcommand(1);
  line.AddFmt();
  line.AddChecks();
  line.AddRuns();
  line.AddReplay();
  line.AddRecord();
  line.AddWorkload();
  line.AddRule();
  line.AddDemo();
  if (argc < 2) {
    std::fputs(line.app.help().c_str(), stderr);
    return kUsage;
  }
  const std::string verb = argv[1];
  const std::vector<CLI::App*> verbs = line.app.get_subcommands(
      [&verb](const CLI::App* known) { return known->get_name() == verb; });
  if (verb[0] != '-' && verbs.empty())
    return Fail(absl::InvalidArgumentError("no verb `" + verb + "`; see cake --help"));
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return line.app.exit(error);  // --help
    return Fail(absl::InvalidArgumentError(
        absl::StrCat(error.what(), "; see cake ", verb[0] == '-' ? "" : verb + " ", "--help")));
  }
  return line.chosen();
}

}  // namespace clients::cli
