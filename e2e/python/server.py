"""A real `burgee` process with a data folder of its own, driven from outside as users do: by its
command line and its API."""

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BINARY = os.environ.get("BURGEE_BIN", str(TARGET / "debug" / "burgee"))

PROJECT = "demo"
ENVIRONMENT = "prod"
DEADLINE = 60.0

# Commands on the flag itself: they name no environment.
WITHOUT_ENVIRONMENT = {
    "createFlag",
    "updateVariation",
    "setVariations",
    "archiveFlag",
    "restoreFlag",
    "deleteFlag",
}


class Server:
    """A server with the demo flags; `stop()` removes what it left. Its database is embedded, or
    that of an address; `options` are further ones of `burgee server`, `scheme` what it speaks by
    them."""

    def __init__(self, database=None, options=(), scheme="http"):
        self.data_dir = Path(tempfile.mkdtemp(prefix="burgee-e2e-"))
        self.data = ["--database", database] if database else ["--data-dir", str(self.data_dir)]
        self.options = options
        self.port, self.metrics_port = free_port(), free_port()
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        self.up()
        where = ("--project", PROJECT, "--environment", ENVIRONMENT)
        self.keys = self.cli("sdk-keys", *where, "--json")
        made = self.cli("token", "create", "--name", "e2e", "--policy", "owner", "--json")
        self.token = made["token"]

    def up(self):
        """Starts the process (again, on the same port and data) and waits until it is ready."""
        log = (self.data_dir / "server.log").open("ab")
        arguments = [BINARY, "server", "--demo", *self.data, *self.options]
        arguments += ["--listen", f"127.0.0.1:{self.port}"]
        arguments += ["--metrics-listen", f"127.0.0.1:{self.metrics_port}"]
        self.process = subprocess.Popen(arguments, stdout=log, stderr=log)
        log.close()
        eventually(self._is_ready, "the server is ready")

    def down(self, how=signal.SIGTERM):
        """Ends the process: politely, or with SIGKILL as a crash would."""
        self.process.send_signal(how)
        self.process.wait(DEADLINE)

    def stop(self):
        self.down()
        shutil.rmtree(self.data_dir)

    def cli(self, *arguments):
        """Runs a command of the command line on this server's data; gives its JSON."""
        command = [BINARY, *arguments, *self.data]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

    def api(self, method, route, body=None):
        """Calls the API under /api/v1; anything but success raises, with the answer in it."""
        request = urllib.request.Request(
            f"{self.url}/api/v1{route}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE) as response:
                return json.loads(response.read() or b"null")
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{error.code} {error.read().decode()}") from error

    def change(self, *commands):
        """Applies commands as one change set to the demo project."""
        placed = [
            command
            if command["kind"] in WITHOUT_ENVIRONMENT
            else {"environment": ENVIRONMENT, **command}
            for command in commands
        ]
        return self.api("POST", f"/projects/{PROJECT}/changes", {"commands": placed})

    def metrics(self):
        """What Prometheus reads: (name, {(label, value), …}) → value."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics") as response:
            text = response.read().decode()
        found = {}
        for name, labels, value in re.findall(r"^(\w+)(?:\{(.*)\})? (\S+)$", text, re.MULTILINE):
            found[name, frozenset(re.findall(r'(\w+)="(.*?)"', labels))] = float(value)
        return found

    def stored(self, sql, *values):
        """Waits until a query on the server's traffic.db answers, and gives the rows."""

        def read():
            database = sqlite3.connect(f"file:{self.data_dir / 'traffic.db'}?mode=ro", uri=True)
            try:
                return database.execute(sql, values).fetchall()
            finally:
                database.close()

        return eventually(read, f"{sql} {values}")

    def _is_ready(self):
        if self.process.poll() is not None:
            log = (self.data_dir / "server.log").read_text()
            raise SystemExit(f"burgee ended with {self.process.returncode}:\n{log}")
        with urllib.request.urlopen(f"{self.url}/health/readiness") as response:
            return response.status == 200


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def eventually(condition, what):
    """Asks again and again, where nothing announces it, until the answer is true."""
    end = time.monotonic() + DEADLINE
    last = None
    while time.monotonic() < end:
        try:
            answer = condition()
            if answer:
                return answer
        except (OSError, sqlite3.Error) as error:
            last = error
        time.sleep(0.025)
    raise AssertionError(f"never seen: {what}") from last
