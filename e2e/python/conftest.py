"""Servers and programs for the journeys; what a fixture starts, it ends."""

import logging
import threading

import pytest

from sdks import FeatBit, OpenFeature
from server import DEADLINE, Server
from wire import Wire


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


@pytest.fixture(scope="module")
def fbclient(server):
    """A program with FeatBit's SDK."""
    program = FeatBit(server.keys["server"], server.url)
    yield program
    program.close()


@pytest.fixture(scope="module")
def openfeature(server):
    """A program with OpenFeature's SDK."""
    program = OpenFeature(server.keys["server"], server.url)
    yield program
    program.close()


@pytest.fixture
def refused():
    """Waits until the SDK has heard a refusal. It takes the close for a network error, tells no
    listener of it, and tries again for ever: only its log says which it was."""
    heard = threading.Event()

    class Listening(logging.Handler):
        def emit(self, record):
            if "4003" in record.getMessage():
                heard.set()

    handler = Listening()
    logging.getLogger("fbclient.utils").addHandler(handler)

    def wait():
        assert heard.wait(DEADLINE), "never refused"

    yield wait
    logging.getLogger("fbclient.utils").removeHandler(handler)
