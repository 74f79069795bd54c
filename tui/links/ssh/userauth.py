"""SSH user authentication (RFC 4252) over a paramiko transport, one request at a time.

Paramiko's own client always signs, waits for the service to be accepted first (a round trip), and
has a race on fast links; here a key can be offered before anybody is asked for a passphrase, the
service request travels with the first offer, and every answer has a deadline.
"""

from __future__ import annotations

import queue
from dataclasses import dataclass
from typing import Literal

from paramiko.auth_handler import AuthHandler
from paramiko.common import (
    MSG_SERVICE_ACCEPT,
    MSG_USERAUTH_BANNER,
    MSG_USERAUTH_FAILURE,
    MSG_USERAUTH_INFO_REQUEST,
    MSG_USERAUTH_SUCCESS,
    cMSG_SERVICE_REQUEST,
    cMSG_USERAUTH_REQUEST,
)
from paramiko.message import Message

from tui.links.ssh.keys import CERTIFICATE_SUFFIX, PublicKey, Signer
from tui.links.ssh.transport import BoxTransport
from tui.links.ssh.wire import pack_string

ANSWER_SECONDS = 30.0
MSG_USERAUTH_PK_OK = MSG_USERAUTH_INFO_REQUEST
"""Both have number 60: which one it is depends on the method that was asked for."""

Outcome = Literal["success", "refused", "acceptable", "closed", "timeout"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said; ``methods`` may go on when it refused, ``partial`` asks for more."""

    outcome: Outcome
    methods: tuple[str, ...] = ()
    partial: bool = False


class UserAuth(AuthHandler):
    """The authentication of one user on one transport."""

    def __init__(self, transport: BoxTransport, username: str) -> None:
        super().__init__(transport)
        self.user = username
        self.banner_text = ""
        self._transport = transport
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._service_requested = False
        transport.auth_handler = self

    def offer(self, key: PublicKey) -> Answer:
        """Ask whether ``key`` would do, without a signature."""
        request = self._request("publickey")
        request.add_boolean(False)
        request.add_string(self.algorithm(key))
        request.add_string(key.blob)
        return self._send(request)

    def log_in(self, key: PublicKey, signer: Signer) -> Answer:
        """Log in with ``key`` (a plain one or a certificate), signed by ``signer``.

        Raises KeyProblem when the key cannot sign.
        """
        algorithm = self.algorithm(key)
        request = self._request("publickey")
        request.add_boolean(True)
        request.add_string(algorithm)
        request.add_string(key.blob)
        signed = pack_string(self._transport.session_id or b"") + request.asbytes()
        plain = algorithm.removesuffix(CERTIFICATE_SUFFIX)
        request.add_string(signer.sign(signed, plain))
        return self._send(request)

    def log_in_without_key(self) -> Answer:
        """Ask for no authentication at all: the refusal lists the methods that there are."""
        return self._send(self._request("none"))

    def algorithm(self, key: PublicKey) -> str:
        """Return the signature algorithm for a key: RSA has several, the server says which."""
        if not key.type.startswith("ssh-rsa"):
            return key.type
        told = self._transport.server_extensions.get("server-sig-algs", b"")
        accepted = told.decode("ascii", "replace").split(",")
        chosen = "rsa-sha2-512"
        if chosen not in accepted and "rsa-sha2-256" in accepted:
            chosen = "rsa-sha2-256"
        return chosen + key.type.removeprefix("ssh-rsa")

    @property
    def disconnect_reason(self) -> str | None:
        """What the server said when it ended the connection."""
        return self._transport.disconnect_reason

    def abort(self) -> None:
        """Called by the transport when the connection ends."""
        self._answers.put(Answer("closed"))

    @property
    def _client_handler_table(self) -> dict[int, object]:
        return {
            MSG_SERVICE_ACCEPT: self._service_accepted,
            MSG_USERAUTH_SUCCESS: self._succeeded,
            MSG_USERAUTH_FAILURE: self._refused,
            MSG_USERAUTH_BANNER: self._banner,
            MSG_USERAUTH_PK_OK: self._acceptable,
        }

    def _request(self, method: str) -> Message:
        message = Message()
        message.add_byte(cMSG_USERAUTH_REQUEST)
        message.add_string(self.user)
        message.add_string("ssh-connection")
        message.add_string(method)
        return message

    def _send(self, request: Message) -> Answer:
        try:
            if not self._service_requested:
                self._service_requested = True
                service = Message()
                service.add_byte(cMSG_SERVICE_REQUEST)
                service.add_string("ssh-userauth")
                self._transport._send_message(service)
            self._transport._send_message(request)
            self._transport.acknowledge_at_once()
        except (EOFError, OSError):
            return Answer("closed")
        try:
            return self._answers.get(timeout=ANSWER_SECONDS)
        except queue.Empty:
            return Answer("timeout")

    def _service_accepted(self, message: Message) -> None:
        """Nothing to do: the first request is already on its way."""

    def _succeeded(self, message: Message) -> None:
        self.authenticated = True
        self._transport._auth_trigger()
        self._answers.put(Answer("success"))

    def _refused(self, message: Message) -> None:
        methods = tuple(message.get_list())
        self._answers.put(Answer("refused", methods, message.get_boolean()))

    def _acceptable(self, message: Message) -> None:
        self._answers.put(Answer("acceptable"))

    def _banner(self, message: Message) -> None:
        self.banner_text = message.get_string().decode("utf-8", "replace")[:2000]
