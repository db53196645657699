#!/usr/bin/env python3
"""What is refused, with its reason: wrong programs, and any bytes."""
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import hostile  # noqa: E402
from programs import WRONG, WRONG_RESULT  # noqa: E402
from support import ROOT, CliTest  # noqa: E402


class WrongPrograms(CliTest):
    def test_each_kind_gets_its_verdict_code_line_and_fix(self) -> None:
        for wrong in WRONG:
            with self.subTest(wrong.name):
                path = self.write(wrong.name + ".cake", wrong.source)
                result = self.expect(self.cake.run("check", "--json", path), 1).json()
                first = result["diagnostics"][0]
                self.assertEqual((result["verdict"], result["blame"]), (wrong.verdict, "CANDIDATE"))
                self.assertEqual((first["code"], first["primary"]["line"]), (wrong.code, wrong.line))
                found = [fix["applicability"] for fix in first["fixes"]]
                self.assertEqual(found[:1], [wrong.fix] if wrong.fix else [])
                text = self.cake.run("check", path)
                self.assertIn(f"error[{wrong.code}]", text.out)
                self.assertIn(f"--> {path}:{wrong.line}:", text.out)

    def test_machine_fixes_make_them_pass_and_others_change_nothing(self) -> None:
        for wrong in WRONG:
            with self.subTest(wrong.name):
                path = self.write(wrong.name + ".cake", wrong.source)
                result = self.cake.run("check", "--fix", "--json", path)
                with open(path, encoding="utf-8") as f:
                    after = f.read()
                if wrong.fix == "machine":
                    self.assertEqual((result.code, result.json()["fixes_applied"]), (0, 1), result)
                    self.assertNotEqual(after, wrong.source)
                else:
                    self.assertEqual((result.code, result.json()["fixes_applied"]), (1, 0), result)
                    self.assertEqual(after, wrong.source)

    def test_a_guess_at_a_fix_is_right_where_it_is_offered_for_a_missing_sync(self) -> None:
        wrong = next(w for w in WRONG if w.name == "missing_sync")
        path = self.write("k.cake", wrong.source)
        fix = self.cake.run("check", "--json", path).json()["diagnostics"][0]["fixes"][0]
        text = wrong.source.encode()
        for edit in sorted(fix["edits"], key=lambda e: -e["span"]["begin"]):
            text = text[:edit["span"]["begin"]] + edit["text"].encode() + text[edit["span"]["end"]:]
        self.expect(self.cake.run("check", self.write("k.cake", text)), 0)

    def test_a_deadlock_names_both_roles(self) -> None:
        wrong = next(w for w in WRONG if w.name == "deadlock")
        first = self.cake.run("check", "--json", self.write("k.cake", wrong.source)).json()["diagnostics"][0]
        waiters = " ".join(edge["waiter"] for edge in first["wait_graph"])
        self.assertIn("role load", waiters)
        self.assertIn("role math", waiters)

    def test_a_wrong_result_names_the_first_wrong_element(self) -> None:
        path = self.write("k.cake", WRONG_RESULT)
        self.expect(self.cake.run("check", path), 0)
        result = self.expect(self.cake.run("run", path, "--workload", "vector_add", "--json"), 1).json()
        self.assertEqual((result["verdict"], result["blame"]), ("WRONG_RESULT", "CANDIDATE"))
        bad = [c for c in result["cases"] if c["verdict"] == "WRONG_RESULT"]
        self.assertTrue(bad)
        self.assertEqual(bad[0]["difference"]["output"], "c")
        self.assertNotEqual(bad[0]["difference"]["got"], bad[0]["difference"]["want"])


class AnyBytes(CliTest):
    def test_hostile_sources_end_with_a_diagnostic(self) -> None:
        for name, (source, code) in hostile.REJECTED.items():
            with self.subTest(name):
                path = self.write("k.cake", source)
                result = self.expect(self.cake.run("check", "--json", path), 1).json()
                codes = [d["code"] for d in result["diagnostics"]]
                self.assertGreaterEqual(result["errors"], 1)
                self.assertTrue(codes)
                if code:
                    self.assertIn(code, codes)
                self.assertEqual(self.cake.run("check", "-", stdin=source).code, 1)

    def test_damaged_programs_end_in_a_verdict(self) -> None:
        for seed in range(40):
            with self.subTest(seed):
                result = self.cake.run("check", "--json", "-", stdin=hostile.damaged(seed))
                self.assertIn(result.code, (0, 1), result)
                self.assertEqual(result.json()["errors"] > 0, result.code == 1)

    def test_limits_name_both_numbers(self) -> None:
        for name, numbers in (("domain_of_1e9", ("1000000000", "4096")), ("line_of_1_MiB", ("1048576", "262144")),
                              ("array_of_1e9", ("1000000000", "16384")), ("unrolled_loop", ("131072",))):
            out = self.cake.run("check", "-", stdin=hostile.REJECTED[name][0]).out
            for number in numbers:
                self.assertIn(number, out, name)

    def test_the_limits_of_the_language_page(self) -> None:
        with open(os.path.join(ROOT, "compiler", "LANGUAGE.md"), encoding="utf-8") as f:
            page = f.read()
        for row, name in (("values of all domains of a program together", "many_domains"), ("elements of a register array", "array_of_1e9")):
            limit = re.search(rf"(?m)^\| {row} \| (\d+) \|", page).group(1)
            self.assertIn(limit, self.cake.run("check", "-", stdin=hostile.REJECTED[name][0]).out)

    def test_text_of_others_never_drives_the_terminal(self) -> None:
        control = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
        sources = [source for source, _ in hostile.REJECTED.values()]
        sources.append((hostile.ACCEPTED.replace("st y", "\x1b[31mst \u202e y")).encode())
        for source in sources:
            for verb in ("check", "explain", "emit", "fmt"):
                result = self.cake.run(verb, "-", stdin=source)
                self.assertIsNone(control.search(result.raw_out), result)
                self.assertIsNone(control.search(result.err.encode()), result)

    def test_a_contract_that_is_not_whole_is_named_before_anything_runs(self) -> None:
        with open(os.path.join(ROOT, "tests/corpus/vector_add/vector_add.workload.textproto"), encoding="utf-8") as f:
            text = f.read()
        few = re.sub(r'cases \{\n  name: "(?!one"|few")\w+" tier: WORKLOAD_TIER_MACHINE[^}]*\}[^}]*\}\n', "", text)
        path = os.path.join(self.folder, "few.workload.textproto")
        with open(path, "w", encoding="utf-8") as f:
            f.write(few)
        for verb in ("run", "check"):
            result = self.expect(self.cake.run(verb, os.path.join(ROOT, "tests/corpus/vector_add/vector_add.cake"), "--workload", path), 2)
            self.assertIn("machine-tier cases, at least 6 are needed", result.err)
            self.assertIn(f"cake workload lint {path}", result.err)

    def test_what_is_no_file(self) -> None:
        for path, code in (("missing.cake", 3), ("/dev/null/x.cake", 3), (self.folder, 2)):
            result = self.expect(self.cake.run("check", path), code)
            self.assertEqual(result.out, "")
            self.assertTrue(result.err.startswith("cake: "), result)
        fifo_like = self.expect(self.cake.run("check", "/dev/null"), 1)
        self.assertIn("CK0006", fifo_like.out)
        endless = self.expect(self.cake.run("check", "/dev/zero"), 1)
        self.assertIn("CK6001", endless.out)


if __name__ == "__main__":
    unittest.main()
