#!/usr/bin/env python3
"""Takes the raw figures of an evidence file into tests/results and renders the tables again.

  tests/results/import.py evidence-smoke-<utc>.tar.zst [NAME]

The table is named after the campaign, or NAME: a part of a campaign, run later, stands beside the whole. Runs of the file go into a store with `cake import`; this is for the figures that the repository keeps.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "device"))

from evidence import unpack  # noqa: E402


def outputs_of(manifest: dict, objects: str) -> dict:
    """What was judged of each program, case by case, and what each check of it said."""
    out = {}
    for name in sorted(manifest.get("outputs_of", {})):
        with open(os.path.join(objects, manifest["steps"][f"outputs {name}"]["files"]["result"]), encoding="utf-8") as f:
            result = json.load(f)
        out[name] = {"verdict": result["verdict"], "hashes": result["hashes"], "cases": [
            {"name": case["name"], "tier": case["tier"], "verdict": case["verdict"],
             "checks": {check["name"]: check["outcome"] for check in case["checks"]}} for case in result["cases"]]}
    return out


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
        judged = outputs_of(manifest, os.path.join(work, "objects"))
        if judged:
            with open(os.path.join(folder, "outputs.json"), "w", encoding="utf-8") as f:
                json.dump(judged, f, indent=0)
                f.write("\n")
        for family, run in manifest.get("runs", {}).items():
            samples = run["hashes"].get("samples")
            if samples:
                shutil.copy(os.path.join(work, "objects", samples), os.path.join(folder, f"samples-{family}.json"))
    subprocess.run([os.path.join(HERE, "render")], check=True)
    return 0


sys.exit(main())
