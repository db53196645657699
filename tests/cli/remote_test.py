#!/usr/bin/env python3
"""The verbs of the daemon against a real caked and a real worker on this machine's processors."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import hostile  # noqa: E402
from programs import WRONG, WRONG_RESULT  # noqa: E402
from support import BIN, CORPUS, GUARD_SECONDS, ROOT, Cake, Daemon, Folder, Result  # noqa: E402

RULE = os.path.join(ROOT, "tests", "rules", "uniform_update.rule.toml")
VECTOR_ADD = os.path.join(CORPUS, "vector_add", "vector_add.cake")
ONE_MEMBER = ("--param", "WARPS=4", "--param", "V=4", "--param", "REPEAT=1")
# Evaluations run on this machine's processors, which tests share.
PATIENCE_SECONDS = 300


class RemoteTest(unittest.TestCase):
    """One daemon for each class, in a folder of its own; a worker where the class wants one."""
    WORKER = True

    @classmethod
    def setUpClass(cls) -> None:
        folder = Folder()
        cls.folder = folder.__enter__()
        cls.addClassCleanup(folder.__exit__)
        cls.home = os.path.join(cls.folder, "home")
        os.mkdir(cls.home)
        cls.daemon = Daemon(cls.home)
        cls.addClassCleanup(lambda: cls.daemon.stop())
        cls.daemon.start()
        if cls.WORKER:
            cls.daemon.start_worker()
        cls.cake = Cake(cls.home)
        cls.closing: set[str] = set()  # every next command that was printed

    def cake_run(self, *words: str, code: int = 0, stdin: bytes = b"") -> Result:
        result = self.cake.run(*words, stdin=stdin, seconds=PATIENCE_SECONDS)
        self.assertEqual(result.code, code, f"{result}\n{self.daemon.log_text()}")
        if result.next():
            self.closing.add(result.next())
        return result

    def write(self, name: str, text: str | bytes) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(text.encode() if isinstance(text, str) else text)
        return path

    def submit(self, path: str, *words: str, code: int = 0) -> dict:
        return self.cake_run("submit", path, "--workload", "vector_add", "--json", *words, code=code).json()

    def last_seq(self) -> int:
        return int(self.cake_run("admin", "doctor", "--json").json()["event_seq"])

    def run_of(self, experiment: str) -> dict:
        runs = self.cake_run("history", "runs", "--json").json()["runs"]
        return next(run for run in runs if run["experiment"] == experiment)

    def wait_until(self, what) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not what():
            self.assertLess(time.monotonic(), end, self.daemon.log_text())
            time.sleep(0.05)

    def evolve_in_background(self, *words: str) -> subprocess.Popen:
        return subprocess.Popen([os.path.join(BIN, "cake"), "evolve", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                cwd=ROOT, env=self.cake.environment())

    def output_of(self, process: subprocess.Popen) -> tuple[int, str]:
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        # stderr has progress where nothing went wrong, and the reason where something did.
        return process.returncode, out.decode() + (err.decode() if process.returncode != 0 else "")


class Agent(RemoteTest):
    """What an author or an agent does, one step after the other in one store."""

    def test_1_a_right_candidate_gets_its_verdict(self) -> None:
        text = self.cake_run("submit", VECTOR_ADD, "--workload", "vector_add", *ONE_MEMBER, "--intent", "first", "--watch")
        self.assertIn("candidate c-1-1", text.out)
        self.assertIn("verdict CORRECT", text.out)
        self.assertEqual(text.next(), "cake diagnose c-1-1")
        report = self.cake_run("diagnose", "c-1-1")
        self.assertIn("objective source: ESTIMATED", report.out)
        self.assertNotIn("speedup", report.out)
        self.assertEqual(self.cake_run("diagnose", "r-1").out, report.out)

    def test_2_each_wrong_program_is_refused_as_check_refuses_it(self) -> None:
        for wrong in WRONG:
            with self.subTest(wrong.name):
                path = self.write(wrong.name + ".cake", wrong.source)
                local = self.cake.run("check", "--json", path).json()
                reply = self.submit(path, code=1)
                report = reply["report"]
                self.assertEqual((report["verdict"], report["blame"]), ("VERDICT_" + wrong.verdict, "BLAME_CANDIDATE"))
                self.assertEqual([self.essence(d) for d in report["diagnostics"]], [self.essence(d) for d in local["diagnostics"]])
                text = self.cake_run("diagnose", reply["candidate"])
                self.assertIn(f"error[{wrong.code}] line {wrong.line}:", text.out)

    @staticmethod
    def essence(d: dict) -> tuple:
        """What both renderings say of a finding."""
        place = d["primary"] or {}
        fixes = [(f["title"], f["applicability"].replace("APPLICABILITY_", "").lower(), [e["text"] for e in f["edits"]])
                 for f in d["fixes"]]
        return (d["code"], d["message"], d["why"], int(place.get("line", 0)), int(place.get("column", 0)), fixes,
                [label["text"] for label in d["labels"]])

    def test_3_a_wrong_result_is_the_candidate_s_fault(self) -> None:
        path = self.write("wrong_result.cake", WRONG_RESULT)
        text = self.cake_run("submit", path, "--workload", "vector_add", "--watch", code=1)
        self.assertIn("verdict WRONG_RESULT", text.out)
        candidate = re.search(r"candidate (c-\d+-\d+)", text.out).group(1)
        report = self.cake_run("diagnose", candidate).out
        self.assertIn("blame CANDIDATE", report)
        self.assertRegex(report, r"c\[0\]")

    def test_4_hostile_bytes_are_refused_and_the_next_is_served(self) -> None:
        for name, (source, _) in hostile.REJECTED.items():
            with self.subTest(name):
                result = self.cake.run("submit", self.write("hostile.cake", source), "--workload", "vector_add")
                self.assertEqual(result.code, 1, result)
        alive = self.submit(VECTOR_ADD, "--param", "WARPS=8", "--param", "V=2", "--param", "REPEAT=1", "--wait", "verdict")
        self.assertEqual(alive["report"]["verdict"], "VERDICT_CORRECT")

    def test_5_the_same_request_has_the_same_answer(self) -> None:
        words = ("--request-id", "the-same-1", *ONE_MEMBER, "--intent", "again")
        first = self.submit(VECTOR_ADD, *words)
        seq = self.last_seq()
        again = self.submit(VECTOR_ADD, *words)
        self.assertEqual((again["candidate"], self.last_seq()), (first["candidate"], seq))
        other = self.cake_run("submit", VECTOR_ADD, "--workload", "vector_add", "--request-id", "the-same-1", code=2)
        self.assertIn("IDEMPOTENCY_REUSE", other.err)

    def test_6_a_twin_is_a_duplicate(self) -> None:
        with open(VECTOR_ADD, encoding="utf-8") as f:
            renamed = f.read().replace("let x =", "let left =").replace("x[e] +", "left[e] +")
        self.assertIn("left[e]", renamed)
        reply = self.submit(self.write("twin.cake", renamed), *ONE_MEMBER, "--wait", "verdict")
        self.assertTrue(reply["duplicate_of_existing"])
        self.assertEqual(reply["duplicate_of"], "c-1-1")

    def test_7_parents_and_text_of_others(self) -> None:
        intent = "<b>\x1b[31mred\x07 \u202eesrever"
        reply = self.submit(VECTOR_ADD, "--param", "WARPS=2", "--param", "V=4", "--param", "REPEAT=1",
                            "--parent", "c-1-1", "--intent", intent)
        shown = self.cake_run("history", reply["candidate"])
        self.assertIn("parent: c-1-1", shown.out)
        for result in (shown, self.cake_run("history"), self.cake_run("watch", reply["candidate"])):
            self.assertNotRegex(result.out, "[\x1b\x07\u202e]")
        source = self.cake_run("history", reply["candidate"], "--source")
        with open(VECTOR_ADD, "rb") as f:
            self.assertEqual(source.raw_out, f.read())

    def test_7_evaluations_are_listed(self) -> None:
        rows = self.cake_run("history", "evaluations", "--candidate", "c-1-1", "--json").json()["evaluations"]
        self.assertEqual([(row["candidate"], row["evaluation"]["verdict"]) for row in rows], [("c-1-1", "VERDICT_CORRECT")])
        for words in (("--verdict", "WRONG_RESULT"), ("--purpose", "CONFIRM"), ("--device", "none")):
            self.assertIn("nothing was evaluated", self.cake_run("history", "evaluations", "--candidate", "c-1-1", *words).out)
        lines = self.cake_run("history", "evaluations", "--format", "jsonl").out.splitlines()
        self.assertIn(rows[0], [json.loads(line) for line in lines])
        self.cake_run("history", "evaluations", "--candidate", "c-9-9", code=2)

    def test_7_portfolio_is_files_that_can_be_used(self) -> None:
        out = os.path.join(self.folder, "portfolio")
        self.cake_run("portfolio", "build", "vector_add", "--output", out, "--reason", "release")
        self.cake_run("portfolio", "verify", out)
        with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
            manifest = json.load(f)
        kernel = manifest["kernels"][0]
        params = [word for name, value in kernel["binding"].items() for word in ("--param", f"{name}={value}")]
        contract = os.path.join(out, manifest["contract"])
        result = self.cake_run("run", os.path.join(out, kernel["source"]), "--workload", contract, *params, "--json").json()
        self.assertEqual(result["verdict"], "CORRECT")
        main = self.write("main.cc", '#include "portfolio.h"\nint main() {\n  return cake_portfolio::kKernels[cake_portfolio::Select("", '
                          '16777216)].name == "%s" && cake_portfolio::Select("other", 1) == -1 ? 0 : 1;\n}\n' % kernel["name"])
        program = os.path.join(self.folder, "main")
        subprocess.run(["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-I", out, main, "-o", program], check=True, timeout=120)
        subprocess.run([program], check=True, timeout=GUARD_SECONDS)
        with open(os.path.join(out, kernel["source"]), "ab") as f:
            f.write(b"\n")
        self.assertIn("has other bytes", self.cake_run("portfolio", "verify", out, code=1).out)
        self.cake_run("portfolio", "build", "vector_add", "--output", out, code=2)  # not empty
        self.cake_run("portfolio", "build", "none", "--output", os.path.join(self.folder, "other"), code=2)

    def test_7_a_calibration_is_tried_put_in_force_and_taken_back(self) -> None:
        with open(VECTOR_ADD, encoding="utf-8") as f:
            arch = re.search(r"target (\w+)", f.read()).group(1)
        path = self.write("slow.toml", f'arch = "{arch}"\n[rates]\nhbm_gb_per_s = 1000\n')
        words = ("estimate", VECTOR_ADD, "--dim", "N=268435456")
        plain = self.cake_run(*words, "--json").json()
        slow = self.cake_run(*words, "--calibration", path, "--json").json()
        self.assertGreater(slow["time_ns"], 1.5 * plain["time_ns"])
        self.assertEqual((plain["calibration"], slow["calibration"], slow["coverage"]), ("none", path, "RANK_ONLY"))

        tried = self.cake_run("admin", "calibration", path, "--dry-run", "--json").json()
        self.assertEqual((tried["before"], tried["in_force"], tried["activated"]), (f"{arch}@0", f"{arch}@0", False))
        self.cake_run("admin", "calibration", path, code=2)  # without a reason
        self.cake_run("admin", "calibration", path, "--reason", "measured on the new card")
        undone = self.cake_run("admin", "calibration", arch, "--undo", "--reason", "another card", "--json").json()
        self.assertEqual((undone["before"], undone["in_force"]), (f"{arch}@1", f"{arch}@0"))
        events = self.cake_run("history", "events", "--kind", "CalibrationActivated", "--json").json()["events"]
        self.assertEqual([event["calibration_activated"]["version"] for event in events], ["0", "1"])
        self.cake_run("admin", "calibration", self.write("bad.toml", "arch = 1"), "--reason", "x", code=2)

    def test_8_usage(self) -> None:
        for words in (["submit", VECTOR_ADD, "--workload", "none"], ["diagnose", "c-9-9"], ["watch", "c-9-9"], ["history", "nonsense"],
                      ["history", "--verdict", "NICE"], ["evolve", "none"], ["evolve", "vector_add", "--budget", "evals=0"],
                      ["evolve", "vector_add", "--stop", "whenever"], ["evolve", "--resume", "r-99"],
                      ["submit", VECTOR_ADD, "--workload", "vector_add", "--parent", "c-9-9"],
                      ["submit", VECTOR_ADD, "--workload", "vector_add", "--wait", "never"],
                      ["submit", os.path.join(CORPUS, "language", "kernels.cake") + ":fa3_fwd", "--workload", "vector_add"]):
            with self.subTest(words):
                result = self.cake_run(*words, code=2)
                self.assertEqual(result.out, "")
                self.assertTrue(result.err.startswith("cake: "), result)

    def test_9_every_next_command_runs(self) -> None:
        self.cake_run("history", "runs")
        self.cake_run("admin", "doctor", "--connect", "unix:" + self.daemon.address["unix"])
        done: set[str] = set()
        while waiting := self.closing - done:
            line = waiting.pop()
            done.add(line)
            self.assertLess(len(done), 200)
            result = self.cake.run_line(line, seconds=PATIENCE_SECONDS)
            self.assertIn(result.code, (0, 1), result)
            self.assertTrue(result.next(), result)
            self.closing.add(result.next())
        self.assertGreater(len(done), 10)


class Documented(RemoteTest):
    WORKER = False

    def fields(self, message: str) -> set[str]:
        for name in ("agent", "common", "event", "history", "operator"):
            with open(os.path.join(ROOT, "proto", "cake", "v1", name + ".proto"), encoding="utf-8") as f:
                found = re.search(rf"(?ms)^message {message} {{(.*?)^}}", f.read())
            if found:
                return set(re.findall(r"(?m)^\s+(?:repeated )?[\w.<>, ]+? (\w+) = \d+;", found.group(1)))
        raise AssertionError(message)

    def test_json_has_the_fields_of_the_protocol(self) -> None:
        path = self.write("k.cake", WRONG[0].source)
        replies = {
            "SubmitReply": self.cake_run("submit", path, "--workload", "vector_add", "--json", code=1),
            "DiagnoseReply": self.cake_run("diagnose", "c-1-1", "--json"),
            "ListCandidatesReply": self.cake_run("history", "--json"),
            "ListRunsReply": self.cake_run("history", "runs", "--json"),
            "Candidate": self.cake_run("history", "c-1-1", "--json"),
            "Lineage": self.cake_run("history", "c-1-1", "--lineage", "--json"),
            "ListEventsReply": self.cake_run("history", "events", "--json"),
            "ListFindingsReply": self.cake_run("history", "findings", "--json"),
            "ListExperimentsReply": self.cake_run("history", "experiments", "--json"),
            "ListQueueReply": self.cake_run("history", "queue", "--json"),
            "ListDevicesReply": self.cake_run("history", "devices", "--json"),
            "CompareReply": self.cake_run("diff", "c-1-1", "c-1-1", "--json"),
        }
        with open(os.path.join(ROOT, "clients", "cli", "README.md"), encoding="utf-8") as f:
            documented = f.read()
        for message, result in replies.items():
            self.assertIn(f"`{message}`", documented)
            # Messages that are not set are left out; nothing else is added.
            self.assertLessEqual(set(result.json()), self.fields(message), message)
            self.assertGreaterEqual(len(result.json()), 2)

    def test_watch_is_one_object_a_line(self) -> None:
        self.cake_run("submit", self.write("k2.cake", WRONG[2].source), "--workload", "vector_add", code=1)
        lines = self.cake_run("watch", "c-1-1", "--json", code=1).out.splitlines()
        events = [json.loads(line) for line in lines]
        self.assertEqual([e["kind"] for e in events][:2], ["CandidateSubmitted", "GatesDone"])
        seqs = [int(e["seq"]) for e in events]
        self.assertEqual(seqs, sorted(set(seqs)))


class Rules(RemoteTest):
    """A learnt rule from its file to the shadow; the rest of its life needs hundreds of candidates (server_core_test)."""
    WORKER = False

    def gate(self, *words: str, code: int = 0) -> dict:
        return self.cake_run("rule", "gate", *words, "--json", code=code).json()["proposal"]

    def test_1_a_rule_is_gated_and_asked(self) -> None:
        self.cake_run("rule", "list")
        gated = self.gate(RULE)
        self.assertEqual((gated["proposal"], gated["state"], gated["code"]), ("p-1", "CORPUS", "CK2701"))
        reports = {gate["gate"]: json.loads(gate["report"]) for gate in gated["gates"] if gate["outcome"] == "PASS"}
        self.assertEqual([trial["fault"] for trial in reports["specimens"]], ["", ""])
        self.assertGreater(reports["corpus"]["asked"], 50)
        self.assertEqual((reports["corpus"]["refused"], reports["corpus"]["not_asked"]), ([], 0))
        self.assertLessEqual(reports["corpus"]["p99_cpu_ns"], 1_000_000)
        self.cake_run("rule", "approve", "p-1", "--reason", "too early", code=2)
        self.assertIn("SHADOW", self.cake_run("rule", "shadow", "p-1", "--reason", "let it look").out)
        self.submit(VECTOR_ADD, *ONE_MEMBER)
        self.wait_until(lambda: "asked of 1 candidates" in self.cake_run("rule", "show", "p-1").out)
        self.assertIn("uniform_update@1", self.cake_run("rule", "list").out)
        self.assertIn("REJECTED", self.cake_run("rule", "reject", "p-1", "--reason", "no more").out)
        self.cake_run("rule", "gate", "p-1", code=2)

    def test_2_what_is_none_is_refused_in_words(self) -> None:
        with open(RULE, encoding="utf-8") as file:
            text = file.read().replace("uniform_update", "another_one").replace("CK2701", "CK2702")
        self.assertIn("query", self.cake_run("rule", "gate", self.write("r.toml", text.replace("SELECT", "DROP")), code=2).err)
        self.assertEqual(self.gate(self.write("r.toml", text.replace("e.kind IN ('elect', 'once')", "0")), code=1)["state"], "DRAFT")
        wide = self.gate(self.write("r.toml", text.replace("'lane'", "'none'")), code=1)
        self.assertEqual((wide["state"], wide["rev"]), ("SPECIMENS", "2"))
        self.assertTrue(json.loads(wide["gates"][0]["report"])["refused"], "programs of the corpus add to places of lanes")
        self.cake_run("rule", "shadow", "p-99", "--reason", "why not", code=2)
        self.cake_run("rule", "shadow", "p-1", code=2)


class Evolve(RemoteTest):
    WORKER = False  # until a test starts it, so that what a run waits for is known

    def test_1_ctrl_c_pauses_and_resume_continues(self) -> None:
        process = self.evolve_in_background("vector_add", "--experiment", "first", "--source", VECTOR_ADD, "--budget", "evals=4")
        self.wait_until(lambda: self.running("first"))
        process.send_signal(signal.SIGINT)
        code, text = self.output_of(process)
        self.assertEqual(code, 0, text)
        self.assertIn("paused r-", text)
        run = self.run_of("first")
        self.assertEqual(run["state"], "RUN_STATE_PAUSED")
        self.assertTrue(text.endswith(f"next: cake evolve --resume {run['run']}\n"), text)
        self.daemon.start_worker()
        finished = self.cake.run_line(text.splitlines()[-1][len("next: "):], seconds=PATIENCE_SECONDS)
        self.assertEqual(finished.code, 0, finished)
        self.assertIn("STOPPED BUDGET(evaluations)", finished.out)
        self.assertIn("objective source: ESTIMATED (predicted, not measured)", finished.out)
        self.assertNotIn("speedup", finished.out)
        # One of the four may have looked at an earlier program again.
        self.assertEqual(self.run_of("first")["budget"]["lines"], [{"kind": "evaluations", "limit": "4", "spent": "4", "reserved": "0"}])
        self.assertIn(self.run_of("first")["progress"]["evaluated"], ("3", "4"))
        over = self.cake_run("evolve", "--resume", run["run"], code=2)
        self.assertIn("BUDGET", over.err)

    def running(self, experiment: str) -> bool:
        runs = self.cake_run("history", "runs", "--json").json()["runs"]
        return any(run["experiment"] == experiment and run["state"] == "RUN_STATE_RUNNING" for run in runs)

    def test_2_repeating_the_command_changes_nothing(self) -> None:
        words = ("evolve", "vector_add", "--experiment", "first", "--source", VECTOR_ADD, "--budget", "evals=4")
        first, seq = self.cake_run(*words), self.last_seq()
        again = self.cake_run(*words)
        self.assertEqual((again.out, self.last_seq()), (first.out, seq))
        other = self.cake_run("evolve", "vector_add", "--experiment", "first", "--budget", "evals=5", code=2)
        self.assertIn("other options", other.err)

    def test_3_the_best_is_the_least_predicted_of_those_that_are_correct(self) -> None:
        run = self.run_of("first")
        candidate = self.cake_run("history", run["best"]["candidate"], "--json").json()
        correct = {v["binding"]: v["estimate_ns"] for v in candidate["variants"] if v["verdict"] == "VERDICT_CORRECT"}
        self.assertEqual(correct[run["best"]["binding"]], min(correct.values()))

    def test_4_a_killed_daemon_s_run_goes_on(self) -> None:
        with open(VECTOR_ADD, encoding="utf-8") as f:
            # Another family, so that nothing is a duplicate of what ran before.
            source = f.read().replace("x[e] + y[e]", "y[e] + x[e]").replace("(ld a[e]) + (ld b[e])", "(ld b[e]) + (ld a[e])")
        path = self.write("swapped.cake", source)
        process = self.evolve_in_background("vector_add", "--experiment", "second", "--source", path, "--budget", "evals=6", "--json")
        self.wait_until(lambda: self.running("second"))
        self.daemon.process.send_signal(signal.SIGKILL)
        self.daemon.process.wait(GUARD_SECONDS)
        self.daemon.start()
        code, text = self.output_of(process)
        self.assertEqual(code, 0, text)
        summary = json.loads(text)
        self.assertEqual((summary["state"], summary["reason"]), ("RUN_STATE_STOPPED", "BUDGET(evaluations)"))

    def test_5_the_contract_s_own_program_is_the_first_without_source(self) -> None:
        result = self.cake_run("evolve", "rmsnorm", "--experiment", "third", "--budget", "evals=1")
        self.assertIn("workload rmsnorm", result.out)
        self.assertRegex(result.next(), r"^cake diagnose c-\d+-\d+$")


class Process(RemoteTest):
    WORKER = False

    def test_1_a_second_daemon_names_the_first(self) -> None:
        second = subprocess.run(self.daemon.arguments(), capture_output=True, text=True, timeout=GUARD_SECONDS)
        self.assertEqual(second.returncode, 3, second.stderr)
        self.assertIn(str(self.daemon.process.pid), second.stderr)

    def test_2_sigterm_drains_and_nothing_is_lost(self) -> None:
        path = self.write("k.cake", WRONG[0].source)
        self.cake_run("submit", path, "--workload", "vector_add", code=1)
        before = self.cake_run("history", "--json").json()
        self.assertEqual(self.daemon.stop(), 0, self.daemon.log_text())
        self.assertFalse(os.path.exists(os.path.join(self.home, "address.json")))
        self.cake_run("history", code=3)
        self.daemon.start()
        after = self.cake_run("history", "--json").json()
        self.assertEqual(after["candidates"], before["candidates"])

    def test_3_rebuild_check(self) -> None:
        check = subprocess.run([os.path.join(BIN, "caked"), "--data-dir", self.home, "--rebuild-check"], capture_output=True,
                               text=True, timeout=GUARD_SECONDS)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)

    def test_4_admin_stop(self) -> None:
        pid = self.daemon.process.pid
        stopped = self.cake_run("admin", "stop", "--json").json()["processes"]
        self.assertEqual(stopped, [{"name": "worker", "pid": 0, "ended": True}, {"name": "caked", "pid": pid, "ended": True}])
        self.assertEqual(self.daemon.process.wait(GUARD_SECONDS), 0)
        self.assertIn("not running", self.cake_run("admin", "stop").out)


if __name__ == "__main__":
    unittest.main()
