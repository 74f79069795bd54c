"""Who a token belongs to and what it may do, asked before anything is moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.onbox.hub_client import versions

if TYPE_CHECKING:
    from huggingface_hub import HfApi

WRITING_ROLES = ("admin", "write", "contributor")
WRITE_PERMISSION = "repo.write"


def account_of(whoami: dict[str, object]) -> dict[str, object]:
    """Return ``{name, orgs: [{name, role}], token_name, role, scopes}`` of a whoami answer.

    ``role`` is ``read``, ``write`` or ``fineGrained``; ``scopes`` lists ``{type, name,
    permissions}`` of a fine-grained token and is None for the others.
    """
    auth = _dictionary(whoami.get("auth"))
    token = _dictionary(auth.get("accessToken"))
    orgs = [_dictionary(org) for org in _list(whoami.get("orgs"))]
    scopes = None
    if token.get("role") == "fineGrained":
        scoped = _list(_dictionary(token.get("fineGrained")).get("scoped"))
        scopes = [_scope(_dictionary(one)) for one in scoped]
    return {
        "name": whoami.get("name"),
        "orgs": [{"name": org.get("name"), "role": org.get("roleInOrg")} for org in orgs],
        "token_name": token.get("displayName"),
        "role": token.get("role"),
        "scopes": scopes,
    }


def writable(account: dict[str, object], repo: str) -> tuple[bool | None, str | None]:
    """Return whether the account's token can write a repository, and what is missing if not.

    What is missing is ``role`` (the token only reads), ``namespace`` (not a member there),
    ``org_role`` (a member that only reads) or ``scope`` (a fine-grained token without it). None:
    cannot be told before it is tried.
    """
    namespace = repo.split("/")[0]
    if account.get("role") == "fineGrained":
        return _by_scope(_list(account.get("scopes")), repo)
    if account.get("role") == "read":
        return False, "role"
    if account.get("role") != "write":
        return None, None
    if namespace == account.get("name"):
        return True, None
    for org in _list(account.get("orgs")):
        one = _dictionary(org)
        if one.get("name") == namespace:
            if one.get("role") is None:
                return None, None
            return (True, None) if one.get("role") in WRITING_ROLES else (False, "org_role")
    return False, "namespace"


def check(api: HfApi, repo: str, timeout: float | None = None) -> dict[str, object]:
    """Ask who this is and what there is: ``{client, xet, account, repo}``.

    ``repo`` is ``{name, exists, private, sha, writable, missing}``. Raises what the client raises.
    """
    account = account_of(api.whoami())
    may, missing = writable(account, repo)
    found = look_at(api, repo, timeout)
    found.update({"writable": may, "missing": missing})
    return {**versions(), "account": account, "repo": found}


def look_at(api: HfApi, repo: str, timeout: float | None = None) -> dict[str, object]:
    """Return ``{name, exists, private, sha}`` of a repository; ``timeout`` in seconds."""
    try:
        info = api.repo_info(repo, timeout=timeout)
    except Exception as error:
        # The class for it differs between versions, and the client also takes a 401 for it.
        if getattr(getattr(error, "response", None), "status_code", None) != 404:
            raise
        return {"name": repo, "exists": False, "private": None, "sha": None}
    private, sha = getattr(info, "private", None), getattr(info, "sha", None)
    return {"name": repo, "exists": True, "private": private, "sha": sha}


def _by_scope(scopes: list[object], repo: str) -> tuple[bool | None, str | None]:
    for one in map(_dictionary, scopes):
        if one.get("name") in (repo, repo.split("/")[0]):
            permissions = [str(word) for word in _list(one.get("permissions"))]
            if WRITE_PERMISSION in permissions:
                return True, None
    return False, "scope"


def _scope(scope: dict[str, object]) -> dict[str, object]:
    entity = _dictionary(scope.get("entity"))
    return {
        "type": entity.get("type"),
        "name": entity.get("name"),
        "permissions": _list(scope.get("permissions")),
    }


def _dictionary(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
