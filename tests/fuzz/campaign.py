"""Runs the fuzz targets for a while and writes a summary: executions, corpus, peak memory, inputs at fault.

A process that finds an input at fault ends; another one goes on in its place with the same corpus, until the time is
up or the target has failed too often to be worth more of it.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

TARGETS = ("fuzz_text", "fuzz_check", "fuzz_machine")
TIMEOUT_S = 20  # of one input: more is a hang
RSS_LIMIT_MB = 2048
MALLOC_LIMIT_MB = 1024
MAX_INPUT_BYTES = 16 * 1024
FAILURES_MAX = 10  # of one process and its successors
GRACE_S = 60  # a process that does not end by itself after its time is ended
LOG_LINES = 120  # kept of a failing process
KINDS = {"crash": "crashes", "timeout": "hangs", "leak": "leaks", "oom": "out_of_memory"}


def environment(leaks):
    env = dict(os.environ)
    env["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
    env["ASAN_OPTIONS"] = f"detect_leaks={int(leaks)}:allocator_may_return_null=0"
    return env


def leaks_are_seen(bin_dir):
    """LeakSanitizer needs ptrace, which some containers refuse: then a run without any input fails too."""
    with tempfile.NamedTemporaryFile() as empty:
        done = subprocess.run([bin_dir / TARGETS[0], empty.name], env=environment(True), capture_output=True)
    return done.returncode == 0


class Worker:
    """One process at a time of one target."""

    def __init__(self, options, target, index, leaks, end):
        self.options, self.target, self.index, self.leaks, self.end = options, target, index, leaks, end
        self.executions, self.peak_rss_mb, self.failures = 0, 0, 0

    def run(self):
        while self.end - time.monotonic() > 1 and self.failures < FAILURES_MAX:
            if self.run_once():
                break
            self.failures += 1
        return self

    def run_once(self):
        corpus = self.options.corpus / self.target
        prefix = self.options.out / "found" / f"{self.target}-"
        left_s = max(1, int(self.end - time.monotonic()))
        command = [self.options.bin / self.target, f"-max_total_time={left_s}", f"-timeout={TIMEOUT_S}",
                   f"-rss_limit_mb={RSS_LIMIT_MB}", f"-malloc_limit_mb={MALLOC_LIMIT_MB}",
                   f"-max_len={MAX_INPUT_BYTES}", f"-dict={self.options.dict}", f"-artifact_prefix={prefix}",
                   "-print_final_stats=1", "-report_slow_units=15", corpus, self.options.seeds]
        log = self.options.out / "logs" / f"{self.target}-{self.index}-{self.failures}.log"
        with open(log, "wb") as file:
            process = subprocess.Popen(command, env=environment(self.leaks), stdout=file, stderr=file)
            try:
                code = process.wait(timeout=left_s + TIMEOUT_S + GRACE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
        text = log.read_text(errors="replace")
        log.write_text("\n".join(text.splitlines()[-LOG_LINES:]) + "\n")
        self.count(text)
        return code == 0

    def count(self, text):
        final = re.search(r"stat::number_of_executed_units: *(\d+)", text)
        seen = re.findall(r"^#(\d+)\t", text, re.MULTILINE)
        self.executions += int(final.group(1)) if final else int(seen[-1]) if seen else 0
        peaks = [int(mb) for mb in re.findall(r"stat::peak_rss_mb: *(\d+)|rss: (\d+)Mb", text) for mb in mb if mb]
        self.peak_rss_mb = max([self.peak_rss_mb, *peaks])


def run_target(options, target, leaks):
    (options.corpus / target).mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    workers = [Worker(options, target, i, leaks, start + options.seconds) for i in range(options.jobs)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(Worker.run, workers))
    row = {"target": target, "seconds": round(time.monotonic() - start), "jobs": options.jobs,
           "executions": sum(w.executions for w in workers),
           "seeds": len(list(options.seeds.iterdir())),
           "corpus": len(list((options.corpus / target).iterdir())),
           "peak_rss_mb": max(w.peak_rss_mb for w in workers),
           "failed_processes": sum(w.failures for w in workers)}
    for word, kind in KINDS.items():
        row[kind] = sorted(p.name for p in (options.out / "found").glob(f"{target}-{word}-*"))
    return row


def parse():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(prog="tests/fuzz/run.sh", description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, help="folder of the targets; default: built here")
    parser.add_argument("--seconds", type=int, default=1200, help="of each target")
    parser.add_argument("--jobs", type=int, default=1, help="processes of each target")
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--corpus", type=pathlib.Path, help="kept between runs; default: a folder that is removed")
    parser.add_argument("out", type=pathlib.Path, nargs="?", default=root / "build/fuzz/out")
    options = parser.parse_args()
    options.targets = options.targets.split(",")
    if options.seconds < 1 or options.jobs < 1 or not set(options.targets) <= set(TARGETS):
        parser.error(f"seconds and jobs are positive; targets are {' '.join(TARGETS)}")
    options.bin, options.out = options.bin.resolve(), options.out.resolve()
    options.seeds = options.bin.parent / "seeds"
    options.dict = pathlib.Path(__file__).resolve().parent / "cake.dict"
    return options


def main():
    options = parse()
    missing = [p for p in [options.seeds, *(options.bin / t for t in options.targets)] if not p.exists()]
    if missing:
        print(f"missing: {', '.join(map(str, missing))}", file=sys.stderr)
        return 3
    for folder in ("found", "logs"):
        (options.out / folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        options.corpus = (options.corpus or pathlib.Path(temporary)).resolve()
        leaks = leaks_are_seen(options.bin)
        together = len(options.targets) * options.jobs <= os.cpu_count()
        with concurrent.futures.ThreadPoolExecutor(len(options.targets) if together else 1) as pool:
            rows = list(pool.map(lambda target: run_target(options, target, leaks), options.targets))
    manifest = options.bin.parent / "MANIFEST"
    summary = {"schema": 1, "program": manifest.read_text().strip() if manifest.exists() else "built here",
               "cores": os.cpu_count(), "side_by_side": together, "leaks_checked": leaks,
               "limits": {"input_s": TIMEOUT_S, "rss_mb": RSS_LIMIT_MB, "malloc_mb": MALLOC_LIMIT_MB,
                          "input_bytes": MAX_INPUT_BYTES}, "targets": rows}
    text = json.dumps(summary, indent=1) + "\n"
    (options.out / "summary.json").write_text(text)
    print(text, end="")
    return 1 if any(row["failed_processes"] or any(row[k] for k in KINDS.values()) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
