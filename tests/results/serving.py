"""Tables of how the daemon serves: tests/results/serve/{serve,load,chaos}.json, as tests/bench/serve.py, load.py and tests/chaos/chaos.py
wrote them."""
import json
import os


def state_of_machine(result: dict) -> str:
    load = ", ".join(f"{value:.1f}" for value in result["load"])
    cores = f", {result['cores']} cores" if "cores" in result else ""
    return f"Load average of the machine at the end: {load}{cores}."


def submit_lines(result: dict) -> list[str]:
    full, idle = result["full_queue"], result["idle"]
    lines = ["### durable Submits, a full queue, idle watchers", "", "| clients | acknowledged/s | p50, ms | p99, ms | refused |",
             "|---|---|---|---|---|"]
    for row in result["submit"]:
        lines.append(f"| {row['clients']} | {row['per_second']:.0f} | {row['p50_ms']:.2f} | {row['p99_ms']:.2f} | {row['refused']} |")
    sync = result["sync"]
    return lines + ["", f"A page written and synced on the same disk just before: p50 {sync['p50_ms']:.2f} ms, p99 {sync['p99_ms']:.2f} ms.", "",
                    f"After {full['after']} candidates of one run the queue is full: {full['reason']}, gRPC code {full['code']}, with"
                    f" {'' if full['retry_info'] else 'NO '}RetryInfo of {full['retry_s']} s. {idle['watchers']} watchers and {idle['pages']}"
                    f" pages for {idle['seconds']:.0f} s: {idle['rss_connected_mb']:.0f} MB when connected, {idle['rss_growth_mb']:.1f} MB"
                    " of growth.", "", state_of_machine(result), ""]


def load_lines(result: dict) -> list[str]:
    lines = ["### agents at times of their own", "", f"{result['rate']['agents']} connections; a call each in {result['rate']['period_s']:.0f} s in the mean,"
             f" for {result['rate']['seconds']:.0f} s; 70% Check over 200 programs, 20% Brief, 10% Submit.", "",
             "| load | calls | answered | p50, ms | p99, ms | refused with RetryInfo | anything else | memory, MB | candidates |",
             "|---|---|---|---|---|---|---|---|---|"]
    for name, words in (("rate", "the rate"), ("four", "four times"), ("over", "four times, programs that nobody sent before")):
        row = result[name]
        kinds = [row[kind] for kind in ("check", "brief", "submit")]
        refused, failed = (sum(sum(kind[what].values()) for kind in kinds) for what in ("refused", "failed"))
        rss = row["rss_mb"]
        lines.append(f"| {words} | {row['sent']} | {row['all']['count']} | {row['all']['p50_ms']:.1f} | {row['all']['p99_ms']:.0f} | {refused} |"
                     f" {failed + row['unanswered']} | {rss['warm']:.0f} to {rss['most']:.0f} | {row['candidates']} |")
    shares = ", ".join(f"{caller} {share:.2f}" for caller, share in result["over"]["shares"].items())
    return lines + ["", f"CPU time of the four callers' checks in the last load, over its mean: {shares}.", "", state_of_machine(result), ""]


def chaos_lines(report: dict) -> list[str]:
    happened = ", ".join(f"{what} {count}" for what, count in sorted(report["chaos"]["happened"].items()))
    return ["### chaos", "", f"{report['candidates']} candidates with {report['evaluations']} evaluations in {report['chaos']['seconds']:.0f} s;"
            f" {happened}. Candidates whose verdict, blame or evaluations differ from the quiet run: {len(report['different'])}. Charged"
            f" evaluations {sum(n for _, n in report['chaos']['charged'])} and {sum(n for _, n in report['quiet']['charged'])}. The log's fold"
            f" equals every table: {report['chaos']['rebuilds'] and report['quiet']['rebuilds']}. Left out on that machine:"
            f" {', '.join(report['left_out']) or 'nothing'}.", "",
            f"The overview's answer: p50 {report['chaos']['p50_ms']:.1f} ms, p99 {report['chaos']['p99_ms']:.1f} ms of"
            f" {report['chaos']['probes']}.", "", state_of_machine(report), ""]


def serving_lines(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        return []
    with open(os.path.join(folder, "commit.txt"), encoding="utf-8") as f:
        lines = ["## serve", "", f"git {f.read().strip()}", ""]
    for name, table in (("serve", submit_lines), ("load", load_lines), ("chaos", chaos_lines)):
        path = os.path.join(folder, name + ".json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                lines += table(json.load(f))
    return lines
