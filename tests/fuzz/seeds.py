"""Writes the seeds of the fuzz targets into a folder: every program of the corpus, of the goldens and of the inputs
that a fuzzer once found, and the examples in the pages of the language and of the instructions.
  seeds.py OUT
"""

import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("tests/corpus", "tests/golden", "tests/fuzz/inputs")
PAGES = ("compiler/instructions/*.md", "compiler/LANGUAGE.md")
MAX_SEED_BYTES = 16 * 1024  # what the targets take


def texts():
    for folder in PROGRAMS:
        for path in sorted((ROOT / folder).rglob("*.cake")):
            yield path.read_bytes()
    for pattern in PAGES:
        for path in sorted(ROOT.glob(pattern)):
            yield from re.findall(rb"```cake\n(.*?)```", path.read_bytes(), re.DOTALL)


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    for text in texts():
        if len(text) <= MAX_SEED_BYTES:
            (out / hashlib.sha1(text).hexdigest()).write_bytes(text)
    print(f"{len(list(out.iterdir()))} seeds")


if __name__ == "__main__":
    main()
