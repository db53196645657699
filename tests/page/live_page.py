#!/usr/bin/env python3
"""The live page in a real browser against a real daemon: rows appear by themselves, a restart of the
daemon loses none and repeats none, text of others is shown as text.

usage: live_page.py BIN_FOLDER    (with caked and cake-remote)
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import webdriver

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "tests/corpus/vector_add/vector_add.cake")
ROWS = "return [...document.querySelectorAll('#candidates tbody tr')].map(r => r.dataset.id)"
MARKUP = "<img src=x onerror=\"document.title='taken'\"><b>bold</b>"


class Daemon:
    def __init__(self, binaries: str, folder: str) -> None:
        self.binaries, self.folder = binaries, folder
        self.process = None
        self.port = 0

    def start(self) -> str:
        arguments = [os.path.join(self.binaries, "caked"), "--data-dir", self.folder, "--disk-reserve-bytes", "0",
                     "--workloads", os.path.join(ROOT, "tests/corpus")]
        if self.port:  # the page is open on this one
            arguments += ["--http-port", str(self.port)]
        self.process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
        path = os.path.join(self.folder, "address.json")
        end = time.monotonic() + 120
        while time.monotonic() < end:
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    address = json.load(file)
                if address["pid"] == self.process.pid:
                    self.port = int(address["http"].rsplit(":", 1)[1])
                    return address["http"]
            time.sleep(0.1)
        raise AssertionError("the daemon does not start")

    def stop(self, how: int) -> None:
        self.process.send_signal(how)
        self.process.wait(60)

    def submit(self, intent: str) -> str:
        command = [os.path.join(self.binaries, "cake-remote"), "submit", PROGRAM, "--workload", "vector_add",
                   "--intent", intent, "--json", "--connect", "unix:" + os.path.join(self.folder, "caked.sock")]
        reply = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert reply.stdout, reply.stderr
        return json.loads(reply.stdout)["candidate"]


def rows_are(browser: webdriver.Browser, expected: set[str]) -> None:
    browser.wait_for(f"return document.querySelectorAll('#candidates tbody tr').length >= {len(expected)}", 120)
    found = browser.run(ROWS)
    assert len(found) == len(set(found)), f"repeated rows: {found}"
    assert set(found) == expected, f"{sorted(found)} is not {sorted(expected)}"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, webdriver.Browser() as browser:
        daemon = Daemon(sys.argv[1], folder)
        url = daemon.start()
        try:
            browser.open(url + "/")
            browser.wait_for("return document.querySelector('#connection').textContent == 'live'")
            names = {daemon.submit(MARKUP), daemon.submit("second")}
            rows_are(browser, names)
            assert browser.run("return document.title") == "Cake", "markup of an intent was executed"
            assert browser.run("return document.querySelectorAll('#candidates b, #candidates img').length") == 0
            text = browser.run("return document.querySelector('#candidates').innerText")
            assert "<b>bold</b>" in text, text
            daemon.stop(signal.SIGKILL)
            daemon.start()
            names.add(daemon.submit("after the restart"))
            rows_are(browser, names)
            assert "speedup" not in browser.run("return document.body.innerText").lower()
        finally:
            daemon.stop(signal.SIGTERM)
    print("live page: ok")


if __name__ == "__main__":
    main()
