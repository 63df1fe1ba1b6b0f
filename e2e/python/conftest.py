"""Servers and programs for the journeys; what a fixture starts, it ends."""

import logging
import threading

import pytest

from excluded import is_excluded
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


def pytest_bdd_before_scenario(request, feature, scenario):
    if is_excluded(feature, scenario):
        pytest.skip("left out by conformance/README.md")


def pytest_configure(config):
    # Examples of features have these.
    for tag in ("booleans", "strings", "numbers", "objects", "transaction", "hooks"):
        config.addinivalue_line("markers", f"{tag}: a part of OpenFeature")


def pytest_bdd_apply_tag(tag, function):
    """The others name requirements; none is a mark of pytest's."""
    return True
