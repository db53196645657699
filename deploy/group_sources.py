#!/usr/bin/env python3
"""Groups the sources of one target into translation units for a build from nothing.

  deploy/group_sources.py FILE...

Prints one line a group, its files parted by semicolons. Most of a small file's compile time is its headers, so files
that share a translation unit share them. Two files go together only if no name that one of them keeps to itself (its
unnamed namespaces) occurs in the other or in a header that it includes, so what is one program apart stays the same
program together.
"""
import functools
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

GROUP_LINES = 1_600  # about 8 files; more makes the last units of a build wait for one core
UNNAMED = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.M | re.S)
# Declarations of a formatted file begin at the first column; the name stands before its parameters, value, body or end.
DECLARED = re.compile(r"^(?!using namespace)[A-Za-z][^\n(={;]*?(\w+)(?:\[[^\]]*\])?(?: final)?(?: : [^{;\n]*)?\s*[({=;]", re.M)
WORD = re.compile(r"[A-Za-z_]\w*")
INCLUDED = re.compile(r'^#include "([^"]+)"', re.M)


def own_names(text: str) -> set[str]:
    names: set[str] = set()
    for body in UNNAMED.findall(text):
        names.update(DECLARED.findall(body))
        for constants in re.findall(r"^const[^;]*;", body, re.M):
            names.update(re.findall(r"(\w+)(?:\[\w*\])? = ", constants))
        for enum in re.findall(r"^enum (?!class)\w*[^{]*\{([^}]*)\}", body, re.M):
            names.update(WORD.findall(enum))
    return names


def read(path: str) -> str:
    with open(path, encoding="utf-8") as f:
        return f.read()


@functools.cache
def words_of_header(name: str) -> frozenset[str]:
    """Those of the headers that it includes too; of this tree only."""
    path = os.path.join(ROOT, name)
    return words_with_headers(read(path)) if os.path.exists(path) else frozenset()


def words_with_headers(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text)).union(*(words_of_header(name) for name in INCLUDED.findall(text)))


class Group:
    def __init__(self) -> None:
        self.files: list[str] = []
        self.own: set[str] = set()
        self.words: set[str] = set()
        self.lines = 0

    def takes(self, own: set[str], words: set[str], lines: int) -> bool:
        return self.lines + lines <= GROUP_LINES and not own & self.words and not self.own & words

    def add(self, file: str, own: set[str], words: set[str], lines: int) -> None:
        self.files.append(file)
        self.own |= own
        self.words |= words
        self.lines += lines


def main() -> None:
    groups: list[Group] = []
    for file in sorted(sys.argv[1:]):
        text = read(file)
        own, words, lines = own_names(text), set(words_with_headers(text)), text.count("\n")
        group = next((group for group in groups if group.takes(own, words, lines)), None)
        if group is None:
            group = Group()
            groups.append(group)
        group.add(file, own, words, lines)
    for group in groups:
        print(";".join(group.files))


main()
