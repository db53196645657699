#!/usr/bin/env python3
"""The first campaign on a GPU machine: does the bundle run, are the programs correct, how near to copy speed.

Writes manifest.json (machine, versions, every step's result) and events.jsonl plus objects of the store.
Records what is absent as absent. Exits 1 if a step that this machine can do failed.
"""
import argparse
import ctypes
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import time

STEP_SECONDS = 240


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
    def __init__(self, work: str, evidence: str):
        self.work, self.evidence = work, evidence
        self.env = dict(os.environ)
        self.manifest: dict = {"campaign": "smoke", "steps": {}}
        self.failed: list[str] = []
        os.makedirs(os.path.join(evidence, "objects"), exist_ok=True)

    def keep(self, data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        with open(os.path.join(self.evidence, "objects", name), "wb") as f:
            f.write(data)
        return name

    def step(self, name: str, *command: str, fatal: bool = True) -> dict:
        start = time.perf_counter()
        try:
            done = subprocess.run(command, cwd=self.work, env=self.env, capture_output=True, text=True, timeout=STEP_SECONDS, check=False)
            code, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            code, out, err = 124, str(late.stdout or ""), f"over {STEP_SECONDS} s"
        entry = {"command": command, "exit_code": code, "seconds": round(time.perf_counter() - start, 3),
                 "stdout": self.keep(out.encode()), "stderr_tail": err[-2000:]}
        self.manifest["steps"][name] = entry
        if code != 0 and fatal:
            self.failed.append(f"{name}: exit {code}: {(err or out)[-500:]}")
        print(f"{name}: exit {code} in {entry['seconds']} s", flush=True)
        if err:
            print("  " + err[-600:].replace("\n", "\n  "), flush=True)
        try:
            return json.loads(out)
        except ValueError:
            return {}

    def machine(self) -> None:
        with open(os.path.join(self.work, "MANIFEST"), encoding="utf-8") as f:
            self.manifest["bundle"] = f.read().split("\n", 2)[:2]
        query = "name,uuid,driver_version,clocks.sm,clocks.mem,temperature.gpu,power.draw,power.limit,ecc.mode.current"
        self.manifest["machine"] = {
            "gpu": text_of(f"nvidia-smi --query-gpu={query} --format=csv,noheader"),
            "kernel": text_of("uname -sr"), "system": text_of("grep PRETTY_NAME /etc/os-release"), "cores": os.cpu_count(),
            "nvrtc": nvrtc_version(), "cupti": text_of("ldconfig -p | grep -m1 libcupti.so.1") or "absent",
            "bubblewrap_with_pid_net_ipc": works("bwrap --ro-bind / / --unshare-pid --unshare-net --unshare-ipc --unshare-uts true"),
            "user_namespaces": works("unshare -Ur true"), "seccomp_of_shell": text_of("grep Seccomp: /proc/self/status"),
            "uid": os.getuid(), "context": context_seconds()}
        print(json.dumps(self.manifest["machine"], indent=1), flush=True)

    def cubins(self) -> None:
        """The cubin built here against the one built without a GPU: equal where the NVRTC versions are."""
        path = os.path.join(self.work, "expected-cubins.json")
        expected = json.load(open(path, encoding="utf-8")) if os.path.exists(path) else {}
        results = {}
        for family in ("vector_add", "rmsnorm"):
            cubin = os.path.join(self.work, family + ".cubin")
            build = self.step(f"build {family}", "cake", "build", f"tests/corpus/{family}/{family}.cake", "--arch", "sm_90a",
                              "--cache", os.path.join(self.work, "cubin-cache"), "-o", cubin, "--json")
            if not os.path.exists(cubin):
                continue
            here = self.keep(open(cubin, "rb").read())
            there = expected.get(family, {})
            same_compiler = there.get("compiler") == build.get("compiler")
            results[family] = {"here": here, "expected": there.get("sha256"), "compiler_here": build.get("compiler"),
                               "compiler_there": there.get("compiler"),
                               "result": ("equal" if here == there.get("sha256") else "DIFFERENT") if same_compiler else "not comparable"}
            if results[family]["result"] == "DIFFERENT":
                self.failed.append(f"cubin of {family} differs")
        self.manifest["cubins"] = results
        print(json.dumps(results, indent=1), flush=True)

    def job(self, family: str) -> str:
        """One job file: the default member of a family against its contract, all cases."""
        folder = os.path.join(self.work, "tests/corpus", family)
        path = os.path.join(self.work, family + ".job.json")
        with open(os.path.join(folder, family + ".cake"), encoding="utf-8") as program, \
                open(os.path.join(folder, family + ".workload.textproto"), encoding="utf-8") as contract, \
                open(path, "w", encoding="utf-8") as out:
            json.dump({"schema": 1, "job": family, "source": program.read(), "file": family + ".cake",
                       "contract_text": contract.read(), "rounds": 64}, out)
        return path

    def programs(self) -> None:
        for family in ("vector_add", "rmsnorm"):
            objects = os.path.join(self.work, family + "-objects")
            out = os.path.join(self.work, family + ".result.json")
            self.step(f"run {family}", "cake-worker", "--device", "cuda", "--job", self.job(family), "--out", out, "--objects", objects)
            for name in os.listdir(objects) if os.path.isdir(objects) else []:
                with open(os.path.join(objects, name), "rb") as f:
                    self.keep(f.read())
            if not os.path.exists(out):
                continue
            with open(out, encoding="utf-8") as f:
                result = json.load(f)
            self.manifest.setdefault("runs", {})[family] = result
            print(f"  verdict {result.get('verdict')} {result.get('detail')} sandbox {result.get('sandbox')}", flush=True)
            for case in result.get("cases", []):
                print(f"  {case['name']} {case['tier']}: {case['verdict']} {case['detail']}", flush=True)
            for timing in result.get("timing") or []:
                mine, copy = timing["candidate"], timing["copy"]
                if mine and copy:
                    print(f"  {timing['case']}: {timing['protocol']}, clock {timing['clock']}: cold {mine['cold_ns']['median']:.0f} ns,"
                          f" copy of {timing['copy_bytes']:.0f} B {copy['cold_ns']['median']:.0f} ns,"
                          f" ratio to copy {copy['cold_ns']['median'] / mine['cold_ns']['median']:.3f}", flush=True)

    def evolve(self) -> None:
        home = self.env["CAKE_HOME"]
        os.makedirs(home, exist_ok=True)
        with open(os.path.join(self.evidence, "processes.log"), "wb") as log:
            daemon = subprocess.Popen(["caked", "--data-dir", home, "--workloads", "tests/corpus"], cwd=self.work, env=self.env, stdout=log, stderr=log)
            while not os.path.exists(os.path.join(home, "address.json")) and daemon.poll() is None:
                time.sleep(0.1)
            worker = subprocess.Popen(["cake-worker", "--device", "cuda", "--connect", f"unix:{home}/caked.sock", "--work-dir", home + "/worker"],
                                      cwd=self.work, env=self.env, stdout=log, stderr=log)
            try:
                self.wait_for_device(os.path.join(home, "cake.db"), worker)
                summary = self.step("evolve rmsnorm", "cake", "evolve", "rmsnorm", "--source", "tests/corpus/rmsnorm/rmsnorm.cake",
                                    "--experiment", "device-smoke", "--budget", "evals=8", "--seed", "1", "--json")
                self.manifest["evolve"] = summary
                print(json.dumps(summary, indent=1)[:2500], flush=True)
            finally:
                for process in (worker, daemon):
                    process.terminate()
                    try:
                        process.wait(30)
                    except subprocess.TimeoutExpired:
                        process.kill()

    def wait_for_device(self, database: str, worker: subprocess.Popen) -> None:
        """A run fixes its objective source when it is created, so the GPU has to be registered before."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if worker.poll() is not None:
                raise RuntimeError(f"the worker ended with {worker.returncode}")
            with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
                if db.execute("select count(*) from device where simulated = 0").fetchone()[0] > 0:
                    return
            time.sleep(0.2)
        raise RuntimeError("no device was registered within 60 s")

    def export(self) -> None:
        path = os.path.join(self.env["CAKE_HOME"], "cake.db")
        if not os.path.exists(path):
            return
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db, \
                open(os.path.join(self.evidence, "events.jsonl"), "w", encoding="utf-8") as out:
            for seq, at_us, run, kind, subject, schema, body in db.execute("select seq, at_us, run_id, kind, subject, schema, body from event order by seq"):
                out.write(json.dumps({"seq": seq, "at_us": at_us, "run": run, "kind": kind, "subject": subject, "schema": schema,
                                      "body": body if isinstance(body, str) else str(body)}) + "\n")

    def run(self) -> int:
        for part in (self.machine, self.cubins, self.programs, self.evolve, self.export):
            try:
                part()
            except Exception as error:  # the campaign records what broke and goes on
                self.failed.append(f"{part.__name__}: {error!r}")
                print(self.failed[-1], flush=True)
        self.manifest["failed"] = self.failed
        with open(os.path.join(self.evidence, "manifest.json"), "w", encoding="utf-8") as f:
            json.dump(self.manifest, f, indent=1)
        print(json.dumps({"failed": self.failed}, indent=1))
        return 1 if self.failed else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", required=True)
    parser.add_argument("--evidence", required=True)
    arguments = parser.parse_args()
    return Campaign(arguments.work, arguments.evidence).run()


sys.exit(main())
