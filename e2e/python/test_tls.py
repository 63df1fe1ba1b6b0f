"""A server that speaks TLS itself: the API, and an SDK as its authors ship it."""

import json
import re
import urllib.request

import pytest

from commands import flag_that_is_on
from sdks import FeatBit
from server import ROOT, Server

ADA = {"key": "ada", "name": "Ada", "properties": {}}
CERTIFICATE = ROOT / "crates/edge/tests/tls/first.crt"


@pytest.fixture
def server(monkeypatch):
    # Whom this process believes.
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    monkeypatch.setenv("WEBSOCKET_CLIENT_CA_BUNDLE", str(CERTIFICATE))
    key = CERTIFICATE.with_suffix(".key")
    running = Server(options=["--tls-cert", CERTIFICATE, "--tls-key", key], scheme="https")
    yield running
    running.stop()


def test_a_program_hears_of_changes_that_are_made_over_tls(server):
    program = FeatBit(server.keys["server"], server.url)
    try:
        server.change(*flag_that_is_on("over_tls"))
        program.shows(ADA, over_tls=True)
        server.change({"kind": "turnOff", "flag": "over_tls"})
        program.shows(ADA, over_tls=False)
    finally:
        program.close()


def test_a_sessions_cookie_is_kept_to_it(server):
    log = (server.data_dir / "server.log").read_text()
    password = re.search(r"with the password (\S+) ", log)[1]
    owner = {"email": "owner@localhost", "password": password}
    headers = {"Content-Type": "application/json"}
    address = f"{server.url}/api/v1/session"
    request = urllib.request.Request(address, json.dumps(owner).encode(), headers)
    with urllib.request.urlopen(request) as response:
        assert "; Secure" in response.headers["set-cookie"]
