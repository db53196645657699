#!/usr/bin/env python3
"""House rules as a test: prints each breach as file:line: rule, exits 1 if there is one.

Rules: include direction, line and file length, unique diagnostic codes, no dead headers, no
placeholder words, SQL only in store, gRPC and protobuf only at the edges, projections written only
in Apply, no values in the reasons of diagnostics.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINE_COLUMNS = 100
FILE_LINES = 500
FUNCTION_LINES = 70
OWN_FOLDERS = {"proto", "server", "compiler", "verifier", "costmodel", "runner", "store", "clients", "tests", "cake"}

# What each folder may include besides itself. A prefix covers its subfolders.
COMPILER = ["compiler/diag", "compiler/ir"]
MAY_INCLUDE = {
    "compiler/diag": [],
    "compiler/ir": ["compiler/diag"],
    "compiler/text": COMPILER,
    "compiler/ops": COMPILER,
    "compiler/arch": ["compiler/diag"],
    "compiler/sema": COMPILER + ["compiler/text"],
    "compiler/facts": COMPILER + ["compiler/arch"],
    "compiler/machine": COMPILER + ["compiler/arch", "compiler/facts"],
    "compiler/device": [],
    "compiler/emit": COMPILER + ["compiler/arch", "compiler/device", "compiler/facts"],
    "verifier": ["compiler", "verifier"],
    "costmodel": ["compiler"],
    "store": [],
    "server/pipeline": ["compiler", "verifier", "costmodel"],
    "runner": ["compiler", "runner", "proto", "cake", "store/failpoint.h"],
    "server": ["compiler", "verifier", "costmodel", "runner", "store", "server", "proto", "cake", "google", "clients/web"],
    "clients": ["compiler", "verifier", "costmodel", "runner", "server/pipeline", "clients", "proto", "cake", "google"],
}
# The only places where the wire formats are known.
WIRE = re.compile(r'#include [<"](grpc|google/protobuf|google/rpc|cake/v1|.*\.pb\.h)')
WIRE_ALLOWED = ("server/edge/", "server/main.cc", "runner/worker/", "proto/dial/", "runner/contract/textproto.cc", "clients/cli/remote", "tests/")
PLACEHOLDER = re.compile(r"\b(TODO|FIXME|XXX|HACK|not implemented yet)\b")
CODE = re.compile(r'"(CK\d{4})"\s*,\s*(?:diag::)?Severity')

# A declaration's message and its reason. Values stand in the message alone: the reason is printed as it is.
TEXT = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
REASON = re.compile(r'"(CK\d{4})"\s*,\s*(?:diag::)?Severity::\w+\s*,\s*(?:diag::)?Category::\w+\s*,\s*' + TEXT + r",\s*" + TEXT + r"\}")


def tracked() -> list[str]:
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(f for f in set(out.stdout.split("\n")) if f and os.path.exists(os.path.join(ROOT, f)))


def owner(path: str) -> str:
    """The longest folder in MAY_INCLUDE that holds path."""
    best = ""
    for folder in MAY_INCLUDE:
        if path.startswith(folder + "/") and len(folder) > len(best):
            best = folder
    return best


def check_includes(path: str, number: int, line: str, breaches: list[str]) -> None:
    match = re.match(r'\s*#include "([^"]+)"', line)
    folder = owner(path)
    if not match or not folder:
        return
    target = match.group(1)
    if target.split("/")[0] not in OWN_FOLDERS or target.startswith(folder + "/"):
        return
    if not any(target == allowed or target.startswith(allowed + "/") for allowed in MAY_INCLUDE[folder]):
        breaches.append(f"{path}:{number}: include direction: {folder} may not include {target}")


def check_functions(path: str, lines: list[str], breaches: list[str]) -> None:
    """A body opens at a line that starts in column 0 and ends in a brace; it closes at a brace in column 0."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and re.match(r"[A-Za-z].*\)[^;]*\{$", line) and not re.match(r"(namespace|struct|class|enum|union|extern)\b", line):
            start = number
        elif line.startswith("}"):
            if start is not None and number - start > FUNCTION_LINES:
                breaches.append(f"{path}:{start}: function length: {number - start} lines, {FUNCTION_LINES} allowed")
            start = None


def check_file(path: str, text: str, breaches: list[str], codes: dict[str, str]) -> None:
    lines = text.split("\n")
    source = path.endswith((".cc", ".h", ".cuh"))
    if source and len(lines) > FILE_LINES:
        breaches.append(f"{path}:{len(lines)}: file length: {len(lines)} lines, {FILE_LINES} allowed")
    if source:
        check_functions(path, lines, breaches)
    production = source and not path.startswith("tests/")
    for number, line in enumerate(lines, 1):
        if source and len(line) > LINE_COLUMNS and "http" not in line and 'R"' not in line:
            breaches.append(f"{path}:{number}: line length: {len(line)} columns, {LINE_COLUMNS} allowed")
        if line.rstrip() != line and source:
            breaches.append(f"{path}:{number}: trailing blanks")
        if not production:
            continue
        check_includes(path, number, line, breaches)
        if PLACEHOLDER.search(line):
            breaches.append(f"{path}:{number}: placeholder word")
        if WIRE.match(line.strip()) and not path.startswith(WIRE_ALLOWED):
            breaches.append(f"{path}:{number}: wire format outside the edges")
        # Facts of one candidate in memory are no store: verifier/learnt asks them by SQL too.
        if not path.startswith(("store/", "verifier/learnt/")) and "sqlite3" in line and "#include" in line:
            breaches.append(f"{path}:{number}: SQLite outside store")
        for code in CODE.findall(line):
            if code in codes:
                breaches.append(f"{path}:{number}: diagnostic code {code} also declared at {codes[code]}")
            codes[code] = f"{path}:{number}"
    for code, _, reason in REASON.findall(text) if production else []:
        if re.search(r"\{\d\}", reason):
            breaches.append(f"{path}:1: the reason of {code} names a value, which only a message can")
    if source and path.endswith(".h") and "#pragma once" not in text:
        breaches.append(f"{path}:1: header without #pragma once")


def main() -> int:
    breaches: list[str] = []
    codes: dict[str, str] = {}
    files = [f for f in tracked() if f.endswith((".cc", ".h", ".cuh", ".py", ".sh", ".ts", ".proto"))]
    texts = {}
    for path in files:
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            texts[path] = f.read()
    for path, text in texts.items():
        check_file(path, text, breaches, codes)
    included = set(re.findall(r'#include "([^"]+)"', "\n".join(texts.values())))
    for path in texts:
        if path.endswith(".h") and path not in included:
            breaches.append(f"{path}:1: dead header: nothing includes it")
    for breach in breaches:
        print(breach)
    print(f"tidy: {len(files)} files, {len(codes)} diagnostic codes, {len(breaches)} breaches")
    return 1 if breaches else 0


sys.exit(main())
