"""A gateway that runs in a thread, for tests that talk to it over HTTP."""

import http.client
import threading
from dataclasses import dataclass
from urllib.parse import urlsplit

from lorewright.gateway.configuration import Configuration, Listen
from lorewright.gateway.server import address_of, make_server, open_socket, run
from lorewright.gateway.service import Service


@dataclass(frozen=True)
class Answer:
    """What came back. headers: names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class RunningGateway:
    """A context manager; `url` is where it is."""

    def __init__(self, configuration: Configuration, weaver=None, spans=None):
        self.service = Service(configuration, weaver, spans)
        self._socket = open_socket(Listen(host=configuration.listen.host, port=0))
        self.url = address_of(self._socket)
        self._server = make_server(self.service)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        run(self._server.serve(sockets=[self._socket]))

    def __enter__(self):
        self._thread.start()
        while not self._server.started:
            self._thread.join(0.005)
            assert self._thread.is_alive(), "the server did not start"
        return self

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join()

    def ask(self, method, path, body=b"", headers=None) -> Answer:
        """One request with exactly these headers, and `Host` and the length of the body."""
        connection = self.connect()
        try:
            connection.request(method, path, body or None, headers or {})
            with connection.getresponse() as reply:
                return Answer(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())
        finally:
            connection.close()

    def post(self, path, body, headers=None) -> Answer:
        return self.ask("POST", path, body, {"content-type": "application/json", **(headers or {})})

    def connect(self) -> http.client.HTTPConnection:
        place = urlsplit(self.url)
        assert place.hostname is not None
        return http.client.HTTPConnection(place.hostname, place.port, timeout=60)
