#!/usr/bin/env python3
"""Campaigns against the fake driver, and what becomes of their evidence: imported, resumed, damaged."""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tests", "cli")]

from campaign import Campaign  # noqa: E402
from evidence import Evidence, sha256, unpack  # noqa: E402
from support import BIN, Cake, Daemon  # noqa: E402

FAKE = os.environ.get("CAKE_FAKE", os.path.join(ROOT, "build", "release", "fakecuda"))
CAMPAIGN_SECONDS = 600


def run_campaign(name: str, out: str, *words: str) -> tuple[int, str, str]:
    """Exit code, the evidence file ("" : none) and what was printed."""
    os.makedirs(out, exist_ok=True)
    done = subprocess.run([os.path.join(HERE, "run.sh"), name, "-", out, *words], capture_output=True, text=True,
                          timeout=CAMPAIGN_SECONDS, env=dict(os.environ, CAKE_BIN=BIN), check=False)
    files = [os.path.join(out, file) for file in os.listdir(out) if file.endswith(".tar.zst")]
    return done.returncode, max(files, key=os.path.getmtime) if files else "", done.stdout + done.stderr


class Folders(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="cake-campaign-")
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names: str) -> str:
        return os.path.join(self.folder, *names)


class Smoke(Folders):
    def test_evidence_is_imported_once_and_a_campaign_goes_on(self) -> None:
        options = ("--short", "--fake", FAKE)
        code, first, text = run_campaign("smoke", self.path("first"), *options, "--seconds", "0.5")
        self.assertEqual(code, 4, text)
        left = unpack(first, self.path("one"))
        self.assertTrue(left["left"])
        code, second, text = run_campaign("smoke", self.path("second"), first, *options)
        self.assertEqual(code, 0, text)
        manifest = unpack(second, self.path("two"))
        self.assertEqual((manifest["failed"], manifest["left"]), ([], []))
        self.assertTrue(manifest["simulated"])
        self.assertIn("evolve vector_add", manifest["steps"])
        # Everything is done: a third run does nothing again and has the same results. Without NVRTC the steps that
        # compare cubins have failed, which a fake device forgives, and are tried again.
        code, third, text = run_campaign("smoke", self.path("third"), second, *options)
        self.assertEqual(code, 0, text)
        again = unpack(third, self.path("three"))
        self.assertEqual(again["events"], manifest["events"])
        for name, step in again["steps"].items():
            self.assertEqual(step.get("earlier", False), step["exit_code"] == 0, name)
            self.assertTrue(step["exit_code"] == 0 or name.startswith("build "), name)
        self.import_it(second, manifest)

    def import_it(self, file: str, manifest: dict) -> None:
        home = self.path("home")
        os.mkdir(home)
        daemon = Daemon(home).start()
        self.addCleanup(daemon.stop)
        cake = Cake(home)
        first = cake.run("import", file, seconds=120)
        self.assertEqual(first.code, 0, f"{first}\n{daemon.log_text()}")
        self.assertIn("simulated", first.out)
        self.assertTrue(first.next().startswith("cake history --run r-"), first)
        seq = cake.run("admin", "doctor", "--json").json()["event_seq"]
        again = cake.run("import", file, "--json", seconds=120)
        self.assertEqual(again.code, 0, again)
        self.assertTrue(again.json()["already"])
        self.assertEqual(cake.run("admin", "doctor", "--json").json()["event_seq"], seq)
        run = next(run for run in cake.run("history", "runs", "--json").json()["runs"] if "imported" in run)
        self.assertEqual(run["state"], "RUN_STATE_STOPPED")
        self.assertEqual(run["imported"]["campaign"], "smoke")
        self.assertIn("Cake simulated GPU", run["imported"]["device"])
        best = run["best"]["candidate"]
        theirs = manifest["evolve"]["best"]
        self.assertEqual(run["best"]["binding"], theirs["binding"])
        for words in (["history", "runs"], ["history", best], ["diagnose", best]):
            shown = cake.run(*words)
            self.assertEqual(shown.code, 0, shown)
            self.assertIn("campaign smoke", shown.out)
        daemon.stop()
        check = subprocess.run([os.path.join(BIN, "caked"), "--data-dir", home, "--rebuild-check"], capture_output=True, text=True, check=False)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)


class Ops(Folders):
    def test_a_part_of_the_table_agrees(self) -> None:
        code, file, text = run_campaign("ops", self.path("out"), "--short", "--fake", FAKE)
        self.assertEqual(code, 0, text)
        manifest = unpack(file, self.path("ops"))
        self.assertGreater(len(manifest["rows"]), 3)
        for row in manifest["rows"]:
            self.assertTrue(row["agree"], row)
            if "not_here" in row["ended"]:  # entries of later architectures
                self.assertEqual(row["cases"], 0, row)
            else:
                self.assertGreater(row["cases"], 0, row)
            self.assertEqual(row["max_ulp"], 0, row)  # the fake driver is the machine

    def test_operands_keep_the_contracts_on_their_contents(self) -> None:
        code, file, text = run_campaign("ops", self.path("out"), "--short", "--only", "tensormap.set", "--fake", FAKE)
        self.assertEqual(code, 0, text)
        (row,) = unpack(file, self.path("ops"))["rows"]
        self.assertEqual((row["agree"], row["ended"]["compared"]), (True, 2), row)


class Noise(Folders):
    def test_equal_programs_are_not_promoted_and_less_work_is(self) -> None:
        code, file, text = run_campaign("aa", self.path("out"), "--short", "--fake", FAKE)
        self.assertEqual(code, 0, text)
        manifest = unpack(file, self.path("aa"))
        (equal,), less = manifest["equal"], manifest["less"]
        self.assertEqual((equal["promoted"], equal["judged"], equal["floor"]), (0, 10, 0.002))
        self.assertEqual(set(equal["blocks"]), {20})  # a simulated clock is precise at the first look
        self.assertEqual((less["promoted"], less["judged"]), (5, 5))


class Tools(Folders):
    def test_hangs_are_opened(self) -> None:
        code, file, text = run_campaign("tools", self.path("out"), "--short", "--fake", FAKE)
        self.assertEqual(code, 0, text)
        manifest = unpack(file, self.path("tools"))
        self.assertEqual({name: row["good"] for name, row in manifest["hangs"].items()}, {"ring": True, "event": True})
        self.assertEqual(manifest["tools"]["right"]["verdict"], "CORRECT")


class References(Folders):
    def test_a_form_of_the_device_judges(self) -> None:
        code, file, text = run_campaign("references", self.path("out"), "--short", "--fake", FAKE)
        self.assertEqual(code, 0, text)
        (row,) = unpack(file, self.path("references"))["references"]
        self.assertEqual((row["verdict"], row["outputs"]), ("CORRECT", 2))


class Throughput(Folders):
    def test_members_are_judged_again_with_warm_caches(self) -> None:
        code, file, text = run_campaign("throughput", self.path("out"), "--short", "--fake", FAKE)
        self.assertEqual(code, 0, text)
        shared, fresh = unpack(file, self.path("throughput"))["throughput"]
        self.assertEqual((shared["evaluations"], fresh["evaluations"]), (2, 2))
        self.assertIn("child.place", shared["milliseconds"])
        self.assertGreater(shared["per_second"], 0)
        self.assertGreater(shared["busy"], 0)


class Baselines(Folders):
    def test_a_library_and_what_is_not_installed(self) -> None:
        code, file, text = run_campaign("baselines", self.path("out"), "--short", "--fake", FAKE)
        self.assertEqual(code, 0, text)
        cold, graph, copy, missing = unpack(file, self.path("baselines"))["baselines"]
        self.assertEqual((copy["verdict"], copy["baseline"]), ("CORRECT", "copy"))
        self.assertLess(copy["ratio"]["median"], 1)  # of a simulated copy
        self.assertLessEqual(copy["ratio"]["low"], copy["ratio"]["median"])
        self.assertEqual((cold["protocol"], graph["protocol"]), ("cold-abba-v1", "rot-graph-v1"))
        self.assertEqual(cold["baseline_ns"], 5000)
        self.assertEqual(cold["library"]["proposals"], 4)
        self.assertIn(missing["verdict"], ("INFRA_TOOLCHAIN", "CORRECT"))  # as PyTorch is installed


class Events(Folders):
    def test_logs_are_equal_and_outputs_right(self) -> None:
        code, file, text = run_campaign("events", self.path("out"), "--short", "--fake", FAKE)
        self.assertEqual(code, 0, text)
        manifest = unpack(file, self.path("events"))
        rows = manifest["events_of"]
        self.assertEqual({row["name"] for row in rows},
                         {"copy_tma", "row_max", "prefix_sum_lookback", "copy_arrivals", "copy_dynamic", "copy_groups",
                          "copy_meetings"})
        self.assertGreater(len(rows), 6)  # members of families with rings
        for row in rows:
            self.assertTrue(row["good"], row)
            self.assertEqual(row["ended"], "compared", row)
            self.assertGreater(sum(case["records"] for case in row["cases"]), 0, row)
            for case in row["cases"]:
                self.assertEqual((case["launches"], case["mismatches"], case["missing"]), (2, 0, 0), case)
        self.assertEqual([row["tickets"] for row in rows if row["name"] == "prefix_sum_lookback"], [["scan"]])
        for name, outputs in manifest["outputs_of"].items():
            self.assertEqual(outputs["verdict"], "CORRECT", (name, outputs))
        self.assertEqual(len(manifest["outputs_of"]), 3)


class Mutants(Folders):
    def test_broken_programs_misbehave_and_right_ones_do_not(self) -> None:
        options = ("--short", "--fake", FAKE)
        code, first, text = run_campaign("mutants", self.path("first"), *options, "--parts", "right")
        self.assertEqual(code, 0, text)
        right = unpack(first, self.path("one"))["right_of"]
        self.assertEqual({row["device"] for row in right}, {"same"}, right)
        self.assertEqual({row["base"].split(":")[-1] for row in right}, {"copy_tma", "row_max", "softmax_cluster"})
        self.assertGreater(sum(row["delayed"] for row in right), 50)
        code, second, text = run_campaign("mutants", self.path("second"), first, *options)
        self.assertEqual(code, 0, text)
        manifest = unpack(second, self.path("two"))
        self.assertTrue(manifest["steps"]["right 0 of 1"]["earlier"])  # goes on where it was
        self.assertEqual(manifest["right_of"], right)
        rows = manifest["mutants_of"]
        seen = {row["device"] for row in rows}
        # What comes behind one that hangs or faults has a process of its own.
        self.assertLessEqual({"hang", "fault"}, seen, rows)
        self.assertTrue(seen & {"wrong", "varies"}, rows)
        self.assertNotIn("died", seen)
        for row in rows:
            self.assertEqual(row["known"], "broken", row)
            self.assertNotEqual(row["outcome"], "accepted", row)


class Evolve(Folders):
    def test_a_search_is_cut_goes_on_and_says_what_it_found(self) -> None:
        options = ("--short", "--fake", FAKE)
        code, first, text = run_campaign("evolve", self.path("first"), *options, "--seconds", "3")
        self.assertEqual(code, 4, text)
        code, second, text = run_campaign("evolve", self.path("second"), first, *options)
        self.assertEqual(code, 0, text)
        manifest = unpack(second, self.path("two"))
        family = manifest["families"]["rmsnorm"]
        self.assertEqual(family["source"], "ESTIMATED")  # a simulated device measures nothing
        self.assertEqual(family["lost"], [])
        for arm in family["arms"].values():
            self.assertEqual(arm["charged"], 4)
            self.assertEqual(arm["curve"], sorted(arm["curve"]))
            self.assertLessEqual(arm["best"], 1)
            self.assertIn("WARPS", arm["best_candidate"]["params"])
        self.assertTrue(family["lineage"])
        # Done families are not searched again.
        code, third, text = run_campaign("evolve", self.path("third"), second, *options)
        self.assertEqual(code, 0, text)
        self.assertEqual(unpack(third, self.path("three"))["families"], manifest["families"])


class SideBySide(Folders):
    """Steps that run at once: nothing that all of them use is made while they run, and no object is there in part."""

    def test_the_fakes_folder_is_there_before_any_step(self) -> None:
        os.makedirs(self.path("work"))
        with open(self.path("work", "MANIFEST"), "w", encoding="utf-8") as f:
            f.write("git none\nscript none\n")
        arguments = argparse.Namespace(work=self.path("work"), fake=FAKE, short=True, only="", parts="", seconds=10,
                                       evidence=self.path("evidence"), earlier=None)
        campaign = Campaign(arguments)
        before = dict(campaign.env)
        self.assertTrue(os.path.isdir(before["CAKE_FAKE_OBJECTS"]))
        found: list = []
        campaign.side_by_side(lambda _: found.append(campaign.worker_options()), list(range(12)))
        self.assertEqual(found, 12 * [found[0]])
        self.assertEqual(campaign.env, before)

    def test_an_object_that_is_there_is_whole(self) -> None:
        evidence = Evidence(self.path("evidence"), "none")
        data = os.urandom(1 << 20)
        name = evidence.keep(data)
        stop = threading.Event()

        def keep() -> None:
            while not stop.is_set():
                evidence.keep(data)

        writers = [threading.Thread(target=keep) for _ in range(2)]
        for writer in writers:
            writer.start()
        try:
            for _ in range(100):
                self.assertEqual(evidence.object(name), data)
        finally:
            stop.set()
            for writer in writers:
                writer.join()
        self.assertEqual(os.listdir(self.path("evidence", "objects")), [name])


class Hostile(Folders):
    """Files that are not what they should be: refused with a reason, and the store stays as it was."""

    def setUp(self) -> None:
        super().setUp()
        self.home = self.path("home")
        os.mkdir(self.home)
        self.daemon = Daemon(self.home).start()
        self.addCleanup(lambda: self.daemon.stop())
        self.cake = Cake(self.home)

    def evidence(self, name: str, campaign: str = "empty") -> Evidence:
        evidence = Evidence(self.path(name), campaign)
        evidence.keep(f"an object of {name}".encode())
        evidence.write()
        return evidence

    def seq(self) -> int:
        return self.cake.run("admin", "doctor", "--json").json()["event_seq"]

    def refused(self, path: str, why: str, code: int = 2) -> None:
        before = self.seq()
        result = self.cake.run("import", path)
        self.assertEqual(result.code, code, result)
        self.assertIn(why, result.err)
        self.assertEqual(len(result.err.strip().splitlines()), 1, result)
        self.assertEqual(self.seq(), before)

    def packed(self, name: str) -> str:
        path = self.path(name + ".tar.zst")
        self.evidence(name).pack(path)
        return path

    def tar(self, name: str, *words: str) -> str:
        path = self.path(name + ".tar.zst")
        with open(path, "wb") as out:
            packed = subprocess.run(["tar", "-C", self.path(name), *words, "-cf", "-", "."], stdout=subprocess.PIPE, check=True).stdout
            out.write(subprocess.run(["zstd", "-q", "-c"], input=packed, stdout=subprocess.PIPE, check=True).stdout)
        return path

    def test_a_good_one_is_taken(self) -> None:
        result = self.cake.run("import", self.packed("good"), "--json")
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.json()["runs"], [])

    def test_bytes_of_every_kind(self) -> None:
        good = self.packed("good")
        with open(good, "rb") as f:
            data = f.read()
        for name, changed in {"empty": b"", "text": b"hello\n", "half": data[:len(data) // 2], "short": data[:-4],
                              "longer": data + b"tail"}.items():
            path = self.path(name)
            with open(path, "wb") as f:
                f.write(changed)
            self.refused(path, "cut short" if name in ("empty", "half", "short") else "zstd")
        self.refused(self.path("missing"), "No such file")

    def test_members_that_may_not_be(self) -> None:
        for name, make, why in (
                ("link", lambda at: os.symlink("/etc/passwd", os.path.join(at, "objects", "0" * 64)), "no plain file"),
                ("other", lambda at: open(os.path.join(at, "run.sh"), "w").close(), "no part of an evidence file"),
                ("up", lambda at: open(os.path.join(at, "objects", "..x"), "w").close(), "no part of an evidence file"),
                ("lost", lambda at: os.unlink(os.path.join(at, "objects", os.listdir(os.path.join(at, "objects"))[0])), "is missing"),
                ("extra", self.extra, "not in the manifest"), ("bytes", self.other_bytes, "other bytes"),
                ("log", lambda at: self.append(os.path.join(at, "events.jsonl"), "{}\n"), "not the log"),
                ("no manifest", lambda at: os.unlink(os.path.join(at, "manifest.json")), "has no manifest.json"),
                ("broken", lambda at: self.append(os.path.join(at, "manifest.json"), "}"), "not a JSON object")):
            with self.subTest(name):
                self.evidence(name)
                make(self.path(name))
                self.refused(self.tar(name), why)

    @staticmethod
    def append(path: str, text: str) -> None:
        with open(path, "a", encoding="utf-8") as f:
            f.write(text)

    @staticmethod
    def extra(at: str) -> None:
        with open(os.path.join(at, "objects", sha256(b"extra")), "wb") as f:
            f.write(b"extra")

    @staticmethod
    def other_bytes(at: str) -> None:
        folder = os.path.join(at, "objects")
        with open(os.path.join(folder, os.listdir(folder)[0]), "wb") as f:
            f.write(b"other")

    def test_a_bomb_is_stopped(self) -> None:
        name = "bomb"
        self.evidence(name)
        with open(self.path(name, "objects", "0" * 64), "wb") as f:
            f.truncate(3 << 30)
        path = self.path("bomb.tar.zst")
        with open(path, "wb") as out:
            tar = subprocess.Popen(["tar", "-C", self.path(name), "-cf", "-", "."], stdout=subprocess.PIPE)
            subprocess.run(["zstd", "-q", "-1", "-c"], stdin=tar.stdout, stdout=out, check=True)
            tar.wait()
        self.refused(path, "at most")

    def test_the_log_is_judged_by_the_daemon(self) -> None:
        name = "judged"
        evidence = Evidence(self.path(name), "empty")
        with open(self.path(name, "events.jsonl"), "w", encoding="utf-8") as f:
            f.write(json.dumps({"seq": 1, "at_us": 1, "kind": "Nonsense", "schema": 1, "body": "{}"}) + "\n")
        evidence.write()
        path = self.path(name + ".tar.zst")
        evidence.pack(path)
        self.refused(path, "events.jsonl:1")

    def test_killed_in_the_middle_and_again(self) -> None:
        """With one failpoint armed the daemon dies before or after the commit; the same command then ends well."""
        for nth, point in enumerate(("server.import.before_commit", "server.import.after_commit", "store.commit.before")):
            with self.subTest(point):
                self.daemon.stop()
                file = self.packed(f"killed{nth}")
                os.environ["CAKE_FAILPOINTS"] = f"{point}=kill@1"
                try:
                    self.daemon = Daemon(self.home).start()
                finally:
                    del os.environ["CAKE_FAILPOINTS"]
                result = self.cake.run("import", file)
                self.assertEqual(result.code, 3, result)
                end = time.monotonic() + 30
                while self.daemon.process.poll() is None and time.monotonic() < end:
                    time.sleep(0.05)
                self.assertEqual(self.daemon.process.poll(), -signal.SIGKILL)
                self.daemon = Daemon(self.home).start()
                again = self.cake.run("import", file, "--json")
                self.assertEqual(again.code, 0, again)
                self.assertEqual(again.json()["already"], point == "server.import.after_commit")


if __name__ == "__main__":
    unittest.main(verbosity=2)
