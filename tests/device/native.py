"""Launches a cubin by its plan (`cake build -o CUBIN --plan PLAN --dim ..`) in the CUDA context of PyTorch.

The same process can so time a library's kernel and ours in turn, on the same tensors. Only the driver is called,
through ctypes; PyTorch brings memory, streams and the baselines.
"""
import ctypes
import json
import struct

CU = ctypes.CDLL("libcuda.so.1")
MAP_TYPES = {"i16": 1, "u16": 1, "u32": 2, "i32": 3, "u64": 4, "i64": 5, "f16": 6, "f32": 7, "tf32": 7, "bf16": 9}  # CUtensorMapDataType; others: bytes
ELEMENT_BYTES = {"i8": 1, "u8": 1, "e4m3": 1, "e5m2": 1, "bool": 1, "f16": 2, "bf16": 2, "i16": 2, "u16": 2, "i64": 8, "u64": 8}  # others: 4
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}  # CUtensorMapSwizzle
COOPERATIVE, CLUSTER, SERIALIZATION = 2, 4, 6  # CUlaunchAttributeID
MAX_DYNAMIC_SHARED, NON_PORTABLE_CLUSTER = 8, 14  # CUfunction_attribute


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_ubyte * 64)]


class Config(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


def call(name: str, *arguments) -> None:
    result = getattr(CU, name)(*arguments)
    if result != 0:
        text = ctypes.c_char_p()
        CU.cuGetErrorString(result, ctypes.byref(text))
        raise RuntimeError(f"{name}: {result} {(text.value or b'').decode()}")


def tensor_map(plan: dict, address: int) -> ctypes.Array:
    """128 bytes aligned to 64, as the driver encodes them; the innermost dimension comes first there."""
    raw = ctypes.create_string_buffer(128 + 64)
    offset = -ctypes.addressof(raw) % 64
    made = (ctypes.c_char * 128).from_buffer(raw, offset)
    rank, element = len(plan["extents"]), ELEMENT_BYTES.get(plan["dtype"], 4)
    extents = (ctypes.c_uint64 * rank)(*reversed(plan["extents"]))
    strides = (ctypes.c_uint64 * max(1, rank - 1))(*[s * element for s in reversed(plan["strides"][:-1])])
    box = (ctypes.c_uint32 * rank)(*reversed(plan["box"]))
    ones = (ctypes.c_uint32 * rank)(*[1] * rank)
    call("cuTensorMapEncodeTiled", made, MAP_TYPES.get(plan["dtype"], 0), rank, ctypes.c_void_p(address), extents, strides, box, ones,
         0, SWIZZLES[plan["swizzle_bytes"]], 2, 0)
    return made


class Native:
    """One cubin with the plan of one launch, its tensors given by name as PyTorch tensors."""

    def __init__(self, cubin: bytes, plan: str, tensors: dict) -> None:
        self.plan = json.loads(plan)
        self.tensors = tensors
        self.module = ctypes.c_void_p()
        call("cuModuleLoadData", ctypes.byref(self.module), cubin)
        self.kernels = [(k, self.function(k)) for k in self.plan["kernels"] if not k["skipped"]]
        self.keep: list = []
        self.parameters = self.pack()

    def function(self, kernel: dict) -> ctypes.c_void_p:
        function = ctypes.c_void_p()
        call("cuModuleGetFunction", ctypes.byref(function), self.module, kernel["name"].encode())
        if kernel["shared_bytes"] > 48 * 1024:
            call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, kernel["shared_bytes"])
        if kernel["cluster"] > 8:
            call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER, 1)
        return function

    def pack(self) -> ctypes.Array:
        maps = {m["name"]: m for m in self.plan["tensor_maps"]}
        pointers = []
        for argument in self.plan["arguments"]:
            if argument["kind"] == "tensor_map":
                of = maps[argument["name"]]
                value = tensor_map(of, self.tensors[of["tensor"]].data_ptr()) if of["used"] else (ctypes.c_char * 128)()
            elif argument["kind"] == "symbol":
                width = argument["bytes"] // max(1, len(argument["elements"]))
                words = argument["elements"] or [argument["value"]]
                value = ctypes.create_string_buffer(b"".join(struct.pack("<q", w)[:width] for w in words))
            else:
                value = ctypes.c_uint64(self.tensors[argument["name"]].data_ptr())
            self.keep.append(value)
            pointers.append(ctypes.addressof(value))
        return (ctypes.c_void_p * len(pointers))(*pointers)

    def launch(self, stream: int) -> None:
        """Queues zero fills and kernels; `stream` as PyTorch's `cuda_stream`."""
        for tensor in self.plan["tensors"]:
            if tensor["zero"] and tensor["bytes"] > 0:
                call("cuMemsetD8Async", ctypes.c_uint64(self.tensors[tensor["name"]].data_ptr()), 0,
                     ctypes.c_size_t(tensor["bytes"]), ctypes.c_void_p(stream))
        for kernel, function in self.kernels:
            attributes = (Attribute * 3)()
            count = 0
            for wanted, which, value in ((kernel["cooperative"], COOPERATIVE, struct.pack("<i", 1)),
                                         (kernel["cluster"] > 1, CLUSTER, struct.pack("<III", kernel["cluster"], 1, 1)),
                                         (kernel["pdl"], SERIALIZATION, struct.pack("<i", 1))):
                if wanted:
                    attributes[count] = Attribute(which, b"", (ctypes.c_ubyte * 64)(*value))
                    count += 1
            config = Config((ctypes.c_uint * 3)(*kernel["grid"]), (ctypes.c_uint * 3)(kernel["block"], 1, 1), kernel["shared_bytes"],
                            stream, attributes, count)
            call("cuLaunchKernelEx", ctypes.byref(config), function, self.parameters, None)
