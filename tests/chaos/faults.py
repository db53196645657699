"""What goes wrong in a chaos run: a link that loses replies, a disk that is full, a clock that jumps, processes that die or stand."""
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


class Clock:
    """The wall clock of the processes that preload jumping_clock."""

    def __init__(self, folder: str, library: str):
        self.path, self.library = os.path.join(folder, "clock"), library
        with open(self.path, "wb") as f:
            f.write(struct.pack("<q", 0))
        with open(self.path, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), 8)

    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": self.library, "CAKE_CLOCK_OFFSET": self.path}

    def jump(self, seconds: float) -> None:
        self.map[:] = struct.pack("<q", int(seconds * 1e9))


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


def draw(dice: random.Random, disk: bool) -> list[str]:
    """Of one candidate: at most two things, of which one at most loses a lease, so that no job is lost to chance three times."""
    losing = ["worker dies", "child dies", "worker stands"]
    harmless = ["daemon dies", "replies are lost", "clock jumps"] + (["disk is full"] if disk else [])
    out = [dice.choice(losing)] if dice.random() < 0.35 else []
    return out + ([dice.choice(harmless)] if dice.random() < 0.6 else [])
