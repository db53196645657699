"""An evidence file: manifest.json, events.jsonl, objects/<sha256>, packed with tar and zstd.

`cake import` makes its runs part of a store; a later campaign given the file goes on where it ended.
"""
import hashlib
import json
import os
import sqlite3
import subprocess
import threading

SCHEMA = 1


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def zstd_command() -> str:
    """zstd, or the one that travels beside a bundle."""
    return os.environ.get("CAKE_ZSTD", "zstd")


def unpack(path: str, folder: str) -> dict:
    """Unpacks into a folder and gives the manifest; every object is what its name says."""
    os.makedirs(folder, exist_ok=True)
    packed = subprocess.run([zstd_command(), "-q", "-d", "-c", path], stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "-C", folder, "-xf", "-"], input=packed, check=True)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
        manifest = json.load(f)
    for entry in manifest.get("objects", []):
        with open(os.path.join(folder, "objects", entry["hash"]), "rb") as f:
            if sha256(f.read()) != entry["hash"]:
                raise ValueError(f"{path}: object {entry['hash']} is damaged")
    return manifest


class Evidence:
    """The folder that is packed in the end."""

    def __init__(self, folder: str, campaign: str) -> None:
        self.folder = folder
        self.manifest: dict = {"schema": SCHEMA, "campaign": campaign, "git": "", "script": "", "bundle_hash": "",
                               "driver": "none", "device": "none", "simulated": True, "steps": {}}
        self.kinds: dict[str, str] = {}
        os.makedirs(os.path.join(folder, "objects"), exist_ok=True)

    def keep(self, data: bytes, kind: str = "other") -> str:
        name = sha256(data)
        path = os.path.join(self.folder, "objects", name)
        # Steps run side by side: an object that is there is whole.
        part = f"{path}.{threading.get_ident()}"
        with open(part, "wb") as f:
            f.write(data)
        os.replace(part, path)
        self.kinds.setdefault(name, kind)
        return name

    def object(self, name: str) -> bytes:
        with open(os.path.join(self.folder, "objects", name), "rb") as f:
            return f.read()

    def take_from(self, folder: str, earlier: dict) -> None:
        """Keeps every object of an earlier file of the same campaign."""
        for entry in earlier.get("objects", []):
            with open(os.path.join(folder, "objects", entry["hash"]), "rb") as f:
                self.keep(f.read(), entry["kind"])

    def restore_store(self, home: str, earlier: dict) -> None:
        """The daemon's folder as it was when the earlier file was written."""
        if not earlier.get("store"):
            return
        os.makedirs(os.path.join(home, "objects"), exist_ok=True)
        with open(os.path.join(home, "cake.db"), "wb") as f:
            f.write(self.object(earlier["store"]))
        with sqlite3.connect(os.path.join(home, "cake.db")) as db:
            for (name,) in db.execute("select hash from object where bytes_inline is null"):
                os.makedirs(os.path.join(home, "objects", name[:2]), exist_ok=True)
                with open(os.path.join(home, "objects", name[:2], name[2:]), "wb") as f:
                    f.write(self.object(name))

    def export_store(self, home: str) -> None:
        """The log with every object of it, the devices, and a copy of the database to resume from."""
        lines = []
        path = os.path.join(home, "cake.db")
        if os.path.exists(path):
            copy = os.path.join(self.folder, "store.db")
            if os.path.exists(copy):
                os.unlink(copy)
            with sqlite3.connect(path) as db:
                db.execute("vacuum into ?", (copy,))
            with sqlite3.connect(copy) as db:
                lines = self._lines(db)
                self._objects(db, home)
                self._devices(db)
            with open(copy, "rb") as f:
                self.manifest["store"] = self.keep(f.read())
            os.unlink(copy)
        with open(os.path.join(self.folder, "events.jsonl"), "w", encoding="utf-8") as out:
            out.writelines(lines)

    @staticmethod
    def _lines(db: sqlite3.Connection) -> list[str]:
        rows = db.execute("select seq, at_us, run_id, kind, subject, schema, body from event order by seq")
        names = ("seq", "at_us", "run", "kind", "subject", "schema", "body")
        return [json.dumps(dict(zip(names, row))) + "\n" for row in rows]

    def _objects(self, db: sqlite3.Connection, home: str) -> None:
        for name, kind, inline in db.execute("select hash, kind, bytes_inline from object order by hash"):
            if inline is None:
                with open(os.path.join(home, "objects", name[:2], name[2:]), "rb") as f:
                    inline = f.read()
            self.kinds[self.keep(bytes(inline), kind)] = kind

    def _devices(self, db: sqlite3.Connection) -> None:
        """The GPU that served, real before simulated."""
        rows = db.execute("select name, uuid, driver, simulated from device order by simulated, arch = '', id").fetchall()
        if rows:
            name, uuid, driver, simulated = rows[0]
            self.manifest |= {"device": f"{name} {uuid}", "driver": driver or "none", "simulated": bool(simulated)}

    def write(self) -> None:
        """Completes the manifest: what it does not name is not part of the evidence."""
        events = os.path.join(self.folder, "events.jsonl")
        if not os.path.exists(events):
            with open(events, "w", encoding="utf-8"):
                pass
        with open(events, "rb") as f:
            self.manifest["events"] = sha256(f.read())
        folder = os.path.join(self.folder, "objects")
        self.manifest["objects"] = [
            {"hash": name, "kind": self.kinds.get(name, "other"), "size": os.path.getsize(os.path.join(folder, name))}
            for name in sorted(os.listdir(folder))]
        with open(os.path.join(self.folder, "manifest.json"), "w", encoding="utf-8") as f:
            json.dump(self.manifest, f, indent=1)

    def pack(self, path: str) -> None:
        with open(path + ".part", "wb") as out:
            tar = subprocess.Popen(["tar", "--format=ustar", "--sort=name", "-C", self.folder, "-cf", "-",
                                    "manifest.json", "events.jsonl", "objects"], stdout=subprocess.PIPE)
            subprocess.run([zstd_command(), "-q", "-19", "-c"], stdin=tar.stdout, stdout=out, check=True)
            tar.stdout.close()
            if tar.wait() != 0:
                raise RuntimeError("tar failed")
        os.rename(path + ".part", path)
