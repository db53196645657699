"""Running the command line as a user does: arguments in, exit code, output and the next command out."""
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("CAKE_BIN", os.path.join(ROOT, "build", "release", "bin"))
FAKE = os.environ.get("CAKE_FAKE", os.path.join(os.path.dirname(BIN), "fakecuda"))
CORPUS = os.path.join(ROOT, "tests", "corpus")
FAMILIES = {name: os.path.join(CORPUS, name, name + ".cake") for name in ("vector_add", "rmsnorm", "row_max")}
# Not a time that anything is expected to take: what has not ended by then hangs.
GUARD_SECONDS = 30


class Result:
    def __init__(self, words: list[str], code: int, out: bytes, err: bytes) -> None:
        self.words, self.code, self.raw_out = words, code, out
        self.out, self.err = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.raw_out.decode())

    def next(self) -> str:
        """The closing command, from stderr where stdout is the product itself."""
        for text in (self.out, self.err):
            lines = text.splitlines()
            if lines and lines[-1].startswith("next: "):
                return lines[-1][len("next: "):]
        return ""

    def __str__(self) -> str:
        return f"{shlex.join(self.words)}\nexit {self.code}\n{self.out[-3000:]}\n{self.err[-2000:]}"


class Cake:
    """`cake` in a folder of its own, with its data below it."""

    def __init__(self, home: str, cwd: str = ROOT) -> None:
        self.home, self.cwd = home, cwd

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("CAKE_", "NO_COLOR"))}
        return kept | {"CAKE_HOME": self.home, "PATH": BIN + ":" + os.environ["PATH"], "TERM": "xterm"}

    def run(self, *words: str, stdin: bytes = b"", seconds: float = GUARD_SECONDS) -> Result:
        done = subprocess.run([os.path.join(BIN, "cake"), *words], input=stdin, capture_output=True,
                              cwd=self.cwd, env=self.environment(), timeout=seconds)
        return Result(["cake", *words], done.returncode, done.stdout, done.stderr)

    def run_line(self, line: str, stdin: bytes = b"", seconds: float = GUARD_SECONDS) -> Result:
        """A command as it was printed."""
        words = shlex.split(line)
        assert words[0] == "cake", line
        return self.run(*words[1:], stdin=stdin, seconds=seconds)


class Folder:
    """A temporary folder; with it as a context its name."""

    def __enter__(self) -> str:
        self.path = tempfile.mkdtemp(prefix="cake-test-")
        return self.path

    def __exit__(self, *_) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


class Daemon:
    """A caked and, where asked for, a worker of this machine, in one folder."""

    def __init__(self, home: str, workloads: str = CORPUS, http_port: int = 0) -> None:
        self.home, self.workloads, self.http_port = home, workloads, http_port
        self.process: subprocess.Popen | None = None
        self.worker: subprocess.Popen | None = None

    def arguments(self) -> list[str]:
        return [os.path.join(BIN, "caked"), "--data-dir", self.home, "--workloads", self.workloads, "--port", "0",
                "--http-port", str(self.http_port), "--disk-reserve-bytes", "1048576"]

    def start(self) -> "Daemon":
        address = os.path.join(self.home, "address.json")
        if os.path.exists(address):
            os.unlink(address)
        with open(os.path.join(self.home, "caked.log"), "ab") as log:
            self.process = subprocess.Popen(self.arguments(), stdout=log, stderr=log)
        end = time.monotonic() + GUARD_SECONDS
        while not os.path.exists(address):
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError("caked did not start:\n" + self.log_text())
            time.sleep(0.02)
        with open(address, encoding="utf-8") as f:
            self.address = json.load(f)
        return self

    def start_worker(self) -> None:
        with open(os.path.join(self.home, "worker.log"), "ab") as log:
            self.worker = subprocess.Popen(
                [os.path.join(BIN, "cake-worker"), "--device", "cpu", "--connect", "unix:" + self.address["unix"],
                 "--work-dir", os.path.join(self.home, "worker")], stdout=log, stderr=log)

    def start_fake(self, work: str, **environment: str) -> None:
        """A worker of the simulated GPU. `work`: a folder near the root, which the children of a root worker see too."""
        for path in (work, os.path.join(work, "programs")):
            os.makedirs(path, exist_ok=True)
            os.chmod(path, 0o777)
        with open(os.path.join(self.home, "worker.log"), "ab") as log:
            self.worker = subprocess.Popen(
                [os.path.join(BIN, "cake-worker"), "--device", "cuda", "--connect", "unix:" + self.address["unix"], "--work-dir", work,
                 "--libcuda", f"{FAKE}/libcuda.so.1", "--libnvrtc", f"{FAKE}/libnvrtc.so.13", "--libcupti", f"{FAKE}/libcupti.so.13",
                 "--direct-sandbox-min", "L1"], stdout=log, stderr=log,
                env=dict(os.environ, CAKE_FAKE_OBJECTS=os.path.join(work, "programs"), **environment))
        self.wait_for_worker()

    def wait_for_worker(self) -> None:
        for _ in range(2400):
            with open(os.path.join(self.home, "worker.log"), encoding="utf-8") as log:
                text = log.read()
            if "registered as" in text:
                return
            if self.worker.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError("the worker did not register: " + text)

    def log_text(self) -> str:
        with open(os.path.join(self.home, "caked.log"), encoding="utf-8", errors="replace") as f:
            return f.read()[-3000:]

    def stop(self) -> int:
        """SIGTERM and the exit code."""
        code = 0
        for process in (self.worker, self.process):
            if process is not None and process.poll() is None:
                process.terminate()
        for process in (self.worker, self.process):
            if process is not None:
                code = process.wait(GUARD_SECONDS)
        self.worker = self.process = None
        return code


class CliTest(unittest.TestCase):
    """A folder and a home of its own for each test."""

    def setUp(self) -> None:
        folder = Folder()
        self.folder = folder.__enter__()
        self.addCleanup(folder.__exit__)
        self.cake = Cake(os.path.join(self.folder, "home"))

    def write(self, name: str, text: str | bytes) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(text.encode() if isinstance(text, str) else text)
        return path

    def expect(self, result: Result, code: int) -> Result:
        self.assertEqual(result.code, code, result)
        return result
