"""The protocol of README.md, on PyTorch: requests come in, samples go out. Drivers only say what one call is."""
import json
import socket
import struct
import time

SPIN_CYCLES_LEAST = 100_000
CYCLES_PER_SECOND = 2_000_000_000  # of the fastest clock: a spin is rather too long than too short
WARM_UP = 3


class Missing(Exception):
    """What would be timed is not installed, or does not do what the contract asks for."""


def dtypes(torch) -> dict:
    return {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
            "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool}


def read_file(torch, path: str) -> dict:
    """The tensors of a safetensors file, on the device; scalars as numbers."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = bytearray(file.read())
    out = {}
    for name, of in header.items():
        if name == "__metadata__":
            continue
        kind, (begin, end) = dtypes(torch)[of["dtype"]], of["data_offsets"]
        if begin == end:
            out[name] = torch.empty(of["shape"], dtype=kind, device="cuda")
            continue
        tensor = torch.frombuffer(data, dtype=torch.uint8, count=end - begin, offset=begin).view(kind).reshape(of["shape"])
        out[name] = tensor.item() if not of["shape"] else tensor.cuda()
    return out


def write_file(torch, path: str, tensors: dict) -> None:
    names = {kind: name for name, kind in dtypes(torch).items()}
    header, parts, at = {}, [], 0
    for name, tensor in tensors.items():
        raw = tensor.detach().contiguous().cpu().reshape(-1).view(torch.uint8).numpy().tobytes()
        header[name] = {"dtype": names[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [at, at + len(raw)]}
        parts.append(raw)
        at += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


class Case:
    """One opened case: its inputs by image, and what a driver made of them."""

    def __init__(self, torch, driver, request: dict) -> None:
        self.torch, self.driver = torch, driver
        self.images, self.kept = [], []
        kinds = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "i32": torch.int32, "i8": torch.int8}
        for path in request["images"]:
            image = read_file(torch, path)
            for output in request["outputs"]:
                if output["name"] not in image:
                    image[output["name"]] = torch.empty(output["shape"], dtype=kinds[output["dtype"]], device="cuda")
            self.images.append(image)
            self.kept.append({name: image[name].clone() for name in request["changed"]})
        self.outputs = [output["name"] for output in request["outputs"]]
        self.flush = torch.empty(max(4, request["flush_bytes"]), dtype=torch.uint8, device="cuda")
        self.calls = [driver.prepare(torch, image, request) for image in self.images]
        for _ in range(WARM_UP):
            for call in self.calls:
                call()
        torch.cuda.synchronize()
        start = time.perf_counter()
        self.calls[0]()
        self.spin = int(SPIN_CYCLES_LEAST + 2 * CYCLES_PER_SECOND * (time.perf_counter() - start))
        torch.cuda.synchronize()

    def restore(self, image: int) -> None:
        for name, kept in self.kept[image].items():
            self.images[image][name].copy_(kept)

    def sample(self, image: int, cold: bool) -> float:
        torch = self.torch
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self.restore(image)
        if cold:
            self.flush.zero_()
        torch.cuda._sleep(self.spin)
        start.record()
        self.calls[image]()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e6

    def write(self, image: int, path: str) -> None:
        self.restore(image)
        result = self.calls[image]()
        self.torch.cuda.synchronize()
        given = result if isinstance(result, dict) else {self.outputs[0]: result}
        write_file(self.torch, path, {name: given.get(name, self.images[image][name]) for name in self.outputs})


def versions(torch, driver) -> dict:
    return {"torch": torch.__version__, "cuda": torch.version.cuda, **driver.versions()}


def answer(state: dict, driver, request: dict) -> dict:
    if request["op"] == "open":
        try:
            import torch
        except ImportError as absent:
            raise Missing(f"PyTorch is not installed: {absent}") from absent
        if not torch.cuda.is_available():
            raise Missing("PyTorch finds no CUDA device")
        driver.load()
        state["case"] = Case(torch, driver, request)
        return {"ok": True, "name": driver.NAME, "versions": versions(torch, driver), "comparable": driver.COMPARABLE}
    case = state.get("case")
    if case is None:
        raise ValueError("no case is open")
    if request["op"] == "sample":
        return {"ok": True, "ns": case.sample(request["image"], request["cold"])}
    if request["op"] == "outputs":
        case.write(request["image"], request["file"])
        return {"ok": True}
    raise ValueError(f"no request is called {request['op']}")


def serve(driver) -> None:
    state: dict = {}
    with socket.socket(fileno=3) as channel, channel.makefile("rw", encoding="utf-8") as lines:
        for line in lines:
            request = json.loads(line)
            if request["op"] == "close":
                return
            try:
                reply = answer(state, driver, request)
            except Missing as missing:
                reply = {"ok": False, "missing": str(missing)}
            except Exception as error:  # whatever a package raises is the answer
                reply = {"ok": False, "error": f"{type(error).__name__}: {error}"[:2000]}
            lines.write(json.dumps(reply) + "\n")
            lines.flush()
