#!/usr/bin/env python3
"""Takes defences of server/THREATS.md away one at a time, builds, and sees the test beside each fail.

  tests/threats/drill.py [--build build/release] [NAME ..]

Works on a copy of nothing: each file is put back, also after Ctrl-C. A defence whose test passes without it, or fails with it, is
printed and the exit code is 1.
"""
import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# name: file, what stands there, what stands there without the defence, test program, its tests
DRILLS = {
    "line of a caller": ("server/core/checks.cc", "mine >= QuotaOf(c_).checks_max", "mine < 0", "server_core_test",
                         "Check.ACallersLineIsBoundedAndNobodyElsesIsShorterForIt"),
    "turns by cost": ("server/core/check_line.cc", "row.turn += static_cast<double>(cpu_ns)", "row.turn += static_cast<double>(1)",
                      "server_core_test", "CheckLine.*"),
    "quota of candidates": ("server/core/intake.cc", "of_caller >= QuotaOf(c_).open_max", "of_caller < 0", "server_core_test", "Quota.*"),
    "candidates on their way": ("server/core/intake.cc", "of.author == queue.author ? count : 0;", "0 * count;", "server_core_test",
                                "Quota.CountsWhatIsOnItsWayToTheStore"),
    "size of a source": ("server/core/intake.cc", "request.source.text.size() + request.source.launch_plan_json.size() > kSourceBytesMax",
                         "false", "server_core_test", "Submit.RefusesWhatIsOutOfBounds"),
    "findings of others": ("server/core/brief.cc", "if (!MayKnow(state, run, finding)) continue;", "", "server_core_test",
                           "Brief.NamesNoFindingOfAnotherIsolatedExperiment"),
    "evidence of a lease": ("server/core/leasing.cc", "so_far + bytes > kLeaseBytesMax", "so_far < 0", "server_core_test", "Uploads.*"),
    "quarantine of an operator": ("server/core/workers.cc", "device->reason.starts_with(kByOperator)", "false", "server_core_test",
                                  "QuarantineDevice.*"),
    "fencing": ("server/core/leasing.cc", "job.state != JobState::kLeased || job.fencing_token != request.fencing_token",
                "job.state != JobState::kLeased", "server_core_test", "Lease.*"),
    "reason of an operator": ("server/core/machines.cc", "if (request.reason.empty())", "if (false)", "server_core_test", "DrainWorker.*"),
    "calls that are no authors'": ("server/edge/door.cc", "if (std::find(std::begin(kAuthors), std::end(kAuthors), name) == std::end(kAuthors))",
                                   "if (false)", "server_edge_test", "Walls.*"),
    "open uploads": ("server/edge/streams.cc", "uploads_.bytes > kUploadBytesMax", "uploads_.bytes > kUploadBytesMax * 99",
                     "server_edge_test", "Served.OpenUploadsAreBounded"),
    "hidden tables": ("store/query.cc", "if (Holds(kHiddenTables, table)) return SQLITE_DENY;", "", "store_test", "Query.*"),
    "listed functions": ("store/query.cc", "return Holds(kFunctions, name) ? SQLITE_OK : SQLITE_DENY;", "return SQLITE_OK;", "store_test",
                         "Query.*"),
    "a query's deadline": ("store/query.cc", "return dog->clock.MonotonicNanos() >= dog->end_ns || dog->cancelled() ? 1 : 0;",
                           "return dog->cancelled() ? 1 : 0;", "store_test", "Query.WhatNeverEndsIsStopped"),
    "requests twice": ("store/writer.cc", "if (replayed) return result;", "", "store_test", "Commit.TheSameRequestIsAnsweredFromTheFirstOne"),
}


class DoesNotBuild(Exception):
    pass


def passes(build: str, program: str, tests: str) -> bool:
    built = subprocess.run(["ninja", "-C", build, program], cwd=ROOT, capture_output=True, text=True)
    if built.returncode != 0:
        raise DoesNotBuild("\n".join(line for line in built.stdout.splitlines() if "error" in line)[:1000])
    try:
        done = subprocess.run([os.path.join(build, "tests", program), "--gtest_filter=" + tests], cwd=ROOT, capture_output=True,
                              timeout=300)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 and b"[  PASSED  ] 0 tests" not in done.stdout


def drill(build: str, name: str) -> str:
    """"" when the test fails without the defence."""
    file, there, gone, program, tests = DRILLS[name]
    path = os.path.join(ROOT, file)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if text.count(there) != 1:
        return f"{file} has {text.count(there)} times {there!r}"
    try:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(there, gone))
        return "ITS TEST PASSES WITHOUT IT" if passes(build, program, tests) else ""
    except DoesNotBuild as error:
        return f"does not build without it: {error}"
    finally:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build/release"))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    silent, build = [], os.path.abspath(arguments.build)
    names = arguments.names or list(DRILLS)
    broken = {name for name in names if not passes(build, *DRILLS[name][3:])}  # with the defence where it is
    for name in names:
        wrong = "its test fails with it too" if name in broken else drill(build, name)
        print(f"{name}: {wrong or 'its test fails without it'}", flush=True)
        if wrong:
            silent.append(name)
    for program in {row[3] for row in DRILLS.values()}:  # as it was
        subprocess.run(["ninja", "-C", arguments.build, program], check=True, stdout=subprocess.DEVNULL)
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
