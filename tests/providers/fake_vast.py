"""Vast.ai as its documentation and public reports have it."""

from __future__ import annotations

import copy
from typing import Any

from tests.providers.fake_http import Canned, Change, FakeVendor, Request

ROW: dict[str, Any] = {
    "id": 700001,
    "label": "yolo9s",
    "machine_id": 4242,
    "actual_status": "running",
    "intended_status": "running",
    "cur_state": "running",
    "next_state": "running",
    "status_msg": "success, running img/ssh",
    "gpu_name": "RTX 4090",
    "num_gpus": 8,
    "disk_space": 250.0,
    "dph_base": 3.4134,
    "dph_total": 3.4828,
    "storage_cost": 0.20,
    "storage_total_cost": 0.0694444,
    "inet_up_cost": 0.003,
    "inet_down_cost": 0.003,
    "search": {"gpuCostPerHour": 3.4134, "diskHour": 0.0694444, "totalHour": 3.4828},
    "instance": {"gpuCostPerHour": 3.4134, "diskHour": 0.0694444, "totalHour": 3.4828},
    "ssh_host": "ssh9.example.test",
    "ssh_port": 21000,
    "image_runtype": "ssh_direc ssh_proxy",
    "public_ipaddr": "198.51.100.7 ",
    "ports": {"22/tcp": [{"HostIp": "0.0.0.0", "HostPort": "41022"}]},
    "start_date": 1796000000.1,
    "end_date": 1798000000.0,
    "is_bid": False,
    "extra_env": [["HF_TOKEN", "***"]],
    "jupyter_token": "***",
    "volume_info": [],
}
STOPPED: dict[str, Any] = {
    "actual_status": "exited",
    "intended_status": "stopped",
    "cur_state": "stopped",
    "next_state": "stopped",
    "ports": None,
    "instance": {"gpuCostPerHour": 0, "diskHour": 0.0694444, "totalHour": 0.0694444},
}
RUNNING = {name: ROW[name] for name in STOPPED}


def row(**changes: object) -> dict[str, Any]:
    return {**copy.deepcopy(ROW), **changes}


class FakeVast(FakeVendor):
    """``gpu_taken`` refuses and queues starts; a destroyed row stays for ``linger`` more lists."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Any] = [row()]
        self.page = 25
        self.gpu_taken = False
        self.linger = 0
        self.credit: dict[str, Any] = {"id": 1, "credit": 25.0, "balance": 0.0}
        self.log: str | None = "one\ntwo\n"
        self._going: dict[str, int] = {}

    def change_of(self, request: Request) -> Change | None:
        id = request.path.rstrip("/").rsplit("/", 1)[-1]
        if request.method == "DELETE":
            return "destroy", id
        if request.method == "PUT" and "request_logs" not in request.path:
            return {"stopped": "stop", "running": "start"}[request.body["state"]], id
        return None if request.method in ("GET", "PUT") else (request.method, request.path)

    def needs_key(self, request: Request) -> bool:
        return not request.path.startswith("/logs/")

    def unauthorized(self) -> Canned:
        return Canned(401, {"success": False, "error": "auth_error", "msg": "Invalid user key"})

    def answer(self, request: Request) -> Canned:
        path = request.path.rstrip("/")
        if path.startswith("/logs"):
            return Canned(200, self.log.encode()) if self.log is not None else Canned(404)
        if path == "/api/v1/instances":
            return self._list(request)
        if path == "/api/v0/users/current":
            return Canned(200, self.credit)
        id = path.rsplit("/", 1)[-1]
        found = next((one for one in self.rows if str(_id(one)) == id), None)
        if request.method == "GET":
            return Canned(200, {"instances": found})
        if "request_logs" in path:
            return Canned(200, {"success": True, "result_url": f"{self.url}/logs/{id}"})
        if found is None:
            return Canned(404, {"success": False, "error": "no_such_instance", "msg": "none"})
        return self._change(request, found, id)

    def _list(self, request: Request) -> Canned:
        for id in [id for id, left in self._going.items() if left <= 0]:
            self.rows = [one for one in self.rows if str(_id(one)) != id]
            del self._going[id]
        self._going = {id: left - 1 for id, left in self._going.items()}
        start = int(request.query.get("after_token", "0"))
        end = start + min(self.page, int(request.query["limit"]))
        token = str(end) if end < len(self.rows) else None
        body = {
            "success": True,
            "total_instances": len(self.rows),
            "instances": self.rows[start:end],
            "next_token": token,
        }
        return Canned(200, body)

    def _change(self, request: Request, found: dict[str, Any], id: str) -> Canned:
        if request.method == "DELETE":
            self._going[id] = self.linger
        elif request.body["state"] == "stopped":
            found.update(STOPPED)
        elif self.gpu_taken:
            found.update(intended_status="running", next_state="running")
            message = "Required resources are currently unavailable, state change queued."
            return Canned(200, {"success": False, "error": "resources_unavailable", "msg": message})
        else:
            found.update(RUNNING)
        return Canned(200, {"success": True})


def _id(one: object) -> object:
    return one.get("id") if isinstance(one, dict) else None
