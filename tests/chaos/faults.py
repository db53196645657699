"""What goes wrong in a chaos run: a device that hangs or loses its context, a link that loses replies, a disk that is full, a clock
that jumps, processes that die or stand."""
import json
import mmap
import os
import random
import select
import signal
import socket
import struct
import subprocess
import threading
import time


class Link(threading.Thread):
    """Between a worker and its daemon's socket. `cut` loses what is on its way: a request may have been carried out."""

    def __init__(self, path: str, target: str):
        super().__init__(daemon=True)
        self.path, self.target = path, target
        self.lock, self.open = threading.Lock(), []
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen(16)

    def run(self) -> None:
        while True:
            client, _ = self.server.accept()
            daemon = socket.socket(socket.AF_UNIX)
            try:
                daemon.connect(self.target)
            except OSError:
                client.close()
                continue
            with self.lock:
                self.open.append((client, daemon))
            threading.Thread(target=self.carry, args=(client, daemon), daemon=True).start()

    def carry(self, client: socket.socket, daemon: socket.socket) -> None:
        try:
            while True:
                for end in select.select([client, daemon], [], [])[0]:
                    data = end.recv(65536)
                    if not data:
                        return
                    (daemon if end is client else client).sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            client.close()
            daemon.close()

    def cut(self) -> int:
        with self.lock:
            ends, self.open = self.open, []
        for client, daemon in ends:
            for end in (client, daemon):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        return len(ends)


LATE = 40  # launches of a candidate: by then it is being timed
# Of the first attempt at a candidate; the second finds a device that is well.
DEVICE = {
    "device hangs": {"fault": "hang", "nth": 1},
    "device hangs while it times": {"fault": "hang", "nth": LATE},
    "context is lost": {"fault": "sticky", "code": 700, "nth": 1},
    "context is lost while it times": {"fault": "sticky", "code": 719, "nth": LATE},
}


class Device(threading.Thread):
    """Counts attempts for the simulated driver (tests/fakecuda/fault_plan.h) and hears what fires.

    What is armed happens to the next process that loads a program which nobody has loaded before: a candidate at its first attempt,
    never a baseline or a golden program. Each fault has an attempt number of its own; all others get a number that no rule names.
    """

    def __init__(self, folder: str):
        super().__init__(daemon=True)
        self.plan, self.state = os.path.join(folder, "plan.json"), os.path.join(folder, "state")
        with open(self.plan, "w", encoding="utf-8") as f:
            json.dump({"rules": [{"attempt": i + 1} | rule for i, rule in enumerate(DEVICE.values())]}, f)
        os.mkdir(self.state)
        self.lock, self.known, self.armed, self.suffers, self.fired = threading.Lock(), set(), "", {}, []
        self.loaded = threading.Event()  # a program that was not known
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(os.path.join(self.state, "counter"))
        os.chmod(self.state, 0o777)
        os.chmod(os.path.join(self.state, "counter"), 0o777)
        self.server.listen(16)

    def environment(self) -> dict[str, str]:
        return {"CAKE_FAKE_PLAN": self.plan, "CAKE_FAKE_STATE": self.state}

    def arm(self, what: str) -> None:
        with self.lock:
            self.armed = what
        self.loaded.clear()

    def run(self) -> None:
        while True:
            client, _ = self.server.accept()
            try:
                with client, client.makefile("rw", encoding="utf-8") as stream:
                    what, program = stream.readline().rstrip("\n").split(" ", 1)
                    stream.write(self.answer(what, program))
            except (OSError, ValueError):
                pass  # who asks may be killed

    def answer(self, what: str, program: str) -> str:
        with self.lock:
            if what == "fired":
                self.fired.append(self.suffers[program])
                return ""
            new = len(program) == 64 and program not in self.known
            self.known.add(program)
            if new:
                self.loaded.set()
            if not new or not self.armed:
                return str(len(DEVICE) + 1)
            self.suffers[program], self.armed = self.armed, ""
            return str(list(DEVICE).index(self.suffers[program]) + 1)


class Clock:
    """The wall clock of the processes that preload jumping_clock."""

    def __init__(self, folder: str, library: str):
        self.path, self.library, self.offset = os.path.join(folder, "clock"), library, 0
        with open(self.path, "wb") as f:
            f.write(struct.pack("<q", 0))
        with open(self.path, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), 8)

    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": self.library, "CAKE_CLOCK_OFFSET": self.path}

    def jump(self, offset: int) -> None:
        """To so many seconds beside the true time."""
        self.offset = offset
        self.map[:] = struct.pack("<q", offset * 10**9)


class Disk:
    """A small file system of its own, where that may be mounted; it can be full."""

    def __init__(self, path: str):
        self.path = path
        self.mounted = os.geteuid() == 0 and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=192m", "tmpfs", path], capture_output=True).returncode == 0

    def fill(self, seconds: float) -> None:
        filler = os.path.join(self.path, "filler")
        try:
            with open(filler, "wb") as f:
                while True:
                    f.write(bytes(1 << 20))
                    f.flush()
        except OSError:
            pass
        time.sleep(seconds)
        os.unlink(filler)

    def release(self) -> None:
        if self.mounted:
            subprocess.run(["umount", "-l", self.path], check=False)


def stand(pids: list[int], seconds: float) -> None:
    """They do nothing for a while, and go on as if it had not been."""
    for signal_number, pause in ((signal.SIGSTOP, seconds), (signal.SIGCONT, 0)):
        for pid in pids:
            try:
                os.kill(pid, signal_number)
            except ProcessLookupError:
                pass
        time.sleep(pause)


LOSING = ("worker dies", "child dies", "worker stands")
HARMLESS = ("daemon dies", "replies are lost", "clock jumps", "disk is full")


def draw(dice: random.Random) -> list[str]:
    """Of one candidate: at most one of each list, so that no job is lost to chance three times."""
    out = [dice.choice(list(DEVICE))] if dice.random() < 0.35 else []
    out += [dice.choice(LOSING)] if dice.random() < 0.35 else []
    return out + ([dice.choice(HARMLESS)] if dice.random() < 0.6 else [])


def each() -> list[list[str]]:
    """Everything once: what is harmless while the device has a fault, for then it is the longer attempt that meets it."""
    return [list(pair) for pair in zip(DEVICE, HARMLESS)] + [[what] for what in LOSING]
