"""The pages of the loopback Hub's API: accounts, repositories, commits, listings."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from typing import TYPE_CHECKING

from tests.hub.accounts import Token
from tests.hub.large import LargeFiles
from tests.hub.store import Commit, Refused, Repo
from tests.hub.wire import Exchange, Route
from tests.hub.xet import Xet

if TYPE_CHECKING:
    from tests.hub.server import Hub

_REPO = r"/(?P<repo>[^/]+/[^/]+)"
_MODEL = rf"/api/models{_REPO}"


class Routes:
    """Which page answers which request."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        large, xet = LargeFiles(hub), Xet(hub)
        self._table: list[tuple[str, str, str, object]] = [
            ("GET", r"/api/whoami-v2", "whoami", self.whoami),
            ("POST", r"/api/repos/create", "create", self.create),
            ("POST", rf"{_MODEL}/preupload/(?P<rev>[^/]+)", "preupload", self.preupload),
            ("POST", rf"{_MODEL}/commit/(?P<rev>[^/]+)", "commit", self.commit),
            ("POST", rf"{_MODEL}/paths-info/(?P<rev>[^/]+)", "paths-info", self.paths_info),
            ("GET", rf"{_MODEL}/tree/(?P<rev>[^/]+)(?:/(?P<path>.*))?", "tree", self.tree),
            ("GET", rf"{_MODEL}/commits/(?P<rev>[^/]+)", "commits", self.commits),
            ("GET", rf"{_MODEL}/xet-write-token/(?P<rev>[^/]+)", "xet-token", xet.token),
            ("GET", rf"{_MODEL}(?:/revision/(?P<rev>[^/]+))?", "info", self.info),
            ("POST", rf"{_REPO}\.git/info/lfs/objects/batch", "batch", large.batch),
            ("POST", rf"{_REPO}\.git/info/lfs/verify", "verify", large.verify),
            ("PUT", r"/storage/(?P<oid>\w+)", "put", large.put),
            ("PUT", r"/storage/(?P<oid>\w+)/(?P<part>\d+)", "part", large.part),
            ("POST", r"/storage/(?P<oid>\w+)/complete", "complete", large.complete),
            ("GET", r"/v1/chunks/[\w-]+/(?P<hash>\w+)", "chunk", xet.chunk),
            ("POST", r"/v1/xorb-grants/default/(?P<hash>\w+)", "grant", xet.grant),
            ("POST", r"/v1/xorbs/default/(?P<hash>\w+)", "xorb", xet.xorb),
            ("POST", r"/v2/shards", "shard", xet.shard_events),
            ("POST", r"/v1/shards", "shard", xet.shard),
            ("GET|HEAD", rf"{_REPO}/resolve/(?P<rev>[^/]+)/(?P<path>.+)", "resolve", self.resolve),
        ]

    def find(self, exchange: Exchange) -> tuple[str, Route]:
        """Return the point and the page of a request; Refused with 404 when there is none."""
        for methods, pattern, point, page in self._table:
            match = re.fullmatch(pattern, exchange.path)
            if match and exchange.method in methods.split("|"):
                values = match.groupdict()
                return point, lambda e, page=page, values=values: page(e, **values)  # type: ignore[operator]
        raise Refused(404, "Sorry, we can't find the page you are looking for.")

    def account(self, exchange: Exchange) -> Token:
        token = self.hub.tokens.get(exchange.secret or "")
        if token is None:
            raise Refused(401, "Invalid username or password.")
        return token

    def readable(self, exchange: Exchange, name: str) -> Repo:
        repo = self.hub.store.repos.get(name)
        token = self.hub.tokens.get(exchange.secret or "")
        if exchange.secret and token is None:
            raise Refused(401, "Invalid username or password.")
        if repo is None or (repo.private and not (token and token.may_read(name))):
            raise Refused(404 if token else 401, "Repository not found", "RepoNotFound")
        return repo

    def writable(self, exchange: Exchange, name: str) -> Repo:
        token = self.account(exchange)
        repo = self.readable(exchange, name)
        if not token.may_write(name):
            message = (
                f'You don\'t have the rights to write to "{name}". Use a token with write role.'
            )
            raise Refused(403, message)
        return repo

    def at(self, repo: Repo, revision: str | None) -> Commit:
        commit = repo.at(revision or "main")
        if commit is None:
            raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return commit

    def whoami(self, exchange: Exchange) -> None:
        exchange.answer(200, self.account(exchange).whoami())

    def create(self, exchange: Exchange) -> None:
        token, asked = self.account(exchange), exchange.json()
        namespace = asked.get("organization") or token.user
        name = f"{namespace}/{asked['name']}"
        if not token.may_create(namespace):
            rights = "You don't have the rights to create a model under the namespace"
            raise Refused(403, f'{rights} "{namespace}"')
        private = asked.get("visibility") == "private" or bool(asked.get("private"))
        url = f"{self.hub.url}/{name}"
        try:
            self.hub.store.create(name, private)
        except Refused as refused:
            exchange.answer(refused.status, {"error": refused.message, "url": url})
            return
        exchange.answer(200, {"url": url, "name": name, "id": "2" * 24})

    def info(self, exchange: Exchange, repo: str, rev: str | None = None) -> None:
        found = self.readable(exchange, repo)
        commit = self.at(found, rev)
        document = {
            "_id": "2" * 24,
            "id": found.name,
            "modelId": found.name,
            "private": found.private,
            "sha": commit.oid,
            "tags": [],
            "downloads": 0,
            "likes": 0,
            "siblings": [{"rfilename": path} for path in commit.entries],
        }
        exchange.answer(200, document)

    def preupload(self, exchange: Exchange, repo: str, rev: str) -> None:
        found = self.writable(exchange, repo)
        entries = self.at(found, rev).entries
        files = []
        for file in exchange.json()["files"]:
            sample = b64decode(file["sample"])
            mode = self.hub.store.upload_mode(file["path"], file["size"], sample)
            answer = {"path": file["path"], "uploadMode": mode, "shouldIgnore": False}
            known = entries.get(file["path"])
            if known is not None:
                answer["oid"] = known.sha256 if known.lfs else known.oid
            files.append(answer)
        exchange.answer(200, {"files": files, "commitOid": self.at(found, rev).oid})

    def commit(self, exchange: Exchange, repo: str, rev: str) -> None:
        found = self.writable(exchange, repo)
        lines = [json.loads(line) for line in exchange.body().splitlines()]
        commit = self.hub.store.commit(found, lines)
        document = {
            "success": True,
            "commitOid": commit.oid,
            "commitUrl": f"{self.hub.url}/{repo}/commit/{commit.oid}",
            "hookOutput": "",
        }
        exchange.answer(200, document)

    def paths_info(self, exchange: Exchange, repo: str, rev: str) -> None:
        entries = self.at(self.readable(exchange, repo), rev).entries
        wanted = exchange.form().get("paths", [])
        exchange.answer(200, [entries[path].listed() for path in wanted if path in entries])

    def tree(self, exchange: Exchange, repo: str, rev: str, path: str | None = None) -> None:
        entries = self.at(self.readable(exchange, repo), rev).entries
        under = f"{path}/" if path else ""
        listed = [entry.listed() for name, entry in entries.items() if name.startswith(under)]
        exchange.answer(200, listed)

    def commits(self, exchange: Exchange, repo: str, rev: str) -> None:
        found = self.readable(exchange, repo)
        document = [
            {
                "id": commit.oid,
                "title": commit.title,
                "message": "",
                "authors": [{"user": "someuser"}],
                "date": "2026-01-01T00:00:00.000Z",
            }
            for commit in reversed(found.commits)
        ]
        exchange.answer(200, document)

    def resolve(self, exchange: Exchange, repo: str, rev: str, path: str) -> None:
        commit = self.at(self.readable(exchange, repo), rev)
        entry = commit.entries.get(path)
        if entry is None:
            raise Refused(404, "Entry not found", "EntryNotFound")
        etag = entry.sha256 if entry.lfs else entry.oid
        exchange.answer(200, entry.data, {"X-Repo-Commit": commit.oid, "ETag": f'"{etag}"'})
