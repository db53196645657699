// `cake-remote`: the verbs of `cake` that talk to the daemon; `cake` runs this program for them.
#include <CLI/CLI.hpp>
#include <functional>

#include "absl/strings/str_cat.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

struct CommandLine {
  CLI::App app{"Cake: verbs that talk to the daemon."};
  SubmitOptions submit;
  WatchOptions watch;
  DiagnoseOptions diagnose;
  EvolveOptions evolve;
  ExperimentOptions experiment;
  HistoryOptions history;
  ReplayOptions replay;
  DiffOptions diff;
  ImportOptions import;
  AdminOptions admin;
  PortfolioOptions portfolio;
  UsageOptions usage;
  RuleOptions rule;
  SqlOptions sql;
  std::function<int()> chosen;

  CLI::App* Verb(const char* name, const char* summary, const char* example,
                 RemoteOptions& options) {
    CLI::App* verb = app.add_subcommand(name, summary);
    verb->footer(std::string("Example: ") + example);
    verb->add_option("--connect", options.connect,
                     "unix:PATH or HOST:PORT; default: address.json of the data folder");
    verb->add_flag("--json", options.json,
                   "the reply as one JSON object, documented in clients/cli/README.md");
    return verb;
  }

  void AddAgent() {
    CLI::App* verb = Verb("submit", "hand a program in",
                          "cake submit k.cake --workload rmsnorm --watch", submit);
    verb->add_option("file", submit.file, "FILE or -")->required();
    verb->add_option("--workload", submit.workload, "the contract's name")->required();
    verb->add_option("--parent", submit.parents, "candidate it was made from; may be repeated");
    verb->add_option("--intent", submit.intent, "what the change should achieve, at most 2 KiB");
    verb->add_option("--tactic", submit.tactic, "named tactic");
    verb->add_option("-p,--param", submit.params, "NAME=V1,V2: narrows a domain of the family");
    verb->add_option("--experiment", submit.experiment, "experiment; default: default");
    verb->add_option("--run", submit.run, "run such as r-7");
    verb->add_option("--request-id", submit.request_id,
                     "repeating a command with the same id repeats its answer");
    verb->add_option("--wait", submit.wait, "ack, gates or verdict");
    verb->add_flag("--watch", submit.watch, "follow it to its verdict");
    verb->callback([this] { chosen = [this] { return Submit(submit); }; });

    verb = Verb("watch", "follow a candidate or a run", "cake watch c-1-1", watch);
    verb->add_option("subject", watch.subject, "c-RUN-N or r-N")->required();
    verb->add_option("--from-seq", watch.from_seq, "events after this number");
    verb->callback([this] { chosen = [this] { return Watch(watch); }; });

    verb = Verb("usage", "the tokens that a session has spent on a model so far",
                "cake usage --run r-7 --session a1 --model m --input 12000 --output 800", usage);
    verb->add_option("--run", usage.run, "run such as r-7");
    verb->add_option("--experiment", usage.experiment, "or an experiment with one run");
    verb->add_option("--session", usage.session, "whose counters these are")->required();
    verb->add_option("--model", usage.model, "name of the model")->required();
    verb->add_option("--input", usage.input, "all input tokens so far, cached ones too");
    verb->add_option("--cached", usage.cached, "of them: read from a cache");
    verb->add_option("--output", usage.output, "all output tokens so far, reasoning too");
    verb->add_option("--reasoning", usage.reasoning, "of them: reasoning");
    verb->add_option("--source", usage.source, "who counted")
        ->check(CLI::IsMember({"provider", "agent", "counted", "estimated"}));
    verb->add_option("--request-id", usage.request_id, "the same id repeats the same answer");
    verb->callback([this] { chosen = [this] { return Usage(usage); }; });

    verb = Verb("diagnose", "what a candidate did, and what to change and why",
                "cake diagnose c-1-1", diagnose);
    verb->add_option("candidate", diagnose.candidate, "c-RUN-N, or r-N for its best")->required();
    verb->callback([this] { chosen = [this] { return Diagnose(diagnose); }; });
  }

  void AddLoop() {
    CLI::App* verb = Verb("evolve", "search a family until a stop rule says why; Ctrl-C pauses",
                          "cake evolve rmsnorm --budget evals=200 --stop plateau", evolve);
    verb->add_option("workload", evolve.workload, "the contract's name");
    verb->add_option("--source", evolve.source,
                     "family to start from; default: the contract's own program");
    verb->add_option("--experiment", evolve.experiment,
                     "name; the same name continues or shows the same search");
    verb->add_option("--budget", evolve.budgets,
                     "evals=N, tokens=N, active=SECONDS, gpu=SECONDS; may be repeated");
    verb->add_option(
        "--arm", evolve.arm,
        "full, random, no-ranking, no-archive, no-fixes, or sweep: every member of the "
        "family, by its prediction");
    verb->add_option("--stop", evolve.stop, "plateau");
    verb->add_option("--target", evolve.target, "stop at this time relative to the baseline");
    verb->add_option("--seed", evolve.seed, "seed of the search");
    verb->add_option("--resume", evolve.resume, "run to continue, such as r-7");
    verb->callback([this] {
      if (evolve.workload.empty() && evolve.resume.empty())
        throw CLI::RequiredError("workload or --resume");
      chosen = [this] { return Evolve(evolve); };
    });
  }

  void AddExperiment() {
    CLI::App* verb = Verb("experiment", "arms of a search beside each other, with repeats",
                          "cake experiment run kmeans.toml", experiment);
    verb->add_option("action", experiment.action, "run or report")->required();
    verb->add_option("subject", experiment.subject, "run: a TOML file; report: a name")->required();
    verb->add_option("-o,--output", experiment.output, "report: also as one HTML page");
    verb->callback([this] { chosen = [this] { return Experiment(experiment); }; });
  }

  void AddLooking() {
    CLI::App* verb =
        Verb("history", "candidates, runs and what became of them", "cake history runs", history);
    verb->add_option(
        "what", history.what,
        "candidates, runs, experiments, findings, evaluations, events, queue, devices, "
        "a run such as r-1, a candidate such as c-1-1 or a finding such as f-1");
    verb->add_option("--run", history.run, "only this run");
    verb->add_option("--workload", history.workload, "only this workload");
    verb->add_option("--experiment", history.experiment, "runs of this experiment only");
    verb->add_option("--verdict", history.verdict, "only this verdict, e.g. CORRECT");
    verb->add_option("--tactic", history.tactic, "only this tactic");
    verb->add_option("--code", history.code, "with this diagnostic, e.g. CK2001");
    verb->add_option("--text", history.text, "whose intent holds these words");
    verb->add_option("--kind", history.kind, "events of this kind, e.g. EvaluationDone");
    verb->add_option("--candidate", history.candidate, "evaluations of this candidate");
    verb->add_option("--device", history.device, "evaluations on this device, by uuid or name");
    verb->add_option("--purpose", history.purpose, "evaluations for this, e.g. CONFIRM")
        ->check(CLI::IsMember({"SEARCH", "CONFIRM", "RECHECK", "AUDIT", "BASELINE", "CALIBRATE"}));
    verb->add_flag("--charged", history.charged, "evaluations that a budget paid for");
    verb->add_flag("--newest", history.newest, "candidates: newest first");
    verb->add_flag("--source", history.source, "of one candidate: print its source text only");
    verb->add_flag("--lineage", history.lineage, "of one candidate: who was made from whom");
    verb->add_option("--format", history.format, "table, csv or jsonl: the last two print all rows")
        ->check(CLI::IsMember({"table", "csv", "jsonl"}));
    verb->add_option("--limit", history.limit, "rows; default: 50 of a table")
        ->check(CLI::Range(1, 1'000'000'000));
    verb->callback([this] { chosen = [this] { return History(history); }; });

    verb = Verb("sql", "one SELECT over the views of store/VIEWS.md",
                "cake sql \"select candidate, verdict from v_candidate\" --format csv", sql);
    verb->add_option("query", sql.sql, "the SELECT")->required();
    verb->add_option("--format", sql.format, "table, csv or jsonl")
        ->check(CLI::IsMember({"table", "csv", "jsonl"}));
    verb->add_option("--limit", sql.limit, "rows; default 1,000")->check(CLI::Range(1, 10'000));
    verb->add_flag("--all", sql.all, "csv, jsonl: every row; `query` may be the name of a view");
    verb->callback([this] { chosen = [this] { return Sql(sql); }; });

    verb = Verb("replay", "the job behind a candidate's verdict again, here", "cake replay c-1-1",
                replay);
    verb->add_option("candidate", replay.what, "c-RUN-N")->required();
    verb->add_option("--device", replay.device, "cpu or cuda; default: as it was made")
        ->check(CLI::IsMember({"cpu", "cuda"}));
    verb->callback([this] { chosen = [this] { return Replay(replay); }; });

    verb = Verb("diff", "two candidates side by side", "cake diff c-1-1 c-1-2", diff);
    verb->add_option("from", diff.from, "c-RUN-N")->required();
    verb->add_option("to", diff.to, "c-RUN-N")->required();
    verb->add_option("--context", diff.context, "equal lines around a change")
        ->check(CLI::Range(0, 1000));
    verb->callback([this] { chosen = [this] { return Diff(diff); }; });

    verb = Verb("import", "make the runs of another machine's evidence part of this store",
                "cake import evidence-smoke-20260101T000000Z.tar.zst", import);
    verb->add_option("file", import.file, "evidence file, as tests/device/run.sh writes it")
        ->required();
    verb->callback([this] { chosen = [this] { return Import(import); }; });
  }

  void AddPortfolio() {
    CLI::App* verb = Verb("portfolio", "the best programs for each device and shape, as files",
                          "cake portfolio build rmsnorm --output out", portfolio);
    verb->add_option("action", portfolio.action, "build or verify")
        ->required()
        ->check(CLI::IsMember({"build", "verify"}));
    verb->add_option("subject", portfolio.subject, "build: a workload; verify: a folder")
        ->required();
    verb->add_option("-o,--output", portfolio.output, "build: a new or empty folder");
    verb->add_option("--experiment", portfolio.experiment, "build: from this experiment's runs");
    verb->add_option("--run", portfolio.run, "build: from this run");
    verb->add_option("--reason", portfolio.reason, "build: kept in the log");
    verb->callback([this] { chosen = [this] { return Portfolio(portfolio); }; });
  }

  void AddRule() {
    CLI::App* verb = Verb("rule", "learnt rules as the daemon keeps them",
                          "cake rule gate tests/rules/uniform_update.rule.toml", rule);
    verb->add_option("action", rule.action,
                     "gate, shadow, approve, reject, demote, retire, list or show; `cake rule "
                     "try` asks a rule here")
        ->required()
        ->check(CLI::IsMember(
            {"gate", "shadow", "approve", "reject", "demote", "retire", "list", "show"}));
    verb->add_option("subject", rule.subject, "a proposal such as p-3; gate: also a rule file");
    verb->add_option("--failure", rule.failures,
                     "gate FILE: a candidate that it was made from; may be repeated");
    verb->add_option("--reason", rule.reason, "of a decision, kept in the log");
    verb->add_option("--request-id", rule.request_id, "the same id repeats the same answer");
    verb->callback([this] { chosen = [this] { return Rule(rule); }; });
  }

  void AddAdmin() {
    CLI::App* verb = Verb("admin", "look after the daemon and its store",
                          "cake admin backup /backups/monday", admin);
    verb->add_option("action", admin.action,
                     "stop, doctor, fsck, backup, restore, gc, token, revoke, quota, drain, "
                     "quarantine or calibration; doctor, fsck, backup and gc also work on a folder "
                     "that no daemon "
                     "has, restore only there")
        ->required();
    verb->add_option("path", admin.path,
                     "backup: an empty folder; restore: a backup; token, revoke, quota: a name; "
                     "drain: a worker; quarantine: a device; calibration: a TOML file as "
                     "costmodel/calibration.h has it, or with --undo an architecture");
    verb->add_option("--into", admin.into, "restore: an empty folder, the new store");
    verb->add_option("--reason", admin.reason, "kept in the log; gc --apply wants one");
    verb->add_option("--role", admin.role, "token: agent, worker, operator or researcher");
    verb->add_option("--experiment", admin.experiment, "token: sees this experiment only");
    verb->add_flag("--undo", admin.undo,
                   "drain: it serves again; quarantine: it gets work again; "
                   "calibration: what was in force before is again");
    verb->add_flag("--dry-run", admin.dry_run, "calibration: only tries it");
    verb->add_option("--weight", admin.weight, "quota: part of the gates' time; default 1");
    verb->add_option("--checks", admin.checks_max, "quota: checks at a time");
    verb->add_option("--open", admin.open_max, "quota: candidates not judged yet");
    verb->add_flag("--apply", admin.apply, "gc: without it nothing is changed");
    verb->add_option("--max", admin.objects_max, "gc: objects of each kind; default 100,000");
    verb->add_option("--unnamed-hours", admin.unnamed_hours,
                     "gc: how long what nothing names is kept; default 24");
    verb->add_option("--log-hours", admin.log_hours, "gc: of logs; default 720");
    verb->add_option("--cubin-hours", admin.cubin_hours,
                     "gc: of cubins that are not of a best; default 168");
    verb->add_option("--trash-hours", admin.trash_hours, "gc: in the trash; default 24");
    verb->callback([this] { chosen = [this] { return Admin(admin); }; });
  }
};

}  // namespace
}  // namespace clients::cli::remote

int main(int argc, char** argv) {
  clients::cli::remote::CommandLine line;
  line.app.name("cake");
  line.app.require_subcommand(1);
  line.AddAgent();
  line.AddLoop();
  line.AddExperiment();
  line.AddLooking();
  line.AddPortfolio();
  line.AddRule();
  line.AddAdmin();
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return line.app.exit(error);  // --help
    const std::string verb = argc > 1 ? argv[1] : "";
    return clients::cli::Fail(absl::InvalidArgumentError(
        absl::StrCat(error.what(), "; see cake ", verb, verb.empty() ? "" : " ", "--help")));
  }
  return line.chosen();
}
