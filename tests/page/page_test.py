#!/usr/bin/env python3
"""The live page in a real browser against a real daemon. Screenshots land in CAKE_SCREENSHOTS."""
import concurrent.futures
import http.client
import os
import shutil
import signal
import sys
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "cli")]

from support import CORPUS, GUARD_SECONDS, Cake, Daemon, Folder  # noqa: E402
from programs import WRONG  # noqa: E402
from webdriver import Browser  # noqa: E402

VECTOR_ADD = os.path.join(CORPUS, "vector_add", "vector_add.cake")
MARKUP = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script><b>bold</b>"
REORDERED = "a\u202egnp.exe\u2066b\x1b[31m"
ROWS = "return [...document.querySelectorAll('#candidates tbody tr')].map(r => r.dataset.id)"
PATIENCE_SECONDS = 120
MANY = 600  # more than the daemon's 500 rows a page and the 200 that are shown at first


def text_of(candidate: str, column: int) -> str:
    return (f"return (document.querySelector(\"#candidates tr[data-id='{candidate}']\") || {{cells: []}})"
            f".cells[{column}]?.textContent")


@unittest.skipUnless(shutil.which("chromedriver") and os.path.exists("/usr/bin/chromium"), "chromium and chromium-driver are not installed")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = Folder()
        cls.folder = folder.__enter__()
        cls.addClassCleanup(folder.__exit__)
        cls.home = os.path.join(cls.folder, "home")
        os.mkdir(cls.home)
        cls.daemon = Daemon(cls.home)
        cls.addClassCleanup(lambda: cls.daemon.stop())
        cls.url = cls.daemon.start().address["http"]
        cls.daemon.http_port = int(cls.url.rsplit(":", 1)[1])  # after a restart the page is there again
        cls.daemon.start_worker()
        cls.cake = Cake(cls.home)
        cls.browser = cls.enterClassContext(Browser())
        cls.browser.open(cls.url + "/")
        cls.browser.wait_for("return document.querySelector('#connection').textContent == 'live'", PATIENCE_SECONDS)
        # Gone if the page were loaded again.
        cls.browser.run("window.loadedOnce = true; return 1")

    def submit(self, *words: str, code: int = 0, path: str = VECTOR_ADD) -> str:
        result = self.cake.run("submit", path, "--workload", "vector_add", "--json", *words, seconds=PATIENCE_SECONDS)
        self.assertEqual(result.code, code, result)
        return result.json()["candidate"]

    def wait_for(self, script: str) -> None:
        self.browser.wait_for(script, PATIENCE_SECONDS)

    def screenshot(self, name: str) -> None:
        folder = os.environ.get("CAKE_SCREENSHOTS")
        if folder:
            os.makedirs(folder, exist_ok=True)
            self.browser.screenshot(os.path.join(folder, name + ".png"))

    def tearDown(self) -> None:
        self.assertTrue(self.browser.run("return window.loadedOnce === true"), "the page was loaded again")
        self.assertEqual(self.browser.run("return document.title"), "Cake")

    def test_1_loads_from_the_daemon_alone(self) -> None:
        self.assertEqual(self.browser.console_errors(), [])
        resources = self.browser.run("return performance.getEntriesByType('resource').map(r => r.name)")
        self.assertGreaterEqual(len(resources), 3)
        self.assertEqual([r for r in resources if not r.startswith(self.url + "/")], [])
        self.assertFalse(self.browser.run("return document.querySelector('#runs-empty').hidden"))

    def test_1_answers_to_loopback_names_only(self) -> None:
        for host, status in (("localhost", 200), ("[::1]:7421", 200), ("evil.example", 421), ("127.0.0.1.evil.example:7421", 421)):
            connection = http.client.HTTPConnection("127.0.0.1", self.daemon.http_port, timeout=GUARD_SECONDS)
            connection.request("GET", "/api/runs", headers={"Host": host})
            self.assertEqual(connection.getresponse().status, status, host)
            connection.close()

    def test_2_a_candidate_and_its_verdict_appear_by_themselves(self) -> None:
        candidate = self.submit("--param", "WARPS=4", "--param", "V=4", "--param", "REPEAT=1", "--intent", "four warps")
        self.wait_for(text_of(candidate, 1) + " == 'CORRECT'")
        self.assertEqual(self.browser.run(text_of(candidate, 8)), "four warps")
        self.wait_for("return document.querySelector('#runs tbody').innerText.includes('c-1-1')")
        best = self.browser.run("return document.querySelector('#runs tbody').innerText")
        self.assertRegex(best, r"ESTIMATED\s+predicted")
        self.assertRegex(best, r"REPEAT=1 V=4 WARPS=4")
        self.assertNotIn("speedup", self.browser.run("return document.body.innerText").lower())
        self.screenshot("best")

    def test_3_a_rejection_is_shown_with_its_line_and_fix(self) -> None:
        wrong = next(w for w in WRONG if w.name == "ragged_tail")
        path = os.path.join(self.folder, "wrong.cake")
        with open(path, "w", encoding="utf-8") as f:
            f.write(wrong.source)
        candidate = self.submit(path=path, code=1)
        self.wait_for(text_of(candidate, 1) + f" == '{wrong.verdict}'")
        self.browser.run(f"document.querySelector(\"#candidates tr[data-id='{candidate}']\").click(); return 1")
        self.wait_for(f"return document.querySelector('#detail-title').textContent.startsWith('{candidate}')")
        shown = self.browser.run("return document.querySelector('#detail').innerText")
        for text in (wrong.verdict, f"{wrong.code}, line {wrong.line}", "fix: store only where", "cake history " + candidate):
            self.assertIn(text, shown)
        self.screenshot("rejected")

    def test_4_text_of_others_is_text(self) -> None:
        candidate = self.submit("--intent", MARKUP, "--param", "V=1")
        other = self.submit("--intent", REORDERED, "--param", "V=2")
        self.wait_for(text_of(other, 8))
        self.wait_for(text_of(candidate, 8))
        self.assertEqual(self.browser.run(text_of(candidate, 8)), MARKUP)
        self.assertEqual(self.browser.run(text_of(other, 8)), r"a\u202egnp.exe\u2066b\u001b[31m")
        self.assertEqual(self.browser.run("return document.querySelectorAll('td img, td script, td b').length"), 0)

    def test_5_a_restart_loses_and_repeats_no_row(self) -> None:
        before = set(self.browser.run(ROWS))
        self.daemon.process.send_signal(signal.SIGKILL)
        self.daemon.process.wait(GUARD_SECONDS)
        self.wait_for("return document.querySelector('#connection').textContent != 'live'")
        self.daemon.start()
        expected = before | {self.submit("--intent", "after the restart", "--param", f"WARPS={warps}", "--param", "V=1")
                             for warps in (2, 4, 8)}
        self.wait_for(f"return document.querySelectorAll('#candidates tbody tr').length >= {len(expected)}")
        rows = self.browser.run(ROWS)
        self.assertEqual(len(rows), len(set(rows)))
        self.assertEqual(set(rows), expected)
        self.wait_for("return document.querySelector('#connection').textContent == 'live'")

    def test_6_filters(self) -> None:
        rows = self.browser.run(ROWS)
        choose = "const s = document.querySelector('#verdict-filter'); s.value = '{}'; s.dispatchEvent(new Event('change')); " + ROWS
        rejected = self.browser.run(choose.format("REJECTED_SAFETY"))
        self.assertTrue(0 < len(rejected) < len(rows))
        self.assertEqual(self.browser.run(choose.format("")), rows)


    def submit_until_acknowledged(self, number: int) -> str:
        path = os.path.join(self.folder, f"many{number}.cake")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"program p{number} target sm_80\n")
        words = ["submit", path, "--workload", "vector_add", "--wait", "ack", "--json", "--request-id", f"many-rows-{number}"]
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            result = self.cake.run(*words)
            if result.code == 0:
                return result.json()["candidate"]
            self.assertEqual(result.code, 3, result)  # the daemon is being killed or started
            time.sleep(0.1)
        raise AssertionError(result)

    def test_8_more_rows_than_a_page_and_a_kill_in_between(self) -> None:
        before = self.browser.run("return candidates.size")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            first = list(pool.map(self.submit_until_acknowledged, range(MANY // 2)))
            rest = pool.map(self.submit_until_acknowledged, range(MANY // 2, MANY))
            self.daemon.process.send_signal(signal.SIGKILL)
            self.daemon.process.wait(GUARD_SECONDS)
            self.daemon.start()
            names = set(first) | set(rest)
        self.assertEqual(len(names), MANY)
        self.wait_for(f"return candidates.size >= {before + MANY}")
        self.wait_for("return document.querySelector('#connection').textContent == 'live'")
        self.wait_for("return [...candidates.values()].every(c => bare(c.verdict))")
        self.assertEqual(self.browser.run("return candidates.size"), before + MANY)
        for _ in range((before + MANY) // 200):
            self.browser.run("document.querySelector('#more').click(); return 1")
        rows = self.browser.run(ROWS)
        self.assertEqual((len(rows), len(set(rows))), (before + MANY, before + MANY))
        self.assertLessEqual(names, set(rows))
        # Read from nothing, it is the same.
        self.browser.open(self.url + "/")
        self.wait_for(f"return document.querySelector('#count').textContent == '({before + MANY})'")
        self.browser.run("window.loadedOnce = true; return 1")


if __name__ == "__main__":
    unittest.main()
