"""What every campaign on a GPU machine shares: steps that are not run twice, a daemon with its worker, evidence.

A campaign that ran out of time, or was cut short, is continued by giving its evidence file again: finished steps
keep their results, the daemon's store goes on where it was.
"""
import argparse
import atexit
import ctypes
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from evidence import Evidence, unpack  # noqa: E402

STEP_SECONDS = 240
REGISTER_SECONDS = 60
SIDE_BY_SIDE = 6
FINE, FAILED, LEFT_OVER = 0, 1, 4


class OutOfTime(Exception):
    """The campaign's time is over, or somebody ended it."""


def text_of(command: str) -> str:
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=False)
    return (done.stdout + done.stderr).strip()


def works(command: str) -> bool:
    return subprocess.run(command, shell=True, capture_output=True, timeout=60, check=False).returncode == 0


def context_seconds() -> dict:
    """Wall seconds of cuInit and of creating and destroying contexts, in a process of its own."""
    code = (
        "import ctypes,time,json\n"
        "cu=ctypes.CDLL('libcuda.so.1'); o={}\n"
        "t=time.perf_counter(); cu.cuInit(0); o['init_s']=time.perf_counter()-t; o['create_s']=[]; o['destroy_s']=[]\n"
        "for i in range(5):\n"
        "  c=ctypes.c_void_p(); t=time.perf_counter(); r=cu.cuCtxCreate_v2(ctypes.byref(c),0,0); o['create_s'].append(time.perf_counter()-t)\n"
        "  t=time.perf_counter(); cu.cuCtxDestroy_v2(c); o['destroy_s'].append(time.perf_counter()-t)\n"
        "  assert r==0\n"
        "print(json.dumps(o))\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {"absent": done.stderr[-400:]}


def nvrtc_version() -> str:
    for name in ("libnvrtc.so.13", "libnvrtc.so.12"):
        try:
            major, minor = ctypes.c_int(), ctypes.c_int()
            ctypes.CDLL(name).nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
            return f"{major.value}.{minor.value} ({os.path.realpath(text_of('ldconfig -p | grep -m1 ' + name).split('=>')[-1].strip())})"
        except OSError:
            continue
    return "absent"


class Campaign:
    """Subclasses name the campaign and list its parts; each part runs steps."""
    NAME = ""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.work = arguments.work
        self.fake = arguments.fake
        self.short, self.only = arguments.short, arguments.only
        self.asked = [name for name in arguments.parts.split(",") if name]
        self.end = time.monotonic() + arguments.seconds
        self.env = dict(os.environ)
        self.workloads = "tests/corpus"  # of the daemon
        self.failed: list[str] = []
        self.left: list[str] = []
        self.evidence = Evidence(arguments.evidence, self.NAME)
        self.manifest = self.evidence.manifest
        self.bundle()
        if self.fake:
            self.make_fake_folder()
        self.earlier: dict = {}
        if arguments.earlier:
            self.resume(arguments.earlier)

    def parts(self) -> list:
        raise NotImplementedError

    def parts_asked_for(self) -> list:
        """The manifest names them where they are not all: what was not asked for is not missing."""
        parts = {part.__name__: part for part in self.parts()}
        unknown = sorted(set(self.asked) - set(parts))
        if unknown:
            raise SystemExit(f"campaign {self.NAME} has no part {' '.join(unknown)}; it has {' '.join(parts)}")
        if self.asked:
            self.manifest["parts"] = self.asked
        return [part for name, part in parts.items() if not self.asked or name in self.asked]

    def bundle(self) -> None:
        with open(os.path.join(self.work, "MANIFEST"), encoding="utf-8") as f:
            lines = f.read().split("\n", 2)[:2]
        self.manifest["bundle"] = lines
        self.manifest["git"] = lines[0].removeprefix("git ")
        self.manifest["script"] = lines[1].removeprefix("script ")
        self.manifest["bundle_hash"] = os.environ.get("CAKE_BUNDLE_HASH", "")

    def resume(self, path: str) -> None:
        folder = os.path.join(self.work, "earlier")
        self.earlier = unpack(path, folder)
        if self.earlier["campaign"] != self.NAME:
            raise SystemExit(f"{path} is of campaign {self.earlier['campaign']}, not of {self.NAME}")
        if self.earlier["script"] != self.manifest["script"]:
            raise SystemExit(f"{path} was written by other scripts: a campaign goes on with the ones that it began with")
        self.evidence.take_from(folder, self.earlier)
        self.evidence.restore_store(self.env["CAKE_HOME"], self.earlier)
        for name, step in self.earlier["steps"].items():
            if step["exit_code"] == 0:
                self.manifest["steps"][name] = step | {"earlier": True}

    def done_before(self, name: str) -> bool:
        return name in self.manifest["steps"] and self.manifest["steps"][name].get("earlier", False)

    def wanted(self, name: str) -> bool:
        return any(text in name for text in self.only.split(","))

    def seconds_left(self) -> float:
        return self.end - time.monotonic()

    def step(self, name: str, *command: str, fatal: bool = True, seconds: float = STEP_SECONDS) -> dict:
        """One command, or what it gave when it was run before; what it printed as JSON, if it did. A step that may take
        as long as there is time ("seconds" infinite) is never failed by it, but left for the next time."""
        if self.done_before(name):
            print(f"{name}: done before", flush=True)
            return self.json_of(self.evidence.object(self.manifest["steps"][name]["stdout"]).decode())
        limit = min(seconds, self.seconds_left())
        if limit <= 0:
            raise OutOfTime(name)
        start = time.perf_counter()
        cut = False
        try:
            done = subprocess.run(command, cwd=self.work, env=self.env, capture_output=True, text=True, timeout=limit, check=False)
            code, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            code, out, err = 124, str(late.stdout or ""), f"over {limit:.0f} s"
            cut = limit < seconds
        self.manifest["steps"][name] = {
            "command": command, "exit_code": code, "seconds": round(time.perf_counter() - start, 3),
            "stdout": self.evidence.keep(out.encode()), "stderr_tail": err[-2000:]}
        if cut:
            raise OutOfTime(name)
        if code != 0 and fatal:
            self.failed.append(f"{name}: exit {code}: {(err or out)[-500:]}")
        print(f"{name}: exit {code} in {self.manifest['steps'][name]['seconds']} s", flush=True)
        if err:
            print("  " + err[-600:].replace("\n", "\n  "), flush=True)
        return self.json_of(out)

    def side_by_side(self, work, of: list, at_once: int = SIDE_BY_SIDE) -> None:
        """`work` of each, several at once: for steps that time nothing. What has not begun when time is over is left."""
        with ThreadPoolExecutor(at_once) as pool:
            futures = [pool.submit(work, one) for one in of]
            late = [future.exception() for future in futures if future.exception() is not None]
        if late:
            raise late[0]

    @staticmethod
    def json_of(out: str) -> dict:
        try:
            return json.loads(out)
        except ValueError:
            return {}

    def keep_file(self, step: str, name: str, path: str, kind: str = "other") -> str:
        """An output file of a step, kept with it so that a resumed campaign has it too."""
        files = self.manifest["steps"][step].setdefault("files", {})
        if name not in files and os.path.exists(path):
            with open(path, "rb") as f:
                files[name] = self.evidence.keep(f.read(), kind)
        return files.get(name, "")

    def machine(self) -> None:
        query = "name,uuid,driver_version,clocks.sm,clocks.mem,temperature.gpu,power.draw,power.limit,ecc.mode.current"
        self.manifest["machine"] = {
            "gpu": text_of(f"nvidia-smi --query-gpu={query} --format=csv,noheader"),
            "kernel": text_of("uname -sr"), "system": text_of("grep PRETTY_NAME /etc/os-release"), "cores": os.cpu_count(),
            "nvrtc": nvrtc_version(), "cupti": text_of("ldconfig -p | grep -m1 libcupti.so.1") or "absent",
            "bubblewrap_with_pid_net_ipc": works("bwrap --ro-bind / / --unshare-pid --unshare-net --unshare-ipc --unshare-uts true"),
            "user_namespaces": works("unshare -Ur true"), "seccomp_of_shell": text_of("grep Seccomp: /proc/self/status"),
            "uid": os.getuid(), "context": context_seconds()}
        if not self.fake:
            fields = self.manifest["machine"]["gpu"].split(", ")
            if len(fields) > 2:
                self.manifest |= {"device": f"{fields[0]} {fields[1]}", "driver": fields[2], "simulated": False}
        print(json.dumps(self.manifest["machine"], indent=1), flush=True)

    def make_fake_folder(self) -> None:
        """Before any step runs: steps that run side by side all name it."""
        # The children of a root worker are another user, and only see a folder of their own near the root.
        folder = tempfile.mkdtemp(prefix="cake-fake-", dir="/tmp")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        programs = os.path.join(folder, "programs")
        os.mkdir(programs)
        for path in (folder, programs):
            os.chmod(path, 0o777)
        self.env["CAKE_FAKE_OBJECTS"] = programs

    def worker_options(self) -> list[str]:
        """Which driver a worker opens: the machine's, or the fake one of the build."""
        if not self.fake:
            return ["--device", "cuda", "--work-dir", os.path.join(self.work, "worker")]
        folder = os.path.dirname(self.env["CAKE_FAKE_OBJECTS"])
        return ["--device", "cuda", "--work-dir", folder, "--libcuda", f"{self.fake}/libcuda.so.1", "--libnvrtc", f"{self.fake}/libnvrtc.so.13",
                "--libcupti", f"{self.fake}/libcupti.so.13"]

    def with_daemon(self, use) -> None:
        """Runs `use` while a daemon and a worker of this machine serve the campaign's store."""
        home = self.env["CAKE_HOME"]
        os.makedirs(home, exist_ok=True)
        log_path = os.path.join(self.work, "processes.log")
        with open(log_path, "ab") as log:
            processes = [subprocess.Popen(["caked", "--data-dir", home, "--workloads", self.workloads, "--port", "0", "--http-port", "0"],
                                          cwd=self.work, env=self.env, stdout=log, stderr=log)]
            try:
                while not os.path.exists(os.path.join(home, "address.json")) and processes[0].poll() is None:
                    time.sleep(0.1)
                processes.append(subprocess.Popen(
                    ["cake-worker", *self.worker_options(), "--connect", f"unix:{home}/caked.sock"],
                    cwd=self.work, env=self.env, stdout=log, stderr=log))
                self.wait_for_device(os.path.join(home, "cake.db"), processes[1])
                use()
            finally:
                for process in reversed(processes):
                    process.terminate()
                    try:
                        process.wait(30)
                    except subprocess.TimeoutExpired:
                        process.kill()
                        process.wait()
        with open(log_path, "rb") as log:
            self.manifest["log"] = self.evidence.keep(log.read(), "log")

    def wait_for_device(self, database: str, worker: subprocess.Popen) -> None:
        """A run fixes its objective source when it is created, so the GPU has to serve before."""
        end = time.monotonic() + REGISTER_SECONDS
        while time.monotonic() < end:
            if worker.poll() is not None:
                raise RuntimeError(f"the worker ended with {worker.returncode}")
            with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
                serving = "select count(*) from worker w join device d on d.id = w.device_id where w.state = 'SERVE' and d.simulated = ?"
                if db.execute(serving, (1 if self.fake else 0,)).fetchone()[0] > 0:
                    return
            time.sleep(0.2)
        raise RuntimeError(f"no device was registered within {REGISTER_SECONDS} s")

    def run(self) -> int:
        signal.signal(signal.SIGTERM, self.on_term)
        parts = self.parts_asked_for()
        names = [part.__name__ for part in parts]
        for i, part in enumerate(parts):
            try:
                part()
            except OutOfTime as late:
                self.left = names[i:]
                print(f"out of time at {late}; left: {' '.join(self.left)}", flush=True)
                break
            except Exception as error:  # the campaign records what broke and goes on
                self.failed.append(f"{part.__name__}: {error!r}")
                print(self.failed[-1], flush=True)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is known by now gets written
        self.evidence.export_store(self.env["CAKE_HOME"])
        self.manifest |= {"failed": self.failed, "left": self.left}
        self.evidence.write()
        print(json.dumps({"failed": self.failed, "left": self.left}, indent=1))
        return FAILED if self.failed else LEFT_OVER if self.left else FINE

    @staticmethod
    def on_term(*_) -> None:
        raise OutOfTime("the end that was asked for")


def main(campaign: type[Campaign]) -> int:
    parser = argparse.ArgumentParser(description=campaign.__doc__)
    parser.add_argument("--work", required=True, help="the unpacked bundle")
    parser.add_argument("--evidence", required=True, help="folder to make")
    parser.add_argument("--pack", help="evidence file to write in the end")
    parser.add_argument("--earlier", help="evidence file to go on from")
    parser.add_argument("--fake", help="folder of the fake driver's libraries, instead of the machine's own")
    parser.add_argument("--short", action="store_true", help="a small part of everything")
    parser.add_argument("--only", default="", help="only rows whose name holds this; what is left out is not recorded as done")
    parser.add_argument("--parts", default="", help="only these parts of the campaign, by their names: machine,outputs")
    parser.add_argument("--seconds", type=float, default=450)
    arguments = parser.parse_args()
    run = campaign(arguments)
    code = run.run()
    if arguments.pack:
        run.evidence.pack(arguments.pack)
    return code
