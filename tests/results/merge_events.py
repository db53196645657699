#!/usr/bin/env python3
"""Makes one table of event logs from runs of cake-events for single cases, which a machine of many cores runs side by side.

  tests/results/merge_events.py NAME BUNDLE_LINE FILE...   FILE: what cake-events wrote with --case; writes tests/results/NAME/manifest.json

BUNDLE_LINE says which commit ran, as in a bundle's MANIFEST ("git <hash>").
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> int:
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    name, bundle, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    members: dict[str, dict] = {}
    common = None
    for path in sorted(files):
        with open(path, encoding="utf-8") as f:
            result = json.load(f)
        facts = {key: result[key] for key in ("device", "arch", "compiler", "seeds")}
        if result.get("simulated"):
            print(f"{path}: simulated, so nothing in it is a figure", file=sys.stderr)
            return 2
        if common is not None and facts != common:
            print(f"{path}: of another device, compiler or number of seeds", file=sys.stderr)
            return 2
        common = common or facts
        for row in result["rows"]:
            key = row["program"] + json.dumps(row["binding"], sort_keys=True)
            member = members.setdefault(key, row | {"name": row["program"].removesuffix(".cake"), "of_corpus": True, "cases": []})
            member["cases"] += row["cases"]
            for word in ("ended", "detail", "good"):  # what went wrong in one run is said of all
                if not row["good"]:
                    member[word] = row[word]
    manifest = {"schema": 1, "campaign": "events", "simulated": False, "bundle": [bundle], "steps": {}, **common, "events_of": list(members.values())}
    os.makedirs(os.path.join(HERE, name), exist_ok=True)
    with open(os.path.join(HERE, name, "manifest.json"), "w", encoding="utf-8") as f:
        json.dump(manifest, f, indent=1)
        f.write("\n")
    return 0


sys.exit(main())
