#!/usr/bin/env python3
"""`cake check` and the daemon's gates say the same, byte for byte, of every program that tests know."""
import glob
import json
import os
import socket
import struct
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import hostile  # noqa: E402
from programs import WRONG, WRONG_RESULT  # noqa: E402
from support import BIN, CORPUS, GUARD_SECONDS, ROOT, Cake, Folder  # noqa: E402

MARKER = b"//--- expected\n"
HEADER = struct.Struct("=IBB")  # payload bytes, type, descriptors
CHANNEL_FD = 3  # where a child of caked finds its end
REQUEST_FRAME = 1


class GateChild:
    """The process in which caked judges a candidate, spoken to as caked does."""

    def __enter__(self) -> "GateChild":
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(GUARD_SECONDS)
        fd = theirs.fileno()
        self.process = subprocess.Popen([os.path.join(BIN, "caked"), "--gate-child"], close_fds=False,
                                        preexec_fn=lambda: os.dup2(fd, CHANNEL_FD))
        theirs.close()
        return self

    def __exit__(self, *_) -> None:
        self.socket.close()
        self.process.wait(GUARD_SECONDS)

    def judge(self, source: bytes, file_name: str) -> str:
        """The report of the default binding."""
        request = json.dumps({
            "emit": False, "source": source.decode("latin-1"), "file_name": file_name, "contract_json": "", "narrow": [],
            "from": 0, "count": 1, "members_max": 4096, "sample_seed": 1, "binding_json": "", "cpu_limit_ms": 30_000}).encode()
        self.socket.sendall(HEADER.pack(len(request), REQUEST_FRAME, 0) + request)
        size = HEADER.unpack(self.read(HEADER.size))[0]
        return json.loads(self.read(size))["members"][0]["report_json"]

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            assert part, "the gate child ended"
            data += part
        return data


def sources() -> dict[str, bytes]:
    found = {f"wrong/{w.name}": w.source.encode() for w in WRONG}
    found["wrong/result"] = WRONG_RESULT.encode()
    found |= {f"hostile/{name}": source for name, (source, _) in hostile.REJECTED.items()
              if len(source) <= 256 * 1024}  # more is refused before anything is judged
    for path in glob.glob(f"{CORPUS}/**/*.cake", recursive=True) + glob.glob(f"{ROOT}/tests/golden/**/*.cake", recursive=True):
        with open(path, "rb") as f:
            found[os.path.relpath(path, ROOT)] = f.read().split(MARKER)[0]
    return found


class Equal(unittest.TestCase):
    def test_reports_are_equal(self) -> None:
        found = sources()
        self.assertGreater(len(found), 150)
        rejected = 0
        with Folder() as folder, GateChild() as child:
            cake, path = Cake(folder), os.path.join(folder, "k.cake")
            for name, source in found.items():
                with self.subTest(name):
                    with open(path, "wb") as f:
                        f.write(source)
                    result = cake.run("check", "--json", path)
                    self.assertEqual(result.out, child.judge(source, path) + "\n")
                    rejected += result.code
        self.assertGreater(rejected, 100)


if __name__ == "__main__":
    unittest.main()
