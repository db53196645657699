"""A browser driven through chromedriver's WebDriver protocol (W3C), with the standard library only."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

CHROMIUM_FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    # Without these Chromium calls home at every start.
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1280,900",
]
START_ATTEMPTS = 3
START_SECONDS = 60


class Browser:
    """with Browser() as b: b.open(url); b.wait_for(script)"""

    def __init__(self) -> None:
        self.profile = tempfile.mkdtemp(prefix="cake-browser-")
        self.log_path = os.path.join(self.profile, "chromedriver.log")
        with open(self.log_path, "wb") as log:
            self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=log, stderr=subprocess.STDOUT)
        self.base = f"http://127.0.0.1:{self._port()}"
        self.session = ""
        options = {"binary": "/usr/bin/chromium", "args": CHROMIUM_FLAGS + [f"--user-data-dir={self.profile}/data"]}
        self.session = f"/session/{self._start(options)['sessionId']}"

    def _start(self, options: dict) -> dict:
        """A new session; on a busy machine a renderer may not come up in the driver's time, and the next one does."""
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}}
        for _ in range(START_ATTEMPTS - 1):
            try:
                return self._call("POST", "/session", wanted)
            except RuntimeError as error:
                if "session not created" not in str(error):
                    raise
                time.sleep(2)
        return self._call("POST", "/session", wanted)

    def _port(self) -> int:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            with open(self.log_path, encoding="utf-8", errors="replace") as f:
                text = f.read()
            if "started successfully on port " in text:
                return int(text.split("started successfully on port ")[1].split(".")[0])
            time.sleep(0.05)
        raise RuntimeError("chromedriver did not start: " + text)

    def _call(self, method: str, path: str, body: dict | None = None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from error

    def open(self, url: str) -> None:
        self._call("POST", self.session + "/url", {"url": url})

    def run(self, script: str):
        """The value of a script that ends in `return ...`."""
        return self._call("POST", self.session + "/execute/sync", {"script": script, "args": []})

    def wait_for(self, script: str, seconds: float = 60):
        """Runs the script until it returns something true; fails with the page's text."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.1)
        raise AssertionError(f"never true: {script}\npage: {self.run('return document.body.innerText')[:2000]}")

    def console_errors(self) -> list[str]:
        return [e["message"] for e in self._call("POST", self.session + "/se/log", {"type": "browser"}) if e["level"] == "SEVERE"]

    def screenshot(self, path: str) -> None:
        with open(path, "wb") as f:
            f.write(base64.b64decode(self._call("GET", self.session + "/screenshot")))

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_) -> None:
        try:
            if self.session:
                self._call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(30)
            shutil.rmtree(self.profile, ignore_errors=True)
