#!/usr/bin/env python3
"""The verbs that need no daemon, as a demanding user meets them."""
import json
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
from support import BIN, CORPUS, GUARD_SECONDS, ROOT, Cake, Folder, Result  # noqa: E402

FAMILIES = {name: os.path.join(CORPUS, name, name + ".cake") for name in ("vector_add", "rmsnorm", "row_max")}
# A program without a contract: its shape has to be said.
CONTENTS = os.path.join(ROOT, "tests/golden/verify/contracts_of_contents.cake")
WITH_CONTRACT = ("vector_add", "rmsnorm")
NEXT_COMMANDS_MAX = 40


class CliTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = Folder()
        self.folder = folder.__enter__()
        self.addCleanup(folder.__exit__)
        self.cake = Cake(os.path.join(self.folder, "home"))

    def write(self, name: str, text: str | bytes) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(text.encode() if isinstance(text, str) else text)
        return path

    def expect(self, result: Result, code: int) -> Result:
        self.assertEqual(result.code, code, result)
        return result


class Verbs(CliTest):
    def test_corpus_passes_every_verb(self) -> None:
        for name, path in FAMILIES.items():
            with self.subTest(name):
                self.assertIn("verdict PASSED", self.expect(self.cake.run("check", path), 0).out)
                explained = self.expect(self.cake.run("explain", path), 0).out
                self.assertIn(f"program {name}", explained)
                self.assertRegex(explained, r"levels: .*lane ")
                self.assertIn("__global__", self.expect(self.cake.run("emit", path), 0).out)
                self.assertIn("bottleneck", self.expect(self.cake.run("estimate", path, *self.shape(name)), 0).out)

    @staticmethod
    def shape(name: str) -> list[str]:
        return [] if name in WITH_CONTRACT else ["--dim", "M=1024", "--dim", "N=1024"]

    def test_runs_against_contracts(self) -> None:
        for name in WITH_CONTRACT:
            with self.subTest(name):
                result = self.expect(self.cake.run("run", FAMILIES[name], "--json"), 0).json()
                self.assertEqual(result["verdict"], "CORRECT")
                self.assertGreaterEqual(len(result["cases"]), 6)

    def array_program(self, elements: int = 2) -> tuple[str, str]:
        """A sum that is right where w[0] + w[1] is 3, and its contract."""
        with open(os.path.join(CORPUS, "vector_add", "vector_add.workload.textproto"), encoding="utf-8") as f:
            contract = f.read() + 'args { name: "w" dtype: "i32" values: 1 values: 2 }\n'
        path = self.write("array.cake", (
            "program array target sm_80\ndim N in 0..=1073741824\nin a: f32[N], b: f32[N]\nout c: f32[N]\n"
            f"arg w: i32[{elements}]\nwhere w[0] in 0..100, w[1] in 0..100\n"
            "kernel add {\n  grid (ceildiv(N, 128))\n  role main: warps 4 {\n    let i = cta*128 + thread\n"
            "    if i < N { st c[i] <- (ld a[i]) + (ld b[i]) - cvt.f32(w[0] + w[1] - 3) }\n  }\n}\n"))
        return path, self.write("array.workload.textproto", contract)

    def test_arrays_of_args_come_from_the_contract_or_the_command_line(self) -> None:
        path, contract = self.array_program()
        run = ["run", path, "--workload", contract]
        self.assertEqual(self.expect(self.cake.run(*run, "--json"), 0).json()["verdict"], "CORRECT")
        self.assertEqual(self.expect(self.cake.run(*run, "--arg", "w=3,0", "--json"), 0).json()["verdict"], "CORRECT")
        wrong = self.expect(self.cake.run(*run, "--arg", "w=1,3"), 1)
        self.assertIn("--arg w=1,3 --case", wrong.next())
        for words, said in {"w=1,2,3": "3 values; w has 2", "w=1,x": "`x` is no i32", "w=1,0.5": "`0.5` is no i32",
                            "v=1": "its args: w", "w": "its args: w"}.items():
            self.assertIn(said, self.expect(self.cake.run(*run, "--arg", words), 2).err)
        other, contract = self.array_program(elements=3)
        refused = self.expect(self.cake.run("check", other, "--workload", contract, "--json"), 1).json()
        self.assertEqual(refused["diagnostics"][0]["code"], "CK9106")
        self.assertIn("i32[3], the contract as i32[2]", refused["diagnostics"][0]["message"])

    def test_estimates_shapes_and_elements_of_arrays(self) -> None:
        path, contract = self.array_program()
        given = self.expect(self.cake.run("estimate", path, "--dim", "N=1048576", "--dim", "w[0]=1", "--json"), 0).json()
        small = self.expect(self.cake.run("estimate", path, "--dim", "N=1024", "--json"), 0).json()
        self.assertGreater(given["time_ns"], small["time_ns"])
        self.assertIn("w[2]", self.expect(self.cake.run("estimate", path, "--dim", "N=1", "--dim", "w[2]=1"), 2).err)

    def test_every_verb_says_what_no_hardware_has_run(self) -> None:
        path = os.path.join(CORPUS, "gemm", "gemm_bf16_tensor_memory.cake")
        for words in (["check"], ["explain"], ["explain", "--map"], ["estimate"], ["build"], ["run"]):
            for end in ([], ["--json"]):
                with self.subTest([*words, *end]):
                    said = self.expect(self.cake.run(*words, path, *end), 0).out
                    self.assertIn("never run on hardware", said)
                    hopper = os.path.join(CORPUS, "gemm", "gemm_bf16_wgmma.cake")
                    self.assertNotIn("never run on hardware", self.expect(self.cake.run(*words, hopper, *end), 0).out)

    def test_formats_to_a_fixed_point(self) -> None:
        for name, path in FAMILIES.items():
            once = self.expect(self.cake.run("fmt", path), 0)
            self.assertEqual(self.cake.run("fmt", "-", stdin=once.raw_out).raw_out, once.raw_out, name)
            self.expect(self.cake.run("fmt", "--check", path), 0)

    def test_fmt_write_keeps_the_mode_and_only_then_changes(self) -> None:
        path = self.write("k.cake", hostile.ACCEPTED.replace("st y", "st   y"))
        os.chmod(path, 0o640)
        self.expect(self.cake.run("fmt", "--check", path), 1)
        self.expect(self.cake.run("fmt", "--write", path), 0)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        self.expect(self.cake.run("fmt", "--check", path), 0)

    def test_output_to_a_device_leaves_the_device(self) -> None:
        self.expect(self.cake.run("emit", FAMILIES["row_max"], "--output", "/dev/null"), 0)
        self.assertFalse(os.path.isfile("/dev/null"))

    def test_build_writes_the_plan_of_a_launch(self) -> None:
        plan = self.write("plan.json", "")
        build = ["build", FAMILIES["rmsnorm"], "--plan", plan]
        self.assertIn(self.cake.run(*build, "--dim", "M=3", "--dim", "N=256", "--dim", "eps=0.5").code, (0, 3))
        with open(plan, encoding="utf-8") as f:
            made = json.load(f)
        self.assertEqual({t["name"]: t["shape"] for t in made["tensors"]}["x"], [3, 256])
        self.assertEqual({a["name"]: a["value"] for a in made["arguments"]}["eps"], 0x3F000000)
        self.assertEqual(made["kernels"][0]["skipped"], False)
        self.assertIn("`N`", self.expect(self.cake.run(*build, "--dim", "M=3"), 2).err)
        self.assertIn("--dim Z=1", self.expect(self.cake.run(*build, "--dim", "Z=1"), 2).err)
        self.assertIn("--dim M=x: not a i32", self.expect(self.cake.run(*build, "--dim", "M=x"), 2).err)

    def test_checks_a_whole_family_with_witnesses(self) -> None:
        result = self.expect(self.cake.run("check", "--all", "--json", FAMILIES["vector_add"]), 0).json()
        by_verdict = {row["verdict"]: row for row in result["verdicts"]}
        self.assertEqual(result["members"], sum(row["members"] for row in result["verdicts"]))
        witness = [f"--param={k}={v}" for k, v in by_verdict["REJECTED_TYPE"]["witness"].items()]
        rejected = self.expect(self.cake.run("check", "--json", FAMILIES["vector_add"], *witness), 1).json()
        self.assertEqual(rejected["diagnostics"][0]["code"], by_verdict["REJECTED_TYPE"]["code"])

    def test_checks_the_part_of_a_family_with_some_params(self) -> None:
        part = self.expect(self.cake.run("check", "--all", "--json", FAMILIES["vector_add"], "--param", "V=4"), 0).json()
        self.assertEqual(part["members"], 12)
        self.assertEqual([row["witness"]["V"] for row in part["verdicts"]], [4])
        none = self.expect(self.cake.run("check", "--all", FAMILIES["vector_add"], "--param", "V=8"), 1)
        self.assertEqual(none.next(), f"cake check {FAMILIES['vector_add']} --param REPEAT=1 --param V=8 --param WARPS=2")

    def test_chooses_one_program_of_several(self) -> None:
        path = os.path.join(CORPUS, "language", "kernels.cake")
        several = self.expect(self.cake.run("check", path), 1)
        self.assertIn("CK9002", several.out)
        self.assertEqual(several.next(), f"cake check {path}:kmeans_assign")
        one = self.expect(self.cake.run("check", "--json", path + ":kmeans_assign"), 0).json()
        self.assertEqual({d["code"] for d in one["diagnostics"]} & {"CK9001", "CK9002"}, set())

    def test_checks_against_a_contract(self) -> None:
        self.expect(self.cake.run("check", FAMILIES["rmsnorm"], "--workload", "rmsnorm"), 0)
        other = self.expect(self.cake.run("check", "--json", FAMILIES["rmsnorm"], "--workload", "vector_add"), 1).json()
        self.assertEqual(other["verdict"], "REJECTED_DATA")
        self.assertIn("CK9101", {d["code"] for d in other["diagnostics"]})

    def test_run_takes_the_contract_that_shares_the_name(self) -> None:
        for name in ("first", "first_half"):
            with open(os.path.join(CORPUS, "vector_add", "vector_add.workload.textproto"), encoding="utf-8") as f:
                self.write(name + ".workload.textproto", f.read())
        with open(FAMILIES["vector_add"], "rb") as f:
            text = f.read()
        path = self.write("first_half_wide.cake", text)
        self.assertEqual(self.expect(self.cake.run("check", path), 0).next(), f"cake run {path}")
        self.expect(self.cake.run("run", path), 0)
        other = self.write("second.cake", text)
        refused = self.expect(self.cake.run("run", other), 2)
        self.assertIn("has its name: first, first_half; name one with --workload", refused.err)
        self.assertEqual(self.expect(self.cake.run("check", other), 0).next(), f"cake explain {other}")
        self.expect(self.cake.run("run", other, "--workload", "first"), 0)

    def test_a_contract_is_no_program(self) -> None:
        path = os.path.join(CORPUS, "rmsnorm", "rmsnorm.workload.textproto")
        for verb in ("check", "explain", "emit", "fmt", "run", "build"):
            refused = self.expect(self.cake.run(verb, path), 2)
            self.assertIn(f"is a contract, not a program; `cake workload lint {path}`", refused.err)

    def test_every_command_of_the_readme_works(self) -> None:
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
            block = f.read().split("## The command line")[1].split("## ")[0]
        commands = re.findall(r"(?m)^    (cake .*?)  ", block)
        self.assertGreaterEqual(len(commands), 7)
        for command in commands:
            with self.subTest(command):
                result = self.cake.run_line(command)
                self.assertIn(result.code, (0, 3) if command.startswith("cake build") else (0,), result)

    def test_maps_where_everything_lies(self) -> None:
        path = os.path.join(CORPUS, "gemm", "gemm_bf16_cluster.cake")
        text = self.expect(self.cake.run("explain", "--map", path), 0).out
        kernel = self.expect(self.cake.run("explain", "--map", "--json", path), 0).json()["kernels"][0]
        self.assertEqual([b["name"] for b in kernel["shared"]["buffers"]], ["ab.a", "ab.b"])
        for event in kernel["mbarriers"]:
            self.assertIn(f"{event['name']} {event['kind']}, ", text)
        self.assertIn(f"{kernel['shared']['bytes']} of {kernel['shared']['limit_bytes']} bytes", text)

    def test_explains_instructions(self) -> None:
        for word, title in (("lanes.sum", "`lanes.sum`"), ("cvt.bf16", "`cvt`"), ("subtract", "`-`"), ("bar.sync", "`bar.sync`")):
            self.assertIn("# " + title, self.expect(self.cake.run("explain", word), 0).out)
        missing = self.expect(self.cake.run("explain", "lanes.summ"), 2)
        self.assertIn("nearest is `lanes.sum`", missing.err)
        page = self.cake.run("explain", "align", "--json").json()["instructions"][0]
        self.assertFalse(page["in_this_build"])

    def test_build_assigns_shared_memory_to_its_kernel(self) -> None:
        result = self.cake.run("build", FAMILIES["row_max"])
        if result.code == 3:
            self.skipTest(result.err.strip())
        rows = [line.split() for line in self.expect(result, 0).out.splitlines()]
        shared = {row[0]: row[4] for row in rows if row[0].startswith("row_max_")}
        self.assertEqual(shared, {"row_max_scan": "256", "row_max_scale": "0"})

    def test_tables_align(self) -> None:
        lines = self.cake.run("check", "--all", FAMILIES["rmsnorm"]).out.splitlines()
        end = lines[0].index("members") + len("members")
        for line in lines[1:4]:
            self.assertRegex(line[:end], r"\d$")
            self.assertEqual(line, line.rstrip())


class WrongPrograms(CliTest):
    def test_each_kind_gets_its_verdict_code_line_and_fix(self) -> None:
        for wrong in WRONG:
            with self.subTest(wrong.name):
                path = self.write(wrong.name + ".cake", wrong.source)
                result = self.expect(self.cake.run("check", "--json", path), 1).json()
                first = result["diagnostics"][0]
                self.assertEqual((result["verdict"], result["blame"]), (wrong.verdict, "CANDIDATE"))
                self.assertEqual((first["code"], first["primary"]["line"]), (wrong.code, wrong.line))
                found = [fix["applicability"] for fix in first["fixes"]]
                self.assertEqual(found[:1], [wrong.fix] if wrong.fix else [])
                text = self.cake.run("check", path)
                self.assertIn(f"error[{wrong.code}]", text.out)
                self.assertIn(f"--> {path}:{wrong.line}:", text.out)

    def test_machine_fixes_make_them_pass_and_others_change_nothing(self) -> None:
        for wrong in WRONG:
            with self.subTest(wrong.name):
                path = self.write(wrong.name + ".cake", wrong.source)
                result = self.cake.run("check", "--fix", "--json", path)
                with open(path, encoding="utf-8") as f:
                    after = f.read()
                if wrong.fix == "machine":
                    self.assertEqual((result.code, result.json()["fixes_applied"]), (0, 1), result)
                    self.assertNotEqual(after, wrong.source)
                else:
                    self.assertEqual((result.code, result.json()["fixes_applied"]), (1, 0), result)
                    self.assertEqual(after, wrong.source)

    def test_a_guess_at_a_fix_is_right_where_it_is_offered_for_a_missing_sync(self) -> None:
        wrong = next(w for w in WRONG if w.name == "missing_sync")
        path = self.write("k.cake", wrong.source)
        fix = self.cake.run("check", "--json", path).json()["diagnostics"][0]["fixes"][0]
        text = wrong.source.encode()
        for edit in sorted(fix["edits"], key=lambda e: -e["span"]["begin"]):
            text = text[:edit["span"]["begin"]] + edit["text"].encode() + text[edit["span"]["end"]:]
        self.expect(self.cake.run("check", self.write("k.cake", text)), 0)

    def test_a_deadlock_names_both_roles(self) -> None:
        wrong = next(w for w in WRONG if w.name == "deadlock")
        first = self.cake.run("check", "--json", self.write("k.cake", wrong.source)).json()["diagnostics"][0]
        waiters = " ".join(edge["waiter"] for edge in first["wait_graph"])
        self.assertIn("role load", waiters)
        self.assertIn("role math", waiters)

    def test_a_wrong_result_names_the_first_wrong_element(self) -> None:
        path = self.write("k.cake", WRONG_RESULT)
        self.expect(self.cake.run("check", path), 0)
        result = self.expect(self.cake.run("run", path, "--workload", "vector_add", "--json"), 1).json()
        self.assertEqual((result["verdict"], result["blame"]), ("WRONG_RESULT", "CANDIDATE"))
        bad = [c for c in result["cases"] if c["verdict"] == "WRONG_RESULT"]
        self.assertTrue(bad)
        self.assertEqual(bad[0]["difference"]["output"], "c")
        self.assertNotEqual(bad[0]["difference"]["got"], bad[0]["difference"]["want"])


class AnyBytes(CliTest):
    def test_hostile_sources_end_with_a_diagnostic(self) -> None:
        for name, (source, code) in hostile.REJECTED.items():
            with self.subTest(name):
                path = self.write("k.cake", source)
                result = self.expect(self.cake.run("check", "--json", path), 1).json()
                codes = [d["code"] for d in result["diagnostics"]]
                self.assertGreaterEqual(result["errors"], 1)
                self.assertTrue(codes)
                if code:
                    self.assertIn(code, codes)
                self.assertEqual(self.cake.run("check", "-", stdin=source).code, 1)

    def test_damaged_programs_end_in_a_verdict(self) -> None:
        for seed in range(40):
            with self.subTest(seed):
                result = self.cake.run("check", "--json", "-", stdin=hostile.damaged(seed))
                self.assertIn(result.code, (0, 1), result)
                self.assertEqual(result.json()["errors"] > 0, result.code == 1)

    def test_limits_name_both_numbers(self) -> None:
        for name, numbers in (("domain_of_1e9", ("1000000000", "4096")), ("line_of_1_MiB", ("1048576", "262144")),
                              ("array_of_1e9", ("1000000000", "16384")), ("unrolled_loop", ("131072",))):
            out = self.cake.run("check", "-", stdin=hostile.REJECTED[name][0]).out
            for number in numbers:
                self.assertIn(number, out, name)

    def test_the_limits_of_the_language_page(self) -> None:
        with open(os.path.join(ROOT, "compiler", "LANGUAGE.md"), encoding="utf-8") as f:
            page = f.read()
        for row, name in (("values of all domains of a program together", "many_domains"), ("elements of a register array", "array_of_1e9")):
            limit = re.search(rf"(?m)^\| {row} \| (\d+) \|", page).group(1)
            self.assertIn(limit, self.cake.run("check", "-", stdin=hostile.REJECTED[name][0]).out)

    def test_text_of_others_never_drives_the_terminal(self) -> None:
        control = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
        sources = [source for source, _ in hostile.REJECTED.values()]
        sources.append((hostile.ACCEPTED.replace("st y", "\x1b[31mst \u202e y")).encode())
        for source in sources:
            for verb in ("check", "explain", "emit", "fmt"):
                result = self.cake.run(verb, "-", stdin=source)
                self.assertIsNone(control.search(result.raw_out), result)
                self.assertIsNone(control.search(result.err.encode()), result)

    def test_what_is_no_file(self) -> None:
        for path in ("missing.cake", self.folder, "/dev/null/x.cake"):
            result = self.expect(self.cake.run("check", path), 2)
            self.assertEqual(result.out, "")
            self.assertTrue(result.err.startswith("cake: "), result)
        fifo_like = self.expect(self.cake.run("check", "/dev/null"), 1)
        self.assertIn("CK0006", fifo_like.out)
        endless = self.expect(self.cake.run("check", "/dev/zero"), 1)
        self.assertIn("CK6001", endless.out)


class Manners(CliTest):
    VERBS = ("fmt", "check", "explain", "emit", "build", "run", "estimate", "submit", "watch", "diagnose", "evolve", "experiment", "history", "sql", "usage", "diff", "import", "admin")

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


class Contracts(CliTest):
    def test_a_contract_that_accepts_wrong_programs_is_refused(self) -> None:
        with open(os.path.join(CORPUS, "vector_add", "vector_add.workload.textproto"), encoding="utf-8") as f:
            text = f.read()
        result = self.expect(self.cake.run("workload", "lint", "vector_add"), 0)
        self.assertIn("contract vector_add, 0 findings", result.out)
        weak = self.write("weak.workload.textproto", text.replace('variant: "specials"\n}', "\n}").replace(
            "search_only: false", "search_only: true"))
        result = self.expect(self.cake.run("workload", "lint", weak), 1)
        self.assertIn("error[variant.specials]: input `a` may hold NaN and infinities", result.out)
        self.assertIn("why: a program that loses NaN or infinities would pass", result.out)
        self.expect(self.cake.run_line(result.next()), 1)
        broken = self.write("broken.workload.textproto", text + "colour: 3\n")
        self.assertIn("colour", self.expect(self.cake.run("workload", "lint", broken), 2).err)


class Receipts(CliTest):
    """A run leaves a bundle; replaying it gives the same verdict, and what was changed is refused."""

    def bundle(self, source: str) -> str:
        path = self.write("k.cake", source)
        result = self.cake.run("run", path, "--workload", "vector_add", "--json").json()
        folder = os.path.join(self.folder, "home", "receipts", result["receipt_id"])
        self.assertLessEqual({"receipt.json", "job.json", "result.json"}, set(os.listdir(folder)))
        return folder

    def test_replay(self) -> None:
        with open(FAMILIES["vector_add"], encoding="utf-8") as f:
            good = f.read()
        wrong = good.replace("x[e] + y[e]", "x[e] - y[e]")
        for source, verdict in ((good, "CORRECT"), (wrong, "WRONG_RESULT")):
            with self.subTest(verdict):
                folder = self.bundle(source)
                name = os.path.basename(folder)
                result = self.expect(self.cake.run("replay", name[:12], "--json"), 0)
                self.assertEqual((result.json()["outcome"], result.json()["verdict"]), ("same", verdict))
                self.assertIn("same", self.expect(self.cake.run("replay", folder), 0).out)
        here = self.cake.run("replay", name[:12], "--device", "cuda", "--json")
        if here.code == 3:  # there is no GPU
            self.assertEqual(here.json()["outcome"], "cannot run here")

    def test_what_was_changed_is_refused(self) -> None:
        with open(FAMILIES["vector_add"], encoding="utf-8") as f:
            folder = self.bundle(f.read())
        job = os.path.join(folder, "job.json")
        with open(job, encoding="utf-8") as f:
            text = f.read()
        with open(job, "w", encoding="utf-8") as f:
            f.write(text.replace('"seed":"1"', '"seed":"2"'))
        self.assertIn("is not what its receipt says", self.expect(self.cake.run("replay", folder), 2).err)
        self.assertIn("0 receipts begin with", self.expect(self.cake.run("replay", "0123456789"), 2).err)


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
