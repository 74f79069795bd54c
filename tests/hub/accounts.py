"""Accounts of the loopback Hub: tokens, their roles and what each may write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Scope:
    """One line of a fine-grained token: what it may do to a namespace or a single repository."""

    kind: str  # "user", "org" or "model"
    name: str  # a namespace, or ORG/REPO for "model"
    permissions: tuple[str, ...] = ("repo.content.read", "repo.write")


@dataclass(frozen=True)
class Token:
    """An access token as whoami-v2 describes it."""

    secret: str
    user: str = "someuser"
    display_name: str = "laptop"
    role: str = "write"  # "read", "write" or "fineGrained"
    orgs: dict[str, str] = field(default_factory=lambda: {"my-org": "write"})
    scopes: tuple[Scope, ...] = ()

    def whoami(self) -> Json:
        access: Json = {
            "displayName": self.display_name,
            "role": self.role,
            "createdAt": "2026-01-01T00:00:00.000Z",
        }
        if self.role == "fineGrained":
            access["fineGrained"] = {
                "canReadGatedRepos": False,
                "global": [],
                "scoped": [
                    {
                        "entity": {"_id": "0" * 24, "type": scope.kind, "name": scope.name},
                        "permissions": list(scope.permissions),
                    }
                    for scope in self.scopes
                ],
            }
        return {
            "type": "user",
            "id": "0" * 24,
            "name": self.user,
            "fullname": self.user.title(),
            "isPro": False,
            "orgs": [
                {"type": "org", "id": "1" * 24, "name": name, "fullname": name, "roleInOrg": role}
                for name, role in self.orgs.items()
            ],
            "auth": {"type": "access_token", "accessToken": access},
        }

    def may_read(self, repo: str) -> bool:
        return self._reaches(repo.split("/")[0], repo, "repo.content.read", "read")

    def may_write(self, repo: str) -> bool:
        return self._reaches(repo.split("/")[0], repo, "repo.write", "write")

    def may_create(self, namespace: str) -> bool:
        return self._reaches(namespace, None, "repo.write", "write")

    def _reaches(self, namespace: str, repo: str | None, permission: str, needed: str) -> bool:
        if self.role == "fineGrained":
            return any(
                permission in scope.permissions
                and scope.name == (repo if scope.kind == "model" else namespace)
                for scope in self.scopes
            )
        if needed == "write" and self.role == "read":
            return False
        if namespace == self.user:
            return True
        roles = ("write", "admin", "contributor") if needed == "write" else None
        return namespace in self.orgs and (roles is None or self.orgs[namespace] in roles)
