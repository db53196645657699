#!/usr/bin/env python3
"""Takes the raw figures of an evidence file into tests/results and renders the tables again.

  tests/results/import.py evidence-smoke-<utc>.tar.zst
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as work:
        packed = subprocess.run(["zstd", "-q", "-d", "-c", sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "-C", work, "-xf", "-"], input=packed, check=True)
        with open(os.path.join(work, "manifest.json"), encoding="utf-8") as f:
            manifest = json.load(f)
        folder = os.path.join(HERE, manifest["campaign"])
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        shutil.copy(os.path.join(work, "manifest.json"), folder)
        for family, run in manifest.get("runs", {}).items():
            samples = run["hashes"].get("samples")
            if samples:
                shutil.copy(os.path.join(work, "objects", samples), os.path.join(folder, f"samples-{family}.json"))
    subprocess.run([os.path.join(HERE, "render")], check=True)
    return 0


sys.exit(main())
