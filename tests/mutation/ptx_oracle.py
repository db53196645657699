#!/usr/bin/env python3
"""Runs changed programs as PTX under adversaries, and says what comes of each.

    ptx_oracle.py --bin build/release/tests MUTANTS.jsonl OUT.jsonl

MUTANTS.jsonl: lines of `mutants run`. Each is emitted without the gates, compiled to PTX by NVRTC
and executed by `ptx_run`, which links nothing of the compiler, at the shapes that the gates run of
the right program. A line of OUT has the mutant's own fields and "ptx":

    hang | fault | varies   in one of the runs (varies: other results than in the first)
    wrong                   the same in all runs, and not what the right program gives
    same                    what the right program gives, in all runs
    unknown                 not judged: why is in "why" (the right program itself, an opcode, ..)
"""
import argparse
import ctypes
import glob
import json
import os
import subprocess
import sys
import tempfile

SECONDS = 20


class Nvrtc:
    """CUDA C++ to PTX; no device is needed."""

    def __init__(self) -> None:
        names = sorted(glob.glob("/usr/local/cuda*/lib64/libnvrtc.so*")) + ["libnvrtc.so"]
        self.lib = ctypes.CDLL(names[0])

    def ptx(self, cuda: str, arch: str) -> str:
        program = ctypes.c_void_p()
        self.lib.nvrtcCreateProgram(ctypes.byref(program), cuda.encode(), b"k.cu", 0, None, None)
        options = (ctypes.c_char_p * 2)(f"--gpu-architecture=compute_{arch}".encode(), b"--std=c++20")
        result = self.lib.nvrtcCompileProgram(program, 2, options)
        size = ctypes.c_size_t()
        text = ""
        if result == 0:
            self.lib.nvrtcGetPTXSize(program, ctypes.byref(size))
            buffer = ctypes.create_string_buffer(size.value)
            self.lib.nvrtcGetPTX(program, buffer)
            text = buffer.value.decode()
        self.lib.nvrtcDestroyProgram(ctypes.byref(program))
        return text


class Oracle:
    def __init__(self, folder: str, runs: int) -> None:
        self.folder, self.runs, self.nvrtc = folder, runs, Nvrtc()
        self.right: dict[tuple, dict[str, str]] = {}  # by program and member: plan to result

    def verdicts(self, file: str, program: str, change: int, member: list[str], arch: str) -> dict[str, str]:
        """What ptx_run says of each shape."""
        with tempfile.TemporaryDirectory() as out:
            command = [f"{self.folder}/mutants", "emit", file, program, str(change), out, *member]
            subprocess.run(command, stdout=subprocess.DEVNULL, timeout=SECONDS, check=False)
            source = f"{out}/k.cu"
            if not os.path.exists(source):
                return {}
            with open(source) as cuda:
                text = self.nvrtc.ptx(cuda.read(), arch)
            if not text:
                return {}
            with open(f"{out}/k.ptx", "w") as ptx:
                ptx.write(text)
            results = {}
            for plan in sorted(glob.glob(f"{out}/*.plan")):
                command = [f"{self.folder}/ptx_run", plan, f"{out}/k.ptx", str(self.runs)]
                try:
                    run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
                    results[os.path.basename(plan)] = run.stdout.strip() or "unknown died"
                except subprocess.TimeoutExpired:
                    results[os.path.basename(plan)] = "unknown time"
            return results

    def judge(self, mutant: dict) -> tuple[str, str]:
        file, program = mutant["base"].split(":")
        arch = mutant["target"].removeprefix("sm_")
        member = [f"{name}={value}" for name, value in mutant.get("values", {}).items()]
        key = (file, program, tuple(member))
        if key not in self.right:
            self.right[key] = self.verdicts(file, program, -1, member, arch)
        right = self.right[key]
        good = [plan for plan, said in right.items() if said.startswith("done")]
        if not good:
            return "unknown", "the right program: " + (next(iter(right.values())) if right else "not emitted")
        changed = self.verdicts(file, program, mutant["change"], member, arch)
        said = [(plan, changed[plan]) for plan in good if plan in changed]
        for _, text in said:
            if text.split()[0] in ("hang", "fault", "varies"):
                return text.split()[0], text
        for plan, text in said:
            if text.startswith("done") and text.split()[1] != right[plan].split()[1]:
                return "wrong", f"{plan}: {text}"
        known = [text for _, text in said if text.startswith("done")]
        if known and len(known) == len(said):
            return "same", ""
        return "unknown", said[0][1] if said else "not emitted"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("mutants")
    parser.add_argument("out")
    args = parser.parse_args()
    oracle = Oracle(args.bin, args.runs)
    done = set()
    if os.path.exists(args.out):
        with open(args.out) as before:
            done = {(m["base"], m["change"], m["member"]) for m in map(json.loads, before)}
    with open(args.mutants) as lines, open(args.out, "a") as out:
        for line in lines:
            mutant = json.loads(line)
            if (mutant["base"], mutant["change"], mutant["member"]) in done or mutant["outcome"] == "malformed":
                continue
            mutant["ptx"], mutant["why"] = oracle.judge(mutant)
            out.write(json.dumps(mutant) + "\n")
            out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
