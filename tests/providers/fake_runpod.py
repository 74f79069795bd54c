"""RunPod's REST API v2 and its GraphQL balance, as documented."""

from __future__ import annotations

import copy
from typing import Any

from tests.providers.fake_http import Canned, Change, FakeVendor, Request

POD: dict[str, Any] = {
    "id": "abc123pod",
    "name": "yolo",
    "status": "RUNNING",
    "actions": ["stop", "restart", "terminate"],
    "disk": 50,
    "mounts": {"persistent": {"size": 100, "path": "/workspace"}},
    "gpu": {"id": "NVIDIA GeForce RTX 4090", "count": 1},
    "ssh": {
        "proxy": {"host": "ssh.example.test", "port": 22, "username": "abc123pod-0000"},
        "direct": {"host": "203.0.113.9", "port": 34001, "username": "root"},
    },
    "cost": 0.69,
    "locked": False,
    "runtime": {
        "ports": [{"private": 22, "public": 34001, "type": "tcp", "ip": "203.0.113.9"}],
    },
    "env": {"HF_TOKEN": "***"},
    "createdAt": "2026-11-01T00:00:00Z",
    "startedAt": "2026-11-01T00:02:00Z",
}
STOPPED: dict[str, Any] = {
    "status": "EXITED",
    "actions": ["start", "terminate"],
    "cost": 0.0,
    "runtime": None,
    "ssh": {"proxy": None, "direct": None},
}
NO_GPU = "There are not enough free GPUs on the host machine to start this pod."


def pod(**changes: object) -> dict[str, Any]:
    return {**copy.deepcopy(POD), **changes}


class FakeRunPod(FakeVendor):
    def __init__(self) -> None:
        super().__init__()
        self.pods: list[Any] = [pod()]
        self.balance: Any = {
            "data": {"myself": {"clientBalance": 18.4, "currentSpendPerHr": 0.69, "spendLimit": 80}}
        }
        self.log = b'id: 1\ndata: one\n\nid: 2\ndata: {"message": "two"}\n\n'

    def change_of(self, request: Request) -> Change | None:
        parts = request.path.split("/")
        if request.method == "DELETE":
            return "destroy", parts[-1]
        if request.method == "POST" and parts[-1] == "action":
            return request.body["action"], parts[-2]
        return None if request.path == "/graphql" or request.method == "GET" else ("?", "?")

    def unauthorized(self) -> Canned:
        return problem(401, "Unauthorized", "invalid API key")

    def answer(self, request: Request) -> Canned:
        parts = request.path.strip("/").split("/")
        if parts == ["graphql"]:
            return Canned(200, self.balance)
        if parts == ["v2", "pods"]:
            return Canned(200, {"pods": self.pods})
        if parts[-1] == "logs":
            return Canned(200, self.log, {"Content-Type": "text/event-stream"})
        found = next((one for one in self.pods if one["id"] == parts[2]), None)
        if found is None:
            return problem(404, "Not Found", "pod not found")
        if request.method == "DELETE":
            self.pods.remove(found)
            return Canned(204)
        if parts[-1] == "action":
            return self._act(found, request.body["action"])
        return Canned(200, found)

    def _act(self, found: dict[str, Any], action: str) -> Canned:
        if action not in found["actions"]:
            return problem(409, "Conflict", "action not valid for current status")
        running = {name: copy.deepcopy(POD[name]) for name in STOPPED}
        found.update(copy.deepcopy(STOPPED) if action == "stop" else running)
        return Canned(200, found)


def problem(status: int, title: str, detail: str) -> Canned:
    body = {"title": title, "status": status, "detail": detail}
    return Canned(status, body, {"Content-Type": "application/problem+json"})
