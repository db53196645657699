"""The table of what was judged on a device: each program at every case of its contract, without and with delays. Standard library only;
used by render. Raw figures: outputs.json beside a campaign's manifest, as import.py took it from the evidence."""
import json
import os


def output_lines(folder: str, campaign: str) -> list[str]:
    path = os.path.join(folder, campaign, "outputs.json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        programs = json.load(f)
    right = sum(program["verdict"] == "CORRECT" for program in programs.values())
    runs = sum(case["checks"].get("jittered") == "PASS" for program in programs.values() for case in program["cases"])
    lines = [f"### Outputs: {right} of {len(programs)} programs are right at every case, {runs} cases of them with delays too", "",
             "Cases that are right, of all. A build with delays, at each case with two seeds (one of more than 1 GiB), has to be as right. Checks: passed at one"
             " case at least and failed at none; the others are not for these contracts.", "",
             "| program | verdict | machine-tier cases | with delays | device-tier cases | with delays | checks failed | checks passed |", "|---" * 8 + "|"]
    for name, program in programs.items():
        cells = []
        for tier in ("machine", "device"):
            cases = [case for case in program["cases"] if case["tier"] == tier]
            cells.append(f"{sum(case['verdict'] == 'CORRECT' for case in cases)} of {len(cases)}")
            cells.append(f"{sum(case['checks'].get('jittered') == 'PASS' for case in cases)} of {len(cases)}")
        said = {check: {case["checks"].get(check) for case in program["cases"]} for check in program["cases"][0]["checks"]}
        failed = [check for check, outcomes in said.items() if "FAIL" in outcomes]
        passed = [check for check, outcomes in said.items() if "PASS" in outcomes and "FAIL" not in outcomes]
        lines.append(f"| {name} | {program['verdict']} | {' | '.join(cells)} | {', '.join(failed)} | {', '.join(passed)} |")
    return [*lines, ""]
