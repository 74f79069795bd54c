"""What the loopback Hub keeps: repositories, commits, blobs. Hashes are of what really arrived."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from dataclasses import dataclass, field

from tests.hub.accounts import Json

LFS_SUFFIXES = (".pt", ".pth", ".bin", ".onnx", ".safetensors", ".zip")
LFS_BYTES = 10_000_000


def git_blob_oid(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Blob:
    """Large content as it arrived: by LFS or by xet."""

    data: bytes
    sha256: str
    xet_hash: str | None = None

    @classmethod
    def of(cls, data: bytes, xet_hash: str | None = None) -> Blob:
        return cls(data, hashlib.sha256(data).hexdigest(), xet_hash)


@dataclass(frozen=True)
class Entry:
    """One file of a commit."""

    path: str
    data: bytes
    lfs: bool
    xet_hash: str | None = None

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def pointer(self) -> bytes:
        lines = ("version https://git-lfs.github.com/spec/v1", f"oid sha256:{self.sha256}")
        return "\n".join((*lines, f"size {len(self.data)}", "")).encode()

    @property
    def oid(self) -> str:
        return git_blob_oid(self.pointer if self.lfs else self.data)

    def listed(self) -> Json:
        document: Json = {
            "type": "file",
            "oid": self.oid,
            "size": len(self.data),
            "path": self.path,
        }
        if self.lfs:
            document["lfs"] = {
                "oid": self.sha256,
                "size": len(self.data),
                "pointerSize": len(self.pointer),
            }
        if self.xet_hash:
            document["xetHash"] = self.xet_hash
        return document


@dataclass(frozen=True)
class Commit:
    oid: str
    title: str
    entries: dict[str, Entry]


@dataclass
class Repo:
    name: str
    private: bool
    commits: list[Commit] = field(default_factory=list)

    @property
    def head(self) -> Commit:
        return self.commits[-1]

    def at(self, revision: str) -> Commit | None:
        if revision == "main":
            return self.head
        return next((c for c in self.commits if c.oid.startswith(revision)), None)

    def add(self, title: str, entries: dict[str, Entry]) -> Commit:
        parent = self.commits[-1].oid if self.commits else ""
        known = json.dumps([parent, title, len(self.commits), sorted(entries)])
        oid = hashlib.sha1(known.encode(), usedforsecurity=False).hexdigest()
        self.commits.append(Commit(oid, title, entries))
        return self.head


class Refused(Exception):
    """A request that the Hub answers with an error."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


class Store:
    """Repositories and blobs; every method may be called from any thread."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.repos: dict[str, Repo] = {}
        self.blobs: dict[str, Blob] = {}
        self.spoil: str | None = None  # "wrong" or "truncated": what arrives is stored so

    def create(self, name: str, private: bool) -> Repo:
        with self.lock:
            if name in self.repos:
                raise Refused(409, "You already created this model repo")
            repo = Repo(name, private)
            attributes = b"".join(
                f"*{suffix} filter=lfs diff=lfs merge=lfs -text\n".encode()
                for suffix in LFS_SUFFIXES
            )
            repo.add(
                "initial commit", {".gitattributes": Entry(".gitattributes", attributes, False)}
            )
            self.repos[name] = repo
            return repo

    def put(self, oid: str, data: bytes, xet_hash: str | None = None) -> None:
        """Keep data under the oid that the client named, whatever arrived."""
        if self.spoil == "wrong":
            data = bytes([data[0] ^ 1]) + data[1:]
        elif self.spoil == "truncated":
            data = data[: len(data) // 2]
        with self.lock:
            self.blobs[oid] = Blob.of(data, xet_hash)

    def upload_mode(self, path: str, size: int, sample: bytes) -> str:
        binary = b"\0" in sample
        large = size >= LFS_BYTES or path.endswith(LFS_SUFFIXES) or binary
        return "lfs" if large else "regular"

    def commit(self, repo: Repo, lines: list[Json]) -> Commit:
        """Add one commit from the lines of a commit request (NDJSON)."""
        with self.lock:
            entries = dict(repo.head.entries)
            title = ""
            for line in lines:
                value = line["value"]
                match line["key"]:
                    case "header":
                        title = value["summary"]
                    case "file":
                        data = base64.b64decode(value["content"])
                        entries[value["path"]] = Entry(value["path"], data, False)
                    case "lfsFile":
                        entries[value["path"]] = self._large(value)
                    case "deletedFile":
                        entries.pop(value["path"], None)
            if not title:
                raise Refused(400, "a commit needs a summary")
            return repo.add(title, entries)

    def _large(self, value: Json) -> Entry:
        blob = self.blobs.get(value["oid"])
        if blob is None:
            raise Refused(400, f"LFS pointer to a file that does not exist: {value['oid']}")
        if self.spoil is None and (blob.sha256 != value["oid"] or len(blob.data) != value["size"]):
            raise Refused(400, "the uploaded file is not what the commit says")
        return Entry(value["path"], blob.data, True, blob.xet_hash)
