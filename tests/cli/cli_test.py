#!/usr/bin/env python3
"""The verbs that need no daemon, as a demanding user meets them."""
import json
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import hostile  # noqa: E402
from programs import WRONG_RESULT  # noqa: E402
from support import CORPUS, FAMILIES, ROOT, CliTest  # noqa: E402

WITH_CONTRACT = ("vector_add", "rmsnorm")


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
                for written in re.findall(r" -o (\S+)", command):  # beside the sources, where nothing may stay
                    os.remove(os.path.join(ROOT, written))
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


class Usage(CliTest):
    """What was asked for is no program's fault: exit 2, and the wrong word is named."""

    def test_numbers_and_names_that_are_none(self) -> None:
        path = FAMILIES["rmsnorm"]
        for words, said in {
                ("run", path, "--seed", "-1"): "`-1` is not in 0..2^64-1",
                ("run", path, "--seed", "99999999999999999999"): "99999999999999999999",
                ("run", path, "--seed", "1.5"): "`1.5`",
                ("check", path, "--arch", ""): "--arch",
                ("check", path + ":nosuch"): "no such program",
                ("estimate", path, "--dim", "Q=3"): "declares no `Q`",
                ("estimate", path, "--dim", "M=-4"): "outside 0..=",
                ("build", path, "--plan", "/dev/null", "--dim", "M=65536", "--dim", "N=-1"): "not launched at this shape",
        }.items():
            with self.subTest(words):
                self.assertIn(said, self.expect(self.cake.run(*words), 2).err)
        self.expect(self.cake.run("run", FAMILIES["vector_add"], "--case", "one", "--seed", str(2**64 - 1)), 0)

    def test_help_names_what_the_daemon_does_once(self) -> None:
        said = self.expect(self.cake.run("--help"), 0).out
        self.assertEqual(len(re.findall(r"(?m)^  rule ", said)), 1)
        for verb in ("quota", "drain", "quarantine"):
            self.assertRegex(said, rf"admin .*\b{verb}\b")

    def test_sizes_that_only_the_launcher_bounds_are_said(self) -> None:
        path = self.write("flat.cake", (
            "program flat target sm_80\ndim M in 1..=100000, N in 1..=65536\nin x: f32[M*N]\nout y: f32[M, N]\n"
            "kernel run {\n  grid (M)\n  role main: warps 1 {\n"
            "    for c in lane..N step 32 { st y[cta, c] <- ld x[cta*N + c] }\n  }\n}\n"))
        self.assertIn("`M*N` fits i32 (the launcher checks)", self.expect(self.cake.run("check", path), 0).out)
        plan = ["build", path, "--plan", "/dev/null", "--dim", "M=100000", "--dim", "N=65536"]
        self.assertIn("signed overflow in `M*N`", self.expect(self.cake.run(*plan), 2).err)

    def test_after_a_rejection_comes_another_command(self) -> None:
        race = ("program p target sm_80\nin x: f32[64]\nout y: f32[64]\nkernel k {\n  grid (1)\n  smem s: f32[64]\n"
                "  role main: warps 2 {\n    st s[thread] <- ld x[thread]\n    let v = ld s[63 - thread]\n"
                "    if v > 0.0 { st y[thread] <- v }\n  }\n}\n")
        path = self.write("race.cake", race)
        self.assertEqual(self.expect(self.cake.run("check", path), 1).next(), f"cake explain {path}")
        self.expect(self.cake.run("explain", path), 0)
        tensor = os.path.join(CORPUS, "gemm", "gemm_bf16_wgmma.cake")
        self.assertEqual(self.expect(self.cake.run("check", tensor, "--arch", "sm_80"), 1).next(), f"cake check {tensor}")


class Contracts(CliTest):
    def test_a_baseline_that_is_not_there_is_said(self) -> None:
        with open(os.path.join(CORPUS, "vector_add", "vector_add.workload.textproto"), encoding="utf-8") as f:
            text = f.read()
        away = self.write("away.workload.textproto", text)
        self.assertIn("baseline: no file", self.expect(self.cake.run("workload", "lint", away), 1).out)
        # Correctness is judged without it.
        self.expect(self.cake.run("run", FAMILIES["vector_add"], "--workload", away, "--case", "one"), 0)

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


if __name__ == "__main__":
    unittest.main()
