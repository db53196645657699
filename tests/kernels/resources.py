#!/usr/bin/env python3
"""What programs were predicted to need, against what the compiler gave them.

  tests/kernels/resources.py [--bin build/release/bin] [--out tests/results/resources]

For every program of the corpus and the seven of tests/corpus/language/kernels.cake, on the architecture of its target:
registers, local memory and shared memory as `cake explain` derives them and as ptxas reports them for the cubin (of
shared memory ptxas sees the static part alone); matrix
instructions as `cake explain` counts them a statement and as they stand in the PTX (nvcc -ptx of what `cake emit`
prints). Writes table.json, which tests/results/render turns into the table of README.md. Standard library only.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KERNELS = "tests/corpus/language/kernels.cake"
NVCC = "/usr/local/cuda/bin/nvcc"
# The PTX of each kind of matrix instruction, by the word that begins its name in `cake explain`.
PTX = {
    "wgmma": re.compile(r"\bwgmma\.mma_async[\w.:]*?\.m64n(?P<n>\d+)k(?P<k>\d+)[\w.:]*"),
    "mma": re.compile(r"\bmma\.sync[\w.:]*?\.m(?P<m>\d+)n(?P<n>\d+)k(?P<k>\d+)[\w.:]*"),
    "ldmatrix": re.compile(r"\bldmatrix\.sync[\w.:]*?\.x(?P<x>\d)(?P<trans>\.trans)?[\w.:]*"),
    "stmatrix": re.compile(r"\bstmatrix\.sync[\w.:]*?\.x(?P<x>\d)(?P<trans>\.trans)?[\w.:]*"),
    "umma": re.compile(r"\btcgen05\.mma(?P<sp>\.sp)?\.cta_group::(?P<group>\d)\.kind::(?P<kind>\w+)[\w.:]*"),
}


def predicted_key(instruction: str) -> str:
    """The part of a predicted name that PTX has too: `wgmma n128k32`, `ldmatrix x4.trans`, `umma 2cta f16`."""
    word, _, rest = instruction.partition(".")
    if word in ("wgmma", "mma"):
        shape = re.search(r"n(\d+)k(\d+)", rest)
        return f"{word} n{shape[1]}k{shape[2]}"
    if word in ("ldmatrix", "stmatrix"):
        return f"{word} {rest}"
    pair = rest.startswith("2cta.")
    kind = rest.removeprefix("2cta.").split(".")[0]
    return f"umma {'2cta' if pair else '1cta'} {kind}"


def found_key(word: str, match: re.Match) -> str:
    if word in ("wgmma", "mma"):
        return f"{word} n{match['n']}k{match['k']}"
    if word in ("ldmatrix", "stmatrix"):
        return f"{word} x{match['x']}{match['trans'] or ''}"
    return f"umma {'2cta' if match['group'] == '2' else '1cta'} {match['kind']}"


def run(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def entries_of(ptx: str) -> dict[str, str]:
    """The body of each kernel of a PTX text."""
    names = list(re.finditer(r"\.entry\s+(\w+)", ptx))
    ends = [match.start() for match in names[1:]] + [len(ptx)]
    return {match[1]: ptx[match.start():end] for match, end in zip(names, ends)}


def program(cake: str, file: str) -> list[dict]:
    explained = json.loads(run(cake, "explain", file, "--json"))
    arch = explained["target"]
    built = json.loads(run(cake, "build", file, "--json"))
    with tempfile.TemporaryDirectory() as folder:
        source, assembly = os.path.join(folder, "k.cu"), os.path.join(folder, "k.ptx")
        with open(source, "w", encoding="utf-8") as out:
            out.write(run(cake, "emit", file))
        run(NVCC, "-ptx", f"-arch={arch}", "-std=c++20", source, "-o", assembly)
        with open(assembly, encoding="utf-8") as text:
            bodies = entries_of(text.read())
    rows = []
    for kernel in explained["kernels"]:
        compiled = next(k for k in built["kernels"] if k["name"] == kernel["function"])
        lines = collections.defaultdict(dict)  # key -> line -> instructions
        for role in kernel["roles"]:
            for op in role.get("matrix", []):
                of_key = lines[predicted_key(op["instruction"])]
                of_key[op["line"]] = of_key.get(op["line"], 0) + op["count"]
        body = bodies[kernel["function"]]
        found = collections.Counter(found_key(word, m) for word, form in PTX.items() for m in form.finditer(body))
        rows.append({
            "program": explained["program"], "file": file, "arch": arch, "kernel": kernel["name"],
            "threads": kernel["threads"], "ctas_per_sm": kernel["ctas_per_sm"],
            "role_registers": [role["registers"] for role in kernel["roles"]],
            "registers": compiled["registers"],
            "local_bytes": compiled["spill_store_bytes"] + compiled["spill_load_bytes"] + compiled["stack_bytes"],
            "shared_predicted": kernel["shared_bytes"], "shared_static": compiled["static_shared_bytes"],
            "matrix_predicted": {key: sorted(of.values()) for key, of in sorted(lines.items())},
            "matrix_found": dict(sorted(found.items())),
        })
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--out", default="tests/results/resources")
    options = parser.parse_args()
    cake = os.path.join(os.path.abspath(options.bin), "cake")
    files = sorted(os.path.relpath(f, ROOT) for f in glob.glob(os.path.join(ROOT, "tests/corpus/*/*.cake")) if "/language/" not in f)
    with open(os.path.join(ROOT, KERNELS), encoding="utf-8") as text:
        files += [f"{KERNELS}:{name}" for name in re.findall(r"(?m)^program (\w+)", text.read())]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = [row for of in pool.map(lambda file: program(cake, file), files) for row in of]
    os.makedirs(options.out, exist_ok=True)
    commit = run("git", "rev-parse", "HEAD").strip()
    with open(os.path.join(options.out, "table.json"), "w", encoding="utf-8") as out:
        json.dump({"git": commit, "nvcc": run(NVCC, "--version").splitlines()[-1], "kernels": rows}, out, indent=1)
        out.write("\n")


if __name__ == "__main__":
    main()
