#!/usr/bin/env python3
"""Takes the raw figures of an evidence file into tests/results and renders the tables again.

  tests/results/import.py evidence-smoke-<utc>.tar.zst [NAME]

The table is named after the campaign, or NAME: a part of a campaign, run later, stands beside the whole. Runs of the file go into a store with `cake import`; this is for the figures that the repository keeps.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "device"))

from evidence import unpack  # noqa: E402


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as work:
        manifest = unpack(sys.argv[1], work)
        if manifest["simulated"]:
            print(f"{sys.argv[1]}: simulated, so nothing in it is a figure", file=sys.stderr)
            return 2
        folder = os.path.join(HERE, sys.argv[2] if len(sys.argv) == 3 else manifest["campaign"])
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
