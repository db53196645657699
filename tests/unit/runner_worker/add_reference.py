"""c = a + b over safetensors files, as a contract's reference command: INPUTS OUTPUTS [FAULT]."""
import json
import struct
import sys

with open(sys.argv[1], "rb") as f:
    data = f.read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + length])


def values(name: str) -> list[float]:
    begin, end = header[name]["data_offsets"]
    return list(struct.unpack(f"<{(end - begin) // 4}f", data[8 + length + begin:8 + length + end]))


fault = sys.argv[3] if len(sys.argv) > 3 else ""
if fault == "fails":
    sys.exit("no such sum")
c = [x + y for x, y in zip(values("a"), values("b"))]
if fault == "short":
    c = c[1:]
text = json.dumps({"c": {"dtype": "F64", "shape": [len(c)], "data_offsets": [0, 8 * len(c)]}}).encode()
with open(sys.argv[2], "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text + struct.pack(f"<{len(c)}d", *c))
