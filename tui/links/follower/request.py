"""What to follow: the one request line, as the program on the box understands it."""

from tui.links.follower.appended import Token

LITERALS: "dict[str, object]" = {"__builtins__": {}, "null": None, "true": True, "false": False}
"""With these names JSON is Python: importing json takes longer than all the rest of the start."""


class Names:
    """The files of a run; they travel in the request, so that one place knows them."""

    def __init__(self, values: "dict[str, object]") -> None:
        self.status = encoded(values["status"])
        self.log = encoded(values["log"])
        self.console = encoded(values["console"])
        self.weights = encoded(values["weights"])
        self.checkpoint = encoded(values["checkpoint"])
        self.markers = encoded_list(values["markers"])
        self.replaced = encoded_list(values["replaced"])
        self.appended = encoded_list(values["appended"])
        self.tailed = encoded_list(values["tailed"])
        self.pruned = encoded_list(values["pruned"])


class Request:
    """What to follow and how; every time in seconds, every size in bytes."""

    def __init__(self, line: bytes) -> None:
        values = eval(line.decode("ascii"), dict(LITERALS))
        limits = values["limits"]
        self.marker = encoded(values["marker"])
        self.names = Names(values["names"])
        self.roots = encoded_list(values["roots"])
        self.only = optional(values["only"])
        self.console = optional(values["console"])
        self.consoles = {encoded(run): encoded(path) for run, path in values["consoles"].items()}
        self.once = bool(values["once"])
        self.machine = bool(values["machine"])
        self.depth = int(limits["depth"])
        self.tail = int(limits["tail"])
        self.replaced_limit = int(limits["replaced"])
        self.beat = float(limits["beat"])
        self.silence = float(limits["silence"])
        self.vitals = float(limits["vitals"])
        self.search = float(limits["search"])
        self.tokens = {}
        for run, name, *token in values["resume"]:
            self.tokens[(encoded(run), encoded(name))] = Token(token)
        self.known = {run for run, _ in self.tokens}


def encoded(text: object) -> bytes:
    """Return a path or name as its bytes on the box."""
    return str(text).encode("utf-8", "surrogateescape")


def encoded_list(texts: object) -> "list[bytes]":
    """Return paths or names as their bytes on the box."""
    return [encoded(text) for text in texts] if isinstance(texts, list) else []


def optional(text: object) -> "bytes | None":
    """Return a path's bytes, or None."""
    return None if text is None else encoded(text)
