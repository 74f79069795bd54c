"""Lambda's API v1: an envelope around everything, and no stop."""

from __future__ import annotations

import copy
from typing import Any

from tests.providers.fake_http import Canned, Change, FakeVendor, Request

ROW: dict[str, Any] = {
    "id": "0a1b",
    "name": "yolo",
    "ip": "192.0.2.10",
    "status": "active",
    "file_system_names": ["fs"],
    "instance_type": {
        "name": "gpu_1x_a10",
        "gpu_description": "A10 (24 GB)",
        "price_cents_per_hour": 75,
        "specs": {"vcpus": 30, "memory_gib": 200, "storage_gib": 1400, "gpus": 1},
    },
    "actions": {"terminate": {"available": True}, "restart": {"available": True}},
    "jupyter_token": "***",
}


def row(**changes: object) -> dict[str, Any]:
    return {**copy.deepcopy(ROW), **changes}


class FakeLambda(FakeVendor):
    """A terminated instance is listed as ``terminating`` for ``linger`` more lists."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Any] = [row()]
        self.linger = 1

    def change_of(self, request: Request) -> Change | None:
        if request.method == "GET":
            return None
        if request.path.endswith("/terminate"):
            return "destroy", ",".join(request.body["instance_ids"])
        return request.method, request.path

    def unauthorized(self) -> Canned:
        return error(401, "global/invalid-api-key", "API key was invalid, expired, or deleted.")

    def answer(self, request: Request) -> Canned:
        if request.path == "/api/v1/instances":
            return self._list()
        if request.method == "POST":
            return self._terminate(request.body["instance_ids"][0])
        found = self._find(request.path.rsplit("/", 1)[-1])
        return missing() if found is None else Canned(200, {"data": found})

    def _list(self) -> Canned:
        for one in list(self.rows):
            if isinstance(one, dict) and one.get("status") == "terminating":
                if one.setdefault("left", self.linger) <= 0:
                    self.rows.remove(one)
                one["left"] -= 1
        return Canned(200, {"data": self.rows})

    def _terminate(self, id: str) -> Canned:
        found = self._find(id)
        if found is None:
            return missing()
        found["status"] = "terminating"
        return Canned(200, {"data": {"terminated_instances": [found]}})

    def _find(self, id: str) -> dict[str, Any] | None:
        return next((one for one in self.rows if one.get("id") == id), None)


def missing() -> Canned:
    return error(404, "global/object-does-not-exist", "Specified instance does not exist.")


def error(status: int, code: str, message: str) -> Canned:
    return Canned(status, {"error": {"code": code, "message": message, "suggestion": None}})
