"""Servers and clients for the journeys; what a fixture starts, it ends."""

import threading

import pytest
from fbclient.client import FBClient
from fbclient.config import Config
from fbclient.data_storage import InMemoryDataStorage

from server import DEADLINE, Server
from wire import Wire


class Watched(InMemoryDataStorage):
    """The SDK's own storage, which also says when something was written to it."""

    def __init__(self):
        super().__init__()
        self._written = threading.Condition()

    def init(self, *arguments, **named):
        try:
            return super().init(*arguments, **named)
        finally:
            self._tell()

    def upsert(self, *arguments, **named):
        try:
            return super().upsert(*arguments, **named)
        finally:
            self._tell()

    def until(self, condition):
        """Waits until `condition` holds, looking after each write."""
        with self._written:
            assert self._written.wait_for(condition, DEADLINE), "never seen"

    def _tell(self):
        with self._written:
            self._written.notify_all()


@pytest.fixture(scope="module")
def server():
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def wire(server):
    relay = Wire(server.port)
    yield relay
    relay.close()


@pytest.fixture
def connect():
    """Makes clients: `connect(secret, url)` gives one with `until` on it."""
    clients = []

    def make(secret, url, wait=DEADLINE):
        storage = Watched()
        streaming = url.replace("http", "ws")
        config = Config(secret, event_url=url, streaming_url=streaming, data_storage=storage)
        client = FBClient(config, start_wait=wait)
        client.until = storage.until
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.stop()


@pytest.fixture
def client(connect, server):
    ready = connect(server.keys["server"], server.url)
    assert ready.initialize
    return ready
