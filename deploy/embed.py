#!/usr/bin/env python3
"""Writes a .cc with text files as constants: embed.py NAMESPACE OUT FILE..."""
import os
import sys


def main() -> None:
    namespace, out, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    lines = ["#include <string_view>", "", f"namespace {namespace} {{", "std::string_view Embedded(std::string_view name);", "", "std::string_view Embedded(std::string_view name) {"]
    for path in files:
        data = open(path, "rb").read()
        # Adjacent literals: one literal may hold at most 64 KiB.
        chunks = [data[i : i + 8192] for i in range(0, len(data), 8192)] or [b""]
        lines.append(f'  if (name == "{os.path.basename(path)}") {{')
        lines.append("    static constexpr char kText[] =")
        for chunk in chunks:
            text = "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in chunk)
            lines.append(f'        "{text}"')
        lines.append("        ;")
        lines.append(f"    return std::string_view(kText, {len(data)});")
        lines.append("  }")
    lines += ["  return {};", "}", f"}}  // namespace {namespace}", ""]
    with open(out, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


main()
