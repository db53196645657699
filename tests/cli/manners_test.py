#!/usr/bin/env python3
"""How the verbs that need no daemon speak: exit codes, terminals, the next command, what the pages say of them."""
import os
import pty
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import hostile  # noqa: E402
from programs import WRONG, WRONG_RESULT  # noqa: E402
from support import BIN, FAMILIES, GUARD_SECONDS, ROOT, CliTest  # noqa: E402

# A program without a contract: its shape has to be said.
CONTENTS = os.path.join(ROOT, "tests/golden/verify/contracts_of_contents.cake")
NEXT_COMMANDS_MAX = 40
RULE = os.path.join(ROOT, "tests/rules/uniform_update.rule.toml")


class Manners(CliTest):
    VERBS = ("fmt", "check", "explain", "emit", "build", "run", "estimate", "submit", "watch", "diagnose", "evolve", "experiment", "history", "sql", "usage", "diff", "import", "admin", "portfolio")

    def test_every_verb_has_help_with_an_example(self) -> None:
        top = self.expect(self.cake.run("--help"), 0)
        for verb in self.VERBS:
            self.assertRegex(top.out, rf"(?m)^  {verb} ")
            result = self.expect(self.cake.run(verb, "--help"), 0)
            self.assertIn(f"Example: cake {verb}", result.out)
            self.assertIn("--json", result.out)

    def test_usage_errors(self) -> None:
        path = FAMILIES["rmsnorm"]
        for words in ([], ["nonsense"], ["check"], ["check", path, "--nonsense"], ["check", path, "--param", "WARPS"],
                      ["check", path, "--param", "WARPS=3"], ["check", path, "--param", "NONE=3"], ["check", path, "--arch", "sm_1"],
                      ["check", "--all", path, "--param", "WARPS=5"], ["run", path, "--workload", "none"], ["run", path, "--case", "none"],
                      ["estimate", CONTENTS], ["estimate", path, "--case", "none"], ["run", path, "--device", "tpu"],
                      ["fmt", "--write", "-"], ["check", "--fix", "-"], ["evolve"], ["history", "nonsense"], ["submit", path],
                      ["admin", "nonsense"]):
            with self.subTest(words):
                result = self.cake.run(*words)
                expected = (2, 3) if words[:2] == ["history", "nonsense"] else (2,)  # it looks for the daemon first
                self.assertIn(result.code, expected, result)
                self.assertEqual(result.out, "")
                self.assertTrue(result.err)

    def test_a_rule_is_tried(self) -> None:
        result = self.expect(self.cake.run("rule", "try", RULE, FAMILIES["rmsnorm"]), 0)
        self.assertRegex(result.out, r"(?m)^accepts 1 +PASSED +0 ")
        self.assertRegex(result.out, r"(?m)^rejects 1 +PASSED +1 ")
        self.assertIn("all threads that reach", result.out)
        with open(RULE, encoding="utf-8") as file:
            text = file.read()
        for changed, says in ((text.replace("e.kind IN ('elect', 'once')", "0"), "the rule refuses it"), (text.replace("SELECT", "DROP"), "`query`"),
                              ("nonsense", "line 1")):
            with self.subTest(says):
                self.assertIn(says, self.expect(self.cake.run("rule", "try", self.write("r.toml", changed)), 1).out)
        self.expect(self.cake.run("rule", "try", "/no/such/rule"), 2)

    def test_no_colours_without_a_terminal(self) -> None:
        for path in FAMILIES.values():
            self.assertNotIn("\x1b", self.cake.run("check", path).out)

    def on_terminal(self, words: list[str], **variables: str) -> bytes:
        ours, theirs = pty.openpty()
        process = subprocess.Popen([os.path.join(BIN, "cake"), *words], stdout=theirs, stderr=theirs, cwd=ROOT,
                                   env=self.cake.environment() | variables)
        os.close(theirs)
        output = b""
        try:
            while part := os.read(ours, 65536):
                output += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        process.wait(GUARD_SECONDS)
        return output

    def test_colours_on_a_terminal_unless_unwanted(self) -> None:
        words = ["check", FAMILIES["row_max"]]
        self.assertIn(b"\x1b[32mPASSED\x1b[0m", self.on_terminal(words))
        for unwanted in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn(b"\x1b", self.on_terminal(words, **unwanted))
        path = self.write("k.cake", hostile.ACCEPTED.replace("st y", "st \x1b[31m y"))
        self.assertNotIn(b"\x1b[31m y", self.on_terminal(["check", path]))

    def test_no_daemon_is_the_world_s_fault(self) -> None:
        for words in (["submit", FAMILIES["rmsnorm"], "--workload", "rmsnorm"], ["watch", "c-1-1"], ["diagnose", "c-1-1"],
                      ["evolve", "rmsnorm"], ["history"], ["history", "--connect", "unix:/nowhere.sock"],
                      ["admin", "doctor", "--connect", "unix:/nowhere.sock"], ["admin", "fsck"]):
            result = self.expect(self.cake.run(*words), 3)
            self.assertEqual(result.out, "")
            self.assertIn("caked", result.err)

    def test_no_gpu_is_the_world_s_fault(self) -> None:
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("this machine has a GPU")
        result = self.expect(self.cake.run("run", FAMILIES["vector_add"], "--device", "cuda"), 3)
        self.assertIn("libcuda", result.out)
        self.assertEqual(result.next(), f"cake run {FAMILIES['vector_add']}")


class NextCommands(CliTest):
    def follow(self, first: list[str], stdin: bytes = b"") -> set[str]:
        """Runs a command and every command that some output ends with."""
        waiting, done = [self.cake.run(*first, stdin=stdin)], set()
        while waiting:
            result = waiting.pop()
            self.assertIn(result.code, (0, 1), result)
            line = result.next()
            self.assertTrue(line, result)
            if line not in done:
                self.assertLess(len(done), NEXT_COMMANDS_MAX)
                done.add(line)
                waiting.append(self.cake.run_line(line, stdin=stdin))
        return done

    def test_from_every_verb_of_a_family(self) -> None:
        compiles = self.cake.run("build", FAMILIES["row_max"]).code != 3
        for name, path in FAMILIES.items():
            with self.subTest(name):
                done = self.follow(["check", path])
                verbs = {line.split()[1] for line in done}
                self.assertLessEqual({"run", "estimate"}, verbs)
                offered = {line.split()[1] for line in self.follow(["explain", path])}
                # Where there is no NVRTC, what follows instead of a build is an estimate.
                self.assertLessEqual({"emit", "build" if compiles else "estimate"}, offered)
                self.follow(["check", "--all", path])

    def test_keeps_binding_architecture_case_and_contract(self) -> None:
        with open(FAMILIES["rmsnorm"], "rb") as f:
            copy = self.write("odd name.cake", f.read())
        done = self.follow(["check", copy, "--param", "WARPS=4", "--arch", "sm_90a"])
        self.assertIn(f"cake emit '{copy}' --param WARPS=4 --arch sm_90a", done)
        result = self.cake.run("estimate", copy, "--workload", "rmsnorm", "--case", "wide")
        self.assertEqual(result.next(), f"cake estimate '{copy}' --workload rmsnorm --case wide --what-if")
        self.follow(["estimate", copy, "--workload", "rmsnorm"])
        self.follow(["run", copy, "--workload", "rmsnorm", "--param", "WARPS=4"])

    def test_names_the_program_by_its_path_where_path_has_it_not(self) -> None:
        for path, cwd in (("/usr/bin:/bin", ROOT), ("/usr/bin:/bin", os.path.dirname(BIN)), (f"{self.folder}:{BIN}", ROOT)):
            self.write("cake", "#!/bin/sh\nexit 9\n")
            os.chmod(os.path.join(self.folder, "cake"), 0o755)
            variables = self.cake.environment() | {"PATH": path + ":/usr/bin:/bin"}
            done = subprocess.run([os.path.join(BIN, "cake"), "check", FAMILIES["row_max"]], capture_output=True, text=True,
                                  cwd=cwd, env=variables, timeout=GUARD_SECONDS)
            line = done.stdout.splitlines()[-1][len("next: "):]
            self.assertFalse(line.startswith("cake "), line)
            again = subprocess.run(line, shell=True, capture_output=True, text=True, cwd=cwd, env=variables, timeout=GUARD_SECONDS)
            self.assertEqual(again.returncode, 0, again.stderr)

    def test_from_every_wrong_program(self) -> None:
        for wrong in WRONG:
            with self.subTest(wrong.name):
                path = self.write(wrong.name + ".cake", wrong.source)
                for verb in ("check", "explain", "fmt"):
                    self.follow([verb, path])
                self.assertIn(self.cake.run("emit", path).code, (0, 1))

    def test_a_wrong_result_leads_to_its_first_wrong_case(self) -> None:
        path = self.write("k.cake", WRONG_RESULT)
        result = self.expect(self.cake.run("run", path, "--workload", "vector_add"), 1)
        self.assertRegex(result.next(), r"^cake run \S+ --workload vector_add --case \w+$")
        one = self.expect(self.cake.run_line(result.next()), 1)
        self.assertIn("WRONG_RESULT", one.out)

    def test_from_instructions_and_standard_input(self) -> None:
        self.follow_some(["explain", "lanes.sum"])
        self.follow(["check", "-"], stdin=hostile.ACCEPTED.encode())
        self.follow(["fmt", "-"], stdin=hostile.ACCEPTED.encode())

    def follow_some(self, first: list[str]) -> None:
        """The pages lead through the whole table, so only the first few are followed."""
        result = self.cake.run(*first)
        for _ in range(8):
            self.assertEqual(result.code, 0, result)
            result = self.cake.run_line(result.next())


class Documented(CliTest):
    """clients/cli/README.md against what is printed."""

    def tables(self) -> dict[str, set[str]]:
        with open(os.path.join(ROOT, "clients", "cli", "README.md"), encoding="utf-8") as f:
            sections = re.split(r"(?m)^### ", f.read())[1:]
        out = {}
        for section in sections:
            rows = re.findall(r"(?m)^\| ((?:`\w+` ?)+) \|", section)
            out[section.splitlines()[0]] = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
        return out

    def test_keys(self) -> None:
        path, tables = FAMILIES["rmsnorm"], self.tables()
        for title, words in {
                "cake fmt": ["fmt", path], "cake check": ["check", path], "cake check --all": ["check", "--all", path],
                "cake explain": ["explain", path], "cake explain INSTRUCTION": ["explain", "lanes.sum"],
                "cake emit": ["emit", path], "cake estimate": ["estimate", path], "cake run": ["run", path],
                "cake build": ["build", path], "cake workload lint": ["workload", "lint", "rmsnorm"],
                "cake rule try": ["rule", "try", RULE],
                "cake replay": ["replay", self.receipt(path)], "cake admin stop": ["admin", "stop"]}.items():
            with self.subTest(title):
                result = self.cake.run(*words, "--json")
                if result.code == 3 and title == "cake build":
                    self.skipTest(result.err.strip())
                self.expect(result, 0)
                self.assertEqual(result.err, "")
                self.assertEqual(set(result.json()), tables[title])

    def receipt(self, path: str) -> str:
        return self.cake.run("run", path, "--json").json()["receipt_id"]

    def test_rejected_programs_give_the_object_of_check(self) -> None:
        path = self.write("k.cake", WRONG[0].source)
        for verb in ("check", "explain", "emit", "build", "estimate", "run"):
            result = self.expect(self.cake.run(verb, path, "--json"), 1)
            self.assertEqual(set(result.json()), self.tables()["cake check"], verb)


if __name__ == "__main__":
    unittest.main()
