"""How requests are read from connections: as uvicorn reads them with httptools, but with a limit for their heads, and
with the body of a request that asks for another protocol."""

from __future__ import annotations

from typing import Final

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["HttpProtocol"]

_HEAD_BYTES: Final = 65_536
"""The longest head, and what stands behind a body in pieces. Nobody is asked for a token before it is read."""
_CONNECT: Final = b"CONNECT"


class HttpProtocol(HttpToolsProtocol):
    """One connection of a client."""

    _unread_bytes = 0
    """What has come of a head, or of what stands between pieces of a body, and is not yet whole."""

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._unread_bytes += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._stay(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._refuse("Invalid HTTP request received.")
        else:
            if self._unread_bytes > _HEAD_BYTES:
                self._refuse(f"The head of the request is larger than {_HEAD_BYTES} bytes. Send fewer headers.")

    def on_headers_complete(self) -> None:
        self._unread_bytes = 0
        if not self.parser.should_upgrade():
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unread_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread_bytes = 0
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def _stay(self, rest: bytes) -> None:
        """Read a request again without its wish for another protocol: the parser skips the body of one that has it.

        rest: what came behind its head.
        """
        method = self.parser.get_method()
        if method == _CONNECT:
            self._refuse("This is no proxy.")
            return
        kept = [b"%b: %b\r\n" % header for header in self.headers if header[0] != b"upgrade"]
        head = b"%b %b HTTP/%b\r\n%b\r\n" % (
            method,
            self.url,
            self.parser.get_http_version().encode(),
            b"".join(kept),
        )
        self.parser = httptools.HttpRequestParser(self)
        self.data_received(head + rest)

    def _refuse(self, message: str) -> None:
        self.logger.warning(message)
        self.send_400_response(message)
