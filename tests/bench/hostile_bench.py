#!/usr/bin/env python3
"""Wall time of `cake check` for each input that nobody means well with, longest first.

usage: CAKE_BIN=build/release/bin tests/bench/hostile_bench.py
"""
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))

import hostile  # noqa: E402
from support import Cake, Folder  # noqa: E402

REPEATS = 5


def main() -> None:
    rows = []
    with Folder() as folder:
        cake = Cake(folder)
        for name, (source, _) in hostile.REJECTED.items():
            times = []
            for _ in range(REPEATS):
                start = time.monotonic()
                code = cake.run("check", "-", stdin=source).code
                times.append(time.monotonic() - start)
            rows.append((min(times), sorted(times)[REPEATS // 2], max(times), code, name))
    print(f"{'least s':>8} {'median s':>8} {'most s':>8}  exit  input")
    for least, median, most, code, name in sorted(rows, reverse=True):
        print(f"{least:8.3f} {median:8.3f} {most:8.3f}  {code:4}  {name}")


if __name__ == "__main__":
    main()
