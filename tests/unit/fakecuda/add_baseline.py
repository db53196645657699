"""A command baseline without a device: adds two vectors of f32, and says how long that would take.

usage: add_baseline.py right|wrong|missing|dies|else, with the socket of the protocol at descriptor 3
"""
import json
import platform
import socket
import struct
import sys


def read(path: str) -> dict:
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    return {name: struct.unpack(f"<{(of['data_offsets'][1] - of['data_offsets'][0]) // 4}f", data[slice(*of["data_offsets"])])
            for name, of in header.items() if of["dtype"] == "F32"}


def write(path: str, values: list) -> None:
    raw = struct.pack(f"<{len(values)}f", *values)
    header = json.dumps({"c": {"dtype": "F32", "shape": [len(values)], "data_offsets": [0, len(raw)]}}).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + raw)


def answer(how: str, images: list, request: dict) -> dict:
    if request["op"] == "open":
        if how == "missing":
            return {"ok": False, "missing": "adders are not installed"}
        images[:] = [read(path) for path in request["images"]]
        assert images[0]["a"] != images[1]["a"] and request["dims"] == {"N": len(images[0]["a"])}
        return {"ok": True, "name": "adds", "versions": {"python": platform.python_version()}, "comparable": how != "else"}
    if request["op"] == "sample":
        if how == "dies":
            sys.exit(3)
        return {"ok": True, "ns": 9000 if request["cold"] else 8000}
    image = images[request["image"]]
    write(request["file"], [a + b + (how == "wrong") for a, b in zip(image["a"], image["b"])])
    return {"ok": True}


def main() -> None:
    images: list = []
    with socket.socket(fileno=3) as channel, channel.makefile("rw") as lines:
        for line in lines:
            request = json.loads(line)
            if request["op"] == "close":
                return
            lines.write(json.dumps(answer(sys.argv[1], images, request)) + "\n")
            lines.flush()


main()
